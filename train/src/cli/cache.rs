//! The settings of the evaluation cache on the command line.

use gipf_play::CacheConfig;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct CacheArgs {
    /// Megabytes of evaluations that each thread keeps for positions that come again; 0 for none
    #[arg(long = "cache", value_name = "MB", default_value_t = 0, value_parser = megabytes)]
    megabytes: usize,
}

impl CacheArgs {
    pub(super) const fn config(self) -> CacheConfig {
        CacheConfig { megabytes: self.megabytes }
    }
}

fn megabytes(text: &str) -> Result<usize, String> {
    let most = CacheConfig::MOST_MEGABYTES;
    text.parse()
        .ok()
        .filter(|megabytes| *megabytes <= most)
        .ok_or_else(|| format!("expected a number from 0 to {most}"))
}
