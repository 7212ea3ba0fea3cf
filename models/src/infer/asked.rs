//! Which policy logits are wanted.

/// The policy logits that are asked for. In most positions only some of the actions are legal, and the time for a logit
/// grows with the length of the line that its piece is pushed along.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// All of them.
    All,
    /// Those of these actions.
    Listed {
        /// The action indices of all positions, one position after the other; each at most once per position, or its
        /// logit is wrong.
        actions: &'a [u16],
        /// Where those of each position begin, and where the last ones end: one more number than there are positions.
        starts: &'a [usize],
    },
}

impl Asked<'_> {
    /// Returns what is asked for n positions, given the first of them.
    pub(crate) fn part(self, first: usize, n: usize) -> Self {
        match self {
            Self::All => Self::All,
            Self::Listed { actions, starts } => Self::Listed { actions, starts: &starts[first..=first + n] },
        }
    }

    /// Returns whether each of n positions has a list of actions, all below the number of actions.
    pub(crate) fn fits(self, n: usize, num_actions: usize) -> bool {
        match self {
            Self::All => true,
            Self::Listed { actions, starts } => {
                let exist = actions.iter().all(|&action| usize::from(action) < num_actions);
                starts.len() == n + 1 && starts.is_sorted() && starts[n] <= actions.len() && exist
            }
        }
    }

    /// Calls a function with each action that is asked about at a position.
    #[inline]
    pub(crate) fn for_each(self, position: usize, num_actions: usize, mut call: impl FnMut(usize)) {
        match self {
            Self::All => (0..num_actions).for_each(call),
            Self::Listed { actions, starts } => {
                let listed = &actions[starts[position]..starts[position + 1]];
                for &action in listed {
                    call(usize::from(action));
                }
            }
        }
    }
}
