//! Scales of strength, whose steps are numbered from 1.

/// Defines a type for the steps of a scale up to a highest one; `noun` is what an error calls a step.
macro_rules! scale {
    ($(#[$doc:meta])* $name:ident, $most:expr, $noun:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(u8);

        impl $name {
            /// The highest of them.
            pub const MAX: Self = Self($most);

            /// Returns the one with this number, from 1 to that of the highest, if there is one.
            pub const fn new(number: u8) -> Option<Self> {
                if 1 <= number && number <= Self::MAX.0 { Some(Self(number)) } else { None }
            }

            /// Iterates over all of them, the lowest first.
            pub fn all() -> impl Iterator<Item = Self> {
                (1..=Self::MAX.0).map(Self)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::players::SettingError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::players::setting::number($noun, text, 1..=Self::MAX.0).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(super) use scale;
