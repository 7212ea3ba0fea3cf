//! How the weights of the patterns are found: by regression on games of the program against itself.

mod fit;

pub use fit::{Example, Fit, FitSettings};
