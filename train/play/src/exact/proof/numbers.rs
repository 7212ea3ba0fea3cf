//! Proof numbers: estimates of the work left for a question.

/// The infinite number.
pub(super) const INFINITE: u32 = 1 << 30;

/// The proof and the disproof number of a position: the least number of leaves that must still be answered to show that
/// the attacker wins, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// 0 once the attacker is shown to win.
    pub proof: u32,
    /// 0 once the attacker is shown not to win.
    pub disproof: u32,
}

impl Numbers {
    pub(super) const PROVEN: Self = Self { proof: 0, disproof: INFINITE };
    pub(super) const DISPROVEN: Self = Self { proof: INFINITE, disproof: 0 };
    /// No limit.
    pub(super) const UNBOUNDED: Self = Self { proof: INFINITE, disproof: INFINITE };

    pub(super) const fn is_solved(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Returns whether the search should leave the position.
    pub(super) const fn reach(self, limit: Self) -> bool {
        self.proof >= limit.proof || self.disproof >= limit.disproof || self.is_solved()
    }

    /// Returns the numbers exchanged if it is not the attacker's decision: a player to move seeks the least of the
    /// first, and has to add up the second.
    pub(super) const fn for_chooser(self, attacker: bool) -> Self {
        if attacker { self } else { Self { proof: self.disproof, disproof: self.proof } }
    }
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub numbers: Numbers,
    /// Of a proven position: the most decisions until the attacker has won.
    pub distance: u16,
    /// Of a disproven position: the place on the path, from the root, of the first position whose recurrence the
    /// disproof uses, or [`NOTHING`].
    pub depends: u16,
}

/// No place on the path.
pub(super) const NOTHING: u16 = u16::MAX;

impl Default for Known {
    fn default() -> Self {
        Self::open(Numbers { proof: 1, disproof: 1 })
    }
}

impl Known {
    pub const fn proven(distance: u16) -> Self {
        Self { numbers: Numbers::PROVEN, distance, depends: NOTHING }
    }

    pub const fn disproven(depends: u16) -> Self {
        Self { numbers: Numbers::DISPROVEN, distance: 0, depends }
    }

    pub const fn open(numbers: Numbers) -> Self {
        Self { numbers, distance: 0, depends: NOTHING }
    }
}

/// Returns what is known about a position, from what is known about its successors.
///
/// One successor that serves the player to move is enough; where all must be answered, the numbers of all but the
/// hardest count 1 each: successors have much in common, and a sum would count the same work again and again
/// (weak proof numbers; Ueda, Hashimoto, Hashimoto, Iida 2008).
pub(super) fn combined<'a>(attacker: bool, successors: impl Iterator<Item = &'a Known> + Clone) -> Known {
    let seen = |known: &Known| known.numbers.for_chooser(attacker);
    let least = successors.clone().map(|known| seen(known).proof).min().unwrap_or(INFINITE);
    let all = if least == 0 { INFINITE } else { hardest(successors.clone().map(|known| seen(known).disproof)) };
    let numbers = Numbers { proof: least, disproof: all }.for_chooser(attacker);
    let distances = successors.clone().filter(|known| known.numbers.proof == 0).map(|known| known.distance + 1);
    let depends = successors.filter(|known| known.numbers.disproof == 0).map(|known| known.depends);
    match (numbers.proof, numbers.disproof, attacker) {
        (0, _, true) => Known::proven(distances.min().unwrap_or(0)),
        (0, _, false) => Known::proven(distances.max().unwrap_or(0)),
        (_, 0, true) => Known::disproven(depends.min().unwrap_or(NOTHING)),
        (_, 0, false) => Known::disproven(depends.max().unwrap_or(NOTHING)),
        _ => Known::open(numbers),
    }
}

fn hardest(numbers: impl Iterator<Item = u32>) -> u32 {
    let (mut hardest, mut open) = (0, 0);
    for number in numbers.filter(|&number| number > 0) {
        hardest = hardest.max(number);
        open += 1;
    }
    if open == 0 { 0 } else { (hardest + open - 1).min(INFINITE) }
}

/// Returns the successor to visit next, and the limit within which it stays the best.
///
/// A quarter more than the second best may be spent on it, so that the search does not switch between two at each step
/// (Pawlewicz, Lew 2007).
pub(super) fn selected<'a>(
    attacker: bool,
    limit: Numbers,
    successors: impl Iterator<Item = &'a Known> + Clone,
) -> (usize, Numbers) {
    let limit = limit.for_chooser(attacker);
    let (mut best, mut least, mut second) = (0, INFINITE, INFINITE);
    let mut open = 0;
    for (place, known) in successors.enumerate() {
        let numbers = known.numbers.for_chooser(attacker);
        open += u32::from(numbers.disproof > 0);
        if numbers.proof < least {
            (best, least, second) = (place, numbers.proof, least);
        } else {
            second = second.min(numbers.proof);
        }
    }
    let proof = limit.proof.min((second + second / 4 + 1).min(INFINITE));
    let disproof = limit.disproof.saturating_sub(open.saturating_sub(1)).max(1);
    let disproof = if limit.disproof == INFINITE { INFINITE } else { disproof };
    (best, Numbers { proof, disproof }.for_chooser(attacker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_good_successor_is_enough_for_the_player_and_the_other_needs_all() {
        let open = Known::open(Numbers { proof: 3, disproof: 5 });
        let lists = [
            (vec![open, Known::proven(4), Known::proven(2)], Known::proven(3), open),
            (vec![Known::disproven(NOTHING), Known::disproven(2)], Known::disproven(2), Known::disproven(NOTHING)),
            (vec![Known::proven(4), Known::proven(2)], Known::proven(3), Known::proven(5)),
        ];
        for (list, of_attacker, of_defender) in lists {
            assert_eq!(combined(true, list.iter()), of_attacker);
            let found = combined(false, list.iter());
            assert!(found == of_defender || !of_defender.numbers.is_solved() && !found.numbers.is_solved());
        }
        let list = [open, Known::open(Numbers { proof: 2, disproof: 7 }), Known::disproven(NOTHING)];
        assert_eq!(combined(true, list.iter()).numbers, Numbers { proof: 2, disproof: 8 });
        let (best, limit) = selected(true, Numbers { proof: 9, disproof: 20 }, list.iter());
        assert_eq!((best, limit), (1, Numbers { proof: 4, disproof: 19 }));
    }
}
