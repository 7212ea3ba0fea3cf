//! Training against an agent that plays the other side.

use std::path::Path;

use gipf_env::{Action, GipfPosition, Position, Variant};
use gipf_models::{Checkpoint, Metadata, Pretrained};
use gipf_play::Stop;
use gipf_play::players::{Agent, Build, Choice, Fault, TurnLimits};
use gipf_play::search::{SearchConfig, UniformEvaluator};
use gipf_train::cli::Exit;
use gipf_train::training::shard::play_shard;
use gipf_train::training::trainer::Trainer;
use gipf_train::training::{
    Assignment, NewRun, Opponents, PlayedGame, Remark, SearchKind, SelfPlayConfig, play_games, play_games_against,
    samples,
};

use super::trainer::{NoEval, Watcher, smoke, start};
use crate::cli::{gipf, refused};

/// Plays the last legal action.
struct Last;

impl Agent<GipfPosition> for Last {
    fn begin(&mut self, _: &GipfPosition, _: &[Action], _: u64) {}

    fn choose(&mut self, position: &GipfPosition, _: &TurnLimits) -> Result<Choice<Action>, Fault> {
        Ok(Choice::unsearched(position.legal_actions().last().unwrap()))
    }
}

fn last() -> Build<GipfPosition> {
    Box::new(|| Box::new(Last))
}

fn config() -> SelfPlayConfig {
    SelfPlayConfig { parallel_games: 5, full_simulations: 16, cheap_simulations: 6, ..SelfPlayConfig::default() }
}

type Games = Vec<PlayedGame<GipfPosition>>;

/// Plays 40 games.
fn played(config: &SelfPlayConfig, play: impl FnOnce(&Assignment<'_, GipfPosition>) -> Games) -> Games {
    let (position, search) = (GipfPosition::start(Variant::TOURNAMENT), SearchConfig::default());
    play(&Assignment { start: &position, archive: &[], first_id: 3, games: 40, seed: 3, config, search: &search })
}

fn games(config: &SelfPlayConfig, threads: usize, opponent: Option<&Build<GipfPosition>>) -> Games {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    played(config, |assignment| {
        pool.install(|| play_games_against(assignment, opponent, || UniformEvaluator, &|_| {}, &Stop::default()))
    })
}

#[test]
fn the_opponent_decides_for_one_side_and_the_search_for_the_other() {
    let (mut full, mut asked) = (0.0, 0.0);
    for game in games(&config(), 2, Some(&last())) {
        let searching = (game.id % 2) as usize;
        let opening = game.decisions.iter().take_while(|decision| decision.policy.is_empty()).count();
        for decision in &game.decisions[opening..] {
            let legal: Vec<_> = decision.position.legal_actions().collect();
            let searched = decision.position.to_move().index() == searching;
            assert_eq!(decision.root_value.is_some(), searched, "game {}", game.id);
            assert_eq!(decision.effort == SearchKind::None, legal.len() == 1);
            if !searched {
                let chosen = decision.position.action_index(*legal.last().unwrap());
                assert_eq!((decision.action, &*decision.policy), (chosen, &[(chosen, 1.0)][..]));
                asked += f64::from(u8::from(legal.len() > 1));
                full += f64::from(u8::from(decision.effort == SearchKind::Full));
            }
        }
        // From the opponent's decisions its actions are learned, without values; the results count for both sides.
        for sample in samples(&game, 0.5) {
            assert_eq!(sample.root_value.is_some(), sample.position.to_move().index() == searching);
            assert_eq!(sample.result, Some(game.outcome.reward(sample.position.to_move()) as i8));
        }
    }
    assert!(asked > 800.0 && (full / asked - 0.25_f64).abs() < 0.065, "{full} of {asked} decisions are learned");
}

#[test]
fn a_game_against_an_opponent_depends_on_its_number_alone() {
    let alpha_beta = || Opponents::of(&named("alpha-beta:1")).unwrap().get("alpha-beta:1").unwrap();
    let all = games(&config(), 2, Some(&alpha_beta()));
    assert_eq!(all, games(&SelfPlayConfig { parallel_games: 3, ..config() }, 1, Some(&alpha_beta())));
    let won = all.iter().filter(|game| game.outcome.winner.is_some_and(|winner| winner.index() as u64 == game.id % 2));
    let lost = all.len() - won.count();
    assert!(lost > 30, "alpha-beta wins {lost} of 40 games against a search that knows nothing");
    let alone = games(&config(), 2, None);
    let itself = |assignment: &Assignment<'_, _>| {
        play_games(assignment, || UniformEvaluator, &|_: &PlayedGame<_>| {}, &Stop::default())
    };
    assert_eq!(alone, played(&config(), itself));
}

/// Returns the settings of a short run against an agent.
fn named(opponent: &str) -> gipf_train::training::Config {
    let mut config = smoke();
    config.game.variant = Variant::TOURNAMENT;
    opponent.clone_into(&mut config.self_play.opponent);
    config
}

#[test]
fn a_run_against_an_opponent_goes_on_to_the_same_weights_and_needs_its_opponent() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = named("alpha-beta:1");
    let path = |name: &str| folder.path().join(name);
    let opponents = Opponents::of(&config).unwrap();
    let network = |path: &Path| Checkpoint::load(&path.join("checkpoints/000003.safetensors")).unwrap().weights;

    let whole = Trainer::create(&NewRun::new(&path("whole"), &config), start(&config)).unwrap();
    whole.against(opponents.clone()).train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    let first = Trainer::create(&NewRun::new(&path("halves"), &config), start(&config)).unwrap();
    let mut first = first.against(opponents.clone());
    first.begin().unwrap();
    first.iterate(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    drop(first);
    let mut alone = Trainer::resume(&path("halves"), start).unwrap();
    let error = alone.begin().err().unwrap().to_string();
    assert!(error.starts_with("setting self_play.opponent: alpha-beta:1 is not there"), "{error}");
    drop(alone);
    let resumed = Trainer::resume(&path("halves"), start).unwrap();
    resumed.against(opponents).train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    assert!(network(&path("whole")) == network(&path("halves")));

    let elsewhere = Trainer::create(&NewRun::new(&path("elsewhere"), &config), start(&config)).unwrap();
    let mut elsewhere = elsewhere.against(Opponents::of(&config).unwrap());
    elsewhere.begin().unwrap();
    let spec = elsewhere.coordinator().next_shards(1).pop().unwrap().to_bytes();
    let player = elsewhere.coordinator().player(1).unwrap();
    let error = play_shard::<GipfPosition>(&player.checkpoint, &spec, &Stop::default()).err().unwrap().to_string();
    assert!(error.contains("self_play.opponent: expected itself"), "{error}");

    config.self_play.opponent = "itself".to_owned();
    let mut itself = Trainer::create(&NewRun::new(&path("itself"), &config), start(&config)).unwrap();
    itself.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    assert!(network(&path("whole")) != network(&path("itself")));
}

#[test]
fn a_run_takes_opponents_by_phases_and_refuses_those_that_cannot_play_or_go_by_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let (run, file) = (folder.path().join("run"), folder.path().join("settings.toml"));
    let [run, file] = [&run, &file].map(|path| path.to_str().unwrap());
    let text = "[run]\niterations = 2\ngames = 2\n\n[evaluation]\nopponents = []\n\n\
                [[phases]]\nafter_games = 2\n[phases.self_play]\nopponent = \"greedy\"\n";
    std::fs::write(file, text).unwrap();
    let args = ["train", "--config", file, "--run", run];
    for (opponent, told) in [
        ("somebody", "unknown agent `somebody`"),
        ("alpha-beta:time=5ms", "goes by the clock"),
        ("alpha-beta:nodes=500,threads=2", "goes by the timing of its threads"),
        ("missing.safetensors", "missing.safetensors"),
        ("alpha-beta:hash=1", "would think without end"),
    ] {
        let set = format!("self_play.opponent={opponent}");
        refused(&[&args[..], &["--set", &set]].concat(), Exit::WrongUse, &[&format!("error: --set {set}: "), told]);
    }
    for (setting, sound, other) in [
        ("self_play.opponent", "\"greedy\"", "\"somebody\""),
        ("evaluation.opponents", "opponents = []", "opponents = [\"somebody\"]"),
    ] {
        std::fs::write(file, text.replace(sound, other)).unwrap();
        refused(&args, Exit::Failure, &[&format!("{file}: setting {setting}: unknown agent `somebody`")]);
        std::fs::write(file, text.replace(sound, &other.replace("somebody", "alpha-beta:hash=1"))).unwrap();
        refused(&args, Exit::Failure, &[&format!("{file}: setting {setting}: "), "would think without end"]);
    }
    std::fs::write(file, text).unwrap();
    assert!(!Path::new(run).exists());
    let trained = gipf(&args);
    assert_eq!(trained.exit, Exit::Success, "{}", trained.err);
    assert_eq!(gipf(&["train", "--run", run, "--iterations", "3"]).exit, Exit::Success);
    // The best network of a run may be another one tomorrow.
    let set = format!("self_play.opponent={run}");
    let other = folder.path().join("other");
    let args = ["train", "--config", file, "--run", other.to_str().unwrap(), "--set", &set];
    refused(&args, Exit::WrongUse, &["is a run", "expected a file", "000003.safetensors"]);
}

/// Its games would be others than those of a run that was not stopped.
#[test]
fn an_opponent_whose_file_was_replaced_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let [run, file] = ["run", "opponent.safetensors"].map(|name| folder.path().join(name));
    let network = Pretrained::of("tournament").unwrap().checkpoint();
    network.save(&file).unwrap();
    let config = named(&format!("mcts:{},sims=2", file.display()));
    let opponents = || Opponents::of(&config).unwrap();
    let first = Trainer::create(&NewRun::new(&run, &config), start(&config)).unwrap();
    let mut first = first.against(opponents());
    first.begin().unwrap();
    first.iterate(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    drop(first);
    let resumed = || Trainer::resume(&run, start).unwrap().against(opponents());
    assert!(resumed().run().remarks().is_empty());
    Checkpoint { metadata: Metadata { step: 7, ..network.metadata.clone() }, ..network }.save(&file).unwrap();
    assert_eq!(resumed().run().remarks(), [Remark::OpponentChanged(config.self_play.opponent.clone())]);
}
