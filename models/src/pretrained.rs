//! The networks that come with the program.

use std::path::Path;

use crate::checkpoint::Checkpoint;
use crate::{Shipped, shipped};

/// A network that comes with the program, as the content of a checkpoint file.
#[derive(Clone, Copy, Debug)]
pub struct Pretrained {
    /// The rule set that it plays.
    pub game: &'static str,
    /// Its file.
    pub file: Shipped,
}

/// All networks that come with the program, trained as the cards in `models/pretrained` describe.
pub const PRETRAINED: [Pretrained; 6] = [
    Pretrained { game: "basic", file: shipped!("basic.safetensors", "../pretrained/basic.safetensors") },
    Pretrained { game: "standard", file: shipped!("standard.safetensors", "../pretrained/standard.safetensors") },
    Pretrained { game: "tournament", file: shipped!("tournament.safetensors", "../pretrained/tournament.safetensors") },
    Pretrained {
        game: "standard+zertz",
        file: shipped!("standard-zertz.safetensors", "../pretrained/standard-zertz.safetensors"),
    },
    Pretrained {
        game: "basic+zertz",
        file: shipped!("basic-zertz.safetensors", "../pretrained/basic-zertz.safetensors"),
    },
    Pretrained {
        game: "tournament+zertz",
        file: shipped!("tournament-zertz.safetensors", "../pretrained/tournament-zertz.safetensors"),
    },
];

impl Pretrained {
    /// Returns the network for a rule set, if one comes with the program.
    pub fn of(game: &str) -> Option<Self> {
        PRETRAINED.into_iter().find(|pretrained| pretrained.game == game)
    }

    /// Lists the rule sets for which a network comes with the program, for messages.
    pub fn games() -> String {
        PRETRAINED.map(|pretrained| pretrained.game).join(", ")
    }

    /// Returns the network.
    ///
    /// # Panics
    /// In a browser, if its file was not given to the module yet.
    pub fn checkpoint(self) -> Checkpoint {
        Checkpoint::from_bytes(Path::new("pretrained"), self.file.bytes())
            .expect("a test reads every network that comes along")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_is_sound_small_and_for_its_game() {
        for pretrained in PRETRAINED {
            let checkpoint = pretrained.checkpoint();
            assert_eq!(checkpoint.metadata.game, pretrained.game);
            assert!(checkpoint.metadata.step > 0, "{} was never trained", pretrained.game);
            assert!(pretrained.file.bytes().len() <= 2 << 20, "{} is larger than 2 MiB", pretrained.game);
        }
        assert!(Pretrained::of("push-off").is_none());
    }
}
