//! A turn of sections 3 and 5: remove rows, place a piece or jump, remove rows, pass the turn on.

use super::actions::{JUMP, KEEP, LINE, PUSH_GIPF, PUSH_LOADED, TAKE};
use super::geometry::{DIRECTIONS, Point, entries, spots};
use super::piece::{Kind, Piece};
use super::position::{Phase, SlowPosition};
use super::rule_set::Game;

impl SlowPosition {
    /// Plays a legal action, and everything that follows from it without a decision.
    pub fn play(&mut self, action: usize) {
        assert!(self.legal_actions().contains(&action), "action {action} is legal in {}", self.text());
        if self.rules.game == Game::PushOff {
            return self.play_push_off(action);
        }
        match action {
            0..LINE => self.push(Kind::Single, action),
            LINE..KEEP => {
                self.open(action - LINE);
                self.go_on_removing();
            }
            KEEP | TAKE => self.answer(action),
            PUSH_GIPF..PUSH_LOADED => self.push(Kind::Gipf, action - PUSH_GIPF),
            PUSH_LOADED..JUMP => self.push(Kind::Loaded, action - PUSH_LOADED),
            _ => self.jump((action - JUMP) / DIRECTIONS, (action - JUMP) % DIRECTIONS),
        }
    }

    /// Begins the turn of the side to move.
    pub fn begin_turn(&mut self) {
        self.begin_removing(Phase::Pre);
    }

    /// Goes on after the last row of a removal phase: the remover's own loss is decided now.
    pub fn end_removing(&mut self) {
        if self.lacks_gipf(self.side) {
            return self.lose(self.side, "no-gipf");
        }
        match self.phase {
            Phase::Pre => self.begin_push(),
            _ => self.end_turn(),
        }
    }

    fn begin_push(&mut self) {
        self.phase = Phase::Push;
        self.handled.clear();
        let text = self.text();
        self.earlier.push(text.clone());
        self.occurrences = self.earlier.iter().filter(|earlier| **earlier == text).count();
        if self.placements_possible().is_empty() {
            self.lose(self.side, "no-move");
        } else if self.occurrences == 3 {
            self.stop("repetition");
        }
    }

    fn end_turn(&mut self) {
        self.stop_at_limit();
        if self.end.is_none() {
            self.side = self.side.other();
            self.begin_turn();
        }
    }

    fn push(&mut self, kind: Kind, entry: usize) {
        let line = &entries()[entry];
        self.shift(line);
        self.board.insert(line[0], Piece { colour: self.side, kind });
        self.pay(kind);
        self.end_placement();
    }

    /// Makes room on the first spot of a line: each piece moves one step, up to the first vacant spot.
    fn shift(&mut self, line: &[Point]) {
        let gap = line.iter().position(|spot| !self.board.contains_key(spot)).expect("the line has a vacant spot");
        for place in (0..gap).rev() {
            let piece = self.board.remove(&line[place]).expect("no spot before the gap is vacant");
            self.board.insert(line[place + 1], piece);
        }
    }

    /// Takes the cost of a piece from reserve and hand, and ends the rights that bringing it in ends.
    fn pay(&mut self, kind: Kind) {
        let player = self.side.index();
        self.entered[player] = true;
        self.reserve[player] -= kind.basic_pieces();
        match kind {
            Kind::Single => {
                self.gipf_right[player] = false;
                self.potentials[player] = 0;
            }
            Kind::Loaded => {
                self.gipf_right[player] = false;
                self.potentials[player] -= 1;
            }
            Kind::Gipf | Kind::Used => {}
        }
    }

    /// Lets the potential of a loaded piece jump; the basic piece stays.
    fn jump(&mut self, spot: usize, direction: usize) {
        let from = spots()[spot];
        let to = self.landing(from, direction).expect("a legal jump lands");
        self.board.insert(from, Piece { colour: self.side, kind: Kind::Single });
        self.board.insert(to, Piece { colour: self.side, kind: Kind::Used });
        self.end_placement();
    }

    fn end_placement(&mut self) {
        self.placements += 1;
        self.begin_removing(Phase::Post);
    }
}
