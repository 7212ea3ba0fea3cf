//! Who can be played against, and asked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Engine, Pretrained};
use gipf_play::NetEvaluator;
use gipf_play::players::{Agent, AgentError, AgentSpec, CheckpointSpec, Contender, Level, Mcts, Network, Thinking};
use serde::Serialize;

use crate::error::BoardError;
use crate::shelf::{FileStamp, Shelf, checkpoint_name, file_stamp};

/// A player that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opponent {
    /// The name by which the page asks for it.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// The rule sets that it plays; all if none are named.
    pub variants: Vec<String>,
    /// Whether it reports what it thinks of every action.
    pub thinks: bool,
}

/// The players that are offered; those with a network are read when they are first asked.
#[derive(Default)]
pub struct Opponents {
    offered: Vec<(Opponent, Offer)>,
    /// Those that were asked, by name and rule set.
    known: Mutex<HashMap<(String, String), Reading>>,
    /// The runs whose networks are players too.
    shelf: Option<Arc<dyn Shelf>>,
}

/// What a player is.
enum Offer {
    /// The same in every game.
    Fixed(Source),
    /// The network that a run has when it is asked: runs go on, and another one may take the place of this.
    Run(Find),
}

/// Returns the file of the network that a run has now, or one line for people.
type Find = Box<dyn Fn() -> Result<PathBuf, String> + Send + Sync>;

#[derive(Clone)]
enum Source {
    Spec(AgentSpec),
    Network(CheckpointSpec),
}

/// What was read for a player, and its file with the stamp that it had at that time.
type Reading = (Option<(PathBuf, FileStamp)>, Known);

impl From<Source> for Offer {
    fn from(source: Source) -> Self {
        Self::Fixed(source)
    }
}

impl Offer {
    /// Returns what plays now.
    fn source(&self) -> Result<Source, BoardError> {
        match self {
            Self::Fixed(source) => Ok(source.clone()),
            Self::Run(find) => find().map(Source::of_file).map_err(BoardError::Shown),
        }
    }
}

impl Source {
    fn of_file(file: PathBuf) -> Self {
        Self::Network(CheckpointSpec::new(Network::File(file)))
    }

    /// Returns its file and the stamp of that; none if it comes with the program, or the file is gone.
    fn stamp(&self) -> Option<(PathBuf, FileStamp)> {
        let file = self.file()?;
        Some((file.to_owned(), file_stamp(file)?))
    }

    /// Returns the rule set that it plays; none if it plays several.
    fn variant(&self) -> Result<Option<String>, AgentError> {
        match self {
            Self::Spec(_) => Ok(None),
            Self::Network(spec) => Ok(spec.network.variant()?.map(|variant| variant.to_string())),
        }
    }

    /// Returns the file of its network, if it has one of its own.
    fn file(&self) -> Option<&Path> {
        match self {
            Self::Network(CheckpointSpec { network: Network::File(file), .. }) => Some(file),
            Self::Network(_) | Self::Spec(_) => None,
        }
    }

    /// Returns why a player of this name does not play. The path of its file stays on this machine: the page knows the
    /// name.
    fn refused(&self, name: &str, error: AgentError) -> BoardError {
        match self.file() {
            Some(file) => BoardError::Shown(error.to_string().replace(&*file.to_string_lossy(), name)),
            None => error.into(),
        }
    }
}

/// What is kept for a player that was asked.
#[derive(Clone)]
enum Known {
    Contender(Arc<Contender<GipfPosition>>),
    Engine(Arc<Engine>),
}

/// A player who thinks about a position.
pub(crate) enum Mind {
    /// Searches with a network, and can report what it thinks of each action.
    Search(Box<Mcts<GipfPosition, NetEvaluator<'static>>>),
    /// Knows only its choice.
    Other(Box<dyn Agent<GipfPosition>>),
}

/// The time of a network for a decision against a person, who waits for it.
const PATIENCE: Duration = Duration::from_millis(700);

/// The most players that are kept ready; a network takes some megabytes.
const READY: usize = 40;

/// The depths of the baseline AI that answer while a person waits.
const DEPTHS: [u8; 5] = [1, 2, 3, 4, 5];

impl Opponents {
    /// Returns the players that come with the program.
    pub fn shipped() -> Self {
        let mut all = Self::default();
        for level in Level::all() {
            let name = AgentSpec::Level(level).to_string();
            let about = if Some(level) == Level::new(1) { ", for beginners" } else { "" };
            all.offer(&name, &format!("level {level}{about}"), &[], Source::Spec(AgentSpec::Level(level)));
        }
        for depth in DEPTHS {
            let name = format!("alpha-beta:{depth}");
            let spec = name.parse().expect("the baseline AI has this depth");
            let turns = if depth == 1 { "turn" } else { "turns" };
            all.offer(&name, &format!("baseline AI, {depth} {turns} ahead"), &[], Source::Spec(spec));
        }
        let shipped: Vec<_> =
            Variant::ALL.iter().map(ToString::to_string).filter(|name| Pretrained::of(name).is_some()).collect();
        let spec = CheckpointSpec::new(Network::Pretrained);
        all.offer("pretrained", "the network that comes with the program", &shipped, Source::Network(spec));
        all
    }

    /// Returns the players with the networks of runs, which the page calls `RUN @ ITERATION`.
    pub(crate) fn with_shelf(self, shelf: Arc<dyn Shelf>) -> Self {
        Self { shelf: Some(shelf), ..self }
    }

    /// Adds the network in a file, or the one that a run has now. The page knows it by this name, with a number if it is
    /// taken.
    ///
    /// # Errors
    /// If there is no network for GIPF; it is not offered.
    pub fn add_checkpoint(&mut self, name: &str, path: &Path) -> Result<(), AgentError> {
        let source = Source::Network(CheckpointSpec::new(Network::File(path.to_owned()).resolved()?));
        let variant = source.variant()?;
        self.add(name, variant, source);
        Ok(())
    }

    /// Adds the network that a run has whenever it is asked, whose file `find` returns, or one line for people. The page
    /// knows it by this name, with a number if it is taken.
    ///
    /// # Errors
    /// If there is no network for GIPF now; it is not offered.
    pub fn add_run(
        &mut self,
        name: &str,
        find: impl Fn() -> Result<PathBuf, String> + Send + Sync + 'static,
    ) -> Result<(), BoardError> {
        let offer = Offer::Run(Box::new(find));
        let variant = offer.source()?.variant()?;
        self.add(name, variant, offer);
        Ok(())
    }

    /// Adds a player under a name that no other has.
    fn add(&mut self, name: &str, variant: Option<String>, offer: impl Into<Offer>) {
        let taken = |name: &str| self.iter().any(|opponent| opponent.name == name);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let name = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name));
        let name = name.expect("there are numbers enough");
        self.offer(&name, &name, &variant.into_iter().collect::<Vec<_>>(), offer);
    }

    fn offer(&mut self, name: &str, about: &str, variants: &[String], offer: impl Into<Offer>) {
        let offer = offer.into();
        let thinks = !matches!(offer, Offer::Fixed(Source::Spec(_)));
        let offered = Opponent { name: name.to_owned(), about: about.to_owned(), variants: variants.to_vec(), thinks };
        self.offered.push((offered, offer));
    }

    /// Iterates over all that are offered.
    pub fn iter(&self) -> impl Iterator<Item = &Opponent> {
        self.offered.iter().map(|(opponent, _)| opponent)
    }

    /// Returns all that are offered now: of runs those with a network, for the rule set that it plays.
    pub(crate) fn now(&self) -> Vec<Opponent> {
        let current = |(opponent, offer): &(Opponent, Offer)| match offer {
            Offer::Fixed(_) => Some(opponent.clone()),
            Offer::Run(_) => {
                let variant = offer.source().ok()?.variant().ok()?;
                Some(Opponent { variants: variant.into_iter().collect(), ..opponent.clone() })
            }
        };
        self.offered.iter().filter_map(current).collect()
    }

    /// Returns a player ready to think about positions of a rule set.
    ///
    /// # Errors
    /// If it is not offered, or does not play the rule set.
    pub(crate) fn mind(&self, name: &str, variant: Variant) -> Result<Mind, BoardError> {
        let source = self.source(name)?;
        Ok(match (self.known(name, &source, variant)?, source) {
            (Known::Engine(engine), Source::Network(spec)) => {
                let spec = CheckpointSpec { thinking: Thinking::Time(PATIENCE), ..spec };
                Mind::Search(Box::new(spec.agent(engine)))
            }
            (Known::Contender(contender), _) => Mind::Other((contender.build)()),
            (Known::Engine(_), Source::Spec(_)) => unreachable!("engines are kept of networks alone"),
        })
    }

    /// Returns a player as an analyst of games of a rule set.
    ///
    /// # Errors
    /// If it is not offered, or does not play the rule set.
    pub(crate) fn contender(&self, name: &str, variant: Variant) -> Result<Arc<Contender<GipfPosition>>, BoardError> {
        let source = self.source(name)?;
        Ok(match (self.known(name, &source, variant)?, source) {
            (Known::Engine(engine), Source::Network(spec)) => {
                let name = name.to_owned();
                Arc::new(Contender { name, build: Box::new(move || Box::new(spec.agent(Arc::clone(&engine)))) })
            }
            (Known::Contender(contender), _) => contender,
            (Known::Engine(_), Source::Spec(_)) => unreachable!("engines are kept of networks alone"),
        })
    }

    /// Returns the file that comes with the program and that a player needs for a rule set, if any.
    #[cfg(target_family = "wasm")]
    pub(crate) fn file(&self, name: &str, variant: Variant) -> Option<gipf_models::Shipped> {
        let spec = match self.source(name).ok()? {
            Source::Spec(spec) => spec,
            Source::Network(spec) => AgentSpec::Checkpoint(spec),
        };
        spec.shipped_file(variant)
    }

    fn source(&self, name: &str) -> Result<Source, BoardError> {
        if let Some((_, offer)) = self.offered.iter().find(|(opponent, _)| opponent.name == name) {
            return offer.source();
        }
        let ((run, iteration), shelf) = checkpoint_name(name).zip(self.shelf.as_ref()).ok_or(BoardError::Player)?;
        let file = shelf.checkpoint(run, iteration).map_err(BoardError::Shown)?;
        Ok(Source::of_file(file))
    }

    fn known(&self, name: &str, source: &Source, variant: Variant) -> Result<Known, BoardError> {
        let key = (name.to_owned(), variant.to_string());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = source.stamp();
        // A run in progress may remove a network while it plays here; then it stays as it was read.
        if let Some((read, found)) = known().get(&key)
            && (stamp.is_none() || *read == stamp)
        {
            return Ok(found.clone());
        }
        // Read without the lock: others need not wait for it, and reading twice does no harm.
        let read = match source {
            Source::Spec(spec) => spec.contender(variant).map(|contender| Known::Contender(Arc::new(contender))),
            Source::Network(spec) => spec.load(variant).map(Known::Engine),
        };
        let read = read.map_err(|error| source.refused(name, error))?;
        let mut ready = known();
        if ready.len() >= READY {
            ready.clear();
        }
        ready.insert(key, (stamp, read.clone()));
        drop(ready);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_network_is_read_again_when_its_file_was_made_anew() {
        let file = std::env::temp_dir().join(format!("gipf-board-{}.safetensors", std::process::id()));
        let write = |bytes: &[u8]| fs::write(&file, bytes).unwrap();
        write(Pretrained::of("basic").unwrap().file.bytes());
        let mut opponents = Opponents::default();
        opponents.add_checkpoint("mine", &file).unwrap();
        let source = opponents.source("mine").unwrap();
        let engine = || match opponents.known("mine", &source, Variant::BASIC) {
            Ok(Known::Engine(engine)) => Some(engine),
            _ => None,
        };
        let first = engine().unwrap();
        assert!(Arc::ptr_eq(&first, &engine().unwrap()));
        write(b"no network");
        assert!(engine().is_none());
        let error = opponents.mind("mine", Variant::BASIC).err().unwrap().to_string();
        assert!(error.starts_with("mine ") && !error.contains(&*file.to_string_lossy()), "{error}");
        fs::remove_file(&file).unwrap();
        assert!(Arc::ptr_eq(&first, &engine().unwrap()));
    }

    #[test]
    fn a_run_plays_with_the_network_that_it_has_now() {
        let folder = std::env::temp_dir().join(format!("gipf-board-run-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [first, second] = ["basic", "standard"].map(|variant| {
            let file = folder.join(format!("{variant}.safetensors"));
            fs::write(&file, Pretrained::of(variant).unwrap().file.bytes()).unwrap();
            file
        });
        let newest = Arc::new(Mutex::new(Some(first)));
        let found = Arc::clone(&newest);
        let mut opponents = Opponents::default();
        let find = move || found.lock().unwrap().clone().ok_or_else(|| "no network".to_owned());
        opponents.add_run("mine", find).unwrap();
        let offered = || opponents.now().into_iter().map(|opponent| opponent.variants.concat()).collect::<Vec<_>>();
        let plays = |variant| opponents.mind("mine", variant).map(drop).map_err(|error| error.to_string());
        assert_eq!((offered(), plays(Variant::BASIC)), (vec!["basic".to_owned()], Ok(())));
        // Another run takes its place.
        *newest.lock().unwrap() = Some(second);
        assert_eq!((offered(), plays(Variant::STANDARD)), (vec!["standard".to_owned()], Ok(())));
        let error = plays(Variant::BASIC).unwrap_err();
        assert!(error.starts_with("mine") && error.contains("standard"), "{error}");
        *newest.lock().unwrap() = None;
        assert_eq!((offered(), plays(Variant::STANDARD)), (Vec::new(), Err("no network".to_owned())));
        fs::remove_dir_all(&folder).unwrap();
    }
}
