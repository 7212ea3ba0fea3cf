//! The number of threads of a command.

use anyhow::{Context, Result};
use gipf_play::players::STACK_BYTES;
use rayon::ThreadPoolBuilder;

use super::values::whole;
use super::{Console, Exit};

// The arguments of a command that works on many threads, and the number of threads. Not a doc comment: clap would use it
// as the command's description.
#[derive(Debug, clap::Args)]
pub(super) struct Parallel<A: clap::Args> {
    #[command(flatten)]
    args: A,
    /// The number of threads; results do not depend on it, unless time limits or measures them [default: one for each core]
    #[arg(long, value_name = "N", global = true, value_parser = whole::<u16>(1..=1024))]
    threads: Option<u16>,
}

/// Runs work whose tasks use this many threads each: fewer tasks run at once, so that together they use no more threads
/// than are allowed.
pub(super) fn with_tasks_of<R: Send>(threads: usize, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    if threads <= 1 {
        return work();
    }
    let at_once = (rayon::current_num_threads() / threads).max(1);
    let pool = ThreadPoolBuilder::new().num_threads(at_once).stack_size(STACK_BYTES).build();
    pool.with_context(|| format!("{at_once} threads cannot be started"))?.install(work)
}

impl<A: clap::Args + Sync> Parallel<A> {
    /// Runs the command on its threads.
    pub fn run(self, command: fn(&A, &mut Console<'_>) -> Result<Exit>, console: &mut Console<'_>) -> Result<Exit> {
        let Some(threads) = self.threads else { return command(&self.args, console) };
        let pool = ThreadPoolBuilder::new().num_threads(threads.into()).stack_size(STACK_BYTES).build();
        let pool = pool.with_context(|| format!("--threads {threads}: cannot be started"))?;
        pool.install(|| command(&self.args, console))
    }
}
