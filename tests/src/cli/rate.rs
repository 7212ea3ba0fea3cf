//! `gipf rate`: a rating on the scale of the ladder that comes with the program.

use gipf_env::Variant;
use gipf_play::Stop;
use gipf_play::arena::ladder::{Enough, JudgeKind, Member, Rate, Rating, RatingBound, RatingReport, ladder_judges};
use gipf_train::cli::Exit;

use super::{gipf, interrupted, refused};

fn rated(args: &[&str]) -> RatingReport {
    serde_json::from_str(&gipf(&[&["rate", "--json"], args].concat()).out).unwrap()
}

#[cfg_attr(debug_assertions, ignore = "networks are built and many games played")]
#[test]
fn every_official_ladder_has_judges_of_both_kinds_on_all_heights() {
    for variant in [Variant::BASIC, Variant::STANDARD, Variant::TOURNAMENT] {
        let judges = ladder_judges(variant, &Stop::default()).unwrap();
        for kind in JudgeKind::ALL {
            let elo: Vec<_> = judges.iter().filter(|judge| judge.kind == kind).map(|judge| judge.elo).collect();
            assert!(elo.len() >= 3 && *elo.last().unwrap() > 1500.0, "{variant} {kind:?}: {elo:?}");
        }
        assert!(judges.is_sorted_by(|a, b| a.elo <= b.elo) && judges.iter().all(|judge| !judge.member.id.is_timed()));
    }
    assert!(ladder_judges("basic+zertz".parse().unwrap(), &Stop::default()).is_none());
}

#[cfg_attr(debug_assertions, ignore = "networks are built and many games played")]
#[test]
fn a_player_of_the_ladder_is_rated_near_its_place_by_others() {
    let found = rated(&["alpha-beta:2", "--margin", "80", "--games", "160"]);
    let known = ladder_judges(Variant::STANDARD, &Stop::default()).unwrap();
    let known = known.iter().find(|judge| judge.member.id.name == "alpha-beta:2").unwrap().elo;
    let all = found.ratings.all.unwrap();
    assert!((all.elo - known).abs() < 2.0 * all.margin + 80.0, "{known}: {found:?}");
    assert!(all.margin <= 80.0 || all.games == 160, "{found:?}");
    assert!(
        found.judges.iter().all(|met| met.judge != "alpha-beta:2" && (met.elo - known).abs() < 1000.0),
        "{found:?}"
    );
    assert_eq!(found.judges.iter().map(|met| met.games).sum::<u64>(), all.games);
    let [classical, networks] = [found.ratings.alpha_beta, found.ratings.network].map(Option::unwrap);
    assert!(found.program.starts_with(env!("CARGO_PKG_VERSION")), "{found:?}");
    assert!(classical.games.abs_diff(networks.games) <= 16, "{found:?}");
    let mut again = rated(&["alpha-beta:2", "--margin", "80", "--games", "160"]);
    again.ms_per_turn = found.ms_per_turn;
    assert_eq!(found, again, "the same games");
}

#[cfg_attr(debug_assertions, ignore = "networks are built and many games played")]
#[test]
fn more_games_are_played_until_the_margin_is_met() {
    let games = |margin: &str| rated(&["greedy", "--margin", margin, "--games", "200"]).ratings.all.unwrap().games;
    assert!(games("200") < games("75"));
}

#[cfg_attr(debug_assertions, ignore = "networks are built and many games played")]
#[test]
fn a_player_that_loses_every_game_has_no_interval() {
    let answer = gipf(&["rate", "random", "--games", "8"]);
    assert!(answer.out.starts_with("random in standard: at most "), "{}", answer.out);
    let found = rated(&["random", "--games", "8"]);
    let all = found.ratings.all.unwrap();
    assert_eq!((all.bound, all.games, found.stopped), (Some(RatingBound::AtMost), 8, false));
    assert!(all.elo + all.margin > 300.0, "{all:?}");
    let told = format!("at most {:.0} Elo after 8 games", all.elo + all.margin);
    assert!(found.to_string().contains(&told), "{found}");
    let won = Rating { bound: Some(RatingBound::AtLeast), ..all };
    assert_eq!(won.to_string(), format!("at least {:.0}", all.elo - all.margin));
}

#[cfg_attr(debug_assertions, ignore = "networks are built and many games played")]
#[test]
fn a_rating_that_is_stopped_counts_what_was_played_and_says_so() {
    assert_eq!(interrupted(&["rate", "greedy"]), "preparing the judges\nstopped before any game was played\n");
    let judges = ladder_judges(Variant::STANDARD, &Stop::default()).unwrap();
    let player = Member::new(&"greedy".parse().unwrap(), Variant::STANDARD).unwrap();
    let enough = Enough { margin: 1.0, pairs: 400 };
    let rate = Rate { player: &player, judges: &judges, variant: Variant::STANDARD, enough, seed: 1, program: "test" };
    let (stop, mut told) = (Stop::default(), 0);
    let report = rate.play(
        |pairs, _| {
            told += 2 * pairs;
            if told >= 24 {
                stop.request();
            }
        },
        &stop,
    );
    assert!(report.stopped && report.games() >= told && report.games() < 800, "{report:?}");
    assert_eq!(report.judges.iter().map(|met| met.games).sum::<u64>(), report.games());
}

#[test]
fn a_rating_that_makes_no_sense_is_refused() {
    refused(&["rate", "gamma"], Exit::WrongUse, &["gamma", "expected"]);
    refused(&["rate", "greedy", "--variant", "basic+zertz"], Exit::WrongUse, &["basic+zertz", "expected basic"]);
    refused(&["rate", "greedy", "--games", "7"], Exit::WrongUse, &["--games 7", "even"]);
    refused(&["rate", "greedy", "--margin", "0"], Exit::WrongUse, &["--margin", "expected a number from 1 to 10000"]);
    refused(&["rate", "greedy", "--margin", "-1"], Exit::WrongUse, &["--margin", "expected a number from 1 to 10000"]);
    refused(&["rate", "greedy", "--command", "x"], Exit::WrongUse, &["--command"]);
    refused(&["rate", "--command", "no-such-program-here"], Exit::Failure, &["no-such-program-here"]);
    refused(&["rate", "none.safetensors", "--variant", "basic"], Exit::Failure, &["none.safetensors"]);
}
