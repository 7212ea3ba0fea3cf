//! Perft on all threads of the current rayon pool.

use gipf_env::{Action, GipfPosition, Position, perft};
use rayon::prelude::*;

/// Like [`perft`], with the first actions split among the threads.
pub fn perft_in_parallel(start: &GipfPosition, depth: u32) -> u64 {
    if depth <= 1 {
        return perft(start, depth);
    }
    divide_in_parallel(start, depth).iter().map(|(_, count)| count).sum()
}

/// Returns, for each first action in the order of the indices, the number of sequences of `depth` decisions that begin
/// with it.
pub fn divide_in_parallel(start: &GipfPosition, depth: u32) -> Vec<(Action, u64)> {
    let actions: Vec<_> = start.legal_actions().collect();
    actions.into_par_iter().map(|action| (action, perft(&start.after(action), depth - 1))).collect()
}
