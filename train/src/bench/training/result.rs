//! The result of a measurement of training, as it is written and read.

use gipf_play::arena::ladder::{KindRatings, Rating};
use serde::{Deserialize, Serialize};

use super::curve::{Curve, Estimate, median_at, reach};
use super::marks::Cost;
use super::prices::Prices;

/// The first words of the file, and its version.
pub const FORMAT: &str = "gipf-bench-training";
pub const VERSION: u32 = 1;

/// Longer than any training, in core-seconds.
const MOST_SECONDS: f64 = 1e12;
/// More than any games can show.
const MOST_ELO: f64 = 1e5;

/// The ratings whose cost is reported.
pub const TARGETS: [f64; 2] = [1500.0, 1830.0];

/// A rated checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatedCheckpoint {
    /// The cost asked for, in core-seconds.
    pub mark: f64,
    /// The first iteration that cost as much, or the last of the training.
    pub iteration: u32,
    /// The cost when it ended.
    pub cost: Cost,
    /// Its ratings with the result's number of simulations.
    pub simulations: KindRatings,
    /// Its ratings with the result's time; only for the last checkpoint, and comparable only on one machine.
    pub timed: Option<KindRatings>,
}

/// The checkpoints of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedResult {
    /// The seed.
    pub seed: u64,
    /// The checkpoints, the cheapest first.
    pub checkpoints: Vec<RatedCheckpoint>,
}

/// The result of trainings with the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingResult {
    /// The type of the file: `gipf-bench-training`.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The program that trained and played the judges' games.
    pub program: String,
    /// The settings of the trainings, except for their seeds, as TOML.
    pub settings: String,
    /// The number of iterations on which the schedules are based.
    pub iterations: u32,
    /// The prices of the work.
    pub prices: Prices,
    /// The name of the pool of judges.
    pub judges: String,
    /// The number of games for each checkpoint.
    pub games: u64,
    /// Simulations per decision.
    pub simulations: u32,
    /// Milliseconds per decision of the last checkpoint; 0 for none.
    pub milliseconds: u32,
    /// The CPU seconds of both sides in the games against the judges; they are not part of the cost of any checkpoint.
    pub judging_seconds: f64,
    /// The trainings.
    pub seeds: Vec<SeedResult>,
    /// The summary that follows from them.
    pub summary: Summary,
}

/// Statistics over the trainings of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The medians of the seeds at each mark.
    pub medians: Vec<Medians>,
    /// The Elo gained by each doubling of the cost, as a mean over the seeds.
    pub slope: Option<Estimate>,
    /// The core-seconds until a rating was reached.
    pub reached: Vec<Reached>,
}

/// The medians of the seeds at a mark; none unless more than half of the seeds have a rating there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Medians {
    /// The cost, in core-seconds.
    pub mark: f64,
    /// By all judges.
    pub all: Option<f64>,
    /// By alpha-beta.
    pub alpha_beta: Option<f64>,
    /// By networks.
    pub network: Option<f64>,
}

/// The core-seconds until a rating was reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    /// The rating.
    pub elo: f64,
    /// The median over the seeds; none if half of them stayed below. If the first checkpoint already has the rating,
    /// its cost.
    pub core_seconds: Option<f64>,
    /// The number of seeds that reached it.
    pub seeds: usize,
}

/// Selects one of the ratings of a checkpoint.
pub type By = fn(&KindRatings) -> Option<Rating>;

/// The three ratings of a checkpoint.
pub const BY: [By; 3] = [|ratings| ratings.all, |ratings| ratings.alpha_beta, |ratings| ratings.network];

impl SeedResult {
    /// Returns the ratings with simulations over the cost, without those that are only a bound.
    pub fn curve(&self, by: By) -> Curve {
        let known = |ratings: &KindRatings| by(ratings).filter(|rating| rating.bound.is_none());
        let point =
            |checkpoint: &RatedCheckpoint| Some((checkpoint.cost.core_seconds, known(&checkpoint.simulations)?.elo));
        Curve::new(self.checkpoints.iter().filter_map(point).collect())
    }
}

impl TrainingResult {
    /// Reads a result.
    ///
    /// # Errors
    /// If the text is wrong: what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let result: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if result.format != FORMAT || result.version != VERSION {
            return Err(format!("not a result of gipf bench training of version {VERSION}"));
        }
        result.check()?;
        Ok(result)
    }

    /// Checks the numbers that are drawn, or used as divisors.
    fn check(&self) -> Result<(), String> {
        let price = self.prices.yardstick;
        if !(price.is_finite() && price > 0.0) {
            return Err(format!("yardstick {price}: expected a time above 0"));
        }
        for SeedResult { seed, checkpoints } in &self.seeds {
            let costs: Vec<_> = checkpoints.iter().map(|found| found.cost.core_seconds).collect();
            let marks = checkpoints.iter().map(|found| found.mark);
            let is_cost = |cost: f64| cost > 0.0 && cost <= MOST_SECONDS;
            if !costs.iter().copied().chain(marks).all(is_cost) || !costs.is_sorted() {
                return Err(format!("the costs of seed {seed}: expected core-seconds above 0, the cheapest first"));
            }
            let ratings = checkpoints.iter().flat_map(|found| [Some(found.simulations), found.timed]).flatten();
            let sound = |rating: Rating| rating.elo.abs() <= MOST_ELO && (0.0..=MOST_ELO).contains(&rating.margin);
            if !ratings.flat_map(|found| BY.map(|by| by(&found))).flatten().all(sound) {
                return Err(format!("the ratings of seed {seed}: expected Elo from -{MOST_ELO} to {MOST_ELO}"));
            }
        }
        Ok(())
    }

    /// Returns the curve of each seed; that of a seed without ratings has no points.
    pub fn curves(&self, by: By) -> Vec<Curve> {
        self.seeds.iter().map(|seed| seed.curve(by)).collect()
    }

    /// Returns the marks, in core-seconds.
    pub fn marks(&self) -> Vec<f64> {
        let mut marks: Vec<_> = self.seeds.iter().flat_map(|seed| &seed.checkpoints).map(|found| found.mark).collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        marks
    }

    /// Returns the result with the summary that follows from the seeds.
    #[must_use]
    pub fn summed(mut self) -> Self {
        let curves = BY.map(|by| self.curves(by));
        let at = |mark: f64| {
            let [all, alpha_beta, network] = curves.each_ref().map(|curves| median_at(curves, mark));
            Medians { mark, all, alpha_beta, network }
        };
        let slopes: Vec<_> = curves[0].iter().filter_map(Curve::slope).collect();
        self.summary = Summary {
            medians: self.marks().into_iter().map(at).collect(),
            slope: Estimate::of(&slopes),
            reached: TARGETS.map(|elo| reached(&curves[0], elo)).to_vec(),
        };
        self
    }
}

fn reached(curves: &[Curve], elo: f64) -> Reached {
    let costs: Vec<_> = curves.iter().map(|curve| curve.reaches(elo)).collect();
    Reached { elo, core_seconds: reach(&costs), seeds: costs.iter().flatten().count() }
}

#[cfg(test)]
pub(super) mod tests {
    use gipf_env::math::wide;

    use super::super::curve::log2;
    use gipf_play::arena::ladder::RatingBound;

    use super::super::prices::tests::prices;
    use super::*;

    /// Returns a result with one seed for each offset, whose ratings are this function of the cost and the offset.
    pub fn result(offsets: &[f64], elo: impl Fn(f64) -> f64) -> TrainingResult {
        let checkpoint = |offset: f64, mark: f64| {
            let rating =
                |extra: f64| Some(Rating { elo: elo(mark) + offset + extra, margin: 45.0, games: 200, bound: None });
            let simulations = KindRatings { all: rating(0.0), alpha_beta: rating(-50.0), network: rating(50.0) };
            let cost = Cost { core_seconds: mark, ..Cost::default() };
            RatedCheckpoint { mark, iteration: (mark / 10.0) as u32, cost, simulations, timed: None }
        };
        let seed = |(number, &offset): (usize, &f64)| SeedResult {
            seed: number as u64 + 1,
            checkpoints: [60.0, 120.0, 240.0, 480.0].map(|mark| checkpoint(offset, mark)).to_vec(),
        };
        TrainingResult {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: "0".to_owned(),
            settings: String::new(),
            iterations: 40,
            prices: prices(2),
            judges: "frozen-1".to_owned(),
            games: 200,
            simulations: 64,
            milliseconds: 20,
            judging_seconds: 1.0,
            seeds: offsets.iter().enumerate().map(seed).collect(),
            summary: Summary::default(),
        }
        .summed()
    }

    #[test]
    fn the_summary_is_that_of_the_seeds() {
        let found = result(&[-100.0, 0.0, 20.0], |cost| 200.0 * log2(cost));
        let medians: Vec<_> =
            found.summary.medians.iter().map(|medians| (medians.mark, medians.all.unwrap())).collect();
        assert_eq!(medians.len(), 4);
        for (mark, all) in medians {
            assert!((all - 200.0 * log2(mark)).abs() < 1e-9, "{mark} {all}");
        }
        assert!(
            (found.summary.medians[0].network.unwrap() - found.summary.medians[0].all.unwrap() - 50.0).abs() < 1e-9
        );
        let slope = found.summary.slope.unwrap();
        assert!((slope.mean - 200.0).abs() < 1e-9 && slope.margin.unwrap() < 1e-6);
        let [early, late] = [found.summary.reached[0], found.summary.reached[1]];
        assert!((early.core_seconds.unwrap() - wide::pow(2.0, 7.5)).abs() < 1e-6 && early.seeds == 3);
        assert_eq!((late.core_seconds, late.seeds), (None, 0));
    }

    /// Asserts that two values are equal except for the last bits of their numbers, which reading may round.
    pub fn assert_near(found: &impl Serialize, expected: &impl Serialize) {
        let [found, expected] =
            [serde_json::to_value(found), serde_json::to_value(expected)].map(|value| flat(&value.unwrap()));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            match (found.as_f64(), expected.as_f64()) {
                (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}"),
                _ => assert_eq!(found, expected),
            }
        }
    }

    fn flat(value: &serde_json::Value) -> Vec<serde_json::Value> {
        match value {
            serde_json::Value::Array(values) => values.iter().flat_map(flat).collect(),
            serde_json::Value::Object(fields) => fields.values().flat_map(flat).collect(),
            leaf => vec![leaf.clone()],
        }
    }

    #[test]
    fn a_result_is_read_as_it_was_written_and_others_are_refused() {
        let found = result(&[0.0, 50.0], |cost| 100.0 * log2(cost));
        let text = serde_json::to_string_pretty(&found).unwrap();
        assert_near(&TrainingResult::parse(&text).unwrap(), &found);
        for wrong in [
            text.replace("\"margin\": 45.0", "\"margin\": -45.0"),
            text.replace("\"core_seconds\": 60.0", "\"core_seconds\": 0.0"),
            text.replace("\"core_seconds\": 60.0", "\"core_seconds\": 600.0"),
            text.replace("\"margin\": 45.0", "\"margin\": 1e15"),
            text.replace("gipf-bench-training", "gipf-ladder"),
            text.replace("\"games\"", "\"game\""),
            text[..99].to_owned(),
        ] {
            assert!(wrong != text && TrainingResult::parse(&wrong).is_err());
        }
    }

    #[test]
    fn a_rating_of_which_games_told_one_end_alone_is_in_no_median() {
        let mut found = result(&[0.0], |cost| 100.0 * log2(cost));
        let first = found.seeds[0].checkpoints[0].simulations.all.as_mut().unwrap();
        first.bound = Some(RatingBound::AtMost);
        let known: Vec<_> = found.summed().summary.medians.iter().map(|medians| medians.all.is_some()).collect();
        assert_eq!(known, [false, true, true, true]);
    }

    #[test]
    fn seeds_without_a_rating_count_as_seeds() {
        // Every seed has 1500 Elo at 240 core-seconds.
        let mut found = result(&[0.0; 3], |cost| 200.0 * log2(cost / 240.0) + 1500.0);
        let summary = |found: &TrainingResult| {
            let summary = found.clone().summed().summary;
            let [first, ..] = summary.reached[..] else { panic!("two ratings are asked for") };
            (summary.medians[0].all.is_some(), first.core_seconds.is_some(), first.seeds)
        };
        let mut forget = |seed: usize| {
            found.seeds[seed].checkpoints.iter_mut().for_each(|found| found.simulations.all = None);
            summary(&found)
        };
        assert_eq!([0, 1].map(&mut forget), [(true, true, 2), (false, false, 1)]);
    }
}
