//! The settings of a run: what they are, what they mean, and how they change, on the command line and in the course
//! of a run.

mod config;
mod description;
mod growth;
mod learning;
mod phase;
mod range;
mod setting;
mod words;

pub use config::{Config, ConfigFault, GatingConfig, NetworkConfig};
pub use description::{Setting, SettingsTable};
pub(crate) use growth::misfits;
pub use learning::{LearningConfig, OptimizerConfig, StudentConfig};
pub use phase::Phase;
pub use range::MOST_SEED;
pub use setting::{assigned, new_name, old_names};
