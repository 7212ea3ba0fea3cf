//! The program `gipf`: the library's command line, with an allocator.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of mimalloc's option for how long it keeps memory that was freed, in milliseconds.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

#[expect(unsafe_code, reason = "mimalloc has no safe way to set its options")]
fn main() -> ExitCode {
    // SAFETY: an option is a number behind a lock; the number is mimalloc's.
    unsafe {
        // Freed memory stays with the program: training allocates the same arrays again and again, and giving memory back
        // stops all its threads.
        libmimalloc_sys::mi_option_set_default(PURGE_DELAY, -1);
    }
    gipf_train::cli::main()
}
