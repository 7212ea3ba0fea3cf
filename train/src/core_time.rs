//! The time that the cores have spent on this program.

use std::time::Duration;

/// Returns the time that this program has had on all cores, added up.
#[cfg(unix)]
pub fn core_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Returns the time since the first call, where the system is not asked for that of the cores.
#[cfg(not(unix))]
pub fn core_time() -> Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}
