//! The players against programs so plain that they need no trust, and against each other.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use gipf_env::toy::TicTacToe;
use gipf_env::{GipfPosition, Phase, Player, Position, Setup, Variant};
use gipf_models::{Checkpoint, Metadata, MlpConfig, NetConfig, NetKind, PRETRAINED, Pretrained};
use gipf_play::Stop;
use gipf_play::arena::{MatchConfig, Monitor, play_game, play_match};
use gipf_play::players::alpha_beta::{Limits, Strength};
use gipf_play::players::{
    Agent, AgentSpec, AlphaBeta, CheckpointSpec, Greedy, Level, Mcts, Random, Thinking, TurnLimits,
};
use gipf_play::search::{Evaluation, Evaluator, RootChild, SearchConfig, UniformEvaluator};

use crate::search::alpha_beta::{after, random_positions};

#[test]
fn a_game_depends_on_the_seed_alone() {
    let start = GipfPosition::start(Variant::STANDARD);
    for text in ["random", "greedy", "alpha-beta:2", "alpha-beta:nodes=3000"] {
        let contender = text.parse::<AgentSpec>().unwrap().contender(Variant::STANDARD).unwrap();
        let [mut a, mut b, mut c] = [(); 3].map(|()| (contender.build)());
        let mut play = |seeds| {
            let game = play_game(&start, [&mut *a, &mut *b], seeds, &Stop::default()).unwrap();
            (game.fingerprint, game.ending, game.nodes)
        };
        let first = play([1, 2]);
        assert_ne!(play([3, 4]).0, first.0, "{text} takes no notice of the seed");
        assert_eq!(play([1, 2]), first, "{text} remembers the game before");
        let again = play_game(&start, [&mut *b, &mut *c], [1, 2], &Stop::default()).unwrap();
        assert_eq!((again.fingerprint, again.nodes), (first.0, first.2), "{text} is not repeatable");
    }
}

#[test]
fn a_limit_in_positions_is_kept_once_one_turn_is_searched() {
    for position in random_positions(60, 5) {
        let one_turn = AlphaBeta::new(Limits::depth(1), position.variant()).search(&position).nodes;
        for nodes in [1, 500, 20_000] {
            let found =
                AlphaBeta::new(Limits { nodes: Some(nodes), ..Limits::NONE }, position.variant()).search(&position);
            assert!(found.nodes <= nodes.max(one_turn) + 200, "{} of {nodes} positions", found.nodes);
            assert!(found.depth >= 1);
            assert!(position.legal_actions().any(|action| action == found.action));
        }
    }
}

#[test]
fn greedy_takes_what_brings_most_material_now() {
    let gain = |position: &GipfPosition, player: Player| {
        i32::from(position.board().material(player) + position.reserve(player))
            - i32::from(position.board().material(player.other()) + position.reserve(player.other()))
    };
    let mut captures = 0;
    for position in random_positions(600, 9).iter().filter(|position| position.phase() == Phase::Push) {
        let action = Greedy::default().choose(position, &TurnLimits::default()).unwrap().action;
        let me = position.to_move();
        // Where neither the turn nor the answer to it has a question, the gain can be read directly from the position.
        let gains: HashMap<_, _> = position
            .legal_actions()
            .map(|action| (action.index(), after(position, action)))
            .filter(|(_, next)| next.phase() == Phase::Push && next.outcome().is_none())
            .map(|(index, next)| (index, gain(&next, me)))
            .collect();
        if gains.len() == position.legal_actions().count() {
            let most = gains.values().max().unwrap();
            assert_eq!(gains[&action.index()], *most, "{action} in {position:?}");
            captures += usize::from(*most > gain(position, me));
        }
    }
    assert!(captures >= 20, "{captures} captures are too few");
}

#[test]
fn random_plays_all_actions_alike() {
    let start = GipfPosition::start(Variant::STANDARD);
    let mut agent = Random::default();
    agent.begin(&start, &[], 11);
    let mut counts = HashMap::<_, u32>::new();
    for _ in 0..30_000 {
        let choice = agent.choose(&start, &TurnLimits::default()).unwrap();
        *counts.entry(choice.action.index()).or_default() += 1;
    }
    // A thousand of each are expected, with a standard deviation of 31.
    assert_eq!(counts.len(), 30);
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
}

#[test]
fn every_agent_plays_every_rule_set_to_the_end() {
    for variant in Variant::ALL {
        let start = GipfPosition::from_setup(&Setup { placement_limit: Some(100), ..Setup::start(variant) }).unwrap();
        for [white, black] in [["random", "greedy"], ["greedy", "alpha-beta:1"], ["alpha-beta:2", "random"]] {
            let build = |text: &str| (text.parse::<AgentSpec>().unwrap().contender(variant).unwrap().build)();
            let game = play_game(&start, [&mut *build(white), &mut *build(black)], [1, 2], &Stop::default()).unwrap();
            assert!(game.turns >= 6 && game.own_turns[0] + game.own_turns[1] >= game.turns);
        }
    }
}

#[test]
fn the_lowest_level_beats_random_and_greedy_and_loses_to_the_next() {
    let stop = Stop::default();
    let monitor = Monitor { progress: &|_| (), stop: &stop, keeper: None };
    for (a, b, pairs, least) in [
        ("alpha-beta:1", "random", 20, 0.95),
        ("alpha-beta:1", "greedy", 20, 0.8),
        ("alpha-beta:2", "alpha-beta:1", 20, 0.75),
    ] {
        let [a, b] = &[a, b].map(|text| text.parse::<AgentSpec>().unwrap().contender(Variant::STANDARD).unwrap());
        let report = play_match(&MatchConfig::new(Variant::STANDARD, pairs), [a, b], monitor).unwrap().report;
        assert!(report.score >= least, "{report}");
    }
}

#[test]
fn a_checkpoint_plays_its_own_rule_set_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let start = GipfPosition::from_setup(&Setup { placement_limit: Some(20), ..Setup::start(Variant::BASIC) }).unwrap();
    let config = NetConfig::of(NetKind::Mlp(MlpConfig::default()), &start).unwrap();
    let weights = gipf_models::Weights::initial(&config, 1);
    let metadata = Metadata { game: "basic".to_owned(), step: 0, seed: 1, commit: None };
    Checkpoint { config, metadata, weights }.save(&path).unwrap();

    let spec: AgentSpec = format!("mcts:{},sims=8", path.display()).parse().unwrap();
    let contender = spec.contender(Variant::BASIC).unwrap();
    assert_eq!(contender.name, spec.to_string());
    let agents = [(); 2].map(|()| (contender.build)());
    let [mut white, mut black] = agents;
    let game = play_game(&start, [&mut *white, &mut *black], [1, 2], &Stop::default()).unwrap();
    assert!(game.nodes.iter().all(|&nodes| nodes >= 8 * 8), "{game:?}");

    let error = spec.contender(Variant::STANDARD).err().unwrap().to_string();
    assert!(error.contains("net.safetensors is a network for basic: expected standard"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let error = spec.contender(Variant::BASIC).err().unwrap().to_string();
    assert!(error.contains("net.safetensors") && !error.contains('\n'), "{error}");
}

#[test]
fn strengths_for_people_play_every_rule_set() {
    assert_eq!(Level::all().count(), 10);
    for variant in Variant::ALL {
        let start = GipfPosition::from_setup(&Setup { placement_limit: Some(30), ..Setup::start(variant) }).unwrap();
        for level in Level::all() {
            let has_network = matches!(level.player(variant), AgentSpec::Checkpoint(_));
            assert_eq!(has_network, Pretrained::of(&variant.to_string()).is_some(), "{variant}");
        }
        let build = |text: &str| (text.parse::<AgentSpec>().unwrap().contender(variant).unwrap().build)();
        play_game(&start, [&mut *build("level:1"), &mut *build("level:3")], [1, 2], &Stop::default()).unwrap();
    }
    let error = "pretrained".parse::<AgentSpec>().unwrap().contender(Variant::PUSH_OFF).err().unwrap().to_string();
    assert!(error.starts_with("no network for push-off comes with this program: expected basic"), "{error}");
}

/// The work in a turn grows with the number of a strength; `scripts/play-levels` measures how strong that is.
#[test]
fn strengths_think_more_the_higher_they_are() {
    let positions: Vec<_> = Strength::all().map(|strength| strength.settings().limits.nodes.unwrap()).collect();
    for pair in positions.windows(2) {
        let times = pair[1] as f64 / pair[0] as f64;
        assert!((2.2..=2.8).contains(&times), "{positions:?}");
    }
    for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::PUSH_OFF) {
        let levels = Level::all().map(|level| match level.player(variant) {
            AgentSpec::Checkpoint(CheckpointSpec { thinking: Thinking::Strength(sims), temperature, .. }) => {
                (sims, -temperature)
            }
            other => panic!("{variant}: {other}"),
        });
        let levels: Vec<_> = levels.collect();
        assert!(levels.is_sorted_by(|low, high| low < high), "{variant}: {levels:?}");
    }
}

/// What each network scored with 64 simulations in 200 games against `alpha-beta:3`. The standard deviation of the score
/// of 60 games is 0.06: a network that has lost 150 Elo, or is read wrongly, fails.
const SCORES: [(&str, f64); 6] = [
    ("basic", 0.86),
    ("standard", 0.815),
    ("tournament", 0.87),
    ("basic+zertz", 0.765),
    ("standard+zertz", 0.675),
    ("tournament+zertz", 0.71),
];

#[cfg_attr(debug_assertions, ignore = "networks play many games, the same as without assertions")]
#[test]
fn every_network_that_comes_along_plays_well() {
    assert_eq!(PRETRAINED.len(), SCORES.len());
    for (game, score) in SCORES {
        let config = MatchConfig::new(game.parse().unwrap(), 30);
        let report = super::arena::named(&config, "pretrained:sims=64", "alpha-beta:3");
        assert!(report.score > score - 0.15, "{report}");
    }
}

/// Each should score 70 to 90 %; over 80 pairs of games the standard deviation of a score is below 5 %. The higher ones, which
/// would take minutes, are measured by `scripts/play-levels`.
#[cfg_attr(debug_assertions, ignore = "hundreds of games, the same as without assertions")]
#[test]
fn each_of_the_lower_strengths_of_the_baseline_ai_beats_the_one_below() {
    assert_eq!(Strength::all().count(), 8);
    for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::PUSH_OFF) {
        let names: Vec<_> = Strength::all().take(4).map(|strength| format!("baseline:{strength}")).collect();
        for pair in names.windows(2) {
            let report = super::arena::named(&MatchConfig::new(variant, 80), &pair[1], &pair[0]);
            assert!((0.55..0.98).contains(&report.score), "{variant}, {pair:?}: {report}");
        }
    }
}

#[test]
fn a_temperature_draws_actions_and_none_plays_the_best() {
    let start = GipfPosition::start(Variant::STANDARD);
    let chosen = |text: &str| -> HashSet<_> {
        let mut agent = (text.parse::<AgentSpec>().unwrap().contender(Variant::STANDARD).unwrap().build)();
        let choose = |seed| {
            agent.begin(&start, &[], seed);
            agent.choose(&start, &TurnLimits::default()).unwrap().action.index()
        };
        (0..200).map(choose).collect()
    };
    assert_eq!(chosen("pretrained:sims=0").len(), 1);
    let (cool, hot) = (chosen("pretrained:sims=0,temperature=0.2"), chosen("pretrained:sims=0,temperature=100"));
    assert!(cool.len() < hot.len() && hot.len() >= 28, "{} of {} actions, of 30", cool.len(), hot.len());
}

/// An evaluator that takes 2 ms for an evaluation whose number lies in a range.
struct Slow(Range<u32>, u32);

impl Evaluator<GipfPosition> for Slow {
    fn evaluate(&mut self, positions: &[GipfPosition], out: &mut [Evaluation]) {
        if self.0.contains(&self.1) {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.1 += 1;
        UniformEvaluator.evaluate(positions, out);
    }
}

const A_TURN: Duration = Duration::from_millis(60);

/// At the pace of the first decision, the second would have time for many times more simulations than it has.
#[test]
fn a_network_out_of_pace_keeps_its_time() {
    let position = GipfPosition::start(Variant::STANDARD);
    for config in [SearchConfig::play(), SearchConfig::self_play()] {
        let mut player = Mcts::new(config, Slow(200..u32::MAX, 0), Thinking::Time(A_TURN));
        let quick = player.think(&position).simulations;
        let began = Instant::now();
        let slow = player.think(&position).simulations;
        assert!(quick > 150 && slow <= 30, "{quick} simulations, then {slow} of 2 ms each");
        // The margin is for busy machines.
        assert!(began.elapsed() < 10 * A_TURN, "{:?} instead of {A_TURN:?}", began.elapsed());
    }
}

/// A search that needs no plan continues until its time is over, although the pace of the decision before predicted a
/// thirtieth of its simulations.
#[test]
fn a_network_that_gets_quicker_uses_its_time() {
    let position = GipfPosition::start(Variant::STANDARD);
    let mut player = Mcts::new(SearchConfig::play(), Slow(0..20, 0), Thinking::Time(A_TURN));
    for _ in 0..2 {
        let began = Instant::now();
        player.think(&position);
        // On a busy machine the search ends early, before a pause of its thread could make it late.
        assert!(began.elapsed() >= A_TURN / 2, "{:?} instead of {A_TURN:?}", began.elapsed());
    }
}

/// A player with a limit on simulations and one on time keeps both, however it is asked.
#[test]
fn of_simulations_and_time_the_first_that_is_reached_ends_the_search() {
    let position = GipfPosition::start(Variant::STANDARD);
    let ages = Duration::from_mins(1);
    let open = TurnLimits::default();
    let (timed, counted) =
        (TurnLimits { time: Some(A_TURN), ..open.clone() }, TurnLimits { nodes: Some(3), ..open.clone() });
    let patient = TurnLimits { time: Some(ages), ..open.clone() };
    let shared = TurnLimits { sharing: 2, ..open.clone() };
    // A search with phases measures its pace first, within the same limits.
    for config in [SearchConfig::play(), SearchConfig::self_play()] {
        let within = |thinking, limits: &TurnLimits| {
            let mut player = Mcts::new(config, Slow(0..u32::MAX, 0), thinking);
            let began = Instant::now();
            let found = player.think_within(&position, limits, &mut |_| ());
            assert!(began.elapsed() < ages / 2, "{thinking:?} and {limits:?}");
            let visits: u32 = found.children.iter().map(RootChild::all_visits).sum();
            assert!(visits <= found.simulations, "{visits} visits in {} simulations", found.simulations);
            found.simulations
        };
        assert_eq!(within(Thinking::Both(7, ages), &open), 7);
        assert!(within(Thinking::Both(1 << 20, A_TURN), &open) <= 60);
        assert_eq!(within(Thinking::Both(7, A_TURN), &patient), 7, "the time gives way, the simulations do not");
        assert!(within(Thinking::Both(1 << 20, ages), &timed) <= 60);
        assert_eq!(within(Thinking::Both(7, ages), &counted), 3);
        for thinking in [Thinking::Simulations(7), Thinking::Both(7, ages), Thinking::Strength(7)] {
            assert_eq!(within(thinking, &shared), 4, "one of two searches that share the limits");
        }
        assert!(within(Thinking::Time(2 * A_TURN), &shared) <= 60);
    }
    for text in ["pretrained:sims=7,time=60s", "pretrained:time=60s,sims=7"] {
        let mut agent = (text.parse::<AgentSpec>().unwrap().contender(Variant::STANDARD).unwrap().build)();
        for limits in [&open, &patient] {
            assert_eq!(agent.choose(&position, limits).unwrap().nodes, 7, "{text}");
        }
    }
}

/// If asked about one position again and again, a player continues its tree, which must not fill the memory.
#[test]
fn a_position_is_searched_to_two_million_visits_and_no_further() {
    let mut position = TicTacToe::default();
    for _ in 0..4 {
        let first = position.legal_actions().next().unwrap();
        position.play(first).unwrap();
    }
    let config = SearchConfig { solver: false, ..SearchConfig::puct() };
    let mut player = Mcts::new(config, UniformEvaluator, Thinking::Simulations(8));
    let mut simulations = |limits: &TurnLimits| player.think_within(&position, limits, &mut |_| ()).simulations;
    let endless = TurnLimits { lifted: true, ..TurnLimits::default() };
    let half = TurnLimits { nodes: Some(1 << 20), ..endless.clone() };
    assert_eq!([&half, &half, &half, &endless].map(&mut simulations), [1 << 20, 1 << 20, 0, 0]);
    assert_eq!(simulations(&TurnLimits::default()), 8, "what the player itself is to do it does");
}

#[test]
fn a_player_that_begins_anew_at_its_last_position_finds_the_same_there() {
    let start = GipfPosition::start(Variant::STANDARD);
    let mut player = Mcts::new(SearchConfig::play(), UniformEvaluator, Thinking::Simulations(300));
    let first = player.think(&start);
    player.begin_anew_at(&start);
    assert_eq!(player.think(&start), first);
    let next = start.after(first.action);
    player.begin_anew_at(&next);
    assert!(player.think(&next).children.iter().any(|child| child.reused > 0), "elsewhere the tree is kept");
}

#[test]
fn a_strength_for_people_stays_one_within_any_limits() {
    let position = GipfPosition::start(Variant::STANDARD);
    let open = TurnLimits::default();
    let counted = TurnLimits { nodes: Some(500), ..open.clone() };
    let timed = TurnLimits { time: Some(Duration::from_secs(20)), ..open.clone() };
    for level in Level::all() {
        let mut agent = (AgentSpec::Level(level).contender(Variant::STANDARD).unwrap().build)();
        let mut nodes = |limits: &TurnLimits| {
            agent.begin(&position, &[], 1);
            agent.choose(&position, limits).unwrap().nodes
        };
        let own = nodes(&open);
        assert_eq!([nodes(&counted), nodes(&timed)], [own, own], "level {level}");
        assert_eq!(nodes(&TurnLimits { nodes: Some(3), ..open.clone() }), own.min(3), "level {level}");
        assert!(nodes(&TurnLimits { time: Some(Duration::ZERO), ..open.clone() }) <= own.min(3), "level {level}");
        assert_eq!(nodes(&TurnLimits { lifted: true, ..counted.clone() }), 500, "an analysis has no strength");
    }
}

#[test]
fn foreign_agents_are_refused_with_a_line_that_says_what_was_expected() {
    let refused = |text: &str, expected: &str| {
        let error = text.parse::<AgentSpec>().unwrap_err().to_string();
        assert!(error.contains(&format!("`{text}`")) && error.contains(expected), "{text}: {error}");
        assert!(!error.contains('\n'));
    };
    for text in ["", "Random", "alpha-beta", "greedy:1", "minimax:3"] {
        refused(text, "expected random, greedy");
    }
    refused("alpha-beta:0", "depth `0`: expected a number from 1 to 8");
    refused("alpha-beta:depth", "depth `depth`: expected a number from 1 to 8");
    refused("alpha-beta:depth=99", "depth `99`: expected a number from 1 to 64");
    refused("alpha-beta:depth=3,width=2", "unknown setting `width`: expected a depth of 1 to 8, depth=");
    refused("level:11", "level `11`: expected a number from 1 to 10");
    refused("mcts:net,sims=x", "sims `x`: expected a number from 0");
    refused("pretrained:fast", "unknown setting `fast`: expected sims=");
    for endless in ["captures=2", "depth=64", "eval=patterns"] {
        let error = format!("alpha-beta:{endless}").parse::<AgentSpec>().unwrap().check_end().unwrap_err().to_string();
        assert!(error.starts_with("agent `alpha-beta` would think without end: "), "{error}");
    }
    let long = format!("gamma\u{1b}[31m{}", "x".repeat(1 << 20));
    let error = long.parse::<AgentSpec>().unwrap_err().to_string();
    assert!(error.len() < 700 && error.contains("`gamma\\u{1b}[31mxxx"), "{error}");
}
