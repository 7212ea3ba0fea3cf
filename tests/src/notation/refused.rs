//! Text that is not a turn is refused in one line that says why and what was expected.

use gipf_env::Variant;
use gipf_env::notation::official::{self, Form};
use gipf_env::notation::{Ledger, julio};

use crate::notation::official::{page_example, refusal, start};

#[test]
fn the_published_misprint_is_refused_with_its_reason() {
    let dot = "c1 is a dot, in `xc1,Gf4,Gg4*`: pieces stand on spots and can be removed only from there";
    assert_eq!(refusal(&start(Variant::TOURNAMENT), "a3-f2;xc1,Gf4,Gg4*"), dot);
}

#[test]
fn push_off_is_refused() {
    let ledger = start(Variant::PUSH_OFF);
    assert_eq!(refusal(&ledger, "e1-e2"), "push-off has no published notation");
    let pushes = "a2-b3, a3-b4, b1-c2, b6-c6, c1-d2, c7-d7, f1-f2, f8-f7, and 4 more";
    assert_eq!(official::options(&ledger, "e1-e2"), pushes);
    assert!(julio::options(&start(Variant::TOURNAMENT.with_zertz()), "Ge2").starts_with("Gb2, Gb3, "));
    let push = ledger.position().action_set().nth(0).unwrap();
    let refused = official::write(&ledger, &[push], Form::Short).unwrap_err();
    assert_eq!(refused.to_string(), "push-off has no published notation");
}

/// White may take any of seven GIPF-pieces before each placement.
#[test]
fn what_is_too_much_to_be_counted_is_told_so() {
    let ledger = Ledger::new(&"tournament g3/5/6/GGGGGGG/6/5/4 w 4 16 - 0 0".parse().unwrap()).unwrap();
    let told = official::options(&ledger, "castle");
    assert!(told.ends_with(", and many more") && told.split(", ").count() == 9, "{told}");
}

#[test]
fn a_bad_turn_is_answered_with_what_is_wrong() {
    let cases = [
        ("", "`` is not understood: a turn is a placement such as e1-e2, with removals before and after `;`"),
        ("g1-c3;", "`` is not understood: a turn is a placement such as e1-e2, with removals before and after `;`"),
        ("castle", "`castle` is not a placement: write e2 (onto a vacant spot) or e1-e2 (from a dot)"),
        ("e0", "`e0` is not a point of the board: columns are a to i, numbers as on the rim, such as e5"),
        ("e1-e10", "`e10` is not a point of the board: columns are a to i, numbers as on the rim, such as e5"),
        ("g1", "g1 is a dot: name the spot to push to as well, as in g1-g2 or g1-f2"),
        ("f2", "f2 is occupied: name the dot to push from, as in f1-f2 or g1-f2"),
        ("g1-d2", "no line leads from g1 to d2: pushes from there are written as in g1-g2 or g1-f2"),
        ("c2-c3", "no line leads from c2 to c3: c2 is a spot, and a push begins at a dot"),
        ("d5", "d5 is not on the edge, where pieces enter: name one of the outermost spots, or dot and spot"),
        ("Gb2", "White cannot bring that in: no GIPF-pieces may be brought in any more"),
        ("Zb2", "White cannot bring that in: no potential is in hand"),
        ("Jc2-c4", "no jump from c2 to c4: no jump is possible now; a push begins at a dot"),
        ("e2;b2", "`b2` is not understood: only one piece is brought in per turn, and removals begin with an `x`"),
        ("e2;c2,d3", "`c2,d3` is not understood: a list of removed pieces has an `x` before it"),
        ("g1-c3;X", "`X` is not understood: a removal is a small x; a large one marks the loser of a game"),
        ("g1-c3;xc2,", "`` is not understood: removed pieces are spots separated by commas, such as xc2,Gd3,e4*"),
        ("g1-c3;xc2,c2", "c2 is named twice in `xc2,c2`"),
        ("g1-c3;x(b1)", "`x(b1)` is not understood: brackets hold the two end dots of a line, such as (b1-i4)"),
        ("g1-c3;x(b1-i3)", "`x(b1-i3)` is not understood: brackets hold the two end dots of a line, such as (b1-i4)"),
        ("g1-c3 (+7)", "`+7` is not understood: brackets at the end hold the reserve, such as (11)"),
        ("g1-c3;x (7)", "the reserve in brackets is 7, but White has 11 left after this turn"),
        ("g1-c3", "White's row on b1-i4 must be removed after the placement, but the text omits it: c2,d3,e4,f4,g4"),
        ("g1-c3;x;x", "no row is left to remove for `x`"),
        ("x;g1-c3;x", "no row is left to remove for `x`"),
        ("x", "no row is left to remove for `x`"),
        ("g1-c3;x(c1-i3)", "`x(c1-i3)` does not fit White's row on b1-i4: the brackets name another line"),
        (
            "g1-c3;xc2,d3,e4",
            "`xc2,d3,e4` does not fit White's row on b1-i4: a list that names basic pieces must name all of them, and f4 is missing",
        ),
        (
            "g1-c3;xc2,d3,e4,f4,g4,h4",
            "`xc2,d3,e4,f4,g4,h4` does not fit White's row on b1-i4: h4 is not part of it; its pieces are c2,d3,e4,f4,g4",
        ),
        (
            "g1-c3;xGc2,d3,e4,f4,g4",
            "`xGc2,d3,e4,f4,g4` does not fit White's row on b1-i4: there is no GIPF-piece on c2",
        ),
        (
            "g1-c3;xc2*,d3,e4,f4,g4",
            "`xc2*,d3,e4,f4,g4` does not fit White's row on b1-i4: the piece on c2 is White's own, and has no star",
        ),
    ];
    let ledger = page_example();
    for (text, expected) in cases {
        assert_eq!(refusal(&ledger, text), expected, "{text}");
    }
    let long = format!("e2;{}", vec!["x"; 22].join(";"));
    assert_eq!(refusal(&ledger, &long), "the turn is longer than 21 removals before or after the placement");
    assert_eq!(refusal(&ledger, &"x".repeat(3000)), "the turn is longer than 2048 bytes");
}
