use super::super::{Finish, Listed, Offsets};
use super::*;
use crate::infer::lanes::{MOST_BYTE, at};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows of three positions, each of some segments from random places.
struct Case {
    segments: usize,
    inputs: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
    lanes: Vec<Lane>,
    from: Vec<u32>,
    rows: usize,
}

const POSITIONS: usize = 3;

fn case(rng: &mut ChaCha8Rng, size: usize) -> Case {
    case_of(rng, [1 + size % 3, 1 + 11 * size % 130, 1 + 7 * size % 75, 1 + size % 20])
}

/// Returns a case whose inputs and outputs fill tiles of AMX; there are 3 to 60 rows.
fn case_of_tiles(rng: &mut ChaCha8Rng, size: usize) -> Case {
    let inputs = [64, 64, 64, 128, 512][size % 5];
    case_of(rng, [1 + size % 7.min(512 / inputs), inputs, 17 + 32 * (size % 4) + size % 16, 1 + size % 20])
}

fn case_of(rng: &mut ChaCha8Rng, [segments, inputs, outputs, rows]: [usize; 4]) -> Case {
    let width = inputs.div_ceil(LANE);
    let mut numbers = |count: usize| (0..count).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>();
    let (weights, bias) = (numbers(segments * inputs * outputs), numbers(outputs));
    // Lanes are zero beyond the inputs of a segment, as in features of odd sizes.
    let segment = |_| padded(&numbers(inputs).iter().map(|value| value.max(0.0) * 4.0).collect::<Vec<_>>());
    let lanes: Vec<_> = (0..5 * POSITIONS).flat_map(segment).collect();
    let places = (0..POSITIONS * rows).flat_map(|row| (0..segments).map(move |_| row / rows));
    let from = places.map(|position| ((5 * position + rng.random_range(0..5)) * width) as u32).collect();
    Case { segments, inputs, weights, bias, lanes, from, rows }
}

/// Multiplies only what is not zero if `packed_for` are instructions for which that is faster.
fn run_case(case: &Case, packed_for: Instructions, set: Instructions, finish: Finish) -> Vec<Lane> {
    let matrix = PackedInt8::new(packed_for, case.segments, case.inputs, &case.weights, &case.bias);
    let mut bytes = vec![Int8Lane::ZERO; case.lanes.len()];
    let each = case.lanes.len() / POSITIONS;
    let parts = case.lanes.chunks_exact(each).zip(bytes.chunks_exact_mut(each));
    let scales: Vec<_> = parts.map(|(lanes, bytes)| quantise(set, lanes, bytes)).collect();
    let taps: Vec<_> = (0..case.segments).collect();
    let offsets = Offsets::Listed(Listed::new(&case.from));
    let rows = Gather { source: &bytes[..], segment: case.inputs, taps: &taps, offsets };
    let mut lanes = vec![Lane([0.25; LANE]); POSITIONS * case.rows * matrix.lanes()];
    let offsets = Offsets::Every { lanes: matrix.lanes(), count: POSITIONS * case.rows };
    let mut terms = ByteTerms::default();
    terms.fill(set, &bytes, case.inputs.div_ceil(LANE));
    let rows = Scaled { rows, terms: Some(&terms), scales: &scales, rows_each: case.rows };
    product_int8(set, &matrix, rows, &mut Target { lanes: &mut lanes, offsets, finish });
    lanes
}

#[test]
fn products_are_nearly_those_of_plain_loops() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for size in 0..60 {
        let case = case(&mut rng, size);
        let lanes = run_case(&case, Instructions::detect(), Instructions::detect(), Finish::Store);
        let width = case.bias.len().div_ceil(LANE);
        for row in 0..POSITIONS * case.rows {
            for output in 0..case.bias.len() {
                let mut expected = case.bias[output];
                for segment in 0..case.segments {
                    for input in 0..case.inputs {
                        let weight = case.weights[(segment * case.inputs + input) * case.bias.len() + output];
                        expected +=
                            weight * at(&case.lanes[case.from[row * case.segments + segment] as usize..], input);
                    }
                }
                let found = at(&lanes[row * width..], output);
                // Half a step of each of the two roundings: 2 · 0.5 / 254 and 0.5 · 2 / 254 per product.
                let bound = 0.008 * (case.segments * case.inputs) as f32;
                assert!((found - expected).abs() < bound, "{size}, {row}, {output}: {found} {expected}");
            }
        }
    }
}

#[test]
fn all_instructions_give_the_same_bits() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for size in 0..120 {
        let case = if size < 60 { case(&mut rng, size) } else { case_of_tiles(&mut rng, size) };
        for finish in [Finish::Store, Finish::Rectify, Finish::Add, Finish::AddRectified] {
            let plain = run_case(&case, Instructions::Scalar, Instructions::Scalar, finish);
            for set in Instructions::available() {
                // Each multiplies all and only what is not zero, also where it would always do one of the two.
                for packed_for in [Instructions::Scalar, Instructions::Avx2] {
                    let found = run_case(&case, packed_for, set, finish);
                    assert_eq!(found, plain, "{packed_for:?} {set:?} {finish:?} {size}");
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn tiles_suit_whole_blocks_of_inputs_and_pairs_of_lanes() {
    let suits = |segments: usize, inputs: usize, outputs: usize, rows| {
        let matrix = PackedInt8::new(
            Instructions::Amx,
            segments,
            inputs,
            &vec![0.0; segments * inputs * outputs],
            &vec![0.0; outputs],
        );
        let taps: Vec<_> = (0..segments).collect();
        let offsets = Offsets::Every { lanes: 0, count: rows * segments };
        let gather = Gather { source: &[][..], segment: inputs, taps: &taps, offsets };
        let scaled = Scaled { rows: gather, terms: None, scales: &[], rows_each: 1 };
        fours::Product { matrix: &matrix, rows: scaled }.suits_tiles(rows)
    };
    for (segments, inputs, outputs, rows) in [(7, 64, 64, 37), (4, 128, 32, 8), (1, 64, 17, 9), (1, 512, 32, 40)] {
        assert!(suits(segments, inputs, outputs, rows), "{segments} {inputs} {outputs} {rows}");
    }
    for (segments, inputs, outputs, rows) in
        [(7, 63, 64, 37), (7, 32, 64, 37), (7, 64, 16, 37), (7, 64, 48, 37), (7, 64, 64, 7), (9, 64, 64, 37)]
    {
        assert!(!suits(segments, inputs, outputs, rows), "{segments} {inputs} {outputs} {rows}");
    }
}

#[test]
fn extreme_weights_and_inputs_do_not_saturate() {
    let (weights, lanes) = (vec![1.0; 64 * 16], vec![Lane([3.0; LANE]); 4]);
    let extreme = Case { segments: 1, inputs: 64, weights, bias: vec![0.0; 16], lanes, from: vec![0], rows: 1 };
    for set in Instructions::available() {
        let matrix = PackedInt8::new(set, 1, 64, &extreme.weights, &extreme.bias);
        let mut bytes = [Int8Lane::ZERO; 4];
        let scales = [quantise(set, &extreme.lanes, &mut bytes)];
        let offsets = Offsets::Listed(Listed::new(&extreme.from));
        let rows = Gather { source: &bytes[..], segment: 64, taps: &[0], offsets };
        let mut lanes = [Lane::ZERO];
        let offsets = Offsets::Listed(Listed::new(&[0]));
        let target = &mut Target { lanes: &mut lanes, offsets, finish: Finish::Store };
        product_int8(set, &matrix, Scaled { rows, terms: None, scales: &scales, rows_each: extreme.rows }, target);
        assert!(lanes[0].0.iter().all(|sum| (sum - 192.0).abs() < 1e-3), "{set:?} {lanes:?}");
    }
}

#[test]
fn nothing_stays_nothing() {
    let mut bytes = [Int8Lane([1; LANE]); 2];
    assert_eq!(quantise(Instructions::detect(), &[Lane::ZERO; 2], &mut bytes), 0.0);
    assert_eq!(bytes, [Int8Lane::ZERO; 2]);
}

#[test]
fn terms_are_the_bytes_other_than_zero() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for width in 1..6 {
        // Also rows without zeros, and rows of nothing else.
        let bytes: Vec<_> = (0..7 * width)
            .map(|lane| {
                let most = [0, 1, 2, MOST_BYTE as u8][lane % 4];
                Int8Lane(std::array::from_fn(|_| if lane == 0 { 1 } else { rng.random_range(0..=most) }))
            })
            .collect();
        for set in Instructions::available() {
            let mut terms = ByteTerms::default();
            terms.fill(set, &bytes, width);
            for (first, row) in (0..).step_by(width).zip(bytes.chunks_exact(width)) {
                let all = row.iter().flat_map(|lane| lane.0).enumerate();
                let mut expected: Vec<_> = all.filter(|&(_, byte)| byte != 0).collect();
                let found: Vec<_> = terms.of_row(first).collect();
                assert!(found.len().is_multiple_of(FOUR) && found.len() < expected.len() + FOUR, "{set:?} {width}");
                expected.resize(found.len(), (0, 0));
                assert_eq!(found, expected, "{set:?} {width}");
            }
        }
    }
}

/// Multiplies a row of three segments of 64 zeros, given these terms.
fn run_with(terms: &ByteTerms) {
    let matrix = PackedInt8::new(Instructions::Avx2, 3, 64, &vec![1.0; 3 * 64 * 32], &[0.0; 32]);
    let offsets = Offsets::Listed(Listed::new(&[0, 0, 0]));
    let rows = Gather { source: &[Int8Lane::ZERO; 4], segment: 64, taps: &[0, 1, 2], offsets };
    let rows = Scaled { rows, terms: Some(terms), scales: &[1.0], rows_each: 1 };
    let offsets = Offsets::Every { lanes: 2, count: 1 };
    let target = &mut Target { lanes: &mut [Lane::ZERO; 2], offsets, finish: Finish::Store };
    product_int8(Instructions::detect(), &matrix, rows, target);
}

#[test]
#[should_panic(expected = "the terms of the source")]
fn terms_of_other_rows_are_refused() {
    run_with(&ByteTerms::default());
}

#[test]
#[should_panic(expected = "rows as long as segments")]
fn terms_of_longer_or_shorter_rows_are_refused() {
    let mut terms = ByteTerms::default();
    terms.fill(Instructions::detect(), &[Int8Lane::ZERO; 4], 2);
    run_with(&terms);
}

#[test]
fn terms_are_few_up_to_two_fifths_of_the_bytes() {
    for count in 0..=LANE {
        let lane = Int8Lane(std::array::from_fn(|place| u8::from(place < count)));
        assert_eq!(ByteTerms::are_few(&[lane; 3]), count <= 6, "{count} of {LANE}");
    }
}
