//! How many threads a command works on.

use anyhow::{Context, Result};
use rayon::ThreadPoolBuilder;

use super::{Console, Exit};

// The arguments of a command that works on many threads, and how many these are. No documentation: clap would take it for
// what the command says of itself.
#[derive(Debug, clap::Args)]
pub(super) struct Parallel<A: clap::Args> {
    #[command(flatten)]
    args: A,
    /// The threads to work on; results do not depend on it [default: one for each core]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// That of the main thread on most systems: a search goes deep.
const STACK_BYTES: usize = 8 << 20;

impl<A: clap::Args + Sync> Parallel<A> {
    /// Runs the command on its threads.
    pub fn run(self, command: fn(&A, &mut Console<'_>) -> Result<Exit>, console: &mut Console<'_>) -> Result<Exit> {
        let Some(threads) = self.threads else { return command(&self.args, console) };
        let pool = ThreadPoolBuilder::new().num_threads(threads.into()).stack_size(STACK_BYTES).build();
        let pool = pool.with_context(|| format!("--threads {threads}: cannot be started"))?;
        pool.install(|| command(&self.args, console))
    }
}
