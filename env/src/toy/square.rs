//! The eight symmetries of a square board.

/// The number of symmetries: four quarter turns, each with and without a reflection.
pub(super) const SYMMETRIES: usize = 8;

/// Returns where a symmetry takes a cell of a square board with `side` cells per side, numbered row by row from the bottom.
///
/// Symmetry s is s mod 4 quarter turns counter-clockwise, after a reflection that swaps left and right if s ≥ 4.
pub(super) const fn map_cell(side: usize, symmetry: usize, cell: usize) -> usize {
    let last = side - 1;
    let (mut row, mut column) = (cell / side, cell % side);
    if symmetry >= 4 {
        column = last - column;
    }
    let mut turns = symmetry % 4;
    while turns > 0 {
        (row, column) = (column, last - row);
        turns -= 1;
    }
    side * row + column
}

/// Returns where a symmetry takes a set of cells, one bit each.
pub(super) fn map_cells(side: usize, symmetry: usize, cells: u32) -> u32 {
    (0..side * side)
        .filter(|&cell| cells >> cell & 1 == 1)
        .fold(0, |mapped, cell| mapped | 1 << map_cell(side, symmetry, cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symmetries_are_eight_different_permutations() {
        let permutation = |symmetry| -> Vec<_> { (0..9).map(|cell| map_cell(3, symmetry, cell)).collect() };
        let all: std::collections::HashSet<_> = (0..SYMMETRIES).map(permutation).collect();
        assert_eq!(all.len(), SYMMETRIES);
        for mut cells in all {
            cells.sort_unstable();
            assert_eq!(cells, (0..9).collect::<Vec<_>>());
        }
    }
}
