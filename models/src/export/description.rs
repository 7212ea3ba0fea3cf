//! What the planes and the actions of a rule set are, in words that travel with an exported network.

use gipf_env::rules::Opening;
use gipf_env::{Action, ActionIndex, Variant};

/// Returns what each plane of an observation of a rule set shows, in order.
pub(crate) fn planes(variant: Variant) -> Vec<&'static str> {
    let mut planes = vec!["own singles", "opponent's singles"];
    if variant.has_gipfs() {
        planes.extend(["own GIPF-pieces", "opponent's GIPF-pieces"]);
    }
    if variant.has_zertz() {
        planes.extend(["own loaded pieces", "opponent's loaded pieces"]);
        planes.extend(["own used potentials", "opponent's used potentials"]);
    }
    planes.push(if variant.is_push_off() {
        "rows to be evaluated, that in hand while the pieces at its ends are asked about: (N + 2 NE + 4 SE) / 7, negative on the \
         opponent's"
    } else {
        "lines handled in this removal phase: (N + 2 NE + 4 SE) / 7"
    });
    if variant.has_spared_pieces() {
        planes.push("pieces still to be asked about: 1 for each in question, 1/2 for the others");
    }
    planes.extend(["own reserve / 18", "opponent's reserve / 18", "phase: -1 pre, 0 push, +1 post"]);
    if !variant.is_push_off() {
        planes.push("earlier occurrences of the position / 2, in phase push");
    }
    planes.push("placement limit: 16 / (15 + placements left), 0 without a limit");
    if variant.opening() == Opening::Tournament {
        planes.extend(["own right to bring in GIPF-pieces", "opponent's right to bring in GIPF-pieces"]);
    }
    if variant.has_zertz() {
        planes.extend(["own potentials in hand / 6", "opponent's potentials in hand / 6"]);
    }
    if variant.is_push_off() {
        planes.push("whose turn it is: +1 one's own, -1 the opponent's");
    }
    planes
}

/// Returns what each action of a rule set does, in order; empty for numbers that no action has.
pub(crate) fn actions(variant: Variant) -> Vec<String> {
    let space = variant.action_space();
    let all = (0..space.size()).map(|index| Action::from_index(ActionIndex(index as u16)));
    let named = |action: Option<Action>| action.filter(|&action| space.has(action)).map(|action| action.to_string());
    all.map(|action| named(action).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use gipf_env::{GipfPosition, Position};

    use super::*;

    #[test]
    fn every_plane_and_every_action_has_its_words() {
        for variant in Variant::ALL {
            let start = GipfPosition::start(variant);
            assert_eq!(planes(variant).len(), start.observation_layout().planes(), "{variant}");
            let actions = actions(variant);
            assert_eq!(actions.len(), start.num_actions());
            for action in start.legal_actions() {
                assert_eq!(actions[action.index().get()], action.to_string());
            }
        }
    }
}
