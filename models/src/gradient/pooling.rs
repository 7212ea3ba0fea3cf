//! The backward pass through the mean and the maximum of features over the board.

use gipf_env::geometry::SPOTS;

use crate::infer::lanes::{LANE, Lane};

/// Adds the gradients of means and maxima to those of the features: those of a mean go to all spots, that of a maximum
/// to the first spot that has it. Features have `width` lanes; the rows of gradients have `lanes`, first those of the
/// means, then those of the maxima.
pub fn unpool(pooled: &[Lane], lanes: usize, features: &[Lane], back: &mut [Lane], width: usize) {
    let positions = features.chunks_exact(SPOTS * width).zip(back.chunks_exact_mut(SPOTS * width));
    for (pooled, (features, back)) in pooled.chunks_exact(lanes).zip(positions) {
        for lane in 0..width {
            let (mean, most) = (&pooled[lane], &pooled[width + lane]);
            let (mut largest, mut owner) = ([f32::NEG_INFINITY; LANE], [0_u32; LANE]);
            for (spot, row) in features.chunks_exact(width).enumerate() {
                for place in 0..LANE {
                    let better = row[lane].0[place] > largest[place];
                    largest[place] = if better { row[lane].0[place] } else { largest[place] };
                    owner[place] = if better { spot as u32 } else { owner[place] };
                }
            }
            for row in back.chunks_exact_mut(width) {
                row[lane].0.iter_mut().zip(mean.0).for_each(|(back, mean)| *back += mean / SPOTS as f32);
            }
            for place in 0..LANE {
                back[owner[place] as usize * width + lane].0[place] += most.0[place];
            }
        }
    }
}
