//! A counting allocator, for tests of code that must not allocate, or must not keep what it allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, which also counts the allocations of the threads that asked for it.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static COUNTED: Cell<bool> = const { Cell::new(false) };
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// Counts the allocations of this thread from now on. Only one test may call this, since there is only one count.
pub fn count_this_thread() {
    COUNTED.set(true);
}

/// Returns the number of allocations of all counted threads.
pub fn count() -> usize {
    COUNT.load(Ordering::SeqCst)
}

/// Returns the bytes that this thread has allocated, less those that it has freed.
#[cfg(feature = "learn")]
pub fn held() -> isize {
    HELD.get()
}

fn hold(bytes: isize) {
    // A thread that is ending no longer holds anything.
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

fn note() {
    // A thread that is ending no longer has a flag; it need not be counted.
    if COUNTED.try_with(Cell::get).unwrap_or(false) {
        COUNT.fetch_add(1, Ordering::SeqCst);
    }
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        hold(layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        // SAFETY: the pointer comes from `alloc` or `realloc` above, that is from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        hold(size as isize - layout.size() as isize);
        // SAFETY: the pointer comes from the system's allocator, and the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
