//! The processor time that the program has taken.

use std::fs;

/// Returns the processor seconds of all threads so far, those that have ended included, to a hundredth; nothing where the
/// system does not keep them in `/proc`.
pub(super) fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in parentheses and may hold anything.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(str::parse);
    let (user, system): (u64, u64) = (fields.next()?.ok()?, fields.next()?.ok()?);
    // Linux counts in hundredths of a second here, whatever its own clock does.
    Some((user + system) as f64 / 100.0)
}
