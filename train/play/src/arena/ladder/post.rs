//! Pairs of games as bytes, for others to play: the pairs, the players, and the results.
//!
//! All three are a line of JSON, the files that it refers to, and the checksum of both. Results come from others:
//! before they count, every game is replayed by the rules. That the players chose these actions, the positions that
//! they visited and the time that they took are taken on trust.

use std::sync::Arc;

use gipf_env::{ActionIndex, GipfPosition, Position, Setup, Variant};
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
    /// The player cannot be named by a text.
    #[error("{0} cannot be sent: expected a player that its name describes")]
    Nameless(PlayerId),
    /// The player plays differently here: the build or the arithmetic is another one.
    #[error("{0} plays otherwise here than where it was asked for: expected the same build and arithmetic")]
    Otherwise(PlayerId),
    /// A player cannot be built.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The pairs are not those asked for.
    #[error("pairs of other openings than were asked for")]
    Other,
    /// An impossible game.
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
    /// If the bytes were damaged, or a player plays differently here.
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
    /// everywhere except for the times.
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

/// Some pairs of a round, for somebody else to play.
#[derive(Clone, Debug, PartialEq)]
pub struct PairsSpec {
    /// The pairs.
    pub due: Arc<[DuePair]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    number: usize,
    /// The position text of the start: it may come from anybody, so it has to be checked.
    start: String,
    placement_limit: Option<u16>,
    actions: Vec<ActionIndex>,
    seed: u64,
}

impl PairsSpec {
    /// Returns the specification as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let wire = |due: &DuePair| {
            let Opening { start, actions, .. } = &due.opening;
            let actions = actions.iter().map(|action| start.action_index(*action)).collect();
            let (start, placement_limit) = (start.to_setup().to_string(), start.placement_limit());
            Wire { number: due.number, start, placement_limit, actions, seed: due.seed }
        };
        sealed(&self.due.iter().map(wire).collect::<Vec<_>>(), &[])
    }

    /// Reads a specification.
    ///
    /// # Errors
    /// If the bytes were damaged, or an opening is invalid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PostError> {
        let damaged = || PostError::Damaged("pairs of a ladder");
        let (wires, _) = unsealed::<Vec<Wire>>(bytes).ok_or_else(damaged)?;
        let due = wires.into_iter().map(|wire| {
            let setup: Setup = wire.start.parse().map_err(|_| damaged())?;
            let setup = setup.with_placement_limit(wire.placement_limit);
            let mut opening = Opening::none(&GipfPosition::from_setup(&setup).map_err(|_| damaged())?);
            for action in wire.actions {
                let legal = opening.position.action_at(action).filter(|&action| opening.position.is_legal(action));
                opening.play(legal.ok_or_else(damaged)?);
            }
            Ok(DuePair { number: wire.number, opening, seed: wire.seed })
        });
        Ok(Self { due: due.collect::<Result<_, PostError>>()? })
    }

    /// Reads the results of the pairs, and replays every game.
    ///
    /// # Errors
    /// If the bytes were damaged, belong to other pairs, or hold an impossible game.
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

/// Returns a line of JSON, the bytes that it refers to, and the checksum of both.
fn sealed(head: &impl Serialize, rest: &[u8]) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(head).expect("heads are plain values");
    bytes.push(b'\n');
    bytes.extend_from_slice(rest);
    let seal = blake3::hash(&bytes);
    bytes.extend_from_slice(seal.as_bytes());
    bytes
}

/// Reads the output of [`sealed`]; none if it was changed.
fn unsealed<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (content, seal) = bytes.split_last_chunk::<{ blake3::OUT_LEN }>()?;
    if blake3::hash(content) != *seal {
        return None;
    }
    let end = content.iter().position(|&byte| byte == b'\n')?;
    Some((serde_json::from_slice(&content[..end]).ok()?, &content[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::super::super::book::Book;
    use super::super::{Head, Meeting, Results, Series, ordered};
    use super::*;

    const VARIANT: Variant = Variant::BASIC;

    fn member(name: &str) -> Member {
        Member::new(&name.parse().unwrap(), VARIANT).unwrap()
    }

    #[test]
    fn pairs_that_others_play_are_those_of_a_meeting() {
        let (book, members) = (Book::of(VARIANT), ["greedy", "alpha-beta:1"].map(member));
        let (head, stop, players) = (Head::new(&book, 3), Stop::default(), ordered(members.each_ref()));
        let mut results = Results::default();
        for player in players {
            results.number_of(&player.id);
        }
        let meeting = Meeting { head: &head, book: &book, program: "test", tick: &|| (), stop: &stop };
        let due = meeting.due(players, &results, 3);
        let spec = PairsSpec { due: due.clone().into() };
        assert_eq!(PairsSpec::from_bytes(&spec.to_bytes()).unwrap(), spec);
        let envoys = Envoys::unpack(&Envoys::pack(players, VARIANT).unwrap()).unwrap();
        let bytes = envoys.play(&spec.to_bytes(), &stop).unwrap();
        let series = meeting.series(players, &spec.played(&bytes).unwrap()).unwrap();
        let (whole, _) = meeting.play(players, &results, 3).unwrap();
        assert_eq!(Series { seconds: whole.seconds, ..series }, whole);

        let other = PairsSpec { due: due[1..].into() };
        assert!(matches!(other.played(&bytes), Err(PostError::Other)));
        for place in (0..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(matches!(spec.played(&damaged), Err(PostError::Damaged(_))), "{place}");
        }
    }

    /// A change to games that somebody else played.
    type Change = fn(&mut Pair);

    #[test]
    fn games_that_cannot_be_are_refused() {
        let (book, members, stop) = (Book::of(VARIANT), ["random", "greedy"].map(member), Stop::default());
        let due = DuePair { number: 5, opening: book.opening(5, 400), seed: 1 };
        let spec = PairsSpec { due: [due].into() };
        let played = play_pairs(&spec.due, members.each_ref().map(|player| &player.contender), &|| (), &stop);
        let told = |change: Change| {
            let mut pairs = played.clone();
            change(&mut pairs[0]);
            let bytes = sealed(&(blake3::hash(&spec.to_bytes()).to_string(), pairs), &[]);
            spec.played(&bytes).map_err(|error| error.to_string())
        };
        assert_eq!(told(|_| ()).unwrap(), played);
        assert!(told(|pair| pair.games[0].nodes[0] += 1).is_ok(), "that is taken on trust");
        let changes: [(&str, Change); 5] = [
            ("not legal", |pair| pair.games[0].actions[3].0 = 9999),
            ("not ended", |pair| _ = pair.games[1].actions.pop()),
            ("behind its end", |pair| {
                let first = pair.games[1].actions[0];
                pair.games[1].actions.push(first);
            }),
            ("its result", |pair| pair.games[1].own_turns[0] += 1),
            ("other openings", |pair| pair.number = 6),
        ];
        for (reason, change) in changes {
            let error = told(change).unwrap_err();
            assert!(error.contains(reason), "{reason}: {error}");
        }
    }

    #[test]
    fn players_that_depend_on_the_machine_are_not_sent() {
        for (name, is_sent) in [("alpha-beta:2", true), ("alpha-beta:time=5ms", false), ("pretrained:threads=2", false)]
        {
            let sent = Envoys::pack([&member("random"), &member(name)], VARIANT);
            assert_eq!(sent.is_ok(), is_sent, "{name}");
        }
        let mut packed = Envoys::pack([&member("random"), &member("pretrained:sims=2")], VARIANT).unwrap();
        assert!(Envoys::unpack(&packed).is_ok());
        packed[300] ^= 1;
        assert!(matches!(Envoys::unpack(&packed), Err(PostError::Damaged(_))));
        let mut stranger = member("greedy");
        stranger.id.fingerprint ^= 1;
        let packed = Envoys::pack([&member("random"), &stranger], VARIANT).unwrap();
        assert!(matches!(Envoys::unpack(&packed), Err(PostError::Otherwise(_))));
    }
}
