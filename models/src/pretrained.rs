//! The networks that come with the program: parts of it, or files beside it that a page fetches when they are needed.

use std::path::Path;

use crate::checkpoint::Checkpoint;

/// A network that comes with the program, as the content of a checkpoint file.
#[derive(Clone, Copy, Debug)]
pub struct Pretrained {
    /// The rule set that it plays.
    pub game: &'static str,
}

/// All networks that come with the program, trained as the cards in `models/pretrained` describe.
pub const PRETRAINED: [Pretrained; 3] =
    [Pretrained { game: "basic" }, Pretrained { game: "standard" }, Pretrained { game: "tournament" }];

impl Pretrained {
    /// Returns the network for a rule set, if one comes with the program.
    pub fn of(game: &str) -> Option<Self> {
        PRETRAINED.into_iter().find(|pretrained| pretrained.game == game)
    }

    /// Returns the content of its file. A program for a browser holds none: there it is empty until it was fetched and
    /// [given](Self::give).
    pub fn bytes(self) -> &'static [u8] {
        files::bytes(self.game)
    }

    /// Gives a program for a browser the content of the file; the first that is given stays.
    #[cfg(target_family = "wasm")]
    pub fn give(self, bytes: Vec<u8>) {
        files::give(self.game, bytes);
    }

    /// Returns the network.
    ///
    /// # Panics
    /// If it is empty.
    pub fn checkpoint(self) -> Checkpoint {
        Checkpoint::from_bytes(Path::new("pretrained"), self.bytes())
            .expect("a test reads every network that comes along")
    }
}

#[cfg(not(target_family = "wasm"))]
mod files {
    pub(super) fn bytes(game: &str) -> &'static [u8] {
        match game {
            "basic" => include_bytes!("../pretrained/basic.safetensors"),
            "standard" => include_bytes!("../pretrained/standard.safetensors"),
            "tournament" => include_bytes!("../pretrained/tournament.safetensors"),
            _ => &[],
        }
    }
}

#[cfg(target_family = "wasm")]
mod files {
    use std::sync::OnceLock;

    use super::PRETRAINED;

    static GIVEN: [OnceLock<Vec<u8>>; PRETRAINED.len()] = [const { OnceLock::new() }; PRETRAINED.len()];

    fn place(game: &str) -> Option<&'static OnceLock<Vec<u8>>> {
        GIVEN.iter().zip(PRETRAINED).find(|(_, pretrained)| pretrained.game == game).map(|(place, _)| place)
    }

    pub(super) fn bytes(game: &str) -> &'static [u8] {
        place(game).and_then(OnceLock::get).map_or(&[], Vec::as_slice)
    }

    pub(super) fn give(game: &str, bytes: Vec<u8>) {
        if let Some(place) = place(game) {
            place.get_or_init(|| bytes);
        }
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
            assert!(pretrained.bytes().len() <= 2 << 20, "{} is larger than 2 MiB", pretrained.game);
        }
        assert!(Pretrained::of("push-off").is_none());
    }
}
