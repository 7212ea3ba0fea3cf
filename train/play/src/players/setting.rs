//! One setting in the name of an agent, such as `sims=64`.

use std::collections::HashSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use gipf_env::text::truncate_escaped;

/// Why a setting in the name of an agent is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such setting.
    #[error("unknown setting `{found}`: expected {expected}")]
    Unknown {
        /// The text found.
        found: String,
        /// The settings that exist.
        expected: String,
    },
    /// It is named more than once.
    #[error("{0} is named twice: expected each setting once")]
    Twice(String),
    /// The value does not fit.
    #[error("{name} `{found}`: expected {expected}")]
    Value {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: String,
        /// The values expected.
        expected: String,
    },
}

/// The number of characters of foreign text that an error quotes.
const SHOWN: usize = 60;

impl SettingError {
    pub(super) fn unknown(found: &str, expected: impl Into<String>) -> Self {
        Self::Unknown { found: truncate_escaped(found, SHOWN), expected: expected.into() }
    }

    pub(super) fn value(name: &'static str, found: &str, expected: impl Into<String>) -> Self {
        Self::Value { name, found: truncate_escaped(found, SHOWN), expected: expected.into() }
    }
}

/// Returns an error if one of these settings, such as `sims=64`, is named twice: only one of them would have an effect.
pub(super) fn check_each_once<'a>(settings: impl IntoIterator<Item = &'a str>) -> Result<(), SettingError> {
    let mut names = HashSet::new();
    let mut named = settings.into_iter().map(|setting| setting.split_once('=').map_or(setting, |(name, _)| name));
    match named.find(|name| !names.insert(*name)) {
        Some(name) => Err(SettingError::Twice(truncate_escaped(name, SHOWN))),
        None => Ok(()),
    }
}

/// Reads a number between two others, both included.
pub(super) fn number<T: FromStr + PartialOrd + Display>(
    name: &'static str,
    value: &str,
    range: RangeInclusive<T>,
) -> Result<T, SettingError> {
    let found = value.parse().ok().filter(|number| range.contains(number));
    let expected = || format!("a number from {} to {}", range.start(), range.end());
    found.ok_or_else(|| SettingError::value(name, value, expected()))
}
