//! The board as lists of indices: all that another program needs to evaluate a network of spots.

use gipf_env::geometry::{LINES, Line, SPOTS, Spot};
use serde::Serialize;

use crate::board::{LENGTHS, PolicyLayout, encoder_of, line_spots, taps};
use crate::config::{NetConfig, NetKind};

/// Where a network of spots reads its values.
///
/// A *reading* is a line read from one of its ends. Readings are ordered by the length of the line; for each length
/// first all from the first end, then all from the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Tables {
    /// For each spot: itself and its six neighbours, `[37][7]`; 37 off the board.
    pub neighbours: Vec<Vec<usize>>,
    /// For each length of lines: the spots of its readings, `[4][readings][k]`; empty where the network reads no lines.
    pub readings: Vec<Vec<Vec<usize>>>,
    /// For each spot: its six places among those of all readings, which are counted one after the other, `[37][6]`;
    /// empty where the network reads no lines.
    pub through: Vec<Vec<usize>>,
    /// For each action: the terms of its logit, `[A][T]`: indices into the outputs of all spots, then of all readings,
    /// then of the spots in question, then a zero.
    pub logits: Vec<Vec<usize>>,
    /// The number of outputs of a spot.
    pub spot_outputs: usize,
    /// The number of outputs of a reading; 0 where the network reads no lines.
    pub reading_outputs: usize,
    /// The first output of a spot that is read where a piece is in question, and the number of such outputs.
    pub questions: (usize, usize),
}

impl Tables {
    /// Returns the tables of a valid network; `None` for one that does not use the board.
    pub fn of(config: &NetConfig) -> Option<Self> {
        let reads_lines = match config.net {
            NetKind::Line(_) => true,
            NetKind::Hex(_) => false,
            NetKind::Mlp(_) => return None,
        };
        let readings = if reads_lines { readings() } else { Vec::new() };
        let policy = config.policy_layout();
        Some(Self {
            neighbours: Spot::all().map(|spot| taps(spot).map(|tap| tap.unwrap_or(SPOTS)).to_vec()).collect(),
            through: if reads_lines { through(&readings) } else { Vec::new() },
            logits: logits(policy, reads_lines),
            spot_outputs: policy.spot_outputs(),
            reading_outputs: if reads_lines { policy.reading_outputs() } else { 0 },
            questions: policy.questions(),
            readings,
        })
    }
}

/// Returns the spots of all readings, length by length.
fn readings() -> Vec<Vec<Vec<usize>>> {
    let of_encoder = |encoder| {
        let lines = Line::all().filter(move |&line| encoder_of(line) == encoder).map(line_spots);
        let turned = lines.clone().map(|line| line.into_iter().rev().collect());
        lines.chain(turned).collect()
    };
    (0..LENGTHS.len()).map(of_encoder).collect()
}

/// Returns the places of each spot among those of all readings.
fn through(readings: &[Vec<Vec<usize>>]) -> Vec<Vec<usize>> {
    let mut through = vec![Vec::new(); SPOTS];
    let places = readings.iter().flatten().flatten();
    places.enumerate().for_each(|(place, &spot)| through[spot].push(place));
    through
}

/// Returns the numbers of both readings of a line.
fn readings_of(line: Line) -> [usize; 2] {
    let encoder = encoder_of(line);
    let of_length = |encoder| Line::all().filter(move |&line| encoder_of(line) == encoder);
    let shorter: usize = (0..encoder).map(|shorter| 2 * of_length(shorter).count()).sum();
    let place = of_length(encoder).position(|other| other == line).expect("it has this length");
    [shorter + place, shorter + of_length(encoder).count() + place]
}

fn logits(policy: PolicyLayout, reads_lines: bool) -> Vec<Vec<usize>> {
    let lines_start = SPOTS * policy.spot_outputs();
    let reading_outputs = if reads_lines { policy.reading_outputs() } else { 0 };
    let questions_start = lines_start + 2 * LINES * reading_outputs;
    let (first_question, questions) = policy.questions();
    let nothing = questions_start + questions;
    let of_reading = |reading: usize, output: usize| lines_start + reading * reading_outputs + output;
    let of_action = |action| {
        let terms = policy.terms(action);
        let spots = terms.spots.iter().map(|(spot, output)| spot * policy.spot_outputs() + output);
        let line = terms.line.filter(|_| reads_lines).map(|(line, output)| {
            let [first, last] = readings_of(Line::from_index(line));
            match (output / policy.kinds(), output % policy.kinds()) {
                (0, kind) => vec![of_reading(first, kind)],
                (1, kind) => vec![of_reading(last, kind)],
                // The row: the outputs of both ends.
                _ => [first, last].map(|reading| of_reading(reading, policy.kinds())).to_vec(),
            }
        });
        let question = terms.question.map(|output| questions_start + output - first_question);
        spots.chain(line.into_iter().flatten()).chain(question).collect::<Vec<_>>()
    };
    let mut logits: Vec<_> = (0..policy.actions.size()).map(of_action).collect();
    let most = logits.iter().map(Vec::len).max().unwrap_or_default();
    for terms in &mut logits {
        terms.resize(most, nothing);
    }
    logits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::small_configs;

    #[test]
    fn every_spot_has_two_readings_on_each_of_its_three_lines() {
        let readings = readings();
        let places: Vec<_> = readings.iter().flatten().flatten().collect();
        for (spot, through) in through(&readings).iter().enumerate() {
            assert_eq!(through.len(), 6);
            assert!(through.iter().all(|&place| *places[place] == spot));
        }
    }

    #[test]
    fn logits_are_sums_of_the_same_number_of_terms_and_name_every_answer() {
        for config in small_configs() {
            let Some(tables) = Tables::of(&config) else { continue };
            let policy = config.policy_layout();
            let readings = tables.readings.iter().flatten().count() * policy.reading_outputs();
            let (_, questions) = policy.questions();
            let start = SPOTS * policy.spot_outputs() + readings;
            assert!(tables.logits.iter().all(|terms| terms.len() == tables.logits[0].len()));
            let used = |term| tables.logits.iter().flatten().any(|&other| other == term);
            assert!((start..=start + questions).all(used), "{config:?}");
            assert!(tables.logits.iter().flatten().all(|&term| term <= start + questions));
        }
    }

    #[test]
    fn a_reading_from_the_last_end_is_the_line_turned() {
        for line in Line::all() {
            let all: Vec<_> = readings().into_iter().flatten().collect();
            let [first, last] = readings_of(line);
            assert_eq!(all[first], line_spots(line));
            assert!(all[last].iter().rev().eq(&all[first]));
        }
    }
}
