//! The program, reporting its memory while it works: `scripts/campaign endurance` checks whether it grows.
//!
//! The memory that the system has given to the process says less: it varies by megabytes with fragmentation.

#![expect(unsafe_code, clippy::disallowed_methods, reason = "an allocator, and a way to ask it")]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::OsStr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, fs, mem, thread};

use mimalloc::MiMalloc;

/// The program's allocator, which also counts.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that were allocated and not yet freed.
static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the program's allocator; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer comes from `alloc` or `realloc`, that is from the program's allocator.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size.wrapping_sub(layout.size()), Ordering::Relaxed);
        // SAFETY: the pointer comes from the program's allocator, and the caller keeps the contract of `realloc`.
        unsafe { MiMalloc.realloc(pointer, layout, size) }
    }
}

fn main() -> ExitCode {
    if let Some(path) = env::var_os("GIPF_HELD") {
        let leak = env::var("GIPF_LEAK").map_or(0, |text| text.parse().expect("GIPF_LEAK is a number of bytes"));
        thread::spawn(move || tell(&path, leak));
    }
    gipf_train::cli::main()
}

/// Every second, writes to a file the fewest bytes held during that second, and leaks this many bytes.
fn tell(path: &OsStr, leak: usize) {
    loop {
        let looks = (0..200).map(|_| {
            thread::sleep(Duration::from_millis(5));
            HELD.load(Ordering::Relaxed)
        });
        let least = looks.min().expect("there are some looks");
        fs::write(path, format!("{least}\n")).expect("what is held can be written down");
        mem::forget(vec![1_u8; leak]);
    }
}
