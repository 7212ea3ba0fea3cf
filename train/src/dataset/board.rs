//! The pieces on the spots as bytes.

use gipf_env::geometry::{SPOTS, Spot};
use gipf_env::rules::Kind;
use gipf_env::{GipfPosition, Player};

/// The number of codes: vacant, and four kinds of pieces for each player.
pub(super) const CODES: u8 = 9;

/// Returns a byte for each spot, in the order of their numbers: 0 is vacant, 1 to 4 are White's pieces in the order of
/// [`Kind::ALL`], 5 to 8 Black's.
pub(super) fn codes(position: &GipfPosition) -> [u8; SPOTS] {
    std::array::from_fn(|index| position.board().piece_at(Spot::from_index(index)).map_or(0, code))
}

fn code((player, kind): (Player, Kind)) -> u8 {
    let kind = Kind::ALL.iter().position(|&other| other == kind).expect("all kinds are listed");
    (1 + Kind::ALL.len() * player.index() + kind) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spot_has_its_piece_in_the_order_of_the_position_text() {
        // Its position text is g2G/5/6/G5g/6/5/g2G.
        let codes = codes(&GipfPosition::start(gipf_env::Variant::STANDARD));
        assert_eq!([codes[0], codes[3], codes[15], codes[21], codes[33], codes[36]], [6, 2, 2, 6, 6, 2]);
        assert_eq!(codes.iter().map(|&code| u32::from(code)).sum::<u32>(), 3 * (2 + 6), "all others are vacant");
        assert!(codes.iter().all(|&code| code < CODES));
    }
}
