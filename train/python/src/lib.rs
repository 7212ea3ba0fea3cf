//! GIPF for Python: the implementation of `gipf._gipf`. The package around it, with the interfaces that other
//! libraries expect, is in `python/gipf`.

use pyo3::prelude::*;

mod analysis;
mod answers;
mod argument;
mod arrays;
mod error;
mod held;
mod ladder;
mod matches;
mod mind;
mod native;
mod network;
mod opening;
mod own;
mod picture;
mod planes;
mod played_game;
mod player;
mod rate;
mod record;
mod report;
mod samples;
mod searches;
mod self_play;
mod self_play_run;
mod sent;
mod shards;
mod sides;
mod single;
mod state;
mod training;
mod vec_env;
mod waiting;
mod who;
mod workers;

/// The compiled part of the package `gipf`.
#[pymodule]
mod _gipf {
    use super::{Bound, PyModule, PyModuleMethods, PyResult, error};

    #[pymodule_export]
    use super::analysis::Analysis;
    #[pymodule_export]
    use super::ladder::{Ladder, play_pairs};
    #[pymodule_export]
    use super::matches::play_match;
    #[pymodule_export]
    use super::native::{native_games, native_seconds};
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::played_game::PlayedGame;
    #[pymodule_export]
    use super::player::Player;
    #[pymodule_export]
    use super::rate::{RatingReport, rate};
    #[pymodule_export]
    use super::record::analyse_record;
    #[pymodule_export]
    use super::report::MatchReport;
    #[pymodule_export]
    use super::samples::Batches;
    #[pymodule_export]
    use super::searches::Searches;
    #[pymodule_export]
    use super::self_play::{SelfPlay, self_play};
    #[pymodule_export]
    use super::self_play_run::SelfPlayRun;
    #[pymodule_export]
    use super::shards::{Shards, play_shard, play_shard_with};
    #[pymodule_export]
    use super::state::{State, action_space, observation_shape, plane_weights};
    #[pymodule_export]
    use super::training::Training;
    #[pymodule_export]
    use super::vec_env::VecEnv;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let variants = gipf_env::Variant::ALL.map(|variant| variant.to_string());
        module.add("VARIANTS", pyo3::types::PyTuple::new(module.py(), variants)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        error::register(module)
    }
}
