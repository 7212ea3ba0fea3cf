//! Numbered work on all threads, with the results in the order of the numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Hands out numbers from 0 on, each once, to all threads.
#[derive(Debug)]
pub struct Numbers<'a> {
    next: &'a AtomicU64,
    count: u64,
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.count).then_some(number)
    }
}

/// Lets each thread of the current rayon pool take numbers below `count` and do the work of each, and returns all
/// results in the order of their numbers. A thread that stops early leaves the remaining numbers.
pub fn in_order<T: Send>(count: u64, thread: impl Fn(Numbers<'_>) -> Vec<(u64, T)> + Sync) -> Vec<T> {
    let next = AtomicU64::new(0);
    let parts = on_all_threads(count, || thread(Numbers { next: &next, count }));
    let mut all: Vec<_> = parts.into_iter().flatten().collect();
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(not(target_family = "wasm"))]
fn on_all_threads<T: Send>(count: u64, work: impl Fn() -> Vec<T> + Sync) -> Vec<Vec<T>> {
    // No more threads are set up than there is work.
    let is_needed = |index: usize| (index as u64) < count;
    rayon::broadcast(|context| if is_needed(context.index()) { work() } else { Vec::new() })
}

/// A page in a browser has one thread.
#[cfg(target_family = "wasm")]
fn on_all_threads<T: Send>(_count: u64, work: impl Fn() -> Vec<T> + Sync) -> Vec<Vec<T>> {
    vec![work()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_worked_on_once_and_results_come_in_order() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let squares = |numbers: Numbers<'_>| numbers.map(|number| (number, number * number)).collect();
            let found = pool.install(|| in_order(1000, squares));
            assert_eq!(found, (0..1000).map(|number| number * number).collect::<Vec<u64>>());
            let few = pool.install(|| in_order(1000, |numbers| numbers.take(5).map(|number| (number, ())).collect()));
            assert!(few.len() == 5 * threads, "a thread may leave");
        }
    }
}
