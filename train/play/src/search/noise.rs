//! Random numbers that make self-play try other actions than the best.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Gumbel};

/// Fills `noise` with standard Gumbel numbers, all finite.
pub(super) fn draw_gumbel(noise: &mut [f32], rng: &mut ChaCha8Rng) {
    let gumbel = Gumbel::new(0.0_f64, 1.0).expect("the scale is positive");
    for number in noise {
        // The tail is infinite once in 2⁵³ draws.
        *number = gumbel.sample(rng).min(100.0) as f32;
    }
}

/// Fills `noise` with one draw from the symmetric Dirichlet distribution whose parameters add up to `total`.
pub(super) fn draw_dirichlet(noise: &mut [f32], total: f32, rng: &mut ChaCha8Rng) {
    let shape = f64::from(total) / noise.len().max(1) as f64;
    let gamma = Gamma::new(shape, 1.0).expect("the shape is positive");
    for number in noise.iter_mut() {
        // A small shape can round to 0; the sum must not.
        *number = gamma.sample(rng).max(1e-30) as f32;
    }
    let sum: f32 = noise.iter().sum();
    for number in noise {
        *number /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn gumbel_numbers_have_the_mean_of_the_distribution() {
        let mut noise = vec![0.0; 100_000];
        draw_gumbel(&mut noise, &mut ChaCha8Rng::seed_from_u64(1));
        let mean = noise.iter().sum::<f32>() / noise.len() as f32;
        // Euler's constant; the standard deviation of the mean is 0.004.
        assert!((mean - 0.5772).abs() < 0.02, "{mean}");
    }

    #[test]
    fn dirichlet_numbers_are_a_distribution_and_spread_as_expected() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut squares = 0.0;
        for _ in 0..10_000 {
            let mut noise = [0.0; 40];
            draw_dirichlet(&mut noise, 10.0, &mut rng);
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            squares += noise.iter().map(|share| share * share).sum::<f32>() / 10_000.0;
        }
        // Σ E[x²] = (α + 1) / (total + 1) with α = 10 / 40.
        assert!((squares - 1.25 / 11.0).abs() < 0.005, "{squares}");
    }
}
