//! Small GIPF against another, naive implementation of the rules for boards of any size: on the full board it is compared
//! with the rules of the game itself, on the small one with the toy.

use std::collections::{BTreeMap, BTreeSet};

use gipf_env::toy::{SmallAction, SmallGipf};
use gipf_env::{Action, Env, GipfPosition, Learnable, Phase, Player, Position, StepError, Variant, perft};
use rand::RngExt;

use crate::search::tree::rng;

type Point = (i32, i32);

/// N, NE, SE, S, SW, NW.
const STEPS: [Point; 6] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)];

/// The basic game on a hexagon with this many rings around the centre.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Naive {
    rings: i32,
    row: usize,
    board: BTreeMap<Point, usize>,
    reserves: [usize; 2],
    to_move: usize,
    /// The rows that the player to move may choose from, as the sets that are removed.
    question: Vec<BTreeSet<Point>>,
    before_push: bool,
    lost: bool,
}

fn ring((q, r): Point) -> i32 {
    q.abs().max(r.abs()).max((q - r).abs())
}

fn step((q, r): Point, direction: usize) -> Point {
    (q + STEPS[direction].0, r + STEPS[direction].1)
}

impl Naive {
    fn start(rings: i32, row: usize, board: BTreeMap<Point, usize>, reserve: usize) -> Self {
        let (reserves, question) = ([reserve; 2], Vec::new());
        Self { rings, row, board, reserves, to_move: 0, question, before_push: false, lost: false }
    }

    /// Returns all points, by column, then upwards.
    fn points(&self) -> Vec<Point> {
        let range = -self.rings - 1..=self.rings + 1;
        let all = range.clone().flat_map(|q| range.clone().map(move |r| (q, r)));
        all.filter(|&point| ring(point) <= self.rings + 1).collect()
    }

    fn ray(&self, from: Point, direction: usize) -> Vec<Point> {
        let points = std::iter::successors(Some(step(from, direction)), |&point| Some(step(point, direction)));
        points.take_while(|&point| ring(point) <= self.rings).collect()
    }

    fn entries(&self) -> Vec<Vec<Point>> {
        let dots = self.points().into_iter().filter(|&point| ring(point) > self.rings);
        let rays = dots.flat_map(|dot| (0..6).map(move |direction| (dot, direction)));
        rays.map(|(dot, direction)| self.ray(dot, direction)).filter(|ray| !ray.is_empty()).collect()
    }

    /// Returns the numbers of the legal entries, with each vacant spot only once.
    fn pushes(&self) -> Vec<usize> {
        let mut vacant = BTreeSet::new();
        let is_open = |ray: &Vec<Point>| ray.iter().any(|point| !self.board.contains_key(point));
        let entries = self.entries().into_iter().enumerate().filter(|(_, ray)| is_open(ray));
        entries.filter(|(_, ray)| self.board.contains_key(&ray[0]) || vacant.insert(ray[0])).map(|(n, _)| n).collect()
    }

    /// Returns what is removed with each row of the player to move.
    fn capture_sets(&self) -> BTreeSet<BTreeSet<Point>> {
        let mut sets = BTreeSet::new();
        for (&point, _) in self.board.iter().filter(|(_, owner)| **owner == self.to_move) {
            for direction in 0..3 {
                let run = std::iter::successors(Some(point), |&point| Some(step(point, direction)));
                let own = run.take(self.row).all(|point| self.board.get(&point) == Some(&self.to_move));
                if own {
                    let stands = |point: &Point| self.board.contains_key(point);
                    let towards = |direction| {
                        std::iter::successors(Some(point), move |&point| Some(step(point, direction)))
                            .take_while(stands)
                    };
                    sets.insert(towards(direction).chain(towards(direction + 3)).collect());
                }
            }
        }
        sets
    }

    fn remove(&mut self, set: &BTreeSet<Point>) {
        for point in set {
            let owner = self.board.remove(point).unwrap();
            self.reserves[self.to_move] += usize::from(owner == self.to_move);
        }
    }

    /// Removes rows until the player must choose; returns true when nothing is left to remove.
    fn remove_rows(&mut self) -> bool {
        loop {
            let sets = self.capture_sets();
            let alone = sets.iter().find(|set| sets.iter().all(|other| other == *set || other.is_disjoint(set)));
            let Some(set) = alone.cloned() else {
                self.question = sets.into_iter().collect();
                return self.question.is_empty();
            };
            self.remove(&set);
        }
    }

    fn go_on(&mut self) {
        if !self.before_push {
            if !self.remove_rows() {
                return;
            }
            (self.to_move, self.before_push) = (1 - self.to_move, true);
        }
        if self.remove_rows() {
            self.before_push = false;
            self.lost = self.reserves[self.to_move] == 0;
        }
    }

    /// Returns all positions that the player can move to next.
    fn successors(&self) -> Vec<Self> {
        if self.lost {
            return Vec::new();
        }
        if !self.question.is_empty() {
            return self.question.iter().map(|set| self.after_removal(set)).collect();
        }
        self.pushes().into_iter().map(|entry| self.after_push(entry)).collect()
    }

    fn after_removal(&self, set: &BTreeSet<Point>) -> Self {
        let mut next = self.clone();
        next.remove(set);
        next.go_on();
        next
    }

    fn after_push(&self, entry: usize) -> Self {
        let mut next = self.clone();
        let mut carried = Some(self.to_move);
        for point in &self.entries()[entry] {
            let Some(piece) = carried else { break };
            carried = next.board.insert(*point, piece);
        }
        next.reserves[self.to_move] -= 1;
        next.go_on();
        next
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 { 1 } else { self.successors().iter().map(|next| next.perft(depth - 1)).sum() }
    }

    /// Returns the pieces of White and Black, with a bit for each spot by column, then upwards.
    fn pieces(&self) -> [u64; 2] {
        let spots = self.points().into_iter().filter(|&point| ring(point) <= self.rings).enumerate();
        spots.fold([0; 2], |mut sets, (number, point)| {
            if let Some(&owner) = self.board.get(&point) {
                sets[owner] |= 1 << number;
            }
            sets
        })
    }
}

fn small(pieces: u8) -> (Naive, SmallGipf) {
    (Naive::start(2, 3, BTreeMap::new(), usize::from(pieces)), SmallGipf::starting_with(pieces))
}

/// White e2 b5 h5, Black b2 e8 h2 in the coordinates of the centre.
fn full() -> Naive {
    let corners = [((0, -3), 0), ((-3, 0), 0), ((3, 3), 0), ((-3, -3), 1), ((0, 3), 1), ((3, 0), 1)];
    Naive::start(3, 4, BTreeMap::from(corners), 12)
}

#[test]
fn the_naive_rules_are_those_of_the_basic_game() {
    let start = GipfPosition::start(Variant::BASIC);
    assert_eq!((1..=3).map(|depth| full().perft(depth)).collect::<Vec<_>>(), [30, 924, 29_016]);
    let mut random = rng(31);
    for _ in 0..20 {
        let (mut slow, mut fast) = (full(), start.clone());
        while fast.outcome().is_none() {
            let actions: Vec<_> = fast.legal_actions().collect();
            let action = actions[random.random_range(0..actions.len())];
            slow = match action {
                Action::Push(_, entry) => slow.after_push(entry.index()),
                other => {
                    let Action::TakeRow(line) = other else { panic!("{other}") };
                    let goes = fast.capture_set(line).into_iter().map(gipf_env::geometry::Spot::point);
                    slow.after_removal(&goes.map(|point| (i32::from(point.q), i32::from(point.r))).collect())
                }
            };
            fast.play(action).unwrap();
            if fast.outcome().is_none_or(|outcome| outcome.winner.is_some()) {
                assert_eq!(slow.reserves.map(|reserve| reserve as u8), Player::BOTH.map(|player| fast.reserve(player)));
                assert_eq!(slow.board.len() as u32, fast.board().occupied().count());
                assert_eq!(slow.successors().len(), fast.legal_actions().count(), "{}", fast.to_gpn());
            }
        }
    }
}

#[test]
fn small_gipf_counts_the_games_that_the_naive_rules_count() {
    for pieces in [3, 5] {
        let (slow, fast) = small(pieces);
        for depth in 1..=4 {
            assert_eq!(perft(&fast, depth), slow.perft(depth), "{pieces} pieces, depth {depth}");
        }
    }
}

#[test]
fn small_gipf_plays_as_the_naive_rules_do() {
    let mut random = rng(32);
    let mut choices = 0;
    for pieces in [5, 6, 7, 8, 9].repeat(60) {
        let (mut slow, mut fast) = small(pieces);
        while fast.outcome().is_none() {
            let actions: Vec<_> = fast.legal_actions().collect();
            let action = actions[random.random_range(0..actions.len())];
            fast.play(action).unwrap();
            slow = match action {
                SmallAction::Push(entry) => slow.after_push(usize::from(entry)),
                SmallAction::TakeRow(_) => {
                    choices += 1;
                    let pieces = Player::BOTH.map(|player| u64::from(fast.pieces_of(player)));
                    let mut found = slow.successors().into_iter().filter(|next| next.pieces() == pieces);
                    found.next().expect("the naive rules have this choice too")
                }
            };
            check_same(&slow, &fast);
        }
    }
    assert!(choices > 20, "rows were chosen {choices} times");
}

fn check_same(slow: &Naive, fast: &SmallGipf) {
    let pieces = Player::BOTH.map(|player| u64::from(fast.pieces_of(player)));
    let reserves = Player::BOTH.map(|player| usize::from(fast.reserve(player)));
    assert_eq!((slow.pieces(), slow.reserves), (pieces, reserves));
    if fast.outcome().is_some_and(|outcome| outcome.winner.is_none()) {
        return;
    }
    assert_eq!((slow.lost, slow.to_move), (fast.outcome().is_some(), fast.to_move().index()));
    assert_eq!(slow.successors().len(), fast.num_legal_actions());
    if fast.phase() == Phase::Push && fast.outcome().is_none() {
        let pushes: Vec<_> = slow.pushes().into_iter().map(|entry| SmallAction::Push(entry as u8)).collect();
        assert!(fast.legal_actions().eq(pushes));
    }
}

#[test]
fn pieces_are_conserved_or_captured() {
    let mut random = rng(33);
    for _ in 0..300 {
        let mut position = SmallGipf::starting_with(7);
        let held = |position: &SmallGipf, player| {
            position.pieces_of(player).count_ones() + u32::from(position.reserve(player))
        };
        let mut before = Player::BOTH.map(|player| held(&position, player));
        while position.outcome().is_none() {
            let actions: Vec<_> = position.legal_actions().collect();
            position.play_unchecked(actions[random.random_range(0..actions.len())]);
            let now = Player::BOTH.map(|player| held(&position, player));
            assert!(now[0] <= before[0] && now[1] <= before[1]);
            before = now;
            let keys = (0..position.symmetries()).map(|symmetry| position.transformed(symmetry).canonical_key());
            assert!(keys.into_iter().all(|key| key == position.canonical_key()));
        }
    }
}

/// An action that does not exist on the small board may have the index of one that does.
#[test]
fn an_action_of_another_board_is_refused_and_nothing_changes() {
    let position = SmallGipf::new([0b10_0001_0111, 0], [1, 3]).unwrap();
    let foreign = SmallAction::Push(30);
    assert!(position.action_index(foreign).get() < position.num_actions() && !position.is_legal(foreign));
    let mut env = Env::from_start(position.clone()).unwrap();
    assert!(matches!(env.step_action(foreign), Err(StepError::Illegal(_))));
    assert_eq!(env.position(), &position);
    let legal = position.legal_actions().next().unwrap();
    assert!(env.step_action(legal).is_ok());
}
