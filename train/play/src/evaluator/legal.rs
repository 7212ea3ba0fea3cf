//! The legal actions of the positions of a batch.

use gipf_env::Position;
use gipf_models::Asked;

/// The indices of the legal actions of some positions, one position after the other.
#[derive(Clone, Debug)]
pub struct Legal {
    actions: Vec<u16>,
    /// Where those of each position begin, and where the last ones end.
    starts: Vec<usize>,
}

impl Default for Legal {
    fn default() -> Self {
        Self { actions: Vec::new(), starts: vec![0] }
    }
}

impl Legal {
    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.starts.truncate(1);
    }

    /// Adds a position.
    pub fn push<P: Position>(&mut self, position: &P) {
        self.actions.extend(position.legal_actions().map(|action| position.action_index(action).0));
        self.starts.push(self.actions.len());
    }

    /// Returns those of the position with this number.
    pub fn of(&self, number: usize) -> &[u16] {
        &self.actions[self.starts[number]..self.starts[number + 1]]
    }

    /// Returns which logits are needed: those of these actions.
    pub fn asked(&self) -> Asked<'_> {
        Asked::Listed { actions: &self.actions, starts: &self.starts }
    }
}
