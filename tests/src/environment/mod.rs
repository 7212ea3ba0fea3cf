//! What agents and networks see, and small games with known answers.

pub mod canonical;
mod episodes;
mod observation;
mod packed;
mod small_gipf;
mod toys;
