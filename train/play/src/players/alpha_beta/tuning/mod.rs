//! Fits the weights of the patterns by regression on games of the program against itself (Texel's method; Buro
//! 1997).

mod fit;

pub use fit::{EvaluationFit, Example, FitSettings};
