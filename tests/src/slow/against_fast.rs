//! The rules against their slow implementation, at every decision of random games.
//!
//! `GIPF_SLOW_DECISIONS` sets how many decisions are compared in each rule set, `GIPF_SLOW_SEED` in which games.

use std::collections::BTreeMap;

use gipf_env::rules::Opening;
use gipf_env::{Action, ActionIndex, GipfPosition, Player, Position, Setup, Variant};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::slow::geometry::entries;
use crate::slow::starts::constructed;
use crate::slow::view::{View, player};
use crate::slow::{self, Colour, RuleSet, Settings, SlowPosition};
use crate::wishes;

const DECISIONS: usize = 20_000;

/// How the actions of a game are chosen.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Each action with the same probability.
    Uniform,
    /// Actions after which few pieces and many rows are left.
    Removing,
    /// Actions that bring in pieces that may be spared, and spare them.
    Sparing,
    /// Pushes of each player always at the same place, so that positions recur.
    Stubborn([usize; 2]),
}

/// A game played by both implementations. When a test fails, it prints how to reach the position.
struct Game {
    start: String,
    limit: Option<u16>,
    actions: Vec<usize>,
    slow: SlowPosition,
    fast: GipfPosition,
}

impl Drop for Game {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self { start, limit, actions, slow, .. } = self;
            eprintln!("from {start:?}, limit {limit:?}, after {actions:?}, at {:?}", slow.text());
        }
    }
}

impl Game {
    /// Begins a game from the start of the rule set, with random settings.
    fn from_start(variant: Variant, limit: u16, rng: &mut ChaCha8Rng) -> Self {
        let mut settings = Settings::of(RuleSet::named(&variant.to_string()).unwrap());
        let mut setup = Setup::start(variant).with_placement_limit(Some(limit));
        settings.placement_limit = Some(limit.into());
        if variant == Variant::BASIC && rng.random() {
            let reserves = [rng.random_range(12..=15), rng.random_range(12..=15)];
            setup = setup.with_reserves(reserves).unwrap();
            settings.reserves = reserves.map(i32::from);
        }
        if variant.has_zertz() && rng.random() {
            let potentials = rng.random_range(3..=6);
            setup = setup.with_potentials(potentials).unwrap();
            settings.potentials = potentials.into();
        }
        Self::of(&setup, SlowPosition::start(settings))
    }

    /// Begins a game from a constructed position.
    fn from_constructed(variant: Variant, limit: u16, rng: &mut ChaCha8Rng) -> Self {
        Self::from_text(&constructed(variant, rng), limit)
    }

    fn from_text(text: &str, limit: u16) -> Self {
        let setup = text.parse::<Setup>().unwrap().with_placement_limit(Some(limit));
        Self::of(&setup, SlowPosition::read(text, Some(limit.into())).unwrap())
    }

    fn of(setup: &Setup, slow: SlowPosition) -> Self {
        let fast = GipfPosition::from_setup(setup).unwrap();
        Self { start: setup.to_string(), limit: setup.placement_limit, actions: Vec::new(), slow, fast }
    }

    /// Compares the implementations, and checks the position against values that are recomputed from its parts.
    fn check(&self, material: [i32; 2]) {
        assert_eq!(View::of_fast(&self.fast), View::of_slow(&self.slow), "fast (left) and slow (right)");
        self.fast.validate().unwrap();
        for colour in [Colour::White, Colour::Black] {
            let had = material[colour.index()];
            let lost = had - self.slow.material(colour);
            if self.fast.variant().is_push_off() {
                assert_eq!(lost, 0, "in push-off nothing is lost");
            } else {
                let (board, reserve) = (self.fast.board(), self.fast.reserve(player(colour)));
                let has = board.material(player(colour)) + reserve;
                assert_eq!(had - i32::from(has), lost, "pieces lost by {colour:?}");
            }
        }
        let turn_begins = self.slow.phase != slow::Phase::Post && self.slow.handled.is_empty();
        if turn_begins && self.slow.pending.is_empty() && self.slow.end.is_none() {
            self.check_text();
        }
    }

    /// Checks at the start of a turn that the text and the key of the position fit its parts.
    fn check_text(&self) {
        let text = self.slow.text();
        assert_eq!(self.fast.to_gpn(), text);
        // When the text is read, a row left standing is asked about again.
        let row_stands = self.slow.phase == slow::Phase::Push && !self.slow.rows_to_handle().is_empty();
        let is_push_off = self.fast.variant().is_push_off();
        if is_push_off || !row_stands {
            let read = GipfPosition::from_gpn(&text).unwrap();
            read.validate().unwrap();
            assert_eq!(read.key(), self.fast.key(), "equal positions have equal keys");
            assert!(read.legal_actions().eq(self.fast.legal_actions()));
        }
    }

    fn play(&mut self, action: usize) {
        self.actions.push(action);
        self.fast.play(Action::from_index(ActionIndex(action as u16)).unwrap()).unwrap();
        self.slow.play(action);
    }

    fn choose(&self, manner: Manner, rng: &mut ChaCha8Rng) -> usize {
        let legal = self.slow.legal_actions();
        let any = |rng: &mut ChaCha8Rng| *legal.choose(rng).expect("the game is not over");
        match manner {
            Manner::Uniform => any(rng),
            Manner::Removing => {
                let tried: Vec<_> = (0..12).map(|_| any(rng)).collect();
                tried.into_iter().min_by_key(|action| self.pieces_after(*action)).unwrap()
            }
            Manner::Sparing if legal.contains(&slow::KEEP) && rng.random_bool(0.8) => slow::KEEP,
            Manner::Sparing => {
                let special = legal.iter().copied().filter(|action| *action >= slow::PUSH_GIPF).choose(rng);
                special.filter(|_| rng.random_bool(0.7)).unwrap_or_else(|| any(rng))
            }
            Manner::Stubborn(favourites) => Self::choose_again(favourites[self.slow.side.index()], &legal),
        }
    }

    /// Returns the favourite push of a player, or another one onto the same spot; keeps all that may be kept.
    fn choose_again(favourite: usize, legal: &[usize]) -> usize {
        let entries = entries();
        let onto_same = (0..entries.len()).filter(|entry| entries[*entry][0] == entries[favourite][0]);
        let mut wanted = [favourite, slow::KEEP].into_iter().chain(onto_same);
        wanted.find(|action| legal.contains(action)).unwrap_or(legal[0])
    }

    /// Returns the number of pieces after an action less that of rows: low where much was removed or is about to be.
    fn pieces_after(&self, action: usize) -> i32 {
        let mut next = self.fast.clone();
        next.play_unchecked(Action::from_index(ActionIndex(action as u16)).unwrap());
        let rows: usize = Player::BOTH.into_iter().map(|player| next.rows_of(player).count()).sum();
        next.board().occupied().count() as i32 - rows as i32
    }
}

/// How often each family of actions was played, each reason ended a game, and so on.
type Tally = BTreeMap<&'static str, usize>;

fn family(action: usize) -> &'static str {
    match action {
        0..slow::LINE => "push",
        slow::LINE..slow::KEEP => "line",
        slow::KEEP | slow::TAKE => "spare",
        slow::PUSH_GIPF..slow::PUSH_LOADED => "gipf",
        slow::PUSH_LOADED..slow::JUMP => "loaded",
        slow::JUMP..slow::LEAVE => "jump",
        _ => "sides",
    }
}

/// Returns what must have come up for the comparison of a rule set to mean something.
fn expected(variant: Variant) -> Vec<&'static str> {
    let cases = [
        (true, &["push", "limit"][..]),
        (variant.has_spared_pieces(), &["spare"]),
        (variant.has_gipfs(), &["no-gipf"]),
        (variant.opening() == Opening::Tournament, &["gipf"]),
        (variant.has_zertz(), &["loaded", "jump"]),
        (variant.is_push_off(), &["sides", "pass"]),
        (!variant.is_push_off(), &["line", "no-move", "repetition"]),
    ];
    cases.into_iter().filter(|(has, _)| *has).flat_map(|(_, names)| names).copied().collect()
}

/// Plays a game to its end, comparing at each decision.
fn compare_game(mut game: Game, manner: Manner, rng: &mut ChaCha8Rng, tally: &mut Tally) -> usize {
    let material = [Colour::White, Colour::Black].map(|colour| game.slow.material(colour));
    game.check(material);
    while game.slow.end.is_none() {
        let (side, action) = (game.slow.side, game.choose(manner, rng));
        game.play(action);
        game.check(material);
        *tally.entry(family(action)).or_default() += 1;
        let pushes_again = game.slow.side == side && game.slow.phase == slow::Phase::Push;
        if game.slow.end.is_none() && pushes_again && game.slow.rules.game == slow::Game::PushOff {
            *tally.entry("pass").or_default() += 1;
        }
    }
    *tally.entry(game.slow.end.unwrap().reason).or_default() += 1;
    game.actions.len()
}

fn compare(variant: Variant) {
    let wanted = wishes::number("GIPF_SLOW_DECISIONS").unwrap_or(DECISIONS);
    let seed = wishes::number("GIPF_SLOW_SEED").unwrap_or(61);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tally = Tally::new();
    let (mut decisions, mut games) = (0, 0);
    while decisions < wanted {
        let favourites = [rng.random_range(0..entries().len()), rng.random_range(0..entries().len())];
        let manners = [Manner::Uniform, Manner::Removing, Manner::Sparing, Manner::Stubborn(favourites)];
        let limit = *[rng.random_range(1..=60), 150].choose(&mut rng).unwrap();
        let begin = if rng.random() { Game::from_start } else { Game::from_constructed };
        let game = begin(variant, limit, &mut rng);
        decisions += compare_game(game, manners[games % manners.len()], &mut rng, &mut tally);
        games += 1;
    }
    println!("{variant}: {decisions} decisions of {games} games agree: {tally:?}");
    for name in expected(variant) {
        assert!(tally.contains_key(name), "{variant}: {name} has come up");
    }
}

/// Each row along one direction has lost all its pieces to the rows that cross it before it is evaluated; a black piece
/// stands next to the first of them.
#[test]
fn rows_of_push_off_whose_pieces_are_all_gone_are_evaluated_alike() {
    for side in ["w", "b"] {
        let start = Game::from_text(&format!("push-off SSSS/1SSSS/2SSSS/3SSSS/3s2/GG3/g3 {side} 2 17 - 0 0"), 1);
        let mut asked = 0;
        for first in start.slow.legal_actions() {
            for second in [slow::LEAVE, slow::REMOVE] {
                let mut game = Game::from_text(&start.start, 1);
                let material = [Colour::White, Colour::Black].map(|colour| game.slow.material(colour));
                game.play(first);
                game.check(material);
                if game.slow.board.len() == 5 && game.slow.legal_actions().contains(&second) {
                    asked += 1;
                    game.play(second);
                    game.check(material);
                }
            }
        }
        assert!(asked > 0, "a push leaves all rows standing");
    }
}

#[test]
fn basic_is_played_as_its_text_says() {
    compare(Variant::BASIC);
}

#[test]
fn standard_is_played_as_its_text_says() {
    compare(Variant::STANDARD);
}

#[test]
fn tournament_is_played_as_its_text_says() {
    compare(Variant::TOURNAMENT);
}

#[test]
fn basic_with_potentials_is_played_as_its_text_says() {
    compare(Variant::BASIC.with_zertz());
}

#[test]
fn standard_with_potentials_is_played_as_its_text_says() {
    compare(Variant::STANDARD.with_zertz());
}

#[test]
fn tournament_with_potentials_is_played_as_its_text_says() {
    compare(Variant::TOURNAMENT.with_zertz());
}

#[test]
fn push_off_is_played_as_its_text_says() {
    compare(Variant::PUSH_OFF);
}
