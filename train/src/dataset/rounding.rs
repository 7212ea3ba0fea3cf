//! Probabilities and values as small integers.

use gipf_env::ActionIndex;

/// The units of a whole policy.
pub(super) const WHOLE: u32 = 255;
/// The units of a certain win.
const CERTAIN: f32 = 127.0;

/// Returns probabilities in units of 1/255, without those that round to 0; none if they do not sum to about 1.
///
/// Each is off by less than a unit: all are rounded down, and the units that are left go to those that lost most. So
/// they sum to 255, and writing again what was read changes nothing.
pub(super) fn units(policy: &[(ActionIndex, f32)]) -> Option<Vec<(ActionIndex, u8)>> {
    let exact: Vec<f64> = policy.iter().map(|&(_, share)| f64::from(share) * f64::from(WHOLE)).collect();
    let sum: f64 = exact.iter().sum();
    if (sum - f64::from(WHOLE)).abs() > 1.0 || exact.iter().any(|&units| units < 0.0) {
        return None;
    }
    let exact: Vec<_> = exact.iter().map(|units| units * f64::from(WHOLE) / sum).collect();
    // A share that was read from a file is an integer except for rounding.
    let mut units: Vec<_> = exact.iter().map(|units| (units + 1e-3).floor()).collect();
    let left = f64::from(WHOLE) - units.iter().sum::<f64>();
    let mut order: Vec<_> = (0..units.len()).collect();
    order.sort_by(|&one, &other| (exact[other] - units[other]).total_cmp(&(exact[one] - units[one])));
    order.iter().take(left.max(0.0) as usize).for_each(|&place| units[place] += 1.0);
    let actions = policy.iter().map(|&(index, _)| index);
    Some(actions.zip(units).filter(|&(_, units)| units > 0.0).map(|(index, units)| (index, units as u8)).collect())
}

/// Returns a value, -1 to 1, in units of 1/127.
pub(super) fn units_of_value(value: f32) -> i8 {
    (value * CERTAIN).round().clamp(-CERTAIN, CERTAIN) as i8
}

/// Returns the value of this many units.
pub(super) fn value(units: i8) -> f32 {
    f32::from(units) / CERTAIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn units_sum_to_the_whole_are_near_and_stay_as_they_are() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for count in [1, 2, 3, 30, 65, 255, 373] {
            for sharpness in 1..20 {
                let raw: Vec<f32> = (0..count).map(|_| rng.random::<f32>().powi(sharpness) + 1e-6).collect();
                let sum: f32 = raw.iter().sum();
                let policy: Vec<_> = (0..count).map(|place| (ActionIndex(place as u16), raw[place] / sum)).collect();
                let found = units(&policy).unwrap();
                assert_eq!(found.iter().map(|&(_, units)| u32::from(units)).sum::<u32>(), WHOLE);
                for &(index, share) in &policy {
                    let units = found.iter().find(|found| found.0 == index).map_or(0, |found| found.1);
                    assert!((f32::from(units) - 255.0 * share).abs() < 1.01, "{units} for {share}");
                }
                let read: Vec<_> = found.iter().map(|&(index, units)| (index, f32::from(units) / 255.0)).collect();
                assert_eq!(units(&read).unwrap(), found);
            }
        }
        assert_eq!(units(&[(ActionIndex(0), 0.5)]), None);
        assert_eq!(units(&[]), None);
    }

    #[test]
    fn values_are_near_and_stay_as_they_are() {
        for value in (-100..=100).map(|percent| percent as f32 / 100.0) {
            let units = units_of_value(value);
            assert!((super::value(units) - value).abs() < 0.0041);
            assert_eq!(units_of_value(super::value(units)), units);
        }
        assert_eq!([-1.0, 0.0, 1.0, 2.0].map(units_of_value), [-127, 0, 127, 127]);
    }
}
