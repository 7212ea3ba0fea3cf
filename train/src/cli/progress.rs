//! Bars for work that takes a while: they show rate and time left on a terminal, and nothing elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str = "{prefix} {wide_bar:.cyan/dim} {pos}/{len} {msg}  {per_sec}  {eta} left";

/// Returns a bar of `units` units on standard error; it is hidden unless that is a terminal.
pub(super) fn bar(prefix: String, unit: &'static str, units: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(TEMPLATE).expect("the template is valid").progress_chars("━╸─");
    let bar = ProgressBar::with_draw_target(Some(units), ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style);
    bar.set_prefix(prefix);
    bar.set_message(unit);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
