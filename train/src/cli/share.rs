//! Shares as options.

/// Returns a reader of numbers from 0 to this one.
pub(super) fn share_up_to(most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let share = text.parse().ok().filter(|share| (0.0..=most).contains(share));
        share.ok_or_else(|| format!("expected a number from 0 to {most}"))
    }
}
