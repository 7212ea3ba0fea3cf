//! How large a mistake is, and how well a turn was played.

use std::fmt;

use gipf_env::math;
use serde::{Deserialize, Serialize};

/// The size of a mistake, by the drop of its player's expected result; the thresholds are those of Lichess, where a
/// drop of 0.2 is ten per cent of winning chances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A drop of at least 0.1.
    Inaccuracy,
    /// A drop of at least 0.2.
    Mistake,
    /// A drop of at least 0.3.
    Blunder,
}

/// The expected result from which a player counts as in the lead.
pub const LEAD: f32 = 0.2;

impl Severity {
    /// All sizes, the smallest first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// Returns the smallest drop of this size.
    pub const fn threshold(self) -> f32 {
        match self {
            Self::Inaccuracy => 0.1,
            Self::Mistake => 0.2,
            Self::Blunder => 0.3,
        }
    }

    /// Returns the size of a drop of the expected result, 0 to 2; none if it is not a mistake.
    ///
    /// ```
    /// use gipf_play::analysis::Severity;
    ///
    /// assert_eq!([0.05, 0.1, 0.25, 1.4].map(Severity::of).map(|found| found.map(|size| size.to_string())), [
    ///     None,
    ///     Some("inaccuracy".to_owned()),
    ///     Some("mistake".to_owned()),
    ///     Some("blunder".to_owned()),
    /// ]);
    /// ```
    pub fn of(loss: f32) -> Option<Self> {
        Self::ALL.into_iter().rfind(|size| loss >= size.threshold())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        })
    }
}

/// Returns how well a turn with this loss of the expected result was played, 0 to 100, by the formula of Lichess,
/// 103.1668 · exp(-0.04354 · d) - 3.1668, where d is the drop of the winning chances in per cent, 50 times the drop of
/// the expected result.
///
/// ```
/// use gipf_play::analysis::accuracy;
///
/// assert_eq!(accuracy(0.0), 100.0);
/// assert!((accuracy(0.2) - 63.6).abs() < 0.1 && (accuracy(1.0) - 8.5).abs() < 0.1);
/// assert_eq!(accuracy(2.0), 0.0);
/// ```
pub fn accuracy(loss: f32) -> f32 {
    let drop = 50.0 * loss;
    // Written so that a loss of 0 gives exactly 100.
    (100.0 - 103.1668 * (1.0 - math::exp(-0.043_544_15 * drop))).clamp(0.0, 100.0)
}
