//! Exponentials, logarithms and powers with the same bits on every machine.
//!
//! The standard library's functions come from the C library, and C libraries differ; with them two machines could not
//! play the same games or learn the same weights. These use additions, multiplications and bit operations only;
//! `clippy.toml` forbids the others. Square roots are exact everywhere.

/// The least x whose exponential is a normal number.
const LEAST: f32 = -87.33654;
/// The greatest x whose exponential is finite.
const MOST: f32 = 88.72283;
/// ln 2 in two parts: the first has few bits, so that its products with small integers are exact.
const LN_2: [f32; 2] = [355.0 / 512.0, -2.121_944_4e-4];
/// An f32 near which all f32 are integers: adding it rounds, and leaves the integer in the last bits.
const WHOLE: f32 = 12_582_912.0;

/// Returns eˣ, within one part in ten million; 0 if that is below the smallest normal number.
///
/// With x = n ln 2 + r and |r| ≤ ln 2 / 2 it is 2ⁿ times the first terms of the series of eʳ. It has no branch, so
/// loops over it run in vector registers.
#[inline]
pub fn exp(x: f32) -> f32 {
    let bounded = x.clamp(LEAST, MOST);
    let shifted = bounded * std::f32::consts::LOG2_E + WHOLE;
    let n = shifted - WHOLE;
    let r = bounded - n * LN_2[0] - n * LN_2[1];
    let mut sum = 1.0 / 5040.0;
    for factorial in [720.0, 120.0, 24.0, 6.0, 2.0] {
        sum = sum * r + 1.0 / factorial;
    }
    // In two factors, since 2ⁿ itself can be too large.
    let n = shifted.to_bits().wrapping_sub(WHOLE.to_bits()) as i32;
    let power = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    let result = (1.0 + (r + r * r * sum)) * power(n >> 1) * power(n - (n >> 1));
    let result = if x < LEAST { 0.0 } else { result };
    if x > MOST { f32::INFINITY } else { result }
}

/// Returns the natural logarithm.
#[inline]
pub fn ln(x: f32) -> f32 {
    libm::logf(x)
}

/// Returns the hyperbolic tangent.
pub fn tanh(x: f32) -> f32 {
    libm::tanhf(x)
}

/// Returns the inverse hyperbolic tangent.
pub fn atanh(x: f32) -> f32 {
    libm::atanhf(x)
}

/// Returns x to the power of y.
pub fn pow(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}

/// The same in 64 bits.
pub mod wide {
    /// Returns eˣ.
    pub fn exp(x: f64) -> f64 {
        libm::exp(x)
    }

    /// Returns the natural logarithm.
    pub fn ln(x: f64) -> f64 {
        libm::log(x)
    }

    /// Returns the logarithm to the base of ten.
    pub fn log10(x: f64) -> f64 {
        libm::log10(x)
    }

    /// Returns x to the power of y.
    pub fn pow(x: f64, y: f64) -> f64 {
        libm::pow(x, y)
    }

    /// Returns the cosine of an angle in radians.
    pub fn cos(x: f64) -> f64 {
        libm::cos(x)
    }

    /// Returns the arctangent in radians.
    pub fn atan(x: f64) -> f64 {
        libm::atan(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_as_exact_as_they_say() {
        for step in 0..2_000_000 {
            let x = LEAST + (MOST - LEAST) * step as f32 / 2e6;
            let off = (f64::from(exp(x)) / wide::exp(f64::from(x)) - 1.0).abs();
            assert!(off < 1e-7, "e^{x} is off by {off:e}");
        }
    }

    #[test]
    fn exponentials_have_their_ends() {
        assert_eq!([0.0, -0.0].map(exp), [1.0; 2]);
        assert_eq!([-88.0, f32::MIN, f32::NEG_INFINITY].map(exp), [0.0; 3]);
        assert_eq!([89.0, f32::MAX, f32::INFINITY].map(exp), [f32::INFINITY; 3]);
        assert!(exp(f32::NAN).is_nan() && exp(LEAST).is_normal() && exp(MOST).is_finite());
        assert!((exp(1.0) - std::f32::consts::E).abs() < 1e-6);
    }

    /// The bits that all machines agree on.
    #[test]
    fn bits_do_not_depend_on_the_machine() {
        let mut sum = 0_u64;
        for step in 1..100_000_u64 {
            let x = (step as f32 / 1e3 - 50.0) * 1.37;
            let wide = f64::from(x);
            let narrow = [exp(x), ln(x.abs() + 0.1), tanh(x), pow(x.abs(), 0.7)].map(|y| u64::from(y.to_bits()));
            let all = [wide::exp(wide), wide::ln(wide.abs() + 0.1), wide::pow(wide.abs(), 1.3), wide::cos(wide)];
            for bits in narrow.into_iter().chain(all.map(f64::to_bits)).chain([wide::log10(wide.abs()).to_bits()]) {
                sum = sum.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bits;
            }
        }
        assert_eq!(sum, 17_565_733_950_702_617_204);
    }
}
