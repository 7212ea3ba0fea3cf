//! Why searches side by side refuse a call.

use gipf_env::Outcome;

/// Why searches side by side refused a call; nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchesError {
    /// There is no such slot.
    #[error("slot {slot}: expected one below {slots}")]
    Slot {
        /// The slot.
        slot: usize,
        /// The number of slots.
        slots: usize,
    },
    /// There is no such tree.
    #[error("tree {tree}: expected one below {trees}")]
    Tree {
        /// The tree.
        tree: usize,
        /// The number of trees.
        trees: usize,
    },
    /// The position is from another game.
    #[error("tree {tree}: a position of {actions} actions, expected one of {expected}, of the same rule set")]
    Game {
        /// The tree.
        tree: usize,
        /// The number of actions of its position.
        actions: usize,
        /// That of the other positions.
        expected: usize,
    },
    /// The game is over.
    #[error("tree {tree}: the game is over, {outcome}: expected a position to be searched")]
    Over {
        /// The tree.
        tree: usize,
        /// How its game ended.
        outcome: Outcome,
    },
    /// Nothing was found yet.
    #[error("tree {tree} has no result: expected a search that was started, and an evaluation of its root")]
    Unsearched {
        /// The tree.
        tree: usize,
    },
    /// No leaves wait for evaluations.
    #[error("slot {slot}: no leaves wait for evaluations: expected a gather before each apply")]
    NothingWaits {
        /// The slot.
        slot: usize,
    },
    /// An array has another size.
    #[error("{what}: {given} numbers, expected {expected}")]
    Size {
        /// What it holds.
        what: &'static str,
        /// The numbers given.
        given: usize,
        /// The numbers expected.
        expected: usize,
    },
    /// A logit is not a finite number.
    #[error("logits, row {row}: {value} for the legal action {action}, expected a finite number")]
    Logit {
        /// The row.
        row: usize,
        /// The index of the action.
        action: u16,
        /// The logit.
        value: f32,
    },
    /// A value is out of its range.
    #[error("values, row {row}: {value}, expected -1 to 1")]
    Value {
        /// The row.
        row: usize,
        /// The value.
        value: f32,
    },
    /// Shares of win, draw and loss are not probabilities.
    #[error("values, row {row}: win, draw and loss {shares:?}, expected probabilities that add up to 1")]
    Shares {
        /// The row.
        row: usize,
        /// The shares.
        shares: [f32; 3],
    },
}
