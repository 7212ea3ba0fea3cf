//! Pairs of games as bytes, for others to play: which ones, by whom, and what came of them.
//!
//! All three are a line of JSON, what it speaks of, and the checksum of both. Results are data of others: before they
//! count, every game is replayed by the rules. What a player visited and how long it thought is taken on trust.

use std::sync::Arc;

use gipf_env::{ActionIndex, GipfPosition, Position, Variant};
use serde::{Deserialize, Serialize};

use super::super::openings::Opening;
use super::super::pairs::Pair;
use super::meeting::{DuePair, play_pairs};
use super::member::{Member, PlayerId};
use crate::Stop;
use crate::players::{AgentError, AgentSpec};

/// Why pairs could not be sent, played or taken.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The bytes were changed on the way, or are something else.
    #[error("the bytes are no {0} of this version of the program, or were damaged")]
    Damaged(&'static str),
    /// The player would not play the same everywhere.
    #[error(
        "{0} thinks for a time or on several threads, so that its games depend on the machine: \
         expected sims=, depth= or nodes=, and one thread"
    )]
    Timed(PlayerId),
    /// A player that no text names.
    #[error("{0} cannot be sent: expected a player that its name describes")]
    Nameless(PlayerId),
    /// The player is another one here: another build, or arithmetic.
    #[error("{0} plays otherwise here than where it was asked for: expected the same build and arithmetic")]
    Otherwise(PlayerId),
    /// A player cannot be built.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The pairs are not those asked for.
    #[error("pairs of other openings than were asked for")]
    Other,
    /// A game that cannot be.
    #[error("opening {opening}, game {game}: {reason}")]
    Game {
        /// The number of the opening.
        opening: usize,
        /// 0 or 1.
        game: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// The games were stopped before they had ended.
    #[error("the games were stopped")]
    Stopped,
}

/// Two players, ready to play pairs that somebody else asks for.
pub struct Envoys([Member; 2]);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    id: PlayerId,
    spec: String,
    /// The length of its file.
    bytes: usize,
}

impl Envoys {
    /// Returns two players as bytes, with their networks.
    ///
    /// # Errors
    /// If one does not play the same everywhere, or its file cannot be read.
    pub fn pack(players: [&Member; 2], variant: Variant) -> Result<Vec<u8>, PostError> {
        let (mut heads, mut files) = (Vec::new(), Vec::new());
        for player in players {
            let spec = Self::sendable(player)?;
            let file = spec.file(variant)?;
            heads.push(Player { id: player.id.clone(), spec: spec.to_string(), bytes: file.len() });
            files.extend_from_slice(&file);
        }
        Ok(sealed(&(variant.to_string(), heads), &files))
    }

    /// Returns the text of a player that plays the same everywhere.
    ///
    /// # Errors
    /// If it does not, or no text names it.
    pub fn sendable(player: &Member) -> Result<&AgentSpec, PostError> {
        let spec = player.spec.as_ref().ok_or_else(|| PostError::Nameless(player.id.clone()))?;
        let is_steady = !spec.is_timed() && spec.threads() == 1;
        if is_steady { Ok(spec) } else { Err(PostError::Timed(player.id.clone())) }
    }

    /// Builds two players from bytes.
    ///
    /// # Errors
    /// If the bytes were damaged, or a player is another one here.
    pub fn unpack(bytes: &[u8]) -> Result<Self, PostError> {
        let damaged = || PostError::Damaged("players of a ladder");
        let (head, mut files) = unsealed::<(String, Vec<Player>)>(bytes).ok_or_else(damaged)?;
        let (variant, players) = head;
        let variant: Variant = variant.parse().map_err(|_| damaged())?;
        let mut members = Vec::new();
        for player in players {
            let (file, rest) = files.split_at_checked(player.bytes).ok_or_else(damaged)?;
            files = rest;
            let member = Member::of_file(&player.spec.parse()?, file, variant)?;
            if member.id.fingerprint != player.id.fingerprint {
                return Err(PostError::Otherwise(player.id));
            }
            members.push(member);
        }
        members.try_into().map(Self).map_err(|_| damaged())
    }

    /// Plays the pairs of a specification on all threads of the current rayon pool, and returns them as bytes: the same
    /// everywhere, but for the times.
    ///
    /// # Errors
    /// If the bytes were damaged, or a stop was requested.
    pub fn play(&self, spec: &[u8], stop: &Stop) -> Result<Vec<u8>, PostError> {
        let pairs = PairsSpec::from_bytes(spec)?;
        let played = play_pairs(&pairs.due, self.0.each_ref().map(|player| &player.contender), &|| (), stop);
        if played.len() < pairs.due.len() {
            return Err(PostError::Stopped);
        }
        Ok(sealed(&(blake3::hash(spec).to_string(), played), &[]))
    }
}

/// Some pairs of a round that somebody else is to play.
#[derive(Clone, Debug, PartialEq)]
pub struct PairsSpec {
    /// The pairs.
    pub due: Arc<[DuePair]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    number: usize,
    start: GipfPosition,
    actions: Vec<ActionIndex>,
    seed: u64,
}

impl PairsSpec {
    /// Returns the specification as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let wire = |due: &DuePair| {
            let Opening { start, actions, .. } = &due.opening;
            let actions = actions.iter().map(|action| start.action_index(*action)).collect();
            Wire { number: due.number, start: start.clone(), actions, seed: due.seed }
        };
        sealed(&self.due.iter().map(wire).collect::<Vec<_>>(), &[])
    }

    /// Reads a specification.
    ///
    /// # Errors
    /// If the bytes were damaged, or an opening is none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PostError> {
        let damaged = || PostError::Damaged("pairs of a ladder");
        let (wires, _) = unsealed::<Vec<Wire>>(bytes).ok_or_else(damaged)?;
        let due = wires.into_iter().map(|wire| {
            let mut opening = Opening::none(&wire.start);
            for action in wire.actions {
                let legal = opening.position.action_at(action).filter(|&action| opening.position.is_legal(action));
                opening.play(legal.ok_or_else(damaged)?);
            }
            Ok(DuePair { number: wire.number, opening, seed: wire.seed })
        });
        Ok(Self { due: due.collect::<Result<_, PostError>>()? })
    }

    /// Reads what came of the pairs, and replays every game.
    ///
    /// # Errors
    /// If the bytes were damaged, belong to other pairs, or hold what no game can be.
    pub fn played(&self, bytes: &[u8]) -> Result<Vec<Pair>, PostError> {
        let damaged = PostError::Damaged("pairs of a ladder that were played");
        let ((hash, pairs), _) = unsealed::<(String, Vec<Pair>)>(bytes).ok_or(damaged)?;
        if hash != blake3::hash(&self.to_bytes()).to_string() || pairs.len() != self.due.len() {
            return Err(PostError::Other);
        }
        for (pair, due) in pairs.iter().zip(&*self.due) {
            if pair.number != due.number {
                return Err(PostError::Other);
            }
            for (game, record) in pair.games.iter().enumerate() {
                let told = |reason| PostError::Game { opening: due.number, game, reason };
                record.check(&due.opening).map_err(told)?;
            }
        }
        Ok(pairs)
    }
}

/// Returns a line of JSON, what it speaks of, and the checksum of both.
fn sealed(head: &impl Serialize, rest: &[u8]) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(head).expect("heads are plain values");
    bytes.push(b'\n');
    bytes.extend_from_slice(rest);
    let seal = blake3::hash(&bytes);
    bytes.extend_from_slice(seal.as_bytes());
    bytes
}

/// Reads what [`sealed`] has written; none if it was changed.
fn unsealed<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (content, seal) = bytes.split_last_chunk::<{ blake3::OUT_LEN }>()?;
    if blake3::hash(content) != *seal {
        return None;
    }
    let end = content.iter().position(|&byte| byte == b'\n')?;
    Some((serde_json::from_slice(&content[..end]).ok()?, &content[end + 1..]))
}
