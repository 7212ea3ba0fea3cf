//! Parsers of numbers and times in options: each says in words what it expects.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds, RangeInclusive};
use std::str::FromStr;
use std::time::Duration;

use gipf_play::players::parse_time;

/// Returns a parser of whole numbers in a range.
pub(super) fn whole<N: FromStr + Display + PartialOrd + TryFrom<u64>>(
    range: impl RangeBounds<N> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number {}", bounds(&range, text)))
    }
}

/// Returns a range in words. The largest number of a wide type is only named if the given number is above it.
fn bounds<N: FromStr + Display + TryFrom<u64>>(range: &impl RangeBounds<N>, text: &str) -> String {
    let least = match range.start_bound() {
        Bound::Included(least) => least.to_string(),
        Bound::Excluded(_) | Bound::Unbounded => "0".to_owned(),
    };
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_above = is_digits && text.parse::<N>().is_err();
    match (range.end_bound(), largest::<N>()) {
        (Bound::Included(most), _) => format!("from {least} to {most}"),
        (_, most) if is_above || u16::try_from(most).is_ok() => format!("from {least} to {most}"),
        _ => format!("from {least} on"),
    }
}

/// Returns the largest number of a type.
fn largest<N: TryFrom<u64>>() -> u64 {
    let all = [u64::MAX, u32::MAX.into(), i32::MAX as u64, u16::MAX.into(), u8::MAX.into()];
    all.into_iter().find(|&most| N::try_from(most).is_ok()).unwrap_or_default()
}

/// Returns a parser of numbers in a range, with or without decimals.
pub(super) fn number<N: FromStr + Display + PartialOrd + Clone + Send + Sync + 'static>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
    }
}

/// Parses a thinking time.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| *time >= Duration::from_millis(1));
    time.ok_or_else(|| "expected a time of at least 1ms and at most a day, such as 50ms or 1.5s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_or_told_how_they_have_to_be() {
        let some = whole::<u16>(1..=1024);
        assert_eq!((some("1"), some("1024")), (Ok(1), Ok(1024)));
        for text in ["", "0", "-1", "1025", "99999999999999999999", "auto", "1.5", "1e3", "10s"] {
            assert_eq!(some(text), Err("expected a whole number from 1 to 1024".to_owned()), "{text}");
        }
        for (text, told) in
            [("1.5", "from 1 on"), ("0", "from 1 on"), ("18446744073709551616", "from 1 to 18446744073709551615")]
        {
            assert_eq!(whole::<u64>(1..)(text), Err(format!("expected a whole number {told}")), "{text}");
        }
        assert_eq!(whole::<u16>(..)("x"), Err("expected a whole number from 0 to 65535".to_owned()));
        assert_eq!(whole::<i32>(0..)("2147483648"), Err("expected a whole number from 0 to 2147483647".to_owned()));
        assert_eq!((whole::<i32>(0..)("30"), largest::<usize>()), (Ok(30), usize::MAX as u64));
        let share = number(0.0..=0.9);
        assert_eq!((share("0.9"), share("1e-1"), share("0")), (Ok(0.9), Ok(0.1), Ok(0.0)));
        for text in ["", "1", "-0.1", "nan", "inf", "half"] {
            assert_eq!(share(text), Err("expected a number from 0 to 0.9".to_owned()), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!((time("50ms"), time("1.5s")), (Ok(Duration::from_millis(50)), Ok(Duration::from_millis(1500))));
        assert!(["", "5", "0s", "-1s", "1h", "1441m"].iter().all(|text| time(text).is_err()));
    }
}
