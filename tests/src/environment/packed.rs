//! Observations in bytes and bits say the same as those in floats, to the last bit.

use gipf_env::binary_planes::{self, Packing};
use gipf_env::{
    ActionIndex, EnvOptions, GipfPosition, PackedOutputs, Position, Setup, Variant, VecEnv, VecGames, VecOutputs,
    VecStepError,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::observation::each_decision;

const PACKINGS: [Packing; 2] = [Packing::Bytes, Packing::Bits];

fn bits_of(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Returns the truth values of a packed mask.
fn mask_of(packing: Packing, packed: &[u8], actions: usize) -> Vec<bool> {
    let entry = |action: usize| match packing {
        Packing::Bytes => packed[action],
        Packing::Bits => packed[action / 8] >> (action % 8) & 1,
    };
    (0..actions).map(|action| entry(action) == 1).collect()
}

/// Compares the float observation of a position with the packed one.
fn check(position: &GipfPosition, packing: Packing) {
    let variant = position.variant();
    let (size, actions) = (position.observation_layout().size(), position.num_actions());
    let (mut floats, mut mask) = (vec![f32::NAN; size], vec![false; actions]);
    position.observe(&mut floats);
    position.action_mask(&mut mask);
    let mut planes = vec![0xaa; binary_planes::count(variant) * packing.plane()];
    let mut scalars = vec![f32::NAN; binary_planes::scalars(variant)];
    let mut packed_mask = vec![0xaa; packing.mask(actions)];
    binary_planes::observe(position, packing, &mut planes, &mut scalars);
    binary_planes::write_mask(position, packing, &mut packed_mask);
    let highest = if packing == Packing::Bytes { 1 } else { 0x7f };
    assert!(planes.iter().all(|&byte| byte <= highest), "{position:?}");
    let mut unpacked = vec![f32::NAN; size];
    binary_planes::unpack(variant, packing, &planes, &scalars, &mut unpacked);
    assert_eq!(bits_of(&unpacked), bits_of(&floats), "{packing:?}: {position:?}");
    assert_eq!(mask_of(packing, &packed_mask, actions), mask, "{packing:?}: {position:?}");
}

#[test]
fn all_forms_say_the_same() {
    for variant in Variant::ALL {
        let (mut marked, mut all) = (0, 0);
        each_decision(variant, |position| {
            for position in [position.clone(), position.with_players_exchanged()] {
                for packing in PACKINGS {
                    check(&position, packing);
                }
                marked += u32::from(position.handled_lines().count() > 0 || !position.pending().is_empty());
            }
            all += 1;
        });
        assert!(all > 500 && marked > 10, "{variant}: {marked} of {all} positions have marks");
    }
}

fn random_legal(mask: &[bool], rng: &mut ChaCha8Rng) -> ActionIndex {
    let from = rng.random_range(0..mask.len());
    let place = (from..mask.len()).chain(0..from).find(|&place| mask[place]).unwrap();
    ActionIndex(place as u16)
}

fn check_outputs(variant: Variant, packed: &PackedOutputs, floats: &VecOutputs) {
    let actions = variant.num_actions();
    let mut found = floats.observations.clone();
    let mut last = found.clone();
    for game in 0..floats.to_move.len() {
        let unpack = |planes: &ndarray::Array3<u8>, scalars: &ndarray::Array2<f32>, into: &mut ndarray::Array4<f32>| {
            let planes = planes.index_axis(ndarray::Axis(0), game).to_owned();
            let (planes, scalars) = (planes.as_slice().unwrap(), scalars.row(game).to_vec());
            let mut row = into.index_axis_mut(ndarray::Axis(0), game);
            binary_planes::unpack(variant, packed.packing, planes, &scalars, row.as_slice_mut().unwrap());
        };
        unpack(&packed.planes, &packed.scalars, &mut found);
        unpack(&packed.final_planes, &packed.final_scalars, &mut last);
        let mask = mask_of(packed.packing, packed.action_masks.row(game).as_slice().unwrap(), actions);
        assert_eq!(mask, floats.action_masks.row(game).to_vec());
    }
    assert_eq!(found, floats.observations);
    assert_eq!(last, floats.final_observations);
    assert_eq!((&packed.to_move, &packed.rewards), (&floats.to_move, &floats.rewards));
    assert_eq!((&packed.terminated, &packed.truncated), (&floats.terminated, &floats.truncated));
    assert_eq!(packed.final_infos, floats.final_infos);
}

#[test]
fn packed_environments_play_the_same_games() {
    for (variant, packing) in Variant::ALL.into_iter().flat_map(|variant| PACKINGS.map(|packing| (variant, packing))) {
        let setup = Setup::start(variant).with_placement_limit(Some(30));
        let options = EnvOptions { seed: 4, opening_plies: 3, ..EnvOptions::from(setup) };
        let mut floats = VecEnv::new(&options, 70).unwrap();
        let mut packed = VecEnv::packed(&options, 70, packing).unwrap();
        let (mut rng, mut ended) = (ChaCha8Rng::seed_from_u64(2), 0);
        for _ in 0..70 {
            let masks = floats.outputs().action_masks.clone();
            let actions: Vec<_> =
                masks.outer_iter().map(|mask| random_legal(mask.as_slice().unwrap(), &mut rng)).collect();
            let (shown, expected) = (packed.step(&actions).unwrap(), floats.step(&actions).unwrap());
            ended += expected.final_infos.iter().flatten().count();
            check_outputs(variant, shown, expected);
        }
        assert!(ended > 70, "{variant}: {ended} games ended");
    }
}

#[test]
fn packed_arrays_of_the_wrong_size_are_refused() {
    let mut games = VecGames::new(&EnvOptions::new(Variant::STANDARD), 3).unwrap();
    let mut packed = games.packed_outputs(Packing::Bits);
    let mut arrays = gipf_env::Outputs::arrays(&mut packed);
    arrays.scalars = &mut arrays.scalars[1..];
    let refused = games.step_into(&[ActionIndex(1); 3], &mut arrays).unwrap_err();
    assert_eq!(refused, VecStepError::Size { array: "scalars", found: 14, expected: 15 });
    assert_eq!(games.position(0).placements(), 0);
}

/// Outputs of this size bypass the caches when written, and the rows of `tournament+zertz` are the longest there are.
#[test]
fn what_is_too_much_for_the_caches_arrives() {
    for (variant, n) in [(Variant::STANDARD, 8000), (Variant::TOURNAMENT.with_zertz(), 4600)] {
        let mut envs = VecEnv::new(&EnvOptions::new(variant), n).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..3 {
            let masks = envs.outputs().action_masks.clone();
            let actions: Vec<_> =
                masks.outer_iter().map(|mask| random_legal(mask.as_slice().unwrap(), &mut rng)).collect();
            envs.step(&actions).unwrap();
            assert!(envs.outputs().observations.len() * size_of::<f32>() >= 16 << 20);
            for game in 0..n {
                let mut expected = vec![f32::NAN; envs.position(game).observation_layout().size()];
                envs.position(game).observe(&mut expected);
                let found = envs.outputs().observations.index_axis(ndarray::Axis(0), game);
                assert_eq!(found.as_slice().unwrap(), expected, "{variant}, game {game}");
            }
        }
    }
}
