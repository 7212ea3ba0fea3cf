//! Checks of observations made elsewhere.

use gipf_env::ObservationLayout;
use numpy::{PyArray4, PyArrayMethods, PyReadonlyArray4, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::ArrayError;

/// How far a sum of shares may differ from 1.
const ROUNDING: f32 = 1e-3;

/// Returns the observations, `(n, planes, 7, 7)` in one piece.
pub fn observations<'py>(
    given: &Bound<'py, PyAny>,
    layout: &ObservationLayout,
) -> PyResult<PyReadonlyArray4<'py, f32>> {
    let [planes, rows, columns] = layout.shape();
    let expected = format!("expected (n, {planes}, {rows}, {columns}) of float32, in C order");
    let Ok(found) = given.cast::<PyUntypedArray>() else {
        let text = format!("observations are an object of {}: {expected}", given.get_type());
        return Err(ArrayError::new_err(text));
    };
    let refuse = |what: &str| {
        let text = format!("observations are {:?} of {}{what}: {expected}", found.shape(), found.dtype());
        ArrayError::new_err(text)
    };
    let array = given.cast::<PyArray4<f32>>().map_err(|_| refuse(""))?;
    if found.shape()[1..] != layout.shape() {
        return Err(refuse(""));
    }
    let array = array.try_readonly().map_err(|_| refuse(", in use"))?;
    if !found.is_c_contiguous() || array.as_slice().is_err() {
        return Err(refuse(", not in one piece"));
    }
    Ok(array)
}

/// Checks that rows, counted from `first`, are valid observations, as the kernels require.
pub fn check(layout: &ObservationLayout, values: &[f32], first: usize) -> PyResult<()> {
    let on_board = on_board(layout);
    for (row, values) in (first..).zip(values.chunks_exact(layout.size())) {
        if let Some(wrong) = wrong_in(layout, &on_board, values) {
            return Err(ArrayError::new_err(format!("observations, row {row}: {wrong}")));
        }
    }
    Ok(())
}

/// Returns for each cell whether it belongs to the board.
fn on_board(layout: &ObservationLayout) -> Vec<bool> {
    let mut cells = vec![false; layout.rows * layout.columns];
    layout.cells.iter().for_each(|&cell| cells[cell] = true);
    cells
}

fn wrong_in(layout: &ObservationLayout, on_board: &[bool], values: &[f32]) -> Option<String> {
    let highest = 1.0 + ROUNDING;
    if let Some(value) = values.iter().find(|value| !(-highest..=highest).contains(*value)) {
        return Some(format!("a value of {value}, expected -1 to 1"));
    }
    let area = on_board.len();
    let pieces = &values[..layout.pieces * area];
    if let Some(value) = pieces.iter().find(|value| ![0.0, 1.0].contains(*value)) {
        return Some(format!("a value of {value} in a plane of pieces, expected 0 or 1"));
    }
    (0..area).find_map(|cell| {
        let found = pieces.iter().skip(cell).step_by(area).filter(|value| **value != 0.0).count();
        let most = usize::from(on_board[cell]);
        (found > most).then(|| {
            let place = [cell / layout.columns, cell % layout.columns];
            format!("{found} pieces in cell {place:?}, expected at most {most}")
        })
    })
}
