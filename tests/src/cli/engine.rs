//! `gipf engine`: the protocol, in a dialogue and in its edge cases.

use std::collections::VecDeque;
use std::io::{BufReader, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use gipf_env::{Phase, Setup, Variant};
use gipf_play::ugi::UgiGame;
use gipf_train::cli::{self, Console, Exit};

use crate::cli::agents::checkpoint;
use crate::cli::{gipf, gipf_with_input, refused};

/// The output of a dialogue so far.
#[derive(Clone, Default)]
pub struct Shown(Arc<Mutex<Vec<u8>>>);

impl Shown {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Waits for this many lines that begin with a word.
    fn wait_for(&self, word: &str, lines: usize) {
        let end = Instant::now() + Duration::from_secs(20);
        while self.text().lines().filter(|line| line.starts_with(word)).count() < lines {
            assert!(Instant::now() < end, "waiting for {lines} × `{word}`: {}", self.text());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What is typed: a line, or a wait for a number of lines that begin with a word.
pub enum Typed {
    Line(String),
    Wait(&'static str, usize),
}

pub fn line(text: &str) -> Typed {
    Typed::Line(text.to_owned())
}

/// Types one line at a time, and waits where the script says so.
struct Typist {
    typed: VecDeque<Typed>,
    shown: Shown,
}

impl Read for Typist {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.typed.pop_front() {
            None => Ok(0),
            Some(Typed::Wait(word, lines)) => {
                self.shown.wait_for(word, lines);
                self.read(buffer)
            }
            Some(Typed::Line(line)) => {
                buffer[..=line.len()].copy_from_slice(format!("{line}\n").as_bytes());
                Ok(line.len() + 1)
            }
        }
    }
}

/// Runs the engine on what is typed, and returns what it shows.
pub fn talk(args: &[&str], typed: Vec<Typed>) -> String {
    let shown = Shown::default();
    let mut out = shown.clone();
    let mut err = Vec::new();
    let input = &mut BufReader::new(Typist { typed: typed.into(), shown: shown.clone() });
    let mut console = Console::new(input, &mut out, &mut err);
    let exit = cli::run(["gipf", "engine"].iter().chain(args), &mut console);
    assert_eq!(exit, Exit::Success, "{}", String::from_utf8_lossy(&err));
    assert!(err.is_empty());
    shown.text()
}

/// Masks what differs from run to run.
fn masked(shown: &str) -> String {
    let mut lines = Vec::new();
    for line in shown.lines() {
        let mut words: Vec<_> = line.split(' ').collect();
        let measured: Vec<_> = (1..words.len()).filter(|&n| ["nps", "time"].contains(&words[n - 1])).collect();
        for n in measured {
            words[n] = "N";
        }
        lines.push(words.join(" "));
    }
    lines.join("\n")
}

#[test]
fn the_dialogue_of_the_help_is_what_is_said() {
    let help = gipf(&["engine", "--help"]).out;
    let said = |beginning: &str| {
        let found = help.lines().map(str::trim).find(|line| line.starts_with(beginning));
        found.unwrap_or_else(|| panic!("{beginning}: {help}")).to_owned()
    };
    let position = said("> position startpos moves ");
    let typed = vec![line(&position["> ".len()..]), line("go depth 1"), Typed::Wait("bestmove", 1), line("quit")];
    let shown = masked(&talk(&[], typed));
    assert!(shown.starts_with(&masked(&said("info depth 1 "))), "{shown}");
}

/// A dialogue: what is typed stands after `>`, with all the answers to it; the rest of a line after `…` is not compared.
const DIALOGUE: &str = "\
> ugi
id name gipf …
id author the gipf contributors
option name Variant type combo default standard var basic var standard var tournament var basic+zertz var standard+zertz var tournament+zertz
option name Agent type string default alpha-beta:2
option name Seed type spin default 0 min 0 max 2147483647
option name PlacementLimit type spin default 0 min 0 max 65535
option name Potentials type spin default 3 min 3 max 6
option name Threads type spin default 0 min 0 max 256
option name Hash type spin default 0 min 0 max 65536
option name MultiPV type spin default 1 min 1 max 50
option name Ponder type check default false
ugiok
> setoption name Seed value 7
> isready
readyok
> query p1turn
response true
> position startpos moves i5-g5
> query p1turn
response false
> query gameover
response false
> query result
response none
> isready
readyok
> position startpos moves i5-g5 a1-a2
info string error: position: move 2 `a1-a2`: …
> query p1turn
info string error: there is no position, since the last one was refused: position: move 2 `a1-a2`: …
response error
> go depth 1
info string error: there is no position, since the last one was refused: position: move 2 `a1-a2`: …
bestmove 0000
> position e2
info string error: position: found `e2`, expected …
> query legal
info string error: there is no position, …
response error
> position fen basic 4/5/6/SSS4/6/5/4 w 8 8 - 0 0 moves e1-e2;x
> query p1turn
response false
> position fen standard 4/5/6/7/6/5/4 w 12 12 - 0 0
info string error: position: position text, column 10, board: …
> position fen basic 4/5/6/7/6/5/4 w 1 0 - 0 0 moves e2
> query gameover
response true
> query result
response p1win
> query legal
response none
> query position
response basic 4/5/6/S6/6/5/4 …
> go movetime 50
bestmove 0000
> go searchmoves e2 movetime 5
info string error: go: searchmoves `e2`: …
bestmove 0000
> go searchmoves movetime 5
info string go: searchmoves: expected turns after it
bestmove 0000
> position fen basic 4/5/6/SSS4/6/5/4 w 8 8 - 0 0
> query position
response basic 4/5/6/SSS4/6/5/4 w 8 8 - 0 0
> setoption name Variant value tournament+zertz
> setoption name Potentials value 5
> uginewgame
> position startpos moves Ge2
> query p1turn
response false
> setoption name Variant value push-off
info string setoption: Variant `push-off`: expected a rule set with a notation: basic, standard, tournament, basic+zertz, standard+zertz, tournament+zertz
> setoption name Potentials value 2
info string setoption: Potentials `2`: expected a number from 3 to 6
> setoption name Hash value -1
info string setoption: Hash `-1`: expected a number from 0 to 65536
> setoption name Ponder value perhaps
info string setoption: Ponder `perhaps`: expected true or false
> setoption name MultiPV value 0
info string setoption: MultiPV `0`: expected a number from 1 to 50
> setoption name Style value bold
info string setoption: no option `Style`: expected Variant, Agent, Seed, PlacementLimit, Potentials, Threads, Hash, MultiPV or Ponder
> ponderhit
> setoption name Agent value greedy
> setoption name Variant value basic
> position startpos
> setoption name PlacementLimit value 1
> position startpos moves a1-c3
> query result
response draw
> dance
info string unknown command `dance`: expected ugi, isready, setoption, uginewgame, position, go, ponderhit, stop, query or quit
> go mate 3
bestmove 0000
> go depth
info string go: depth ``: expected an integer
bestmove 0000
> query who
info string query: found `who`, expected p1turn, gameover, result, legal or position
> stop
> quit
";

#[test]
fn a_dialogue_goes_as_it_is_written() {
    let mut typed = Vec::new();
    let mut answers = Vec::new();
    for text in DIALOGUE.lines() {
        match text.strip_prefix("> ") {
            Some(command) => typed.extend([Typed::Wait("", answers.len()), line(command)]),
            None => answers.push(text),
        }
    }
    let shown = masked(&talk(&["--agent", "alpha-beta:2"], typed));
    for (number, (found, expected)) in shown.lines().zip(&answers).enumerate() {
        match expected.strip_suffix('…') {
            Some(beginning) => assert!(found.starts_with(beginning), "answer {number}: {found}"),
            None => assert_eq!(found, *expected, "answer {number}"),
        }
    }
    assert_eq!(shown.lines().count(), answers.len(), "{shown}");
}

#[test]
fn a_search_tells_each_depth_and_then_the_whole_and_the_move() {
    let typed = vec![line("position startpos moves i5-g5"), line("go depth 3"), Typed::Wait("bestmove", 1)];
    let shown = talk(&["--agent", "alpha-beta:4"], typed);
    let lines: Vec<_> = shown.lines().collect();
    let (best, infos) = lines.split_last().unwrap();
    for (depth, info) in [1, 2, 3, 3].into_iter().zip(infos) {
        assert!(info.starts_with(&format!("info depth {depth} score cp ")), "{shown}");
        for word in [" nodes ", " nps ", " time ", " pv "] {
            assert!(info.contains(word), "{info}");
        }
    }
    assert_eq!((infos.len(), best.split(' ').count()), (4, 2), "{shown}");
    let line: Vec<_> = infos[3].split(" pv ").nth(1).unwrap().split(' ').collect();
    assert_eq!(best.strip_prefix("bestmove "), Some(line[0]), "{shown}");
    assert!(line.len() > 1, "the table knows more than the move: {shown}");
    let mut course = UgiGame::new(&Setup::start(Variant::STANDARD)).unwrap();
    for turn in ["i5-g5"].iter().chain(&line) {
        course.play_turn(turn).unwrap();
    }
}

/// Every kind of agent and limit, alone and together.
#[test]
fn every_limit_brings_an_answer_of_two_words() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let limits = ["", "movetime 30", "nodes 500", "depth 2", "p1time 900 p2time 900 p1inc 5 p2inc 5", "p1time -20"];
    let together = ["p1time 60000 depth 1", "nodes 100 movetime 20", "depth 0", "nodes 0", "movetime 0"];
    for agent in
        ["random", "greedy", "alpha-beta:2", "alpha-beta:time=10ms", &network, &format!("mcts:{network},time=5ms")]
    {
        let mut typed = vec![line("position startpos")];
        for (number, limit) in limits.iter().chain(&together).enumerate() {
            typed.extend([line(&format!("go {limit}")), Typed::Wait("bestmove", number + 1)]);
        }
        let shown = talk(&["--agent", agent], typed);
        let start = UgiGame::new(&Setup::start(Variant::STANDARD)).unwrap();
        for best in shown.lines().filter_map(|line| line.strip_prefix("bestmove ")) {
            start.read(best).unwrap_or_else(|error| panic!("{agent}: `{best}`: {error}"));
        }
        assert!(!shown.contains("info string"), "{agent}: {shown}");
    }
}

#[test]
fn limits_in_time_and_nodes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    for agent in ["alpha-beta:depth=64", &network] {
        let start = Instant::now();
        let typed = vec![line("go movetime 200"), Typed::Wait("bestmove", 1)];
        talk(&["--agent", agent], typed);
        let time = start.elapsed();
        assert!((Duration::from_millis(60)..Duration::from_millis(1200)).contains(&time), "{agent}: {time:?}");
        let shown = talk(&["--agent", agent], vec![line("go nodes 1000"), Typed::Wait("bestmove", 1)]);
        let last = shown.lines().rfind(|line| line.starts_with("info")).unwrap();
        let nodes: u64 = last.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((500..=1000).contains(&nodes), "{agent}: {shown}");
    }
}

#[test]
fn an_infinite_search_listens_and_answers_only_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    for agent in ["greedy", "alpha-beta:1", &network] {
        let busy = ["isready", "go depth 2", "go depth 1", "query p1turn", "uginewgame", "isready"];
        let mut typed = vec![line("go infinite")];
        typed.extend(busy.map(line));
        typed.extend([Typed::Wait("readyok", 2), line("stop"), Typed::Wait("bestmove", 1), line("isready")]);
        let shown = talk(&["--agent", agent], typed);
        let lines: Vec<_> = shown.lines().filter(|line| !line.starts_with("info depth")).collect();
        let refusal = "info string a search is running: expected stop, ponderhit, isready, query or quit";
        let expected = ["readyok", refusal, refusal, "response true", refusal, "readyok"];
        assert_eq!(lines[..6], expected, "{agent}");
        assert!(lines[6].starts_with("bestmove ") && lines[7] == "readyok" && lines.len() == 8, "{agent}: {shown}");
    }
}

#[test]
fn what_follows_stop_waits_for_the_answer() {
    for agent in ["greedy", "alpha-beta:3"] {
        let typed = ["go infinite", "stop", "position startpos moves i5-g5", "query p1turn", "go depth 1"].map(line);
        let shown = talk(&["--agent", agent], [Vec::from(typed), vec![Typed::Wait("bestmove", 2)]].concat_typed());
        let lines: Vec<_> = shown.lines().filter(|line| !line.starts_with("info depth")).collect();
        let words: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(words, ["bestmove", "response", "bestmove"], "{agent}: {shown}");
        assert_eq!(lines[1], "response false");
    }
}

#[test]
fn the_end_of_the_input_and_quit_end_a_search_with_its_answer() {
    for end in [vec![], vec![line("quit")], vec![line("stop"), line("quit")]] {
        let typed = [vec![line("go infinite"), Typed::Wait("info depth", 1)], end].concat_typed();
        let shown = talk(&["--agent", "alpha-beta:3"], typed);
        assert!(shown.lines().last().unwrap().starts_with("bestmove "), "{shown}");
    }
}

/// Joins typed lines; they cannot be cloned for `concat`.
trait ConcatTyped {
    fn concat_typed(self) -> Vec<Typed>;
}

impl<const N: usize> ConcatTyped for [Vec<Typed>; N] {
    fn concat_typed(self) -> Vec<Typed> {
        self.into_iter().flatten().collect()
    }
}

#[test]
fn a_turn_of_several_decisions_is_one_answer() {
    let setup = captures();
    let mut course = UgiGame::new(&setup).unwrap();
    assert_ne!(course.position().phase(), Phase::Push, "a row asks first");
    let typed = vec![line(&format!("position fen {setup}")), line("go"), Typed::Wait("bestmove", 1)];
    let shown = talk(&["--agent", "alpha-beta:2"], typed);
    let best = shown.lines().last().unwrap().strip_prefix("bestmove ").unwrap().to_owned();
    let actions = course.read(&best).unwrap();
    assert!(actions.len() > 1, "{best}");
    course.play_turn(&best).unwrap();
    assert_eq!((course.turns(), course.position().to_move().index()), ([best].as_slice(), 1));
}

/// White is to move, and has a row with a white GIPF-piece to take or keep.
fn captures() -> Setup {
    "standard g3/5/1SSGS1/G5g/6/5/g2G w 9 12 - 0 0".parse().unwrap()
}

#[test]
fn agents_that_cannot_be_had_are_told_and_nothing_else_breaks() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::BASIC);
    let typed = ["setoption name Agent value gamma", "setoption name Agent value mcts:no/such,sims=4", "isready", "go"];
    let mut typed: Vec<_> = typed.map(line).into();
    typed.extend([line(&format!("setoption name Agent value {network}")), line("go")]);
    typed.extend(["setoption name Variant value basic", "position startpos", "go"].map(line));
    let shown = talk(&["--agent", "random"], typed);
    let lines: Vec<_> = shown.lines().filter(|line| !line.starts_with("info depth")).collect();
    assert!(lines[0].starts_with("info string setoption: unknown agent `gamma`"), "{shown}");
    assert!(lines[1].starts_with("info string ") && lines[1].contains("no/such") && lines[2] == "readyok", "{shown}");
    assert!(lines[3].contains("no/such") && lines[4] == "bestmove 0000", "{shown}");
    assert!(lines[5].contains("expected") && lines[6] == "bestmove 0000", "{shown}");
    assert!(lines[7].starts_with("bestmove ") && lines[7] != "bestmove 0000" && lines.len() == 8, "{shown}");
    refused(&["engine", "--variant", "push-off"], Exit::WrongUse, &["push-off", "notation"]);
    refused(&["engine", "--agent", "mcts:no/such,sims=4"], Exit::Failure, &["no/such"]);
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let long = "e2 ".repeat(30_000);
    let typed = format!("isready {long}\nposition startpos moves {long}\nisready\ngo\ngo {long}\nquit\nisready\n");
    let answer = gipf_with_input(&["engine"], &typed);
    let why = "a line of more than 65536 bytes is skipped";
    // The position from before the skipped one is not searched, and each `go` is answered.
    let refused = format!("info string error: there is no position, since the last one was refused: {why}\n");
    let passed = "bestmove 0000\n";
    let expected =
        format!("info string {why}\ninfo string error: {why}\nreadyok\n{refused}{passed}info string {why}\n{passed}");
    assert_eq!(answer.out, expected);
}
