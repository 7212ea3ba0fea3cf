//! Games whose leaves the caller evaluates are the same as those of the trainer.

use std::sync::Arc;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Engine, LineConfig, NetConfig, NetKind, Scratch, Weights};
use gipf_play::search::{Answers, Leaves, SearchConfig, SearchesError, Values};
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::{Assignment, ManyGames, PlayedGame, SelfPlayConfig, play_games};

fn engine(start: &GipfPosition) -> Arc<Engine> {
    let small = LineConfig { features: 8, hidden: 16, mixing: vec![8], value_hidden: 8, ..LineConfig::default() };
    let net = NetConfig::of(NetKind::Line(small), start).unwrap();
    Arc::new(Engine::new(&Weights::initial(&net, 1), &net).unwrap())
}

fn config() -> SelfPlayConfig {
    SelfPlayConfig { parallel_games: 5, full_simulations: 12, cheap_simulations: 4, ..SelfPlayConfig::default() }
}

/// A caller who evaluates leaves with a network, and the games that have ended so far.
struct Caller {
    many: ManyGames<GipfPosition>,
    engine: Arc<Engine>,
    shape: (usize, usize),
    planes: Vec<f32>,
    masks: Vec<bool>,
    ended: Vec<PlayedGame<GipfPosition>>,
}

impl Caller {
    fn new(assignment: &Assignment<'_, GipfPosition>, parallel: usize) -> Self {
        let start = assignment.start;
        let shape = (start.observation_layout().size(), start.num_actions());
        // The previous contents of the arrays do not matter.
        let (planes, masks) = (vec![9.0; parallel * shape.0], vec![true; parallel * shape.1]);
        let many = ManyGames::new(assignment, parallel);
        Self { many, engine: engine(start), shape, planes, masks, ended: Vec::new() }
    }

    fn gather(&mut self) -> usize {
        let leaves = Leaves { planes: &mut self.planes, masks: &mut self.masks };
        let leaves = self.many.gather(leaves).unwrap();
        self.ended.extend(self.many.take_ended());
        leaves
    }

    fn evaluate(&self, leaves: usize) -> (Vec<f32>, Vec<f32>) {
        let (mut logits, mut wdl) = (vec![0.0; leaves * self.shape.1], vec![0.0; leaves * 3]);
        let planes = &self.planes[..leaves * self.shape.0];
        self.engine.forward(&mut Scratch::default(), planes, leaves, &mut logits, &mut wdl);
        // The logits of actions that the masks forbid do not matter.
        let forbidden = logits.iter_mut().zip(&self.masks).filter(|(_, legal)| !**legal);
        forbidden.for_each(|(logit, _)| *logit = f32::INFINITY);
        (logits, wdl)
    }

    fn play(mut self) -> Vec<PlayedGame<GipfPosition>> {
        loop {
            let leaves = self.gather();
            if leaves == 0 {
                return self.ended;
            }
            let (logits, wdl) = self.evaluate(leaves);
            self.many.apply(Answers { logits: &logits, values: Values::Wdl(&wdl) }).unwrap();
        }
    }
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn in_order(mut games: Vec<PlayedGame<GipfPosition>>) -> Vec<PlayedGame<GipfPosition>> {
    games.sort_by_key(|game| game.id);
    games
}

#[test]
fn they_are_those_of_the_trainer_in_all_rule_sets() {
    let (config, search) = (config(), SearchConfig::self_play());
    for variant in Variant::ALL {
        let start = GipfPosition::start(variant);
        let all = Assignment {
            start: &start,
            archive: &[],
            first_id: 3,
            games: 9,
            seed: 5,
            config: &config,
            search: &search,
        };
        let engine = engine(&start);
        let evaluator = || NetEvaluator::new(Arc::clone(&engine));
        let expected = play_games(&all, evaluator, &|_: &PlayedGame<_>| {}, &Stop::default());
        for parallel in [1, 4, 20] {
            let found = Caller::new(&all, parallel).play();
            assert_eq!(in_order(found), expected, "{variant}, {parallel} at once");
        }
    }
}

#[test]
fn neither_games_nor_the_order_in_which_they_end_depend_on_threads() {
    let (start, search) = (GipfPosition::start(Variant::TOURNAMENT), SearchConfig::self_play());
    let config = SelfPlayConfig { archive_share: 0.5, ..config() };
    let archive = [start.clone(), GipfPosition::start(Variant::TOURNAMENT)];
    let all = Assignment {
        start: &start,
        archive: &archive,
        first_id: 0,
        games: 70,
        seed: 6,
        config: &config,
        search: &search,
    };
    let play = |threads| on_threads(threads, || Caller::new(&all, 40).play());
    let games = play(1);
    assert!(games == play(3) && games.len() == 70);
    assert!(!games.is_sorted_by_key(|game| game.id), "games end when they end");
}

#[test]
fn games_that_were_played_before_are_left_out() {
    let (start, search, config) = (GipfPosition::start(Variant::BASIC), SearchConfig::self_play(), config());
    let all =
        Assignment { start: &start, archive: &[], first_id: 0, games: 10, seed: 7, config: &config, search: &search };
    let expected: Vec<_> = in_order(Caller::new(&all, 3).play()).into_iter().filter(|game| game.id % 3 != 0).collect();
    let mut caller = Caller::new(&all, 3);
    caller.many = caller.many.without([0, 3, 6, 9].into());
    assert_eq!(in_order(caller.play()), expected);
}

#[test]
fn what_is_no_evaluation_is_refused_and_the_leaves_wait_still() {
    let (start, search, config) = (GipfPosition::start(Variant::BASIC), SearchConfig::self_play(), config());
    let all =
        Assignment { start: &start, archive: &[], first_id: 0, games: 30, seed: 8, config: &config, search: &search };
    let expected = Caller::new(&all, 25).play();
    let mut caller = Caller::new(&all, 25);
    loop {
        let leaves = caller.gather();
        let (logits, wdl) = caller.evaluate(leaves);
        let nothing = vec![f32::NAN; logits.len()];
        let few = Answers { logits: &logits[..logits.len() / 2], values: Values::Wdl(&wdl) };
        let wrong = Answers { logits: &nothing, values: Values::Wdl(&wdl) };
        if leaves == 0 {
            assert_eq!(caller.many.apply(few), Err(SearchesError::NothingWaits { slot: 0 }));
            break;
        }
        assert!(matches!(caller.many.apply(few), Err(SearchesError::Size { .. })));
        assert!(matches!(caller.many.apply(wrong), Err(SearchesError::Logit { .. })));
        let small = Leaves { planes: &mut [], masks: &mut [] };
        assert!(matches!(caller.many.gather(small), Err(SearchesError::Size { .. })));
        caller.many.apply(Answers { logits: &logits, values: Values::Wdl(&wdl) }).unwrap();
    }
    assert_eq!(caller.ended, expected);
}
