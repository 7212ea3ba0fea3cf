//! Games of checkpoints against judges within their reach, and the ratings that follow.

use gipf_play::Stop;
use gipf_play::arena::Book;
use gipf_play::arena::ladder::{Head, Meeting, Member, PairedEncounter, RatingFit, Results, Store, StoreError};

use super::judges::{JudgeKind, Pool};
use super::result::{KindRatings, Rating};

/// The judges as a checkpoint sees them: what is known of each, and how often they have met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opponents {
    /// What it plays with.
    pub kind: JudgeKind,
    /// Its rating.
    pub elo: f64,
    /// The pairs played against it.
    pub pairs: usize,
    /// The pairs that may still be played: two players never meet twice in one opening.
    pub left: usize,
}

/// A judge further away than this is met only where there is no nearer one of its kind.
const REACH: f64 = 300.0;
/// The pairs of a meeting, while hardly anything is known and then.
const TRIAL_PAIRS: usize = 4;
const PAIRS: usize = 8;
/// The pairs until something is known.
const KNOWN: usize = 16;

/// Returns the place of the judge that a checkpoint with this estimate meets next, and for how many pairs, of `left` in
/// all; none if no games are left.
///
/// Both kinds of judges get as many pairs, and those within reach of the estimate as many each.
pub fn next_meeting(judges: &[Opponents], estimate: f64, left: usize) -> Option<(usize, usize)> {
    let played = |kind| judges.iter().filter(|judge| judge.kind == kind).map(|judge| judge.pairs).sum::<usize>();
    let distance = |judge: &Opponents| (judge.elo - estimate).abs();
    let open = |kind: JudgeKind| {
        let of_kind = judges.iter().enumerate().filter(move |(_, judge)| judge.kind == kind && judge.left > 0);
        of_kind.min_by(|(_, a), (_, b)| {
            let far = [a, b].map(|judge| distance(judge).max(REACH));
            far[0].total_cmp(&far[1]).then(a.pairs.cmp(&b.pairs)).then(distance(a).total_cmp(&distance(b)))
        })
    };
    let mut kinds = JudgeKind::ALL;
    kinds.sort_by_key(|&kind| played(kind));
    let (place, judge) = kinds.into_iter().find_map(open)?;
    let all: usize = judges.iter().map(|judge| judge.pairs).sum();
    let pairs = if all < KNOWN { TRIAL_PAIRS } else { PAIRS }.min(judge.left).min(left);
    (pairs > 0).then_some((place, pairs))
}

/// The games of all checkpoints, kept in a file as those of a ladder.
pub struct Judging<'a> {
    /// The judges.
    pub pool: &'a Pool,
    /// The openings.
    pub book: &'a Book,
    /// The file.
    pub store: Store,
    /// The version of the program, kept with the games.
    pub program: &'a str,
}

impl Judging<'_> {
    /// Returns the common settings of all games from a book.
    pub fn head(book: &Book) -> Head {
        Head::new(book, 0)
    }

    /// Plays a checkpoint against judges until it has had its pairs of games, those of the file included; false if a
    /// stop was requested before. `start` is where it is expected to be.
    ///
    /// # Errors
    /// If the games cannot be kept.
    pub fn play(&mut self, player: &Member, start: f64, pairs: usize, stop: &Stop) -> Result<bool, StoreError> {
        loop {
            let mut results = Results::of(self.store.series());
            let numbers: Vec<_> = self.pool.judges.iter().map(|judge| results.number_of(&judge.member.id)).collect();
            let own = results.number_of(&player.id);
            let judges = numbers.iter().zip(&self.pool.judges).map(|(&number, judge)| {
                let met = results.pairs_between([own, number]).pairs() as usize;
                Opponents { kind: judge.kind, elo: judge.elo, pairs: met, left: self.book.len() - met }
            });
            let judges: Vec<_> = judges.collect();
            let played: usize = judges.iter().map(|judge| judge.pairs).sum();
            let ratings = self.ratings(&[player]);
            let estimate = ratings.first().and_then(|ratings| ratings.all).map_or(start, |rating| rating.elo);
            let Some((judge, pairs)) = next_meeting(&judges, estimate, pairs.saturating_sub(played)) else {
                return Ok(true);
            };
            let meeting =
                Meeting { head: self.store.head(), book: self.book, program: self.program, tick: &|| (), stop };
            let series = meeting.play([player, &self.pool.judges[judge].member], &results, pairs);
            // A meeting cut short would be gone on with in other openings: it is played again whole.
            let Some(series) = series.filter(|_| !stop.requested()) else { return Ok(false) };
            self.store.add(series)?;
        }
    }

    /// Returns the ratings of players by one fit over all their games against the judges, whose ratings are given; and
    /// by one fit for each kind of judges.
    pub fn ratings(&self, players: &[&Member]) -> Vec<KindRatings> {
        let [all, alpha_beta, network] =
            [&JudgeKind::ALL[..], &[JudgeKind::AlphaBeta], &[JudgeKind::Network]].map(|kinds| self.fit(players, kinds));
        let both = all.into_iter().zip(alpha_beta).zip(network);
        both.map(|((all, alpha_beta), network)| KindRatings { all, alpha_beta, network }).collect()
    }

    /// Rates players by their games against judges of these kinds; none without games.
    fn fit(&self, players: &[&Member], kinds: &[JudgeKind]) -> Vec<Option<Rating>> {
        let results = Results::of(self.store.series());
        let judges: Vec<_> = self.pool.judges.iter().filter(|judge| kinds.contains(&judge.kind)).collect();
        let anchors: Vec<_> = judges.iter().enumerate().map(|(place, judge)| (place, judge.elo)).collect();
        let (mut encounters, mut places) = (Vec::new(), Vec::new());
        for player in players {
            let (place, mut games) = (judges.len() + places.iter().flatten().count(), 0);
            for (judge, known) in judges.iter().enumerate() {
                let numbers = results.find(&player.id).zip(results.find(&known.member.id));
                let pairs = numbers.map(|(own, other)| results.pairs_between([own, other])).unwrap_or_default();
                if pairs.pairs() > 0 {
                    encounters.push(PairedEncounter { players: [place, judge], pairs });
                    games += 2 * pairs.pairs();
                }
            }
            places.push((games > 0).then_some((place, games)));
        }
        let rated = places.iter().flatten().count();
        let fit = RatingFit::with_anchors(judges.len() + rated, &encounters, &anchors);
        let fit = fit.ok().filter(|_| rated > 0);
        let rating = |(place, games): (usize, u64)| {
            fit.as_ref().map(|fit| Rating { elo: fit.elo(place), margin: fit.margin(place), games })
        };
        places.into_iter().map(|place| place.and_then(rating)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judges() -> Vec<Opponents> {
        let judge = |kind, elo| Opponents { kind, elo, pairs: 0, left: 256 };
        let alpha_beta = [1000.0, 1500.0, 1900.0, 2100.0, 2400.0].map(|elo| judge(JudgeKind::AlphaBeta, elo));
        alpha_beta.into_iter().chain([900.0, 1600.0, 2000.0].map(|elo| judge(JudgeKind::Network, elo))).collect()
    }

    /// Plays a schedule whose estimate is always this.
    fn schedule(estimate: f64, pairs: usize) -> Vec<Opponents> {
        let mut judges = judges();
        loop {
            let played: usize = judges.iter().map(|judge| judge.pairs).sum();
            let Some((place, pairs)) = next_meeting(&judges, estimate, pairs - played) else { return judges };
            judges[place].pairs += pairs;
            judges[place].left -= pairs;
        }
    }

    #[test]
    fn judges_within_reach_of_both_kinds_get_as_many_games() {
        let met: Vec<_> = schedule(1950.0, 100).iter().map(|judge| judge.pairs).collect();
        assert_eq!(met.iter().sum::<usize>(), 100);
        assert_eq!((met[0], met[1], met[4], met[5], met[6]), (0, 0, 0, 0, 0), "out of reach: {met:?}");
        assert!(met[2].abs_diff(met[3]) <= PAIRS && met[2] + met[3] >= 44 && met[7] >= 44, "{met:?}");
    }

    #[test]
    fn without_a_judge_within_reach_the_nearest_is_met() {
        let met: Vec<_> = schedule(3000.0, 40).iter().map(|judge| judge.pairs).collect();
        assert_eq!(met.iter().filter(|&&pairs| pairs > 0).count(), 2, "{met:?}");
        assert!(met[4] >= 16 && met[7] >= 16, "{met:?}");
    }

    #[test]
    fn no_opening_is_played_twice() {
        let mut judges = judges();
        for judge in &mut judges {
            judge.left = 0;
        }
        assert_eq!(next_meeting(&judges, 1500.0, 10), None);
        judges[3].left = 2;
        assert_eq!(next_meeting(&judges, 1500.0, 10), Some((3, 2)));
        assert_eq!(next_meeting(&judges, 1500.0, 0), None);
    }
}
