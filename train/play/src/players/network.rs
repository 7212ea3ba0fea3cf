//! The place of an agent's network.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Pretrained};

use super::AgentError;
use crate::run::network_to_play;

/// The place of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// In this file, or in this directory of a run: its best network, or else its newest.
    File(PathBuf),
    /// Part of the program.
    Pretrained,
}

pub(super) const PRETRAINED: &str = "pretrained";

impl Network {
    /// Returns the network that a user names: `pretrained`, even if the working directory has a file of that name
    /// (which is `./pretrained`), else a path.
    pub fn named(name: &Path) -> Self {
        if name.as_os_str() == PRETRAINED { Self::Pretrained } else { Self::File(name.to_owned()) }
    }

    /// Returns the network with the directory of a run replaced by the file that it stands for now: a run may go on
    /// training, and reading a network twice must give the same one.
    ///
    /// # Errors
    /// If the directory holds no run, or one without a network, or if there is no file where the name of the network that
    /// comes with the program is given as a path.
    pub fn resolved(&self) -> Result<Self, AgentError> {
        match self {
            Self::File(path) if path.is_dir() => {
                let found = network_to_play(path)?;
                found.map(Self::File).ok_or_else(|| AgentError::NoNetwork(path.clone()))
            }
            Self::File(path) if path.as_os_str() == PRETRAINED && !path.exists() => Err(AgentError::NoPretrainedFile),
            other => Ok(other.clone()),
        }
    }

    /// Returns the content of the checkpoint.
    ///
    /// # Errors
    /// If the file cannot be read, or there is no network for this rule set.
    pub fn bytes(&self, variant: Variant) -> Result<Cow<'static, [u8]>, AgentError> {
        match self.resolved()? {
            Self::File(path) => Ok(Cow::Owned(Checkpoint::read_bytes(&path)?)),
            Self::Pretrained => {
                let found = Pretrained::of(&variant.to_string()).ok_or(AgentError::NotTrained(variant))?;
                Ok(Cow::Borrowed(found.file.bytes()))
            }
        }
    }

    /// Reads the network.
    ///
    /// # Errors
    /// If the file is not a valid checkpoint, or there is no network in it for this rule set.
    pub fn checkpoint(&self, variant: Variant) -> Result<Checkpoint, AgentError> {
        let network = self.resolved()?;
        network.checkpoint_of(&network.bytes(variant)?, variant)
    }

    /// Reads the network from its content.
    ///
    /// # Errors
    /// As for [`checkpoint`](Self::checkpoint).
    pub fn checkpoint_of(&self, bytes: &[u8], variant: Variant) -> Result<Checkpoint, AgentError> {
        let path = self.path();
        let checkpoint = Checkpoint::from_bytes(path, bytes)?.for_game(path, &variant.to_string())?;
        self.check_shape(&checkpoint, variant)?;
        Ok(checkpoint)
    }

    /// Refuses a network whose inputs or outputs do not fit the rule set, whatever game its file names.
    ///
    /// # Errors
    /// If the planes or the actions differ from those of the rule set.
    pub fn check_shape(&self, checkpoint: &Checkpoint, variant: Variant) -> Result<(), AgentError> {
        let fits = checkpoint.config.fits(&GipfPosition::start(variant));
        fits.then_some(()).ok_or_else(|| AgentError::Shape { network: self.to_string(), variant })
    }

    /// Returns the rule set that the network plays; none if there are networks for several.
    ///
    /// # Errors
    /// If the file is not a valid checkpoint, or is for another game than GIPF.
    pub fn variant(&self) -> Result<Option<Variant>, AgentError> {
        match self.resolved()? {
            Self::Pretrained => Ok(None),
            Self::File(path) => {
                let game = Checkpoint::load(&path)?.metadata.game;
                let variant = game.parse().map_err(|_| AgentError::Game { network: path, game })?;
                Ok(Some(variant))
            }
        }
    }

    /// Returns the path, or the name, by which it is asked for.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Pretrained => Path::new(PRETRAINED),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use gipf_env::GipfPosition;
    use gipf_models::{Metadata, MlpConfig, NetConfig, NetKind, Weights};

    use super::*;
    use crate::players::AgentSpec;
    use crate::run::{BEST, MANIFEST, Manifest, checkpoint_name};

    fn save(path: &Path, variant: Variant) {
        let net = NetKind::Mlp(MlpConfig { hidden: vec![8] });
        let config = NetConfig::of(net, &GipfPosition::start(variant)).unwrap();
        let metadata = Metadata { game: variant.to_string(), step: 0, seed: 1, commit: None };
        Checkpoint { weights: Weights::initial(&config, 1), config, metadata }.save(path).unwrap();
    }

    #[test]
    fn the_name_of_what_comes_along_is_taken_by_its_word() {
        assert_eq!(Network::named(Path::new("pretrained")), Network::Pretrained);
        for path in ["./pretrained", "pretrained/", "runs/pretrained"] {
            assert_eq!(Network::named(Path::new(path)), Network::File(path.into()), "{path}");
        }
        let told = "mcts:pretrained".parse::<AgentSpec>().unwrap().contender(Variant::BASIC).err().unwrap().to_string();
        assert_eq!(told, "there is no file `pretrained`: expected pretrained:sims=64 for the network of the program");
    }

    #[test]
    fn a_run_stands_for_its_best_network_or_else_its_newest_complete_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        for folder in ["checkpoints", "state"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        let spec: AgentSpec = format!("mcts:{},sims=1", path.display()).parse().unwrap();
        let refused = || spec.contender(Variant::BASIC).err().unwrap();
        assert!(matches!(refused(), AgentError::Run(_)), "{}", refused());
        let complete = |iterations, best| {
            let manifest = Manifest { iterations, best, ..Manifest::default() };
            fs::write(path.join(MANIFEST), manifest.to_text()).unwrap();
        };
        complete(0, None);
        assert!(
            matches!(refused(), AgentError::NoNetwork(_)) && refused().to_string().contains("run without a network")
        );
        let name = |file: &Path| {
            assert_eq!(spec.variant().unwrap(), Some(Variant::BASIC));
            let contender = spec.contender(Variant::BASIC).unwrap();
            assert_eq!(contender.name, format!("mcts:{},sims=1", file.display()));
        };
        for iteration in 1..=3 {
            save(&path.join(checkpoint_name(iteration)), Variant::BASIC);
        }
        complete(2, None);
        name(&path.join(checkpoint_name(2)));
        save(&path.join(BEST), Variant::BASIC);
        name(&path.join(checkpoint_name(2)));
        complete(2, Some(1));
        name(&path.join(checkpoint_name(1)));
        fs::remove_file(path.join(checkpoint_name(1))).unwrap();
        name(&path.join(BEST));
        assert!(path.join(checkpoint_name(3)).exists(), "what is not complete counts for nothing");
        let told = spec.contender(Variant::STANDARD).err().unwrap().to_string();
        assert!(told.contains("best.safetensors") && told.contains("expected standard"), "{told}");
    }

    #[test]
    fn agents_say_which_rule_set_they_play() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("net.safetensors");
        save(&file, Variant::TOURNAMENT);
        let variant = |text: &str| text.parse::<AgentSpec>().unwrap().variant();
        assert_eq!(variant(file.to_str().unwrap()).unwrap(), Some(Variant::TOURNAMENT));
        for text in ["random", "alpha-beta:3", "level:4", "pretrained:sims=3"] {
            assert_eq!(variant(text).unwrap(), None, "{text}");
        }
        assert!(variant("./no-such-file").is_err());
        // The tests run in the folder of their package: an existing name is taken for a path.
        assert!("src".parse::<AgentSpec>().is_ok() && "no-such-file".parse::<AgentSpec>().is_err());
        let mut toy = Checkpoint::load(&file).unwrap();
        toy.metadata.game = "chess".to_owned();
        toy.save(&file).unwrap();
        let told = variant(file.to_str().unwrap()).unwrap_err().to_string();
        assert!(
            told.ends_with("net.safetensors is a network for chess: expected one for a rule set of GIPF"),
            "{told}"
        );
    }
}
