//! Files that come with the program: built into it, or, where it runs in a page, files beside the page.

/// A file that comes with the program, such as a network: [`shipped!`](crate::shipped) names one.
///
/// A program for a browser has none built in, so that it is quickly fetched: there a file is empty until it has been
/// fetched and given with `give`.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The name by which it is fetched.
    pub name: &'static str,
    #[cfg(not(target_family = "wasm"))]
    bytes: &'static [u8],
}

/// Names a file that comes with the program, and its path relative to the source that names it.
#[cfg(not(target_family = "wasm"))]
#[macro_export]
macro_rules! shipped {
    ($name:literal, $path:literal) => {
        $crate::Shipped::new($name, include_bytes!($path))
    };
}

/// Names a file that comes with the program, and its path relative to the source that names it.
#[cfg(target_family = "wasm")]
#[macro_export]
macro_rules! shipped {
    ($name:literal, $path:literal) => {
        $crate::Shipped::named($name)
    };
}

#[cfg(not(target_family = "wasm"))]
impl Shipped {
    /// Returns the file with this content.
    pub const fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, bytes }
    }

    /// Returns its content.
    pub const fn bytes(self) -> &'static [u8] {
        self.bytes
    }
}

#[cfg(target_family = "wasm")]
pub use fetched::give;

#[cfg(target_family = "wasm")]
mod fetched {
    use std::sync::{Mutex, PoisonError};

    use super::Shipped;

    static GIVEN: Mutex<Vec<(String, &'static [u8])>> = Mutex::new(Vec::new());

    impl Shipped {
        /// Returns the file of this name.
        pub const fn named(name: &'static str) -> Self {
            Self { name }
        }

        /// Returns its content; empty until it is given.
        pub fn bytes(self) -> &'static [u8] {
            let given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
            given.iter().find(|(name, _)| name == self.name).map_or(&[], |(_, bytes)| bytes)
        }
    }

    /// Gives the content of a file for as long as the program runs; the first content given stays.
    pub fn give(name: &str, bytes: Vec<u8>) {
        GIVEN.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), bytes.leak()));
    }
}
