//! `gipf engine`: plays for match runners and boards that speak UGI, the Universal Game Interface.
//!
//! These commands are understood; see [`crate::ugi`] for the protocol. Anything else is answered by an
//! `info string` and changes nothing; only `quit` and the end of the input end the engine.
//!
//! | line | answer |
//! |---|---|
//! | `ugi` | `id name …`, `id author …`, an `option …` for each option, `ugiok` |
//! | `isready` | `readyok`, when the agent is ready; during a search, at once |
//! | `setoption name X value Y` | none |
//! | `uginewgame` | none; the agent drops the previous game and restarts from its seed |
//! | `position startpos` or `fen GPN`, optionally `moves …` | none; refused as a whole if any part is wrong: see below |
//! | `go …` | `info …` lines, then `bestmove TURN`, or with the option Ponder perhaps `bestmove TURN ponder REPLY` |
//! | `ponderhit` | none; the limits of `go ponder …` hold from now on |
//! | `stop` | none, but a running search answers soon |
//! | `query p1turn`, `query gameover`, `query result` | `response true` or `false`; `p1win`, `p2win`, `draw`, `none` |
//! | `query legal` | `response` and all turns that can be played, in alphabetical order; `none` if the game is over |
//! | `query position` | `response` and the position text at the start of the turn |
//! | `quit` | a running search answers first |
//!
//! Player 1 is White. A position text has eight words and names its rule set. A move is one word: a whole turn in any
//! spelling of the official notation, without blanks; answers are in complete notation without the reserve. A turn in
//! which a player keeps all pieces of their rows and cannot bring in any, and so loses, has no text in that notation: it
//! is written `-`.
//!
//! A refused `position` is answered by `info string error: position: …`, and then there is no position: every `go` gets
//! `bestmove 0000` and every `query` gets `response error`, each with an `info string error: …` that says why, until the
//! next accepted `position`, or `uginewgame`. The previous position is never searched. With `query legal` and `query
//! position` a referee needs no rules of its own: it sends the turns played, and asks.
//!
//! Every `go` gets one `bestmove`, except those during a search, which are refused. It is `bestmove 0000` where nothing
//! can be played: the game is over, as `query gameover` reports, there is no position, the numbers or turns of `go`
//! cannot be read, the agent cannot be built for the rule set, or its search hit a bug of this program. In all cases but
//! the first, an `info string` before it gives the reason, and the next `go` starts afresh.
//!
//! `go` takes `p1time`, `p2time`, `p1inc`, `p2inc`, `movetime` (milliseconds), `nodes`, `depth` (turns), `infinite`,
//! `ponder` and `searchmoves`, in any combination; other words are ignored. All limits but the depth are for the whole
//! turn, and its decisions share them.
//!
//! * `searchmoves TURN …` chooses among these turns, up to the next keyword of `go`: each is played, and the position after
//!   it is searched with an equal part of the limits, whether they are those of `go` or the agent's own. An agent that
//!   expects no results, random or greedy, chooses among them as it does among all. A turn that cannot be played is an
//!   error.
//! * `ponder` thinks in the opponent's time, without limits, about the position that arises if the expected turn is
//!   played. `ponderhit` says that it was: the limits hold from then on, and the results so far are used. `stop` says
//!   that it was not. Before either there is no answer.
//! * The option `MultiPV` is the number of turns that `info` reports, the best first, numbered by `multipv`. A tree search
//!   knows them anyway; alpha-beta gives half of its limits to the best, and shares the rest among the others, none of
//!   which it scores higher than the one before.
//! * A tree search builds on what it already knows of the position. At 2²¹ visits it ends, and with `infinite` it waits
//!   for `stop`. Such a tree takes some 1.8 GB, with what earlier turns have left up to twice that: the option Hash is
//!   only for evaluations that are kept beside it.
//!
//! The agent's own limits:
//!
//! * if `go` has none of these words, they hold;
//! * an alpha-beta agent keeps to them as well, but where `go` has a limit of the same kind, that of `go` holds;
//! * a network's simulations or time hold unless `go` limits time or `nodes`, where a simulation is a node; if the agent
//!   has both, only the one of whose kind `go` has a limit is replaced;
//! * a level (`level:3`) keeps its strength: its simulations hold as well, whatever `go` limits;
//! * with `infinite` they do not hold, and the answer comes after `stop`;
//! * random and greedy answer at once, except with `infinite` and `ponder`.
//!
//! In `info`, `score cp` is the score of the player to move in hundredths of a piece: for an expected result v, from -1
//! to 1, it is 240 · artanh v, and ±10000 for a certain result. `depth` counts turns, or with a network the decisions of
//! the expected line. `nodes` are positions visited, or simulations.

mod guarded;
mod mind;
mod options;
mod screen;
mod session;
mod thinking;

use std::thread;

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::players::AgentSpec;
use gipf_play::ugi::{Line, UgiGame, read_line};

use self::options::Options;
use self::screen::Screen;
use self::session::{Session, Then};
use super::values::whole;
use super::{Console, Exit, WrongUse, agent};

/// Plays for match runners that speak UGI, the Universal Game Interface, over standard input and output.
///
/// Understood: ugi, isready, setoption, uginewgame, position startpos|fen GPN [moves …], go [p1time N] [p2time N]
/// [p1inc N] [p2inc N] [movetime N] [nodes N] [depth N] [infinite] [ponder] [searchmoves TURN …], ponderhit, stop, query
/// p1turn|gameover|result|legal|position, quit. Anything else is answered by an `info string`. Player 1 is White; times
/// are in milliseconds.
///
/// A move is one word without blanks: a whole turn in the official notation, such as e2, e1-e4 or
/// a1-f5;xb2,c3,d4,e5,f5*. Answers are in complete notation without the reserve, and `bestmove 0000` where nothing can
/// be played: the game is over, the last `position` was refused, or the agent cannot be built, which an `info string`
/// then reports.
///
/// Limits of `go` are for the whole turn. An alpha-beta agent keeps to its own as well, unless `go` has one of the same
/// kind. A network's simulations or time hold unless `go` limits nodes or time; if it has both, the one that `go` does
/// not limit still holds. The simulations of a level always hold. `infinite` lifts all limits until `stop`.
///
/// The command ugi lists the options: the rule set, the agent, its seed, a placement limit (0 for none) and the number of
/// potentials (for +zertz); threads and memory; how many turns to report; whether to name the expected reply. The memory
/// is that of a table or a cache: beside it, the tree of a network that thinks for long takes 1.8 GB or more. Levels,
/// baselines, random and greedy have their own threads and memory. The rule set, the limit and the potentials take effect
/// from the next position on, the others at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who plays: level:1 to level:10, pretrained, baseline:1 to baseline:8, alpha-beta:1 to alpha-beta:8,
    /// alpha-beta:time=50ms, a checkpoint or a run as its path or mcts:PATH,sims=200, greedy, random; also the option
    /// Agent
    #[arg(long, value_name = "AGENT", default_value = "alpha-beta:8")]
    agent: AgentSpec,
    /// The rule set of `startpos`: basic, standard or tournament, each also with +zertz; standard unless the checkpoint
    /// is for another; also the option Variant
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// The seed of the agent; also the option Seed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u32>(0..=i32::MAX as u32))]
    seed: u32,
}

const EXAMPLES: &str = "Examples:
  gipf engine
  gipf engine --agent runs/standard-quick/checkpoints/000024.safetensors
  gipf eval greedy --against-command 'gipf engine --agent alpha-beta:2' \\
      --games 10

A dialogue, with > before typed lines:
  > ugi
  id name gipf …
  …
  ugiok
  > position startpos moves i5-g5 a1-c3
  > go movetime 100
  info depth 1 score cp 23 nodes 31 nps 1112153 time 0 pv i5-f5
  …
  bestmove i5-f5
  > query p1turn
  response true
  > quit";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let variant = agent::variant(args.variant, &[&args.agent])?;
    if !UgiGame::is_told(variant) {
        return Err(WrongUse(format!("{variant} has no notation for turns: expected another rule set")).into());
    }
    let options = Options::new(args.agent.clone(), variant, args.seed);
    let screen = Screen::new(console.out);
    thread::scope(|scope| {
        let mut session = Session::new(scope, &screen, options);
        loop {
            let then = match read_line(console.input)? {
                Line::Text(line) => session.answer(&line)?,
                Line::TooLong(word) => session.skip(&word)?,
                Line::End => Then::Leave,
            };
            if then == Then::Leave {
                return Ok(Exit::Success);
            }
        }
    })
}
