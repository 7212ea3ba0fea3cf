//! The clock of searches and proofs: that of the system, or in a browser that of the page.

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
        /// Returns the milliseconds since any fixed moment: `performance.now` of the page.
        safe fn milliseconds() -> f64;
    }

    /// A moment, as in [`std::time`], whose own would panic here.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns this moment. Whoever makes a program for a browser gives it a function `milliseconds` in module `gipf`.
        pub fn now() -> Self {
            Self(Duration::try_from_secs_f64(milliseconds() / 1000.0).unwrap_or_default())
        }

        /// Returns the time since this moment.
        pub fn elapsed(self) -> Duration {
            Self::now() - self
        }

        /// Returns the time since an earlier moment; none has passed if it was later.
        pub fn saturating_duration_since(self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// Returns the moment after this time, if the clock can show it.
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
