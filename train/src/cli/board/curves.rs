//! A run as curves.

use gipf_board::{Axes, ChartCurves, Curve, RunCurves};

use crate::training::metrics::IterationMetrics;
use crate::training::watch::Finding;
use crate::training::{CHARTS, RunView, Scalar, scalars};

/// The most iterations that are drawn: more than a screen has columns.
const MOST: usize = 800;

/// The most curves of a picture: names come from the files of a run, which may be anybody's.
const MOST_CURVES: usize = 64;

/// Returns a run as curves; a long run is reduced to some of its iterations.
pub(in crate::cli) fn curves(name: &str, run: &RunView) -> RunCurves {
    let stride = run.metrics.len().div_ceil(MOST).max(1);
    // The newest iteration is always among them.
    let offset = run.metrics.len().saturating_sub(1) % stride;
    let is_drawn = |place: usize| place % stride == offset;
    let findings = run.metrics.iter().flat_map(|line| line.findings.iter().map(|finding| (line.iteration, finding)));
    let surplus = findings.clone().count().saturating_sub(MOST);
    let told = |(iteration, finding): (u32, &Finding)| (iteration, gipf_play::printable(&finding.to_string()));
    let all = axes(&run.metrics);
    RunCurves {
        name: name.to_owned(),
        variant: run.config.game.variant.to_string(),
        iterations: run.metrics.last().map_or(0, |line| line.iteration),
        planned: run.config.run.iterations,
        x: Axes {
            iterations: thinned(&all.iterations, is_drawn),
            games: thinned(&all.games, is_drawn),
            hours: thinned(&all.hours, is_drawn),
            core_seconds: thinned(&all.core_seconds, is_drawn),
        },
        charts: charts(&thinned(&run.metrics, is_drawn)),
        // The newest ones.
        findings: findings.skip(surplus).map(told).collect(),
        checkpoints: run.checkpoints.clone(),
    }
}

fn thinned<T: Clone>(all: &[T], is_drawn: impl Fn(usize) -> bool) -> Vec<T> {
    all.iter().enumerate().filter(|(place, _)| is_drawn(*place)).map(|(_, value)| value.clone()).collect()
}

fn axes(metrics: &[IterationMetrics]) -> Axes {
    let mut axes = Axes::default();
    let (mut games, mut seconds, mut core_seconds) = (0_u64, 0.0, 0.0);
    for line in metrics {
        games = games.saturating_add(line.self_play.games);
        seconds += line.seconds.total();
        core_seconds += line.core_seconds.total();
        axes.iterations.push(line.iteration);
        axes.games.push(games);
        axes.hours.push((seconds / 3600.0) as f32);
        axes.core_seconds.push(core_seconds as f32);
    }
    axes
}

fn charts(metrics: &[IterationMetrics]) -> Vec<ChartCurves> {
    let mut charts: Vec<_> = CHARTS
        .iter()
        .map(|chart| ChartCurves {
            key: chart.key.to_owned(),
            title: chart.title.to_owned(),
            unit: chart.unit.to_owned(),
            curves: Vec::new(),
        })
        .collect();
    for (place, line) in metrics.iter().enumerate() {
        for Scalar { chart, curve, value, interval } in scalars(line) {
            let chart = charts.iter_mut().find(|found| found.key == chart).expect("every number has a picture");
            let Some(curve) = of_name(&mut chart.curves, gipf_play::printable(&curve)) else { continue };
            curve.values.resize(place, None);
            curve.values.push(Some(value as f32).filter(|value| value.is_finite()));
            if let Some(interval) = interval {
                curve.intervals.resize(place, None);
                curve.intervals.push(Some(interval.map(|end| end as f32)));
            }
        }
    }
    let length = metrics.len();
    for curve in charts.iter_mut().flat_map(|chart| &mut chart.curves) {
        curve.values.resize(length, None);
        if !curve.intervals.is_empty() {
            curve.intervals.resize(length, None);
        }
    }
    charts.retain(|chart| !chart.curves.is_empty());
    charts
}

/// Returns the curve of this name, a new one if there is room.
fn of_name(curves: &mut Vec<Curve>, name: String) -> Option<&mut Curve> {
    let place = curves.iter().position(|curve| curve.name == name).unwrap_or(curves.len());
    if place == curves.len() && place < MOST_CURVES {
        curves.push(Curve { name, ..Curve::default() });
    }
    curves.get_mut(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::Config;
    use crate::training::metrics::OpponentScore;

    fn run(iterations: u32) -> RunView {
        let line = |iteration| {
            let rating = OpponentScore { score: f64::from(iteration), ..OpponentScore::default() };
            let mut line = IterationMetrics { iteration, ..IterationMetrics::default() };
            // Not every iteration is measured, and not every ending occurs in each.
            line.ratings.extend((iteration % 2 == 0).then_some(rating));
            line.self_play.endings.insert(if iteration % 2 == 0 { "no-move" } else { "limit" }.to_owned(), 10);
            line.seconds.self_play = 3600.0;
            line.self_play.games = 10;
            line
        };
        RunView { config: Config::default(), metrics: (1..=iterations).map(line).collect(), checkpoints: vec![1] }
    }

    #[test]
    fn values_stand_at_their_iterations() {
        let found = curves("run", &run(5));
        let score = found.charts.iter().find(|chart| chart.key == "score").unwrap();
        assert_eq!(score.curves[0].values, [None, Some(2.0), None, Some(4.0), None]);
        assert_eq!(score.curves[0].intervals.len(), 5);
        // An ending that did not occur is known not to have occurred.
        let endings = found.charts.iter().find(|chart| chart.key == "endings").unwrap();
        let no_move = endings.curves.iter().find(|curve| curve.name == "no-move").unwrap();
        assert_eq!(no_move.values, [0.0, 1.0, 0.0, 1.0, 0.0].map(Some));
        assert_eq!(
            (&found.x.games[..], &found.x.hours[..]),
            (&[10, 20, 30, 40, 50][..], &[1.0, 2.0, 3.0, 4.0, 5.0][..])
        );
        assert!(found.charts.iter().flat_map(|chart| &chart.curves).all(|curve| curve.values.len() == 5));
    }

    #[test]
    fn a_picture_has_only_so_many_curves() {
        let mut hostile = run(3);
        for line in &mut hostile.metrics {
            line.self_play.endings.extend((0..1000).map(|number| (format!("{} {number}", line.iteration), 1)));
        }
        let found = curves("run", &hostile);
        let endings = found.charts.iter().find(|chart| chart.key == "endings").unwrap();
        assert_eq!(endings.curves.len(), MOST_CURVES);
    }

    #[test]
    fn a_long_run_is_thinned_and_keeps_its_end() {
        let found = curves("run", &run(5001));
        assert!(found.x.iterations.len() <= MOST && found.x.iterations.last() == Some(&5001));
        assert_eq!(found.x.games.last(), Some(&50010));
        assert_eq!(curves("run", &run(0)).iterations, 0);
    }
}
