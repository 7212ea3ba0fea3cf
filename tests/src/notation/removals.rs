//! How people write what is removed: in any order, with blanks, and up to the end of the game.

use gipf_env::notation::record::{self, Conclusion, Family, Source};
use gipf_env::{Player, Setup};

/// White's last push completes the rows c3 to f3 and g2 to g5 at once, which do not overlap; in one of them lies Black's
/// last GIPF-piece, and the game ends as it is taken.
#[test]
fn rows_that_the_end_of_the_game_leaves_standing_may_be_noted_in_any_order() {
    let setup: Setup = "standard s3/1s3/2S3/SSSsg2/3S2/SSS2/G3 w 5 9 - 0 0".parse().unwrap();
    let source = Source { family: Some(Family::Official), setup: Some(setup), ..Source::default() };
    let read = |text: &str| record::read(text, &source).map(|reading| reading.record);
    let game = read("1.a1-g5;xe6 1-0").unwrap();
    assert_eq!(game.conclusion(), Some(Conclusion::Won(Player::White)));
    for text in [
        "xe2,e3,e4,e5,Ge6*;xg2,g3,g4,g5",
        "xg2,g3,g4,g5;xe2,e3,e4,e5,Ge6*",
        "x;xe6",
        "xe6;x",
        "xe6;x (8)",
        "xe6;x (12)",
    ] {
        assert_eq!(read(&format!("1.a1-g5;{text}")).as_ref(), Ok(&game), "{text}");
    }
    for text in ["xe6;x;x", "xe6;xd2", "xe6;xg2,g3", "xe6;x (7)"] {
        assert!(read(&format!("1.a1-g5;{text}")).is_err(), "{text}");
    }
}

/// White's push from g1 completes the row c2 d3 e4 f4; Black's piece on g4 is removed with it.
#[test]
fn a_reserve_ends_a_turn_and_blanks_do_not_end_a_list() {
    let setup: Setup = "basic 4/S4/1s4/1SS4/s1S3/2s2/4 w 8 8 - 0 0".parse().unwrap();
    let source = Source { family: Some(Family::Official), setup: Some(setup), ..Source::default() };
    let read = |text: &str| record::read(text, &source).unwrap_or_else(|error| panic!("{text}: {error}")).record;
    let game = read("1.g1-c3;x/e2 2.X");
    assert_eq!((game.turns().len(), game.conclusion()), (2, Some(Conclusion::Won(Player::Black))));
    let stopped = read("1.g1-c3;x *");
    assert_eq!((stopped.turns().len(), stopped.conclusion()), (1, None));
    assert_eq!(read("1.g1-c3;xc2,d3,e4,f4,g4* *"), stopped);
    let texts = [
        "1.g1-c3;x(11)e2(7)2.X",
        "1.g1-f2;x(b1-i4)(11)e2 2.X",
        "1. g1-c3 ; x ( i4 - b1 ) (11)e2 2. X",
        "1. g1-c3 ; x c2 , d3 , e4 , f4 , g4 * ( 11 ) e2 2. X",
        "1. g1-c3; c2, d3 ,e4, f4, g4* x(11)e2 0-1",
        "1.g1-c3;x/e20-1",
        "1.g1-c3;x(11)e2(7)0–1",
    ];
    for text in texts {
        assert_eq!(read(text), game, "{text}");
    }
}

/// White's push onto e2 completes a row, from which the GIPF-piece on e4 may stay.
#[test]
fn a_blank_after_an_x_does_not_part_it_from_a_single_piece() {
    let setup: Setup = "standard g3/5/6/1SGSs2/6/5/3G w 9 12 - 0 0".parse().unwrap();
    let source = Source { family: Some(Family::Official), setup: Some(setup), ..Source::default() };
    let read = |text: &str| record::read(text, &source).unwrap_or_else(|error| panic!("{text}: {error}")).record;
    let game = read("1.e2;xGe4/h2");
    for text in ["1.e2;x Ge4/h2", "1.e2;x Ge4 h2", "1.e2; x e4 h2", "1.e2; x Ge4 (13) h2 (11)"] {
        assert_eq!(read(text), game, "{text}");
    }
}

/// Black's row of GIPF-pieces on c2 to c5 was left standing; a basic piece that touches it must go.
#[test]
fn a_spot_before_an_x_is_a_turn_if_that_makes_two_turns() {
    let setup: Setup = "tournament 4/gggg1/6/3G3/6/5/4 w 8 4 - 0 0".parse().unwrap();
    let source = Source { family: Some(Family::Official), setup: Some(setup), ..Source::default() };
    let read = |text: &str| record::read(text, &source).map(|reading| reading.record);
    let game = read("1.c6/x;b3 2.b4").unwrap();
    assert_eq!(game.turns().len(), 3);
    for text in ["1. c6 x;b3 2. b4", "1. c6 x; b3 2. b4", "1. c6 c6 x;b3 2. b4", "1. c6 x c6 * ;b3 2. b4"] {
        assert_eq!(read(text).as_ref(), Ok(&game), "{text}");
    }
    let lost = read("1. c6 x;b3 X").unwrap();
    assert_eq!((lost.turns().len(), lost.conclusion()), (2, Some(Conclusion::Won(Player::White))));
    let error = |text: &str| read(text).unwrap_err().to_string();
    let none = error("1. b3 x;b4");
    assert!(
        none.starts_with("move 1, Black, `x;b4`: `x` does not fit Black's row on c1-c7: all its pieces may"),
        "{none}"
    );
    let star = error("1. b3 xGc2*;b4");
    assert!(star.contains("`xGc2*` does not fit Black's row on c1-c7: the piece on c2 is Black's own"), "{star}");
}
