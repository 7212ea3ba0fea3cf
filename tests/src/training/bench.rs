//! `gipf bench training`: a stop does not change ratings and results.

use std::fs;
use std::path::Path;

use gipf_env::Variant;
use gipf_play::Stop;
use gipf_play::arena::ladder::{
    Enough, Head, Judge, JudgeKind, Judging, Member, Opponent, PlayerId, Results, Series, Store, next_meeting,
};
use gipf_play::arena::{Book, Pentanomial, score_of_elo};
use gipf_play::players::{AgentSpec, Contender, Random};
use gipf_train::bench::training::{Mark, Observer, Pool, Prices, RatedCheckpoint, Size, TrainingBench, TrainingResult};
use gipf_train::cli::Exit;
use gipf_train::training::{Config, Remark};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::{gipf, refused};
use crate::training::trainer::smoke;

/// Returns the settings of a training that takes seconds: a small network, and few games.
fn config() -> Config {
    let mut config = smoke();
    config.run.iterations = 4;
    config.run.games = 4;
    config
}

/// Returns prices at which an iteration of [`config`] costs one core-second for each engine.
fn prices(config: &Config) -> Prices {
    let of = gipf_train::bench::training::Priced::of(config);
    let [evaluation, decision, sample, step] = [0.0; 4];
    Prices {
        of,
        cores: 1,
        evaluation,
        decision,
        sample,
        student_sample: 0.0,
        step,
        engine: 30.0,
        yardstick: 1e-6,
        later: Vec::new(),
    }
}

fn size(seeds: &[u64], core_seconds: f64) -> Size {
    Size { seeds: seeds.to_vec(), core_seconds, games: 24, simulations: 2, milliseconds: 0 }
}

/// Requests a stop after this many rated checkpoints, if a number is given.
struct Watcher {
    stop: Stop,
    after: Option<u64>,
    rated: u64,
}

impl Observer for Watcher {
    fn trained(&mut self, _: u64, _: &Mark) {}

    fn rated(&mut self, _: u64, _: &RatedCheckpoint) {
        self.rated += 1;
        if self.after == Some(self.rated) {
            self.stop.request();
        }
    }
}

fn run(path: &Path, size: Size, after: Option<u64>) -> Option<TrainingResult> {
    let (config, stop) = (config(), Stop::default());
    let bench = TrainingBench::open(path, &config, size, Some(prices(&config)), "test").unwrap();
    let mut watcher = Watcher { stop: stop.clone(), after, rated: 0 };
    bench.run(&mut watcher, &stop).unwrap()
}

/// Returns a result without the times, which differ from run to run.
fn timeless(mut result: TrainingResult) -> TrainingResult {
    result.judging_seconds = 0.0;
    for found in result.seeds.iter_mut().flat_map(|seed| &mut seed.checkpoints) {
        (found.cost.cpu_seconds, found.cost.wall_seconds) = (0.0, 0.0);
    }
    result
}

#[test]
fn a_stop_changes_nothing_and_more_seeds_add_to_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    let expected = timeless(run(&whole, size(&[1, 2], 90.0), None).unwrap());
    let found: Vec<_> = expected.seeds.iter().flat_map(|seed| &seed.checkpoints).collect();
    let marks: Vec<_> = found.iter().map(|found| (found.mark, found.iteration, found.cost.core_seconds)).collect();
    assert_eq!(marks, [(60.0, 2, 60.0), (90.0, 3, 90.0)].repeat(2), "the fourth iteration is beyond the last mark");
    assert!(found.iter().all(|found| found.simulations.all.is_some_and(|rating| rating.games == 24)));

    assert_eq!(run(&stopped, size(&[1, 2], 90.0), Some(1)), None);
    assert_eq!(run(&stopped, size(&[1, 2], 90.0), Some(3)), None);
    let partial = stopped.join("result.partial.json");
    let kept = TrainingResult::parse(&fs::read_to_string(&partial).unwrap()).unwrap();
    assert!(kept.seeds.len() == 1 && !stopped.join("result.json").exists(), "one of two seeds is no result");
    assert_eq!(timeless(run(&stopped, size(&[1, 2], 90.0), None).unwrap()), expected);
    for (less, lost) in [(size(&[1], 90.0), "seed 2"), (size(&[1, 2], 60.0), "ratings at 90 core-seconds")] {
        let error = TrainingBench::open(&stopped, &config(), less, None, "test").err().unwrap().to_string();
        assert!(error.contains(&format!("result.json has {lost}, which would be lost: expected at least")), "{error}");
    }
    assert!(!partial.exists());
    let written = fs::read_to_string(stopped.join("result.json")).unwrap();
    let as_read = TrainingResult::parse(&serde_json::to_string(&expected).unwrap()).unwrap();
    assert_eq!(timeless(TrainingResult::parse(&written).unwrap()), as_read, "reading may round the last bit");
    assert!(fs::read_to_string(stopped.join("curve.svg")).unwrap().ends_with("</svg>\n"));

    assert_eq!(run(&whole, size(&[1, 2, 3], 120.0), Some(2)), None);
    let before = TrainingResult::parse(&fs::read_to_string(whole.join("result.json")).unwrap()).unwrap();
    assert_eq!(before.seeds.len(), 2, "what was whole stays until the next one is");
    let longer = timeless(run(&whole, size(&[1, 2, 3], 120.0), None).unwrap());
    assert_eq!(longer.seeds.len(), 3);
    for (before, after) in expected.seeds.iter().zip(&longer.seeds) {
        assert_eq!(before.checkpoints[0], after.checkpoints[0], "the first mark is as it was");
        assert_eq!(after.checkpoints[1].iteration, 4);
    }
}

#[test]
fn an_iteration_whose_line_is_lost_has_no_cost_and_is_not_rated_for_another() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), size(&[1], 60.0), None).unwrap();
    fs::remove_file(folder.path().join("seed-1/metrics.jsonl")).unwrap();
    let (config, stop) = (config(), Stop::default());
    let bench = TrainingBench::open(folder.path(), &config, size(&[1], 90.0), Some(prices(&config)), "test").unwrap();
    let error = bench.run(&mut Watcher { stop: stop.clone(), after: None, rated: 0 }, &stop).unwrap_err().to_string();
    assert!(error.contains("metrics.jsonl is damaged: expected a line for each of 2 iterations"), "{error}");
}

/// Keeps the remarks on runs.
#[derive(Default)]
struct Remarks(Vec<String>);

impl Observer for Remarks {
    fn remark(&mut self, run: &Path, remark: &Remark) {
        self.0.push(format!("{}: {remark}", run.file_name().unwrap().display()));
    }

    fn trained(&mut self, _: u64, _: &Mark) {}

    fn rated(&mut self, _: u64, _: &RatedCheckpoint) {}
}

#[test]
fn a_run_with_other_settings_is_not_rated_as_if_it_had_those_of_the_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (config, size) = (config(), size(&[1, 2], 60.0));
    assert!(run(folder.path(), size.clone(), None).is_some());
    let again = || {
        let bench = TrainingBench::open(folder.path(), &config, size.clone(), None, "test").unwrap();
        let mut remarks = Remarks::default();
        let found = bench.run(&mut remarks, &Stop::default());
        found.map(|found| (found.is_some(), remarks.0)).map_err(|error| error.to_string())
    };
    assert_eq!(again(), Ok((true, Vec::new())));

    let file = path("seed-1/config.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{settings}# by hand\n")).unwrap();
    let (_, remarks) = again().unwrap();
    assert!(remarks.len() == 1 && remarks[0].starts_with("seed-1: config.toml was changed"), "{remarks:?}");

    let refused = |seed: &str| {
        let told = again().unwrap_err();
        assert!(told.contains(&format!("{seed} has other settings than this measurement")), "{told}");
    };
    let rate = Config::parse(&settings).unwrap().with("learning.learning_rate=0.02").unwrap();
    fs::write(&file, rate.to_text()).unwrap();
    refused("seed-1");
    fs::write(&file, &settings).unwrap();
    for (from, to) in [("seed-1", "other"), ("seed-2", "seed-1"), ("other", "seed-2")] {
        fs::rename(path(from), path(to)).unwrap();
    }
    refused("seed-1");
}

/// Returns games that follow the model exactly, against the judges of the pool.
fn invented(pool: &Pool, player: &PlayerId, truth: f64, pairs: usize, path: &Path) -> Store {
    let book = Book::of(Variant::STANDARD);
    let mut store = Store::open(path, &Head::new(&book, 0)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut met = vec![0; pool.judges.len()];
    loop {
        let judge = |(judge, &pairs): (&Judge, &usize)| Opponent {
            kind: judge.kind,
            elo: judge.elo,
            pairs,
            left: book.len() - pairs,
        };
        let judges: Vec<_> = pool.judges.iter().zip(&met).map(judge).collect();
        let Some((place, meeting)) = next_meeting(&judges, truth, pairs - met.iter().sum::<usize>()) else {
            return store;
        };
        let known = &pool.judges[place];
        let (mut results, score) = (Pentanomial::default(), score_of_elo(truth - known.elo));
        for _ in 0..meeting {
            results.0[2 * (0..2).filter(|_| rng.random_bool(score)).count()] += 1;
        }
        let openings = (met[place]..met[place] + meeting).collect();
        met[place] += meeting;
        let players = [player.clone(), known.member.id.clone()];
        let (draws, white_wins, program) = (0, 0, "test".to_owned());
        let [turns, nodes] = [[1; 2]; 2];
        store
            .add(Series {
                players,
                openings,
                pairs: results,
                draws,
                white_wins,
                turns,
                nodes,
                seconds: [0.5; 2],
                program,
                left: 0,
            })
            .unwrap();
    }
}

#[test]
fn a_rating_is_recovered_from_games_that_follow_it() {
    let (folder, pool) = (tempfile::tempdir().unwrap(), Pool::of(Variant::STANDARD).unwrap());
    let book = Book::of(Variant::STANDARD);
    let build = || Contender { name: "somebody".to_owned(), build: Box::new(|| Box::new(Random::default())) };
    let player = Member::of(build(), b"", Variant::STANDARD);
    let mut outside = 0;
    let truths = [700.0, 1200.0, 1500.0, 1830.0, 2100.0, 2500.0];
    for truth in truths {
        let path = folder.path().join(format!("{truth}.jsonl"));
        let store = invented(&pool, &player.id, truth, 100, &path);
        let head = store.head().clone();
        let found = Judging::new(&pool.judges, &book, &head, "test", store.series()).ratings(&player);
        let [all, alpha_beta, network] = [found.all, found.alpha_beta, found.network].map(Option::unwrap);
        assert_eq!((all.games, alpha_beta.games + network.games), (200, 200));
        assert!(alpha_beta.games.abs_diff(network.games) <= 16, "{found:?}");
        assert!(all.margin > 30.0 && all.margin < 75.0 && all.margin < network.margin, "{found:?}");
        assert!((all.elo - truth).abs() < 2.0 * all.margin, "{truth}: {found:?}");
        outside += usize::from((all.elo - truth).abs() > all.margin);
    }
    assert!(outside <= 2, "{outside} of {} intervals miss the truth", truths.len());
}

#[test]
fn games_against_judges_are_kept_and_played_once() {
    let (folder, pool) = (tempfile::tempdir().unwrap(), Pool::of(Variant::STANDARD).unwrap());
    let (book, path) = (Book::of(Variant::STANDARD), folder.path().join("games.jsonl"));
    let head = Head::new(&book, 0);
    let mut store = Store::open(&path, &head).unwrap();
    let greedy = Member::new(&AgentSpec::Greedy, Variant::STANDARD).unwrap();
    let play = |store: &mut Store, pairs: usize, stop: &Stop| {
        let mut judging = Judging::new(&pool.judges, &book, &head, "test", store.series());
        let enough = Enough { margin: 0.0, pairs };
        judging.play(&greedy, 500.0, enough, |series, _| store.add(series), stop).unwrap()
    };
    assert!(play(&mut store, 20, &Stop::default()));
    assert_eq!(Results::of(store.series()).games(), 40);
    let kind = |name: &str| pool.judges.iter().find(|judge| judge.member.id.name == name).unwrap().kind;
    let met =
        store.series().iter().map(|series| kind(&series.players.iter().find(|id| id.name != "greedy").unwrap().name));
    let met: Vec<_> = met.collect();
    assert!(JudgeKind::ALL.iter().all(|kind| met.contains(kind)));
    let before = store.series().len();
    assert!(play(&mut store, 20, &Stop::default()));
    assert_eq!(store.series().len(), before, "nothing is played again");
    let stopped = Stop::default();
    stopped.request();
    assert!(!play(&mut store, 30, &stopped));
    assert_eq!(store.series().len(), before);
}

#[test]
fn the_program_measures_compares_and_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let measure = |out: &str, set: &str| {
        let out = path(out);
        let of = ["--preset", "smoke", "--set", "run.games=4", "--set", set, "--seeds", "1", "--core-seconds", "0.05"];
        let by = ["--games", "8", "--simulations", "2", "--milliseconds", "1", "--json"];
        let answer = gipf(&[&["bench", "training", "--out", &out][..], &of, &by].concat());
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        serde_json::from_str::<serde_json::Value>(&answer.out).unwrap()
    };
    let found = measure("a", "learning.learning_rate=0.002");
    let keys = ["format", "version", "program", "settings", "iterations", "prices", "judges", "games", "simulations"];
    for key in keys.into_iter().chain(["milliseconds", "judging_seconds", "seeds", "summary"]) {
        assert!(!found[key].is_null(), "{key}");
    }
    let last = found["seeds"][0]["checkpoints"].as_array().unwrap().last().unwrap().clone();
    for key in ["/cost/core_seconds", "/cost/work/evaluations", "/simulations/all/elo", "/timed/alpha_beta/margin"] {
        assert!(last.pointer(key).is_some_and(serde_json::Value::is_number), "{key}: {last}");
    }
    assert_eq!(measure("a", "learning.learning_rate=0.002"), found, "nothing is left to be done");

    measure("b", "learning.learning_rate=0.01");
    let [a, b] = ["a/result.json", "b/result.json"].map(path);
    let picture = path("both.svg");
    let compared = gipf(&["bench", "training", "--result", &b, "--against", &a, "--picture", &picture, "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&compared.out).unwrap();
    assert!(answer["comparison"]["durations"].as_array().is_some_and(|durations| durations.len() == 2), "{answer}");
    let svg = fs::read_to_string(&picture).unwrap();
    let is_named =
        |svg: &str, name: &str| svg.contains(&format!(">{name} ")) || svg.contains(&format!(">{name}</text>"));
    assert!(is_named(&svg, "a") && !is_named(&svg, "b"), "named by its directory: {svg}");
    let three = ["bench", "training", "--result", &b, "--against", &a, "--beside", &b];
    refused(&three, Exit::WrongUse, &["--picture"]);
    assert_eq!(gipf(&[&three[..], &["--picture", &picture, "--force"]].concat()).exit, Exit::Success);
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(is_named(&svg, "a") && is_named(&svg, "b"), "{svg}");
    let told = gipf(&["bench", "training", "--result", &b, "--against", &a]);
    assert!(told.out.contains("core-seconds") && told.out.contains("1830 Elo"), "{}", told.out);

    let out = path("a");
    let begun = ["bench", "training", "--preset", "smoke", "--out", &out];
    refused(&begun, Exit::WrongUse, &["begun with other settings"]);
    refused(
        &["bench", "training", "--variant", "basic", "--out", &path("c")],
        Exit::WrongUse,
        &["no judges for basic"],
    );
    refused(&["bench", "training", "--result", &picture], Exit::Failure, &["both.svg"]);
    refused(&["bench", "training", "--result", &a, "--picture", &picture], Exit::Failure, &["exists"]);
    let full = folder.path().to_str().unwrap();
    refused(&["bench", "training", "--preset", "smoke", "--out", full], Exit::Failure, &["is not empty"]);
    refused(&["bench", "training", "--prices", &a, "--out", &path("c")], Exit::WrongUse, &["another network"]);
    refused(&["bench", "training"], Exit::WrongUse, &["--out"]);
    let against = ["bench", "training", "--out", &path("d"), "--set", "self_play.opponent=greedy"];
    refused(&against, Exit::WrongUse, &["self_play.opponent", "expected itself"]);
    assert!(!folder.path().join("d").exists());
}
