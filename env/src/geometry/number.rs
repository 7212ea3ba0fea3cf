//! The numbered parts of the board, and how many there are of each.

/// The number of spots, on which pieces stand.
pub const SPOTS: usize = 37;
/// The number of dots, on which pieces are put before they are pushed.
pub const DOTS: usize = 24;
/// The number of entries: pairs of a dot and a direction whose first step is a spot.
pub const ENTRIES: usize = 42;
/// The number of lines.
pub const LINES: usize = 21;
/// The number of spots on the longest lines.
pub const LONGEST_LINE: usize = 7;

/// Defines a type for the numbers below a count.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $count:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u8);

        impl $name {
            /// Returns the number of this item in the order of the rules.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the item with this number.
            ///
            /// # Panics
            /// If there is no such item.
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                assert!(index < $count);
                Self(index as u8)
            }

            /// Iterates over all items in order.
            pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..$count as u8).map(Self)
            }
        }
    };
}
pub(super) use numbered;
