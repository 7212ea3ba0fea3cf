//! The settings of the evaluation cache on the command line.

use gipf_play::CacheConfig;

use super::values::whole;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct CacheArgs {
    /// Megabytes of evaluations that each thread keeps for positions that recur; 0 for none
    #[arg(long = "cache", value_name = "MB", default_value_t = 0)]
    #[arg(value_parser = whole::<usize>(0..=CacheConfig::MOST_MEGABYTES))]
    megabytes: usize,
}

impl CacheArgs {
    pub(super) const fn config(self) -> CacheConfig {
        CacheConfig { megabytes: self.megabytes }
    }
}
