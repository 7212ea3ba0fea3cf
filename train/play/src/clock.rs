//! The clock of searches and proofs: the system's, or in a browser the page's.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use browser::Instant;

#[cfg(target_family = "wasm")]
mod browser {
    use std::ops::{Add, AddAssign, Sub};
    use std::time::Duration;

    #[expect(unsafe_code, reason = "the standard library has no clock for this machine")]
    #[link(wasm_import_module = "gipf")]
    unsafe extern "C" {
        /// Returns the milliseconds since some fixed moment: `performance.now` of the page.
        safe fn milliseconds() -> f64;
    }

    /// A moment, like that of [`std::time`], which would panic here.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns the present moment. A program for a browser must be given a function `milliseconds` in the module
        /// `gipf`.
        pub fn now() -> Self {
            Self(Duration::try_from_secs_f64(milliseconds() / 1000.0).unwrap_or_default())
        }

        /// Returns the time since this moment.
        pub fn elapsed(self) -> Duration {
            Self::now() - self
        }

        /// Returns the time since an earlier moment; zero if that moment was later.
        pub fn saturating_duration_since(self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// Returns the moment that is this much later, if the clock can represent it.
        pub fn checked_add(self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Self)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }

    impl AddAssign<Duration> for Instant {
        fn add_assign(&mut self, time: Duration) {
            self.0 += time;
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}
