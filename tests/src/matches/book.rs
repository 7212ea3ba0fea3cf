//! The books of openings that come with the program: distinct, balanced, and recorded correctly in games.

use std::collections::HashSet;
use std::sync::Arc;

use gipf_env::symmetry::Symmetry;
use gipf_env::{GipfPosition, Phase, Setup, Variant};
use gipf_play::arena::{Book, MatchConfig, MatchError, Monitor, Opening, OpeningSource, play_match};
use gipf_play::players::AgentSpec;
use gipf_play::players::alpha_beta::{AlphaBeta, Limits};
use gipf_play::{Seal, Stop};
use gipf_train::cli::Exit;
use rayon::prelude::*;

use crate::cli::{gipf, refused, write};

#[test]
fn every_rule_set_has_a_book_of_sound_positions() {
    for variant in Variant::ALL {
        let book = Book::of(variant);
        assert!(book.len() >= 200 && book.variant() == variant, "{variant}: {}", book.len());
        assert_eq!(book.seal(), Seal::Intact, "{variant}");
        for (number, setup) in book.setups().enumerate() {
            let opening = book.opening(number, 400);
            assert_eq!(opening.position.to_gpn(), setup.to_string());
            assert_eq!((opening.position.validate(), opening.position.outcome()), (Ok(()), None));
            assert_eq!(opening.position.phase(), Phase::Push, "{setup}: nobody is asked about rows at once");
            assert_eq!(opening.start == GipfPosition::from_setup(&start(variant)).unwrap(), !variant.is_push_off());
            assert_eq!(replayed(&opening), opening.position);
        }
    }
}

fn start(variant: Variant) -> Setup {
    Setup::start(variant).with_placement_limit(Some(400))
}

fn replayed(opening: &Opening<GipfPosition>) -> GipfPosition {
    let mut position = opening.start.clone();
    for &action in &opening.actions {
        position.play(action).unwrap();
    }
    position
}

/// Compares texts, not keys: the smallest text of the 12 images, each written as if White were to move.
#[test]
fn no_position_is_the_image_of_another() {
    for variant in Variant::ALL {
        let book = Book::of(variant);
        let texts: HashSet<_> = book.setups().map(smallest_image).collect();
        assert_eq!(texts.len(), book.len(), "{variant}");
    }
    let setup: Setup = "standard 1S1G/5/1s4/G5g/6/5/g2G b 11 11 - 0 0".parse().unwrap();
    let exchanged: Setup = "standard 1s1g/5/1S4/g5G/6/5/G2g w 11 11 - 0 0".parse().unwrap();
    assert_eq!(smallest_image(&setup), smallest_image(&exchanged));
}

fn smallest_image(setup: &Setup) -> String {
    let position = GipfPosition::from_setup(setup).unwrap();
    let images = Symmetry::all().map(|symmetry| as_white(&symmetry.position(&position).to_gpn()));
    images.min().unwrap()
}

/// Exchanges the colours in a position text if Black is to move.
fn as_white(gpn: &str) -> String {
    let [variant, board, side, white, black, rights, first, second] =
        gpn.split(' ').collect::<Vec<_>>().try_into().expect("a position text has eight fields");
    if side == "w" {
        return gpn.to_owned();
    }
    let exchange = |text: &str| -> String {
        let other = |letter: char| {
            if letter.is_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
        };
        text.chars().map(other).collect()
    };
    let rights = if rights == "Gg" { rights.to_owned() } else { exchange(rights) };
    format!("{variant} {} w {black} {white} {rights} {second} {first}", exchange(board))
}

/// The search is less deep than the one that made the books, so it does not repeat the same evaluation. One turn more or
/// less changes who moves last, so the mean of two depths is taken.
#[test]
fn a_shallow_search_finds_the_books_balanced() {
    for variant in Variant::ALL {
        let book = Book::of(variant);
        let scores: Vec<i32> = (0..book.len()).into_par_iter().map(|number| shallow_score(&book, number)).collect();
        let far = scores.iter().filter(|score| score.abs() > 150).count();
        assert!(far * 20 <= scores.len(), "{variant}: {far} of {} scores are beyond 1.5 pieces", scores.len());
        let mean = f64::from(scores.iter().sum::<i32>()) / scores.len() as f64;
        assert!(mean.abs() < 50.0, "{variant}: the player to move is ahead by {mean} on average");
    }
}

fn shallow_score(book: &Book, number: usize) -> i32 {
    let position = book.opening(number, 400).position;
    let score = |depth| AlphaBeta::new(Limits::depth(depth), book.variant()).search(&position).score;
    i32::midpoint(score(2), score(3))
}

#[test]
fn neither_colour_is_ahead_in_games_from_a_book() {
    let agent: AgentSpec = "alpha-beta:2".parse().unwrap();
    for variant in Variant::OFFICIAL {
        let (contender, stop) = (agent.contender(variant).unwrap(), Stop::default());
        let openings = OpeningSource::Book(Arc::new(Book::of(variant)));
        let config = MatchConfig { openings, seed: 1, ..MatchConfig::new(variant, 100) };
        let monitor = Monitor { progress: &|_| (), stop: &stop, keeper: None };
        let played = play_match(&config, [&contender, &contender], monitor).unwrap();
        // Expected are 50 ± 4 % of 200 games, which are not quite independent.
        assert!((0.35..0.65).contains(&played.report.white_score), "{}", played.report);
    }
}

#[test]
fn a_book_without_a_name_is_no_book() {
    refused(&["eval", "random", "--games", "2", "--book="], Exit::WrongUse, &["--book"]);
}

#[test]
fn a_match_needs_an_opening() {
    let agent = "random".parse::<AgentSpec>().unwrap().contender(Variant::BASIC).unwrap();
    let stop = Stop::default();
    let monitor = Monitor { progress: &|_| (), stop: &stop, keeper: None };
    let refused = |config| play_match(&config, [&agent, &agent], monitor).map(|_| ()).unwrap_err();
    assert!(matches!(refused(MatchConfig::new(Variant::BASIC, 0)), MatchError::NoGames));
    // The openings of a book have the usual number of potentials.
    let openings = OpeningSource::Book(Arc::new(Book::of(Variant::BASIC.with_zertz())));
    let config = MatchConfig { openings, potentials: Some(4), ..MatchConfig::new(Variant::BASIC.with_zertz(), 1) };
    assert!(matches!(refused(config), MatchError::PotentialsOfBook));
}

#[test]
fn games_from_a_book_are_recorded_from_their_first_turn() {
    let folder = tempfile::tempdir().unwrap();
    for variant in ["basic", "tournament", "standard+zertz"] {
        let file = folder.path().join("games.pgn");
        let path = file.to_str().unwrap();
        let args = [
            "eval",
            "greedy",
            "--against",
            "random",
            "--games",
            "4",
            "--variant",
            variant,
            "--book",
            "--force",
            "--records",
            path,
        ];
        let answer = gipf(&args);
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        assert!(answer.out.contains(&format!("  openings     from the book {variant}\n")), "{}", answer.out);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("[OpeningTurns \"6\"]").count(), 4, "{text}");
        let start = Setup::start(variant.parse().unwrap());
        assert_eq!(text.matches(&format!("[Start \"{start}\"]")).count(), 4, "{text}");
        let checked = gipf(&["record", "check", path]);
        assert_eq!(checked.exit, Exit::Success, "{}{}", checked.out, checked.err);
    }
}

/// Otherwise the six turns of the openings would be the whole game, or more.
#[test]
fn a_match_from_a_book_needs_a_limit_behind_its_openings() {
    let args = ["eval", "random", "--against", "greedy", "--book", "--games", "4", "--placement-limit"];
    for limit in ["4", "6"] {
        let texts = ["book standard have up to 6 placements", &format!("a placement limit above that, not {limit}")];
        refused(&[&args[..], &[limit]].concat(), Exit::WrongUse, &texts);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let report = gipf(&[&args[..], &["7", "--records", file.to_str().unwrap()]].concat());
    assert!(report.exit == Exit::Success && report.out.contains("1.0 turns"), "{}{}", report.out, report.err);
    let checked = gipf(&["record", "check", file.to_str().unwrap()]);
    assert_eq!(checked.out.matches(": 7 turns, ").count(), 4, "{}{}", checked.out, checked.err);
}

#[test]
fn eval_takes_books_of_its_own_and_refuses_others() {
    let folder = tempfile::tempdir().unwrap();
    let book = gipf(&["book", "--variant", "basic", "--positions", "3", "--nodes", "200", "--bound", "200"]);
    assert_eq!(book.exit, Exit::Success, "{}", book.err);
    let path = write(folder.path(), "mine.txt", &book.out);
    let eval = |games: &str, variant: &str| {
        let book = format!("--book={path}");
        ["eval", "random", "--against", "greedy", "--games", games, "--variant", variant, &book].map(str::to_owned)
    };
    let args = eval("6", "basic");
    let report = gipf(&args.each_ref().map(String::as_str));
    assert!(report.out.contains("6 games"), "{}{}", report.out, report.err);
    let too_many = eval("8", "basic");
    let texts = ["mine.txt has 3 openings", "expected at least 4"];
    refused(&too_many.each_ref().map(String::as_str), Exit::WrongUse, &texts);
    let told = |args: [String; 9], texts: &[&str]| refused(&args.each_ref().map(String::as_str), Exit::Failure, texts);
    told(eval("6", "standard"), &["mine.txt is a book of basic", "expected one of standard"]);
    write(folder.path(), "mine.txt", "# no positions\n");
    told(eval("6", "basic"), &["mine.txt: no position"]);
    write(folder.path(), "mine.txt", "basic 4/5\n");
    told(eval("6", "basic"), &["mine.txt, line 1", "expected seven columns"]);
}
