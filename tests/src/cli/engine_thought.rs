//! `gipf engine`: several lines, thinking in the opponent's time, chosen turns, and the questions of a referee.

use gipf_env::{Setup, Variant};
use gipf_play::ugi::UgiGame;

use crate::cli::agents::checkpoint;
use crate::cli::engine::{Typed, line, talk};

/// Returns the rest of a line after a word.
fn after<'a>(line: &'a str, word: &str) -> &'a str {
    line.split_once(&format!(" {word} ")).map_or("", |(_, rest)| rest)
}

fn number(line: &str, word: &str) -> i64 {
    after(line, word).split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{word}: {line}"))
}

fn standard() -> UgiGame {
    UgiGame::new(&Setup::start(Variant::STANDARD)).unwrap()
}

#[test]
fn several_lines_are_told_the_best_first_and_each_can_be_played() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    for agent in ["alpha-beta:3", &network] {
        let typed = vec![
            line("setoption name MultiPV value 4"),
            line("position startpos moves i5-g5"),
            line("go nodes 2000"),
            Typed::Wait("bestmove", 1),
            line("go infinite"),
            Typed::Wait("info depth", 12),
            line("stop"),
            Typed::Wait("bestmove", 2),
        ];
        let shown = talk(&["--agent", agent], typed);
        let told: Vec<_> = shown.lines().take_while(|line| !line.starts_with("bestmove")).collect();
        assert_eq!(told.len(), 4, "{agent}: {shown}");
        let best = shown.lines().nth(4).unwrap().strip_prefix("bestmove ").unwrap();
        let mut firsts = Vec::new();
        for (place, info) in told.iter().enumerate() {
            assert_eq!(number(info, "multipv"), place as i64 + 1, "{agent}: {shown}");
            let mut course = standard();
            course.play_turn("i5-g5").unwrap();
            let turns: Vec<_> = after(info, "pv").split(' ').collect();
            for turn in &turns {
                course.play_turn(turn).unwrap();
            }
            firsts.push(turns[0].to_owned());
        }
        assert_eq!(firsts[0], best, "{agent}: {shown}");
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 4, "{agent}: the turns differ: {shown}");
        assert!(shown.lines().filter(|line| line.starts_with("bestmove ")).count() == 2, "{agent}: {shown}");
        let infinite = shown.lines().skip(5).filter(|line| line.contains(" multipv 1 "));
        let nodes: Vec<_> = infinite.take(2).map(|info| number(info, "nodes")).collect();
        assert!(agent.starts_with("alpha") || nodes == [256, 256 + 512], "those of all rounds: {shown}");
        if agent.starts_with("alpha") {
            let scores: Vec<_> = told.iter().map(|info| number(info, "cp")).collect();
            assert!(scores[0] >= scores[3], "{scores:?}");
        }
    }
}

#[test]
fn a_search_in_the_opponents_time_answers_after_ponderhit_or_stop_only() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    for agent in ["greedy", "alpha-beta:time=5ms", &network] {
        for end in ["ponderhit", "stop"] {
            let typed = vec![
                line("setoption name Ponder value true"),
                line("position startpos moves i5-g5"),
                line("go ponder movetime 40"),
                line("isready"),
                line("query p1turn"),
                line("go depth 1"),
                line("isready"),
                Typed::Wait("readyok", 2),
                line(end),
                Typed::Wait("bestmove", 1),
            ];
            let shown = talk(&["--agent", agent], typed);
            let lines: Vec<_> = shown.lines().filter(|line| !line.starts_with("info depth")).collect();
            let busy = "info string a search is running: expected stop, ponderhit, isready, query or quit";
            assert_eq!(lines[..4], ["readyok", "response false", busy, "readyok"], "{agent}, {end}: {shown}");
            let words: Vec<_> = lines[4].split(' ').collect();
            let mut course = standard();
            course.play_turn("i5-g5").unwrap();
            course.play_turn(words[1]).unwrap();
            assert!(lines.len() == 5 && words[0] == "bestmove", "{agent}, {end}: {shown}");
            if let Some(reply) = words.get(3) {
                assert_eq!(words[2], "ponder");
                course.play_turn(reply).unwrap();
            }
            let is_known = words.len() == 4 || end == "stop";
            assert!(agent != "alpha-beta:time=5ms" || is_known, "the table knows a reply: {shown}");
        }
    }
}

#[test]
fn what_was_thought_in_the_opponents_time_is_used() {
    let typed = vec![
        line("position startpos moves i5-g5"),
        line("go ponder depth 1"),
        Typed::Wait("info depth 5", 1),
        line("ponderhit"),
        Typed::Wait("bestmove", 1),
    ];
    let shown = talk(&["--agent", "alpha-beta:8"], typed);
    assert!(shown.lines().last().unwrap().starts_with("bestmove ") && !shown.contains("error"), "{shown}");
    let last = shown.lines().rfind(|line| line.starts_with("info")).unwrap();
    assert!(last.starts_with("info depth 1 "), "the limit holds from then on: {shown}");
}

#[test]
fn only_the_turns_that_are_named_are_searched() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    for agent in ["random", "alpha-beta:3", &network] {
        let typed = vec![
            line("setoption name MultiPV value 2"),
            line("position startpos"),
            line("go searchmoves d2 c2 nodes 300"),
            Typed::Wait("bestmove", 1),
            line("go nodes 300 searchmoves c2"),
            Typed::Wait("bestmove", 2),
            line("go infinite searchmoves c2 d2"),
            Typed::Wait("info depth", 5),
            line("stop"),
            Typed::Wait("bestmove", 3),
            line("go searchmoves c2 e9"),
            Typed::Wait("bestmove", 4),
        ];
        let shown = talk(&["--agent", agent], typed);
        let best: Vec<_> = shown.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
        assert!(["c2", "d2"].contains(&best[0]) && best[1] == "c2" && ["c2", "d2"].contains(&best[2]), "{shown}");
        assert_eq!(best[3], "0000", "{shown}");
        assert!(shown.contains("info string error: go: searchmoves `e9`: "), "{shown}");
        // A round that is cut short by a stop changes nothing: the answer is the best of the last round that was reported.
        let endless = shown.split("bestmove ").nth(2).unwrap().lines();
        let mut told = endless.filter(|line| line.contains(" multipv 1 "));
        assert_eq!(
            told.next_back().map(|info| after(info, "pv").split(' ').next().unwrap()),
            Some(best[2]),
            "{agent}: {shown}"
        );
        for info in shown.lines().filter(|line| line.starts_with("info depth")) {
            let first = after(info, "pv").split(' ').next().unwrap();
            assert!(["c2", "d2"].contains(&first), "{agent}: {info}");
        }
    }
    let setup: Setup = "basic 4/5/6/SSS4/6/5/4 w 8 8 - 0 0".parse().unwrap();
    let typed = vec![
        line(&format!("position fen {setup}")),
        line("go depth 3 searchmoves e1-e5;xe2,e3,e4,e5"),
        Typed::Wait("bestmove", 1),
    ];
    let shown = talk(&["--agent", "alpha-beta:4"], typed);
    assert!(shown.lines().last().unwrap().starts_with("bestmove e1-"), "a whole turn with its removal: {shown}");
}

#[test]
fn a_referee_needs_no_rules_of_its_own() {
    for variant in ["basic", "standard", "tournament"] {
        let mut course = UgiGame::new(&Setup::start(variant.parse().unwrap())).unwrap();
        for step in 0..60 {
            if course.position().outcome().is_some() {
                break;
            }
            let moves = course.turns().join(" ");
            let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
            let typed = ["query legal", "query position", "query gameover"].map(line);
            let typed = [vec![line(&format!("position fen {}{moves}", course.start()))], Vec::from(typed)];
            let shown = talk(&["--variant", variant], typed.into_iter().flatten().collect());
            let answers: Vec<_> = shown.lines().map(|line| line.strip_prefix("response ").unwrap()).collect();
            let legal: Vec<_> = answers[0].split(' ').collect();
            for text in &legal {
                course.clone().play_turn(text).unwrap_or_else(|error| panic!("{variant}: {text}: {error}"));
            }
            let again = UgiGame::new(&answers[1].parse().unwrap()).unwrap();
            assert_eq!(again.legal_turns(1000).unwrap(), legal, "{variant}: the text is that of the position");
            assert_eq!(answers[2], "false");
            course.play_turn(legal[(step * 7) % legal.len()]).unwrap();
        }
    }
}
