//! Random numbers that make self-play try other actions than the best.

use gipf_env::math::wide;
use rand::RngExt;
use rand::distr::OpenClosed01;
use rand_chacha::ChaCha8Rng;

/// Fills `noise` with standard Gumbel numbers, all finite.
pub(super) fn draw_gumbel(noise: &mut [f32], rng: &mut ChaCha8Rng) {
    for number in noise {
        let share: f64 = rng.sample(OpenClosed01);
        // The tail is infinite once in 2⁵³ draws.
        *number = (-wide::ln(-wide::ln(share))).min(100.0) as f32;
    }
}

/// Fills `noise` with one draw from the symmetric Dirichlet distribution whose parameters add up to `total`.
pub(super) fn draw_dirichlet(noise: &mut [f32], total: f32, rng: &mut ChaCha8Rng) {
    let shape = f64::from(total) / noise.len().max(1) as f64;
    for number in noise.iter_mut() {
        // A small shape can round to 0; the sum must not.
        *number = draw_gamma(shape, rng).max(1e-30) as f32;
    }
    let sum: f32 = noise.iter().sum();
    for number in noise {
        *number /= sum;
    }
}

/// Draws from the gamma distribution of this shape, by rejection (Marsaglia and Tsang, *A simple method for generating
/// gamma variables*, 2000).
fn draw_gamma(shape: f64, rng: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        let share: f64 = rng.sample(OpenClosed01);
        return draw_gamma(shape + 1.0, rng) * wide::pow(share, 1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    loop {
        let x = draw_normal(rng);
        let root = 1.0 + x / (9.0 * d).sqrt();
        let (v, share): (f64, f64) = (root * root * root, rng.sample(OpenClosed01));
        if v > 0.0 && wide::ln(share) < 0.5 * x * x + d * (1.0 - v + wide::ln(v)) {
            return d * v;
        }
    }
}

/// Draws from the standard normal distribution: the first coordinate of a point of the unit disc, stretched (Marsaglia's
/// polar method).
fn draw_normal(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let [x, y] = [(); 2].map(|()| 2.0 * rng.random::<f64>() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * wide::ln(square) / square).sqrt();
        }
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
