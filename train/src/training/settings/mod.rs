//! The settings of a run: what they are, what they mean, and how they change, at the command line and in the course of a run.

mod config;
mod description;
mod phase;
mod setting;

pub use config::{Config, ConfigFault, GatingConfig, LearningConfig, MOST_SEED, NetworkConfig, OptimizerConfig};
pub use description::{Setting, SettingsTable};
pub use phase::Phase;
pub use setting::{new_name, old_names};
