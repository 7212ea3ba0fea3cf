//! The CPU time that this program has used.

use std::time::Duration;
#[cfg(feature = "learn")]
use std::time::Instant;

/// Both clocks as they were when a part of the work began.
#[cfg(feature = "learn")]
#[derive(Clone, Copy, Debug)]
pub struct Began {
    wall: Instant,
    cores: Duration,
}

#[cfg(feature = "learn")]
impl Began {
    /// Reads the clocks.
    pub fn now() -> Self {
        Self { wall: Instant::now(), cores: core_time() }
    }

    /// Returns the wall-clock seconds since then, and the CPU seconds of this program, summed over all cores.
    pub fn elapsed(self) -> [f64; 2] {
        [self.wall.elapsed(), core_time().saturating_sub(self.cores)].map(|time| time.as_secs_f64())
    }
}

/// Returns the CPU time of this program, summed over all cores.
#[cfg(unix)]
pub fn core_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Returns the wall-clock time since the first call: on systems other than Unix the CPU time is not measured.
#[cfg(not(unix))]
pub fn core_time() -> Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}
