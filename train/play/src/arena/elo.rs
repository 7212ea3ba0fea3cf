//! Ratings of many players from the results between them (Bradley and Terry 1952, on Elo's scale).

use super::score::score_of_elo;

/// The games between two players, by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Encounter {
    /// The players.
    pub players: [usize; 2],
    /// The number of games.
    pub games: u64,
    /// The points of the first player; a draw is half a point.
    pub points: f64,
}

/// Why ratings could not be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// Ratings are relative, so one must be given.
    #[error("no anchor: expected the rating of at least one player")]
    NoAnchor,
    /// Nothing connects the player with an anchor.
    #[error("player {0} cannot be rated: expected games, directly or through others, against an anchor")]
    Unconnected(usize),
    /// There is no such player.
    #[error("no player {player}: expected a number below {players}")]
    Unknown {
        /// The number given.
        player: usize,
        /// The number of players.
        players: usize,
    },
}

/// The drawn games added to each encounter: they keep the rating of a clean sweep finite.
pub(super) const PRIOR_GAMES: f64 = 1.0;
/// Elo per unit of the natural logarithm of the odds.
pub(super) const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
const ITERATIONS: usize = 200;

/// The most likely ratings, and how well the games determine them.
pub(super) struct Likely {
    /// The ratings of all players.
    pub elo: Vec<f64>,
    /// The players that are not anchors.
    pub free: Vec<usize>,
    /// The negative Hessian of the logarithm of the likelihood in their ratings.
    pub information: Vec<Vec<f64>>,
}

/// Finds the most likely ratings of players 0..`players`, with those of `anchors` (player and Elo) given.
///
/// A draw counts as half a win; each encounter counts as having one drawn game more than it has.
///
/// # Errors
/// Without an anchor, or if a player is not connected with one, or unknown.
pub(super) fn most_likely(
    players: usize,
    encounters: &[Encounter],
    anchors: &[(usize, f64)],
) -> Result<Likely, RatingError> {
    check(players, encounters, anchors)?;
    let mut elo = vec![anchors[0].1; players];
    for &(player, rating) in anchors {
        elo[player] = rating;
    }
    let free: Vec<_> = (0..players).filter(|player| anchors.iter().all(|(anchor, _)| anchor != player)).collect();
    for _ in 0..ITERATIONS {
        let (gradient, information) = derivatives(&elo, encounters, &free);
        let step = Factorised::new(information).solve(&gradient);
        for (&player, step) in free.iter().zip(&step) {
            // Newton's step can overshoot far from the solution.
            elo[player] += step.clamp(-200.0, 200.0);
        }
        if step.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    let (_, information) = derivatives(&elo, encounters, &free);
    Ok(Likely { elo, free, information })
}

fn check(players: usize, encounters: &[Encounter], anchors: &[(usize, f64)]) -> Result<(), RatingError> {
    let named =
        encounters.iter().flat_map(|encounter| encounter.players).chain(anchors.iter().map(|&(player, _)| player));
    if let Some(player) = named.into_iter().find(|&player| player >= players) {
        return Err(RatingError::Unknown { player, players });
    }
    if anchors.is_empty() {
        return Err(RatingError::NoAnchor);
    }
    let met = encounters.iter().filter(|encounter| encounter.games > 0).map(|encounter| encounter.players);
    let reached = connected(players, &met, anchors.iter().map(|&(anchor, _)| anchor));
    reached.iter().position(|&reached| !reached).map_or(Ok(()), |player| Err(RatingError::Unconnected(player)))
}

/// Returns for each of the players 0..`players` whether games connect them with one of the given players, given who has
/// met.
pub(super) fn connected(
    players: usize,
    met: &(impl Iterator<Item = [usize; 2]> + Clone),
    from: impl IntoIterator<Item = usize>,
) -> Vec<bool> {
    let mut reached = vec![false; players];
    from.into_iter().for_each(|player| reached[player] = true);
    // Each round reaches at least one more player, or all reachable ones are found.
    for _ in 0..players {
        for [a, b] in met.clone() {
            let either = reached[a] || reached[b];
            (reached[a], reached[b]) = (either, either);
        }
    }
    reached
}

/// Returns the gradient of the logarithm of the likelihood, and its negative Hessian, in the free ratings.
fn derivatives(elo: &[f64], encounters: &[Encounter], free: &[usize]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut gradient = vec![0.0; free.len()];
    let mut information = vec![vec![0.0; free.len()]; free.len()];
    for encounter in encounters.iter().filter(|encounter| encounter.games > 0) {
        let games = encounter.games as f64 + PRIOR_GAMES;
        let expected = score_of_elo(elo[encounter.players[0]] - elo[encounter.players[1]]);
        let surplus = (encounter.points + 0.5 * PRIOR_GAMES - games * expected) / SCALE;
        let rows = encounter.players.map(|player| row_of(free, player));
        for (row, surplus) in rows.into_iter().zip([surplus, -surplus]) {
            if let Some(row) = row {
                gradient[row] += surplus;
            }
        }
        add_difference(&mut information, rows, information_of(games, expected));
    }
    (gradient, information)
}

/// Returns the information about a difference in Elo in this many games of this expected score.
pub(super) fn information_of(games: f64, expected: f64) -> f64 {
    games * expected * (1.0 - expected) / (SCALE * SCALE)
}

/// Returns the row of a player in the matrices; none for an anchor.
pub(super) fn row_of(free: &[usize], player: usize) -> Option<usize> {
    free.iter().position(|&other| other == player)
}

/// Adds a weight for the squared difference between two players to the matrix; anchors have no rows.
pub(super) fn add_difference(matrix: &mut [Vec<f64>], rows: [Option<usize>; 2], weight: f64) {
    for (own, other) in [(rows[0], rows[1]), (rows[1], rows[0])] {
        let Some(own) = own else { continue };
        matrix[own][own] += weight;
        if let Some(other) = other {
            matrix[own][other] -= weight;
        }
    }
}

/// A positive definite matrix, eliminated once for any number of systems of linear equations with it (LU without
/// pivoting): in its upper triangle the rows that remain, below it the multiples that were subtracted.
pub(super) struct Factorised(Vec<Vec<f64>>);

impl Factorised {
    pub fn new(mut rows: Vec<Vec<f64>>) -> Self {
        for pivot in 0..rows.len() {
            let (above, below) = rows.split_at_mut(pivot + 1);
            let row = &above[pivot];
            for other in below {
                let factor = other[pivot] / row[pivot];
                for (cell, value) in other.iter_mut().zip(row).skip(pivot + 1) {
                    *cell -= factor * value;
                }
                other[pivot] = factor;
            }
        }
        Self(rows)
    }

    /// Solves the system of equations with this right side.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for (place, row) in self.0.iter().enumerate() {
            let (known, rest) = solution.split_at_mut(place);
            for (factor, value) in row.iter().zip(known) {
                rest[0] -= factor * *value;
            }
        }
        for (place, row) in self.0.iter().enumerate().rev() {
            let known: f64 = row.iter().zip(&solution).skip(place + 1).map(|(factor, value)| factor * value).sum();
            solution[place] = (solution[place] - known) / row[place];
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::score::elo_of_score;

    fn encounter(a: usize, b: usize, games: u64, points: f64) -> Encounter {
        Encounter { players: [a, b], games, points }
    }

    fn fitted(players: usize, encounters: &[Encounter], anchors: &[(usize, f64)]) -> Result<Vec<f64>, RatingError> {
        Ok(most_likely(players, encounters, anchors)?.elo)
    }

    #[test]
    fn two_players_differ_by_the_elo_of_their_score() {
        // 150 of 200 with half a point of one game added: 150.5 of 201.
        let Likely { elo, information, .. } = most_likely(2, &[encounter(0, 1, 200, 150.0)], &[(1, 1000.0)]).unwrap();
        let score: f64 = 150.5 / 201.0;
        assert!((elo[0] - 1000.0 - elo_of_score(score)).abs() < 1e-6);
        assert_eq!(elo[1].to_bits(), 1000.0_f64.to_bits());
        // The information of n games at score s is n·s·(1-s)/173.7².
        assert!((information[0][0] - 201.0 * score * (1.0 - score) / (SCALE * SCALE)).abs() < 1e-9);
    }

    #[test]
    fn a_factorised_matrix_solves_any_number_of_systems() {
        let matrix = vec![vec![4.0, -1.0, -2.0], vec![-1.0, 3.0, -1.0], vec![-2.0, -1.0, 5.0]];
        let factorised = Factorised::new(matrix.clone());
        for right in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, -2.0, 0.5]] {
            let solution = factorised.solve(&right);
            for (row, right) in matrix.iter().zip(right) {
                let found: f64 = row.iter().zip(&solution).map(|(factor, value)| factor * value).sum();
                assert!((found - right).abs() < 1e-12, "{found} instead of {right}");
            }
        }
    }

    #[test]
    fn true_ratings_are_found_from_the_scores_they_predict() {
        let truth = [0.0, 150.0, 420.0, -80.0, 600.0];
        let pairs = [(0, 1), (1, 2), (0, 3), (2, 4), (1, 4), (3, 2)];
        let games = 10_000_000;
        let encounters: Vec<_> = pairs
            .iter()
            .map(|&(a, b)| encounter(a, b, games, games as f64 * score_of_elo(truth[a] - truth[b])))
            .collect();
        for (elo, truth) in fitted(5, &encounters, &[(0, 0.0)]).unwrap().into_iter().zip(truth) {
            assert!((elo - truth).abs() < 0.01, "{elo} instead of {truth}");
        }
    }

    #[test]
    fn clean_sweeps_stay_finite_and_strangers_are_refused() {
        let sweeps = [encounter(0, 1, 200, 200.0), encounter(1, 2, 200, 200.0)];
        let elo = fitted(3, &sweeps, &[(2, 0.0)]).unwrap();
        assert!(elo[0] > elo[1] + 500.0 && elo[0] < 5000.0);
        assert_eq!(fitted(4, &sweeps, &[(2, 0.0)]), Err(RatingError::Unconnected(3)));
        assert_eq!(fitted(3, &sweeps, &[]), Err(RatingError::NoAnchor));
        assert_eq!(fitted(2, &sweeps, &[(0, 0.0)]), Err(RatingError::Unknown { player: 2, players: 2 }));
    }
}
