//! What the players have off the board.

use serde::{Deserialize, Serialize};

use crate::action::Pushed;
use crate::position::Player;
use crate::rules::setup::Setup;

/// A byte for each fact and player, White's below Black's, in one word, which the key uses as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Hands(u64);

/// The places of White's bytes.
const RESERVE: u32 = 0;
const POTENTIALS: u32 = 16;
const GIPF_RIGHT: u32 = 32;
const ENTERED: u32 = 48;

/// The lowest bit of White's byte; a player's byte lies `shift(player)` bits higher.
const fn unit(place: u32) -> u64 {
    1 << place
}

#[inline]
const fn shift(player: Player) -> u32 {
    8 * player as u32
}

impl Hands {
    pub fn of(setup: &Setup) -> Self {
        let bytes = |player: Player| {
            let index = player.index();
            let white = u64::from(setup.reserves[index]) * unit(RESERVE)
                + u64::from(setup.potentials[index]) * unit(POTENTIALS)
                + u64::from(setup.gipf_rights[index]) * unit(GIPF_RIGHT)
                + u64::from(setup.has_entered(player)) * unit(ENTERED);
            white << shift(player)
        };
        Self(bytes(Player::White) | bytes(Player::Black))
    }

    #[inline]
    pub const fn reserve(self, player: Player) -> u8 {
        self.byte(RESERVE, player)
    }

    #[inline]
    pub const fn potentials(self, player: Player) -> u8 {
        self.byte(POTENTIALS, player)
    }

    #[inline]
    pub const fn gipf_right(self, player: Player) -> bool {
        self.byte(GIPF_RIGHT, player) != 0
    }

    /// Returns whether the player has brought in their first piece: only then can they lose by having no GIPF-piece.
    #[inline]
    pub const fn entered(self, player: Player) -> bool {
        self.byte(ENTERED, player) != 0
    }

    /// Takes the cost of a placement: a single also ends the entry of potentials, and any piece but a GIPF-piece ends
    /// the entry of GIPF-pieces.
    #[inline]
    pub const fn bring_in(&mut self, player: Player, pushed: Pushed) {
        let (ended, spent) = match pushed {
            Pushed::Single => (0xff * unit(POTENTIALS) + unit(GIPF_RIGHT), unit(RESERVE)),
            Pushed::Gipf => (0, 2 * unit(RESERVE)),
            Pushed::Loaded => (unit(GIPF_RIGHT), unit(RESERVE) + unit(POTENTIALS)),
        };
        let shift = shift(player);
        self.0 = (self.0 & !(ended << shift) | unit(ENTERED) << shift) - (spent << shift);
    }

    #[inline]
    pub const fn give_back(&mut self, player: Player, pieces: u32) {
        self.0 += (pieces as u64 * unit(RESERVE)) << shift(player);
    }

    /// Returns the word with the players exchanged.
    pub const fn swapped(self) -> Self {
        const WHITE: u64 = 0x00ff_00ff_00ff_00ff;
        Self((self.0 & WHITE) << 8 | self.0 >> 8 & WHITE)
    }

    /// Returns whether the flags are 0 or 1, and every player who must have brought in a piece according to this setup has.
    pub fn agrees_with(self, setup: &Setup) -> bool {
        let of = |player| {
            let flags = [GIPF_RIGHT, ENTERED].map(|place| self.byte(place, player));
            flags.iter().all(|&flag| flag <= 1) && (self.entered(player) || !setup.has_entered(player))
        };
        Player::BOTH.into_iter().all(of)
    }

    #[inline]
    pub const fn word(self) -> u64 {
        self.0
    }

    #[inline]
    const fn byte(self, place: u32, player: Player) -> u8 {
        (self.0 >> (place + shift(player))) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn each_byte_is_that_of_its_player() {
        let start = Setup::start(Variant::TOURNAMENT.with_zertz());
        let mut hands = Hands::of(&Setup { reserves: [18, 17], potentials: [3, 4], ..start });
        hands.bring_in(Player::Black, Pushed::Gipf);
        hands.bring_in(Player::Black, Pushed::Loaded);
        hands.give_back(Player::White, 2);
        let facts = |hands: Hands, player| {
            (hands.reserve(player), hands.potentials(player), hands.gipf_right(player), hands.entered(player))
        };
        assert_eq!(facts(hands, Player::White), (20, 3, true, false));
        assert_eq!(facts(hands, Player::Black), (14, 3, false, true));
        assert_eq!(facts(hands.swapped(), Player::White), facts(hands, Player::Black));
        hands.bring_in(Player::White, Pushed::Single);
        assert_eq!(facts(hands, Player::White), (19, 0, false, true));
        assert_eq!(facts(hands, Player::Black), (14, 3, false, true));
    }

    #[test]
    fn hands_agree_with_a_setup_unless_a_flag_is_none_or_somebody_on_the_board_never_entered() {
        let setup = Setup::start(Variant::STANDARD);
        let hands = Hands::of(&setup);
        assert!(hands.agrees_with(&setup));
        assert!(!Hands(hands.0 & !unit(ENTERED)).agrees_with(&setup));
        for place in [GIPF_RIGHT, ENTERED] {
            assert!(!Hands(hands.0 | unit(place + 1) << shift(Player::Black)).agrees_with(&setup));
        }
    }
}
