//! Positions as images.

use gipf_env::Picture;
use numpy::ndarray::Array3;
use pyo3::prelude::*;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::error::InternalError;

/// The side lengths that an image can have, in pixels.
pub const SIDES: std::ops::RangeInclusive<u16> = 16..=4096;

/// Returns a picture as `[side, side, 3]` u8, with one of these side lengths.
pub fn image(picture: &Picture<'_>, side: u16) -> PyResult<Array3<u8>> {
    let tree = Tree::from_str(&picture.to_string(), &Options::default());
    let tree = tree.map_err(|error| InternalError::new_err(error.to_string()))?;
    let mut pixels = Pixmap::new(side.into(), side.into()).expect("a side of at least one pixel");
    let scale = f32::from(side) / tree.size().width();
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    // The background of the picture is opaque, so the colours are the visible ones.
    let colours = pixels.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let side = usize::from(side);
    Ok(Array3::from_shape_vec([side, side, 3], colours).expect("three colours of each pixel"))
}
