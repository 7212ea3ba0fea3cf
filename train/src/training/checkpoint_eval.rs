//! Measuring a checkpoint against the baselines.

use std::collections::BTreeMap;
use std::sync::Arc;

use gipf_env::GipfPosition;
use gipf_models::Engine;
use gipf_play::arena::{MatchConfig, MatchReport, Monitor, Progress, Sprt, play_match};
use gipf_play::players::{AgentSpec, Contender, Mcts, Thinking};
use gipf_play::search::SearchConfig;
use gipf_play::{NetEvaluator, Stop};

use super::metrics::{GatingResult, IterationMetrics, OpponentScore};
use super::settings::{Config, ConfigFault, GatingConfig};

/// After losing this many games in a row, an opponent plays only at the end of the run.
const LOST_IN_A_ROW: u64 = 80;

/// When a checkpoint is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion<'a> {
    /// After an iteration, against all opponents except those from which nothing more can be learned.
    Iteration {
        /// The names of those opponents: they have lost their last 80 games.
        beaten: &'a [String],
    },
    /// At the end of the run: longer matches, against every opponent.
    End,
}

/// Returns the opponents that lost their last 80 games against the checkpoints of a run.
pub fn beaten(history: &[IterationMetrics]) -> Vec<String> {
    let mut lost: BTreeMap<&str, u64> = BTreeMap::new();
    for rating in history.iter().flat_map(|line| &line.ratings) {
        let in_a_row = lost.entry(&rating.opponent).or_default();
        *in_a_row = if rating.score < 1.0 { 0 } else { *in_a_row + rating.games };
    }
    lost.into_iter().filter(|&(_, games)| games >= LOST_IN_A_ROW).map(|(name, _)| name.to_owned()).collect()
}

/// Measures checkpoints.
pub trait CheckpointEval {
    /// Returns the number of games that [`CheckpointEval::rate`] plays.
    fn games(&self, occasion: Occasion<'_>) -> u64;

    /// Plays a checkpoint against its opponents; none if a stop was requested. `played` is called as games end.
    fn rate(
        &self,
        engine: &Arc<Engine>,
        occasion: Occasion<'_>,
        played: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Option<Vec<OpponentScore>>;

    /// Returns the most games that [`CheckpointEval::gate`] plays; 0 if there is no gating.
    fn gating_games(&self) -> u64 {
        0
    }

    /// Plays the checkpoint of an iteration against the best one so far; none if a stop was requested.
    fn gate(&self, _match: &GatingMatch<'_>, _played: &(dyn Fn(u64) + Sync), _stop: &Stop) -> Option<GatingResult> {
        None
    }
}

/// A checkpoint that may take the place of the best one.
#[derive(Clone, Copy)]
pub struct GatingMatch<'a> {
    /// The newest network.
    pub newest: &'a Arc<Engine>,
    /// Its iteration.
    pub iteration: u32,
    /// The best network so far.
    pub best: &'a Arc<Engine>,
    /// Its iteration.
    pub best_iteration: u32,
}

/// Plays each checkpoint against the opponents that the settings name, always from the same openings.
pub struct Baselines {
    config: MatchConfig,
    opponents: Vec<Contender<GipfPosition>>,
    search: SearchConfig,
    simulations: u32,
    /// Pairs of games against each opponent, after an iteration and at the end.
    pairs: [usize; 2],
    gating: GatingConfig,
}

impl Baselines {
    /// Returns the baselines that the settings ask for.
    ///
    /// # Errors
    /// If an opponent is unknown, does not play the rule set, or would think without end.
    pub fn new(config: &Config) -> Result<Self, ConfigFault> {
        let (evaluation, variant) = (&config.evaluation, config.game.variant);
        let contender = |name: &String| {
            let spec: AgentSpec = name.parse()?;
            spec.check_end()?;
            spec.contender(variant)
        };
        let opponents: Result<Vec<_>, _> = evaluation.opponents.iter().map(contender).collect();
        Ok(Self {
            config: MatchConfig {
                placement_limit: config.game.placement_limit,
                potentials: config.game.potentials,
                seed: config.run.seed,
                ..MatchConfig::new(variant, 1)
            },
            opponents: opponents.map_err(|error| ConfigFault::Opponent(error.to_string()))?,
            search: evaluation.search,
            simulations: evaluation.simulations,
            gating: evaluation.gating,
            pairs: [evaluation.games.div_ceil(2) as usize, evaluation.final_games.div_ceil(2) as usize],
        })
    }

    /// Returns the names of the opponents in the order of the settings, as the metrics have them: a setting may spell a
    /// name differently.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.opponents.iter().map(|opponent| &*opponent.name)
    }

    fn pairs(&self, occasion: Occasion<'_>) -> usize {
        self.pairs[usize::from(occasion == Occasion::End)]
    }

    /// Returns the opponents that play on an occasion.
    fn opponents(&self, occasion: Occasion<'_>) -> impl Iterator<Item = &Contender<GipfPosition>> {
        self.opponents.iter().filter(move |opponent| match occasion {
            Occasion::Iteration { beaten } => !beaten.contains(&opponent.name),
            Occasion::End => true,
        })
    }

    fn checkpoint(&self, engine: &Arc<Engine>) -> Contender<GipfPosition> {
        let (engine, search, thinking) = (Arc::clone(engine), self.search, Thinking::Simulations(self.simulations));
        let build = move || {
            let evaluator = NetEvaluator::new(Arc::clone(&engine));
            Box::new(Mcts::new(search, evaluator, thinking)) as Box<_>
        };
        Contender { name: "checkpoint".to_owned(), build: Box::new(build) }
    }
}

impl CheckpointEval for Baselines {
    fn games(&self, occasion: Occasion<'_>) -> u64 {
        2 * (self.pairs(occasion) * self.opponents(occasion).count()) as u64
    }

    fn rate(
        &self,
        engine: &Arc<Engine>,
        occasion: Occasion<'_>,
        played: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Option<Vec<OpponentScore>> {
        let config = MatchConfig { pairs: self.pairs(occasion), ..self.config.clone() };
        let progress = |_: Progress| played(2);
        let monitor = Monitor { progress: &progress, stop, keeper: None };
        let checkpoint = self.checkpoint(engine);
        let rate = |opponent| {
            let played = play_match(&config, [&checkpoint, opponent], monitor);
            rating(&played.expect("there are pairs to play, and openings enough").report)
        };
        let ratings = self.opponents(occasion).filter(|_| config.pairs > 0).map(rate).collect();
        (!stop.requested()).then_some(ratings)
    }

    fn gating_games(&self) -> u64 {
        2 * u64::from(self.gating.games.div_ceil(2))
    }

    /// Each iteration has its own openings: a network must not stay the best only because it is good at some of them.
    fn gate(&self, gating: &GatingMatch<'_>, played: &(dyn Fn(u64) + Sync), stop: &Stop) -> Option<GatingResult> {
        let GatingConfig { games, elo0, elo1 } = self.gating;
        let config = MatchConfig {
            pairs: games.div_ceil(2) as usize,
            seed: self.config.seed.rotate_left(32) ^ u64::from(gating.iteration),
            sprt: Some(Sprt::new(elo0, elo1)),
            ..self.config.clone()
        };
        let progress = |_: Progress| played(2);
        let [newest, best] = [gating.newest, gating.best].map(|engine| self.checkpoint(engine));
        let played = play_match(&config, [&newest, &best], Monitor { progress: &progress, stop, keeper: None });
        let report = played.expect("there are pairs to play, and openings enough").report;
        let sprt = report.sprt.expect("the match has a test");
        let best = gating.best_iteration;
        let (games, score, llr, verdict) = (report.games, report.score, sprt.llr, sprt.verdict);
        (!stop.requested()).then_some(GatingResult { best, games, score, llr, verdict })
    }
}

fn rating(report: &MatchReport) -> OpponentScore {
    let elo = match (report.elo, report.elo_interval) {
        (Some(elo), [Some(low), Some(high)]) => Some([elo, low, high]),
        _ => None,
    };
    OpponentScore {
        opponent: report.agents[1].name.clone(),
        games: report.games,
        score: report.score,
        interval: report.score_interval,
        elo,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(scores: &[(&str, f64)]) -> IterationMetrics {
        let rating = |&(opponent, score): &(&str, f64)| OpponentScore {
            opponent: opponent.to_owned(),
            games: 40,
            score,
            ..OpponentScore::default()
        };
        IterationMetrics { ratings: scores.iter().map(rating).collect(), ..IterationMetrics::default() }
    }

    #[test]
    fn who_lost_eighty_games_in_a_row_plays_only_at_the_end() {
        let first = line(&[("random", 1.0), ("greedy", 1.0), ("alpha-beta:1", 0.5)]);
        let second = line(&[("random", 1.0), ("greedy", 0.9875), ("alpha-beta:1", 1.0)]);
        assert_eq!(beaten(std::slice::from_ref(&first)), [""; 0]);
        let names = beaten(&[first.clone(), second.clone()]);
        assert_eq!(names, ["random"]);
        // An opponent stays beaten, though it has no new scores.
        let third = line(&[("greedy", 1.0), ("alpha-beta:1", 0.5)]);
        assert_eq!(beaten(&[first, second, third]), ["random"]);
        let eval = Baselines::new(&Config::default()).unwrap();
        let (everyone, rest) = (Occasion::Iteration { beaten: &[] }, Occasion::Iteration { beaten: &names });
        assert_eq!([everyone, rest, Occasion::End].map(|occasion| eval.games(occasion)), [160, 120, 800]);
    }

    #[test]
    fn opponents_have_one_name_however_the_settings_spell_it() {
        let mut config = Config::default();
        config.evaluation.opponents = ["random", "level:01"].map(str::to_owned).to_vec();
        assert!(Baselines::new(&config).unwrap().names().eq(["random", "level:1"]));
    }
}
