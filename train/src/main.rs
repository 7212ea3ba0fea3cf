//! The program `gipf`: the library's command line, with an allocator.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of the mimalloc option that says how long freed memory is kept, in milliseconds.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

#[expect(unsafe_code, reason = "mimalloc has no safe way to set its options")]
fn main() -> ExitCode {
    // SAFETY: an option is a number behind a lock, and `PURGE_DELAY` is the number of a mimalloc option.
    unsafe {
        // Freed memory stays with the program: training allocates the same arrays again and again, and returning
        // memory to the system stalls all its threads.
        libmimalloc_sys::mi_option_set_default(PURGE_DELAY, -1);
    }
    gipf_train::cli::main()
}
