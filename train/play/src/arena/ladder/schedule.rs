//! The choice of the next round.

use super::results::{Anchor, Rated, Results};

/// The precision wanted, and its cost limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The players whose games are to be played, by their numbers in the results.
    pub movers: Vec<usize>,
    /// All players available.
    pub present: Vec<usize>,
    /// Half the width wanted for the interval of each mover's distance to its neighbours, in Elo.
    pub margin: f64,
    /// The most games between two players, those of the store included; they are played in pairs.
    pub games: u64,
    /// The anchor's number.
    pub anchor: usize,
    /// The anchor's rating.
    pub elo: f64,
    /// The number of openings; two players never meet twice in one.
    pub openings: usize,
}

/// The pairs of games that are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The players.
    pub players: [usize; 2],
    /// The number of openings that they play with both colours.
    pub pairs: usize,
}

/// The pairs of a round: few while hardly anything is known.
const PAIRS: usize = 16;
const TRIAL_PAIRS: usize = 4;
/// The margin in Elo above which hardly anything is known.
const UNSURE: f64 = 200.0;

impl Goal {
    /// Returns the goal without a mover, for the anchor's number and rating.
    pub fn new(anchor: &Anchor, number: usize, openings: usize) -> Self {
        let (movers, present) = (Vec::new(), Vec::new());
        Self { movers, present, margin: 40.0, games: 400, anchor: number, elo: anchor.elo, openings }
    }

    /// Returns the number of pairs that two players may still play.
    pub(super) fn left(&self, players: [usize; 2], results: &Results) -> usize {
        let most = self.openings.min((self.games / 2) as usize);
        most.saturating_sub(results.pairs_between(players).pairs() as usize)
    }
}

/// Returns the round that is due, if there is one.
///
/// Players without a rating come first, and begin with the player in the middle of the ladder. Then neighbours play: of
/// all adjacent players, at least one of them a mover, whose distance is not yet known well enough, the two that have
/// met least. So all distances are known about equally well at any time, and a newcomer moves to its place. Games
/// between players further apart would depend on a few upsets, and on the model being right about them.
pub fn next_round(goal: &Goal, results: &Results) -> Option<Round> {
    let rated = results.rated((goal.anchor, goal.elo));
    let mut ladder: Vec<_> = goal.present.iter().filter_map(|&player| Some((player, rated.place(player)?))).collect();
    ladder.sort_by(|a, b| rated.fit.elo(a.1).total_cmp(&rated.fit.elo(b.1)));
    let mut strangers = goal.movers.iter().filter(|&&mover| rated.place(mover).is_none());
    strangers.find_map(|&stranger| first_round(goal, results, stranger, &ladder)).or_else(|| {
        let pairs = ladder.windows(2).map(|next| [next[0], next[1]]);
        let due = pairs.filter_map(|neighbours| round_between(goal, results, neighbours, &rated));
        due.min_by_key(|round| results.pairs_between(round.players).pairs())
    })
}

/// Half of the rated players lie on either side of the first opponent, as in a binary search.
fn first_round(goal: &Goal, results: &Results, stranger: usize, ladder: &[(usize, usize)]) -> Option<Round> {
    let &(opponent, _) = ladder.get(ladder.len() / 2)?;
    let players = [stranger, opponent];
    let pairs = TRIAL_PAIRS.min(goal.left(players, results));
    (pairs > 0).then_some(Round { players, pairs })
}

/// Returns the round between two neighbours, given with their places in the fit, if one is needed.
fn round_between(goal: &Goal, results: &Results, [a, b]: [(usize, usize); 2], rated: &Rated) -> Option<Round> {
    let (players, margin) = ([a.0, b.0], rated.fit.margin_between(a.1, b.1));
    let left = goal.left(players, results);
    let wanted = margin > goal.margin && players.iter().any(|player| goal.movers.contains(player));
    let strange = margin > UNSURE && results.pairs_between(players).pairs() < PAIRS as u64;
    let pairs = if strange { TRIAL_PAIRS } else { PAIRS }.min(left);
    (wanted && pairs > 0).then_some(Round { players, pairs })
}
