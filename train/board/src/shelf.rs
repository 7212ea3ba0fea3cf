//! What lies in the folders that a page may look at: runs, ladders, datasets.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gipf_env::{Action, Setup};
use gipf_play::Stop;
use gipf_play::arena::ladder::Table;
use serde::Serialize;
use serde_json::Value;

/// Lists what may be looked at, and opens it. A page can only name what was listed.
///
/// Errors are one line for people.
pub trait Shelf: Send + Sync {
    /// Returns what there is now.
    fn list(&self) -> Vec<Item>;

    /// Opens the item with this name.
    ///
    /// # Errors
    /// If nothing listed has the name, or it is damaged or too large to be looked at.
    fn open(&self, name: &str, stop: &Stop) -> Result<Shown, String>;

    /// Returns a game of a dataset, by its number from 1.
    ///
    /// # Errors
    /// As for [`Self::open`], or if there is no such game.
    fn game(&self, name: &str, number: u32, stop: &Stop) -> Result<StoredGame, String>;

    /// Returns the file of a run's network after an iteration.
    ///
    /// # Errors
    /// If there is none.
    fn checkpoint(&self, run: &str, iteration: u32) -> Result<PathBuf, String>;
}

/// Something that may be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The name by which the page asks for it.
    pub name: String,
    /// What it is.
    pub kind: ItemKind,
    /// The seconds since it was last changed, if that is known.
    pub age: Option<u64>,
}

/// What may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// The directory of a training run.
    Run,
    /// The results of a ladder.
    Ladder,
    /// A dataset of games.
    Dataset,
}

/// What something listed holds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// A run.
    Run(Box<RunCurves>),
    /// A ladder.
    Ladder(Box<Table>),
    /// What `gipf data info --json` says about a dataset; `uncounted` with the reason if it is too large for that.
    Dataset(Value),
}

/// What changes when a file grows or is replaced: its length, and when it was written.
pub type FileStamp = (u64, Option<SystemTime>);

/// Returns the stamp of a file, if it is there.
pub fn file_stamp(path: &Path) -> Option<FileStamp> {
    fs::metadata(path).ok().map(|about| (about.len(), about.modified().ok()))
}

impl Shown {
    /// Returns a text that differs for different content: a run that was started again may be as long as the one before
    /// it.
    pub(crate) fn stamp(&self) -> String {
        let content = serde_json::to_vec(self).expect("its keys are texts");
        blake3::hash(&content).to_string()
    }
}

/// A run as curves: values have the place of their iteration in [`Axes`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunCurves {
    /// Its name.
    pub name: String,
    /// The rule set.
    pub variant: String,
    /// The iterations that are complete.
    pub iterations: u32,
    /// The iterations that it is planned to have.
    pub planned: u32,
    /// Where each iteration lies on each axis.
    pub x: Axes,
    /// The pictures.
    pub charts: Vec<ChartCurves>,
    /// What was found wrong, with its iteration.
    pub findings: Vec<(u32, String)>,
    /// The iterations whose networks can be played against.
    pub checkpoints: Vec<u32>,
}

/// Where the iterations of a run lie on each axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axes {
    /// The iterations, from 1.
    pub iterations: Vec<u32>,
    /// The games of self-play up to each.
    pub games: Vec<u64>,
    /// The hours of self-play, learning and evaluation up to each.
    pub hours: Vec<f32>,
    /// The seconds of all cores up to each.
    pub core_seconds: Vec<f32>,
}

/// The curves of a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChartCurves {
    /// The same in all runs.
    pub key: String,
    /// What is drawn.
    pub title: String,
    /// The unit, if there is one.
    pub unit: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Curve {
    /// Its name within the picture.
    pub name: String,
    /// The values; none where an iteration has none.
    pub values: Vec<Option<f32>>,
    /// The 95 % intervals, where there are any; else empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Option<[f32; 2]>>,
}

/// A game of a dataset.
#[derive(Clone, Debug)]
pub struct StoredGame {
    /// Where it starts.
    pub setup: Setup,
    /// What was played.
    pub actions: Vec<Action>,
    /// What it is called, and how it ended.
    pub about: String,
}

/// A player of a run's network: `runs/quick @ 12`.
pub(crate) fn checkpoint_name(player: &str) -> Option<(&str, u32)> {
    let (run, iteration) = player.rsplit_once(" @ ")?;
    Some((run, iteration.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ask, Desk};
    use serde_json::json;
    use std::sync::{Arc, Mutex};

    /// A shelf with one run.
    struct One(Mutex<RunCurves>);

    impl Shelf for One {
        fn list(&self) -> Vec<Item> {
            Vec::new()
        }

        fn open(&self, _name: &str, _stop: &Stop) -> Result<Shown, String> {
            Ok(Shown::Run(Box::new(self.0.lock().unwrap().clone())))
        }

        fn game(&self, _name: &str, _number: u32, _stop: &Stop) -> Result<StoredGame, String> {
            Err("no dataset".to_owned())
        }

        fn checkpoint(&self, _run: &str, _iteration: u32) -> Result<PathBuf, String> {
            Err("no network".to_owned())
        }
    }

    #[test]
    fn what_is_known_is_told_again_only_when_it_has_changed() {
        let shelf = Arc::new(One(Mutex::new(RunCurves { iterations: 3, ..RunCurves::default() })));
        let desk = Desk::default().with_shelf(shelf.clone());
        let told = |known: &Value| {
            let ask: Ask = serde_json::from_value(json!({ "open": { "name": "runs/mine", "known": known } })).unwrap();
            let answer = desk.answer(&ask, &Stop::default(), &mut |_| ()).unwrap();
            serde_json::to_value(answer).unwrap()
        };
        let first = told(&Value::Null)["shown"].clone();
        assert_eq!(first["run"]["iterations"], 3);
        assert_eq!(told(&first["stamp"]), json!({ "same": {} }));
        // Started again, and as long as it was.
        shelf.0.lock().unwrap().variant = "basic".to_owned();
        let second = told(&first["stamp"])["shown"].clone();
        assert_eq!((&second["run"]["iterations"], &second["run"]["variant"]), (&json!(3), &json!("basic")));
        assert_ne!(first["stamp"], second["stamp"]);
    }
}
