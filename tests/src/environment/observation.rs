//! The planes, one by one, as `env/README.md` documents them, against slow code written from that page.

use std::collections::HashMap;

use gipf_env::binary_planes::{self, Packing};
use gipf_env::geometry::{Line, Spot};
use gipf_env::rules::Kind;
use gipf_env::{ActionIndex, GipfPosition, Outcome, Phase, Position, Reason, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::drawn::play;
use crate::random::{crowded, limited, playout};

const CARD: &str = include_str!("../../../env/README.md");

/// Returns the names of the planes of a rule set, in order, from the table of the card.
fn documented_planes(variant: Variant) -> Vec<&'static str> {
    let place = Variant::ALL.into_iter().position(|other| other == variant).unwrap();
    let column = 3 + place;
    let table = CARD.lines().skip_while(|line| !line.starts_with("| plane | value |")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect());
    let numbered = rows.filter_map(|row: Vec<_>| row[column].parse().ok().map(|number: usize| (number, row[1])));
    let mut planes: Vec<_> = numbered.collect();
    planes.sort_unstable();
    assert!(planes.iter().enumerate().all(|(place, (number, _))| place == *number), "{variant}: {planes:?}");
    planes.into_iter().map(|(_, name)| name).collect()
}

/// Returns the value that a plane should have on a spot.
fn expected(position: &GipfPosition, plane: &str, spot: Spot) -> f32 {
    let (whose, what) = match (plane.strip_prefix("own "), plane.strip_prefix("opponent's ")) {
        (Some(what), _) => (position.to_move(), what),
        (_, Some(what)) => (position.to_move().other(), what),
        _ => return expected_of_nobody(position, plane, spot),
    };
    let stands = |kind| f32::from(u8::from(position.board().piece_at(spot) == Some((whose, kind))));
    match what {
        "singles" => stands(Kind::Single),
        "GIPF-pieces" => stands(Kind::Gipf),
        "loaded pieces" => stands(Kind::Loaded),
        "used potentials" => stands(Kind::Used),
        "reserve" => f32::from(position.reserve(whose)) / 18.0,
        "GIPF right" => f32::from(u8::from(position.gipf_right(whose))),
        "potentials in hand" => f32::from(position.potentials(whose)) / 6.0,
        _ => panic!("the card has a plane `{plane}`"),
    }
}

fn expected_of_nobody(position: &GipfPosition, plane: &str, spot: Spot) -> f32 {
    let handled = |axis| position.handled_lines().any(|line| line == Line::through(spot, axis));
    match plane {
        "lines handled" => (0..3).filter(|&axis| handled(axis)).map(|axis| f32::from(1_u8 << axis)).sum::<f32>() / 7.0,
        "rows to be evaluated" => {
            let rows = position.rows_in_evaluation().filter(|(.., row)| row.contains(spot));
            let sign = |owner| if owner == position.to_move() { 1.0 } else { -1.0 };
            rows.map(|(owner, line, _)| sign(owner) * f32::from(1_u8 << line.direction().index())).sum::<f32>() / 7.0
        }
        "whose turn" if position.turn_of() == position.to_move() => 1.0,
        "whose turn" => -1.0,
        "pieces to be asked about" if position.question() == Some(spot) => 1.0,
        "pieces to be asked about" if position.question().is_none() => {
            f32::from(u8::from(position.pending().contains(spot)))
        }
        "pieces to be asked about" => f32::from(u8::from(position.pending().contains(spot))) / 2.0,
        "phase" => match position.phase() {
            Phase::Pre => -1.0,
            Phase::Push => 0.0,
            Phase::Post => 1.0,
        },
        "repetition" if position.phase() != Phase::Push => 0.0,
        "repetition" => f32::from(position.occurrences() - 1) / 2.0,
        "limit" => position
            .placement_limit()
            .map_or(0.0, |limit| 16.0 / (15.0 + f32::from((limit - position.placements()).max(1)))),
        _ => panic!("the card has a plane `{plane}`"),
    }
}

/// Visits decisions of random games and of random boards.
pub(super) fn each_decision(variant: Variant, mut visit: impl FnMut(&GipfPosition)) {
    let mut visit = |position: &GipfPosition| {
        if position.outcome().is_none() {
            visit(position);
        }
    };
    for seed in 0..10 {
        playout(&limited(variant, 60), seed, 2000, &mut visit);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for seed in 0..200 {
        playout(&crowded(variant, &mut rng), seed, 4, &mut visit);
    }
}

/// Compares the observation of a decision with the planes of the card.
fn check_planes(position: &GipfPosition, planes: &[&str]) {
    let mut observation = vec![f32::NAN; position.observation_layout().size()];
    position.observe(&mut observation);
    assert_eq!(observation.len(), 49 * planes.len());
    for (name, plane) in planes.iter().zip(observation.chunks_exact(49)) {
        for spot in Spot::all() {
            let (found, expected) = (plane[spot.cell()], expected(position, name, spot));
            assert!((found - expected).abs() < 1e-6, "{name}, {spot}: {found}, not {expected}, in {position:?}");
        }
    }
}

#[test]
fn the_planes_are_those_of_the_card() {
    for variant in Variant::ALL {
        let planes = documented_planes(variant);
        let layout = GipfPosition::start(variant).observation_layout();
        assert_eq!(layout.shape(), [planes.len(), 7, 7], "{variant}");
        let sizes = format!("| `{variant}` | {} | {} |", planes.len(), variant.num_actions());
        assert!(CARD.contains(&sizes), "the card lacks {sizes}");
        each_decision(variant, |position| check_planes(position, &planes));
    }
}

/// Random games seldom return to a position; here each player builds a row twice.
#[test]
fn a_repeated_position_is_seen_as_one() {
    let planes = documented_planes(Variant::BASIC);
    let mut position = GipfPosition::from_gpn("basic 4/5/6/7/6/5/4 w 12 12 - 0 0").unwrap();
    let mut occurrences = Vec::new();
    for turn in 0..16 {
        occurrences.push(position.occurrences());
        check_planes(&position, &planes);
        let first = if turn % 8 < 2 { ["d1-e2", "a1-b2"] } else { ["e1-e2", "b1-b2"] };
        play(&mut position, [first[turn % 2]]);
    }
    assert_eq!(occurrences, [[1; 8], [2; 8]].concat());
    assert_eq!(position.outcome(), Some(Outcome::draw(Reason::Repetition)));
}

/// Returns the GIPF-pieces in each row that the planes of push-off show: own rows first, each player's by line.
fn shown_rows(planes: &[f32]) -> Vec<Vec<Spot>> {
    let plane = |number: usize| &planes[49 * number..][..49];
    let own = |line: Line, spot: Spot, sign: f32| {
        let axes = (sign * plane(4)[spot.cell()] * 7.0).round() as i32;
        axes > 0 && axes >> line.direction().index() & 1 == 1
    };
    let gipfs_of = |line: Line, sign: f32| {
        let row: Vec<_> = line.spots().into_iter().filter(|&spot| own(line, spot, sign)).collect();
        let gipfs = plane(if sign > 0.0 { 2 } else { 3 });
        (!row.is_empty()).then(|| row.into_iter().filter(|spot| gipfs[spot.cell()] == 1.0).collect())
    };
    [1.0, -1.0].into_iter().flat_map(|sign| Line::all().filter_map(move |line| gipfs_of(line, sign))).collect()
}

/// When the question is about the pieces at the ends of a row, the first row shown is the one in hand: the next questions
/// are about its GIPF-pieces.
#[test]
fn the_row_in_hand_can_be_seen() {
    let (mut asked, mut next) = (0, 0);
    let mut check = |position: &GipfPosition| {
        if position.phase() == Phase::Push || position.pending().is_empty() || position.question().is_some() {
            return;
        }
        let mut planes = vec![f32::NAN; position.observation_layout().size()];
        position.observe(&mut planes);
        let gipfs = shown_rows(&planes).swap_remove(0);
        let mut left = position.clone();
        play(&mut left, ["leave"]);
        asked += 1;
        if let Some(first) = gipfs.first() {
            assert_eq!(left.question(), Some(*first), "{position:?}");
            assert_eq!(left.pending().into_iter().collect::<Vec<_>>(), gipfs, "{position:?}");
            next += 1;
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for seed in 0..1500 {
        playout(&crowded(Variant::PUSH_OFF, &mut rng), seed, 4, &mut check);
    }
    assert!(asked > 100 && next > 20, "{asked} rows in hand, {next} with GIPF-pieces");
}

/// Board, side, reserves and question are the same; only the row in hand differs, and with it what follows.
#[test]
fn positions_that_differ_in_the_row_in_hand_look_different() {
    let [one, other] = [
        ("push-off 3g/S4/s1SSG1/S6/6/5/1G2 w 14 17 - 0 0", 9),
        ("push-off 3g/S4/s3G1/S6/1S4/1S3/1G2 w 14 17 - 0 0", 20),
    ]
    .map(|(text, push)| {
        let mut position = GipfPosition::from_gpn(text).unwrap();
        position.play(position.action_at(ActionIndex(push)).unwrap()).unwrap();
        position
    });
    assert_eq!((one.to_gpn(), one.action_set(), one.pending()), (other.to_gpn(), other.action_set(), other.pending()));
    let [left, other_left] = [&one, &other].map(|position| {
        let mut position = position.clone();
        play(&mut position, ["leave", "take"]);
        position.to_gpn()
    });
    assert_ne!(left, other_left);
    let floats = [&one, &other].map(|position| {
        let mut planes = vec![f32::NAN; position.observation_layout().size()];
        position.observe(&mut planes);
        planes
    });
    assert_ne!(floats[0], floats[1]);
    let packed = [&one, &other].map(|position| {
        let mut planes = vec![0; binary_planes::count(Variant::PUSH_OFF) * Packing::Bits.plane()];
        let mut scalars = vec![f32::NAN; binary_planes::scalars(Variant::PUSH_OFF)];
        binary_planes::observe(position, Packing::Bits, &mut planes, &mut scalars);
        planes
    });
    assert_ne!(packed[0], packed[1]);
}

/// Two decisions that look the same have the same legal actions.
#[test]
fn what_is_legal_can_be_seen() {
    let mut alike = 0;
    for variant in Variant::ALL {
        let mut seen = HashMap::new();
        let mut planes = vec![0.0; GipfPosition::start(variant).observation_layout().size()];
        each_decision(variant, |position| {
            for position in [position.clone(), position.with_players_exchanged(), position.without_history()] {
                position.observe(&mut planes);
                let bits: Vec<_> = planes.iter().map(|value: &f32| value.to_bits()).collect();
                let legal = position.action_set();
                let known = seen.insert(bits, (legal, position.question(), position.phase()));
                if let Some(known) = known {
                    assert_eq!(known, (legal, position.question(), position.phase()), "{position:?}");
                    alike += 1;
                }
            }
        });
    }
    assert!(alike > 5_000, "{alike}");
}
