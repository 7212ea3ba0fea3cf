#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    gipf_tests::readers::shards::specifications(input);
});
