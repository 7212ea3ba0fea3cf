//! Games of an agent against itself: what they depend on, and what can be learned from them.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use gipf_env::toy::TicTacToe;
use gipf_env::{GipfPosition, Phase, Position, Reason, Setup, Variant};
use gipf_play::Stop;
use gipf_play::players::{Agent, AgentSpec, Build, Choice, Fault, TurnLimits};
use gipf_train::training::{
    AgentAssignment, AgentPlayConfig, PlayedGame, SearchKind, examples, play_agent_games, samples,
};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

fn games(agent: &str, first_id: u64, games: u64, noise: f64) -> Vec<PlayedGame<GipfPosition>> {
    games_from(&GipfPosition::start(Variant::STANDARD), agent, first_id, games, noise)
}

fn games_from(
    start: &GipfPosition,
    agent: &str,
    first_id: u64,
    games: u64,
    noise: f64,
) -> Vec<PlayedGame<GipfPosition>> {
    let agent = agent.parse::<AgentSpec>().unwrap().contender(Variant::STANDARD).unwrap();
    let config = AgentPlayConfig { random_plies: 8, noise };
    let assignment = AgentAssignment { start, first_id, games, seed: 5, config };
    play_agent_games(&assignment, &agent.build, &|_: &PlayedGame<_>| {}, &Stop::default())
}

#[test]
fn a_game_depends_on_its_number_and_not_on_threads_or_neighbours() {
    for agent in ["random", "greedy", "alpha-beta:2"] {
        let on = |threads: usize, first_id: u64, count: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| games(agent, first_id, count, 0.1))
        };
        let all = on(2, 0, 10);
        assert_eq!(all, on(1, 0, 10), "{agent}");
        assert_eq!(all[4..8], on(1, 4, 4), "{agent}");
        assert!(all.windows(2).all(|pair| pair[0].decisions != pair[1].decisions), "{agent} repeats a game");
    }
}

/// Games can begin in the middle of a turn: what alpha-beta remembers from the previous game must not affect them.
#[test]
fn a_player_begins_anew_with_a_game_that_begins_in_the_midst_of_a_turn() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut in_the_midst = || loop {
        let mut position = GipfPosition::start(Variant::STANDARD);
        while position.outcome().is_none() {
            let legal: Vec<_> = position.legal_actions().collect();
            position.play(*legal.choose(&mut rng).unwrap()).unwrap();
            if position.phase() != Phase::Push && position.legal_actions().nth(1).is_some() {
                return position;
            }
        }
    };
    let new = || (AgentSpec::from_str("alpha-beta:4").unwrap().contender(Variant::STANDARD).unwrap().build)();
    let searched = |agent: &mut dyn Agent<GipfPosition>, position: &GipfPosition| {
        agent.begin(position, &[], 1);
        let choice = agent.choose(position, &TurnLimits::default()).unwrap();
        (choice.action, choice.nodes)
    };
    let mut used = new();
    for _ in 0..20 {
        let position = in_the_midst();
        assert_eq!(searched(&mut *used, &position), searched(&mut *new(), &position), "{}", position.to_gpn());
    }
}

#[test]
fn what_an_agent_chose_is_a_sample_and_what_was_drawn_or_forced_is_none() {
    for game in games("alpha-beta:1", 0, 6, 0.3) {
        let mut position = game.start.clone();
        for decision in &game.decisions {
            assert_eq!(decision.position, position.without_history());
            match decision.effort {
                SearchKind::Full => assert_eq!(decision.policy, [(decision.action, 1.0)]),
                _ => assert!(decision.policy.is_empty()),
            }
            assert!(
                decision.effort == SearchKind::None || position.legal_actions().nth(1).is_some(),
                "a forced choice"
            );
            assert_eq!(
                (decision.root_value.is_some(), decision.network_value),
                (decision.effort == SearchKind::Full, None)
            );
            position.play(position.action_at(decision.action).unwrap()).unwrap();
        }
        assert_eq!(position.outcome(), Some(game.outcome));
        let chosen = game.decisions.iter().filter(|decision| decision.effort == SearchKind::Full).count();
        assert_eq!(samples(&game, 0.0).len(), chosen);
    }
}

/// The baseline AI's evaluation learns from the result of a game and from what the player expected; from a game that was
/// cut off, only from the latter.
#[test]
fn a_game_that_was_cut_off_has_no_result_to_learn_from() {
    let targets = |games: &[PlayedGame<GipfPosition>], trust| {
        let all = games.iter().flat_map(|game| examples(game, trust));
        all.map(|example| example.target).collect::<Vec<_>>()
    };
    let setup = Setup::start(Variant::STANDARD).with_placement_limit(Some(20));
    let cut = games_from(&GipfPosition::from_setup(&setup).unwrap(), "alpha-beta:1", 0, 6, 0.0);
    assert!(cut.iter().all(|game| game.outcome.reason == Reason::Limit));
    let expected = targets(&cut, 0.0);
    assert!(expected.len() > 50 && expected == targets(&cut, 1.0), "{} positions", expected.len());
    let decided: Vec<_> =
        games("alpha-beta:1", 0, 6, 0.0).into_iter().filter(|game| !game.outcome.truncated()).collect();
    assert!(!decided.is_empty() && targets(&decided, 1.0).iter().all(|target| [0.0, 0.5, 1.0].contains(target)));
}

#[test]
fn noise_is_as_frequent_as_asked() {
    let share = |noise: f64| {
        let games = games("greedy", 0, 60, noise);
        let opening = 8;
        let free = games.iter().flat_map(|game| game.decisions.iter().skip(opening));
        let free: Vec<_> = free.filter(|decision| decision.position.legal_actions().nth(1).is_some()).collect();
        let drawn = free.iter().filter(|decision| decision.effort == SearchKind::None).count();
        (drawn as f64 / free.len() as f64, free.len())
    };
    assert_eq!(share(0.0).0, 0.0);
    assert_eq!(share(1.0).0, 1.0);
    let (drawn, decisions) = share(0.25);
    // Four standard deviations of the share over 1 000 decisions are 0.055.
    assert!(decisions > 1000 && (drawn - 0.25).abs() < 0.055, "{drawn} of {decisions}");
}

#[test]
fn a_stop_leaves_only_games_that_have_ended() {
    let start = GipfPosition::start(Variant::STANDARD);
    let agent = AgentSpec::Random.contender(Variant::STANDARD).unwrap();
    let config = AgentPlayConfig { random_plies: 0, noise: 0.0 };
    let assignment = AgentAssignment { start: &start, first_id: 0, games: 100_000, seed: 5, config };
    let stop = Stop::default();
    let ended = |_: &PlayedGame<_>| {
        stop.request();
    };
    let games = play_agent_games(&assignment, &agent.build, &ended, &stop);
    assert!(!games.is_empty() && games.len() < 1000, "{}", games.len());
}

#[cfg(feature = "learn")]
mod program {
    use gipf_env::Variant;
    use gipf_train::cli::Exit;
    use gipf_train::dataset::{DatasetReader, parts, replay};
    use gipf_train::training::SearchKind;

    use crate::cli::agents::checkpoint;
    use crate::cli::{gipf, refused};

    #[test]
    fn its_dataset_replays_and_says_who_played() {
        let folder = tempfile::tempdir().unwrap();
        for variant in ["standard", "tournament+zertz", "push-off"] {
            let out = folder.path().join(variant);
            let args =
                ["self-play", "--agent", "greedy", "--games", "5", "--variant", variant, "--noise", "0.1", "--out"];
            let answer = gipf(&[&args[..], &[out.to_str().unwrap()]].concat());
            assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
            let reader = DatasetReader::open(&parts(&out).unwrap()[0]).unwrap();
            assert_eq!(reader.provenance().settings["agent"], "greedy");
            assert_eq!(
                (reader.provenance().variant.to_string(), &reader.provenance().checkpoint),
                (variant.into(), &None)
            );
            let games: Vec<_> = reader.games().map(Result::unwrap).collect();
            assert_eq!(games.len(), 5);
            for row in games.iter().inspect(|rows| drop(replay(rows).unwrap())).flatten() {
                assert_eq!((row.root_value, row.network_value), (None, None), "greedy has no opinion");
                let policy = if row.effort == SearchKind::Full { vec![(row.action, 1.0)] } else { vec![] };
                assert_eq!(row.probabilities(), policy);
            }
        }
    }

    #[test]
    fn what_makes_no_sense_together_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let network = checkpoint(folder.path(), Variant::STANDARD);
        let out = folder.path().join("games");
        let refuse = |more: &[&str], texts: &[&str]| {
            let args = ["self-play", "--games", "1", "--out", out.to_str().unwrap()];
            refused(&[&args[..], more].concat(), Exit::WrongUse, texts);
        };
        refuse(&[], &["--checkpoint"]);
        refuse(&["--agent", "greedy", "--checkpoint", &network], &["--agent", "--checkpoint"]);
        for setting in ["--simulations", "--cheap-simulations", "--full-share"] {
            refuse(&["--agent", "greedy", setting, "1"], &["--agent", setting]);
        }
        refuse(&["--checkpoint", &network, "--noise", "0.1"], &["--checkpoint", "--noise"]);
        let other = ["self-play", "--games", "1", "--out", out.to_str().unwrap(), "--variant", "basic"];
        refused(&[&other[..], &["--checkpoint", &network]].concat(), Exit::Failure, &["standard", "expected basic"]);
        refuse(&["--agent", "gamma"], &["gamma", "expected random"]);
        refuse(&["--agent", &network], &["standard.safetensors", "--checkpoint FILE"]);
        refuse(&["--agent", "greedy", "--noise", "2"], &["--noise", "0 to 1"]);
        refuse(&["--agent", "greedy", "--potentials", "4"], &["--potentials"]);
        assert!(!out.exists(), "nothing is begun that cannot be done");
    }
}

/// Plays the last of the legal actions; but in one of its decisions a stop comes, and it plays the first.
struct Disturbed<'a> {
    decisions: &'a AtomicU64,
    disturbed: u64,
}

impl Agent<TicTacToe> for Disturbed<'_> {
    fn begin(&mut self, _start: &TicTacToe, _opening: &[<TicTacToe as Position>::Action], _seed: u64) {}

    fn choose(
        &mut self,
        position: &TicTacToe,
        limits: &TurnLimits,
    ) -> Result<Choice<<TicTacToe as Position>::Action>, Fault> {
        let mut actions = position.legal_actions();
        let first = actions.next().unwrap();
        if self.decisions.fetch_add(1, Ordering::Relaxed) == self.disturbed {
            limits.stop.request();
            return Ok(Choice::unsearched(first));
        }
        Ok(Choice::unsearched(actions.last().unwrap_or(first)))
    }
}

#[test]
fn a_game_that_a_stop_has_cut_short_is_not_kept() {
    let play = |disturbed: u64| {
        let decisions: &'static AtomicU64 = Box::leak(Box::default());
        let build: Build<TicTacToe> = Box::new(move || Box::new(Disturbed { decisions, disturbed }));
        let config = AgentPlayConfig { random_plies: 3, noise: 0.0 };
        let assignment = AgentAssignment { start: &TicTacToe::default(), first_id: 0, games: 5, seed: 1, config };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let stop = Stop::default();
        let games = pool.install(|| play_agent_games(&assignment, &build, &|_: &PlayedGame<_>| {}, &stop));
        (games, decisions.load(Ordering::Relaxed))
    };
    let (whole, decisions) = play(u64::MAX);
    assert!(whole.len() == 5 && decisions > 10);
    for disturbed in 0..decisions {
        let (games, _) = play(disturbed);
        assert!(games.len() < 5 && games == whole[..games.len()], "disturbed in decision {disturbed}");
    }
}
