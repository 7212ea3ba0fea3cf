//! What a network sees: planes of 7×7 cells, from the view of the player who decides.
//!
//! A row of a plane is a column b..h of the board, and a step north is one cell further ([`Spot::cell`]). The planes,
//! in order; brackets mark those that only some rule sets have:
//!
//! | group | plane | value |
//! |---|---|---|
//! | pieces | own singles; opponent's singles | 1 where one stands |
//! | | \[own, opponent's GIPF-pieces\] | 1 where one stands |
//! | | \[own, opponent's loaded pieces; own, opponent's used potentials\] | 1 where one stands |
//! | marks | lines handled in this removal phase | (N + 2·NE + 4·SE) / 7 on the spots of such lines |
//! | | in push-off instead: rows to be evaluated, that in hand while the pieces at its ends are asked about | the same on the spots of own rows, negative on the opponent's |
//! | | \[pieces still to be asked about\] | 1 for each piece in question, 1/2 for the others |
//! | scalars | own, opponent's reserve | / 18 |
//! | | phase | -1 pre, 0 push, +1 post |
//! | | \[earlier occurrences of the position, except in push-off\] | / 2, in phase push |
//! | | placement limit | 16 / (15 + placements left); 0 without a limit |
//! | | \[own, opponent's right to bring in GIPF-pieces\] | 0 or 1 |
//! | | \[own, opponent's potentials in hand\] | / 6 |
//! | | \[whose turn it is, in push-off\] | +1 one's own, -1 the opponent's |

pub mod binary_planes;
pub(crate) mod wide_planes;

use crate::bitboard::Bitboard;
use crate::geometry::{Line, Spot};
use crate::position::{ObservationLayout, Player};
use crate::rules::{GipfPosition, Opening, Phase, Variant};

/// The number of cells of a plane.
pub const CELLS: usize = 49;
const SIDE: usize = 7;

/// The largest reserve and the most potentials that a player can have: the divisors of the scalars.
const MOST_RESERVE: f32 = 18.0;
const MOST_POTENTIALS: f32 = 6.0;
/// The number of placements left at which the limit begins to be felt: 16 / (15 + left) is 1 at the last one, 1/2 at 17.
const LIMIT_SCALE: f32 = 16.0;

/// The numbers of planes of each group.
pub(crate) struct Shape {
    pub pieces: usize,
    pub marks: usize,
    pub scalars: usize,
}

impl Shape {
    #[inline]
    pub const fn of(variant: Variant) -> Self {
        let is_tournament = matches!(variant.opening(), Opening::Tournament);
        Self {
            pieces: 2 + 2 * variant.has_gipfs() as usize + 4 * variant.has_zertz() as usize,
            marks: 1 + variant.has_spared_pieces() as usize,
            scalars: 5 + 2 * is_tournament as usize + 2 * variant.has_zertz() as usize,
        }
    }
}

/// Returns the observation layout of a rule set.
pub fn layout(variant: Variant) -> ObservationLayout {
    let Shape { pieces, marks, scalars } = Shape::of(variant);
    let cells = Spot::all().map(Spot::cell).collect();
    ObservationLayout { pieces, marks, scalars, rows: SIDE, columns: SIDE, cells }
}

/// Writes the observation of a position; the slice is overwritten completely.
///
/// # Panics
/// If `planes` is shorter than the layout's size.
pub fn observe(position: &GipfPosition, planes: &mut [f32]) {
    observe_as(position, position.to_move(), planes);
}

/// Writes what one of the players sees of a position, as if that player were to decide: for a game that is over, in
/// which nobody is.
///
/// # Panics
/// If `planes` is shorter than the layout's size.
pub fn observe_as(position: &GipfPosition, viewer: Player, planes: &mut [f32]) {
    let shape = Shape::of(position.variant());
    let planes = &mut planes[..(shape.pieces + shape.marks + shape.scalars) * CELLS];
    if !wide_planes::write(position, viewer, planes) {
        write_plain(position, viewer, planes);
    }
    if position.phase() != Phase::Push {
        write_marks(position, viewer, &mut planes[shape.pieces * CELLS..]);
    }
}

/// Writes what [`write`] writes, without vector instructions of this machine.
pub(crate) fn write_plain(position: &GipfPosition, viewer: Player, planes: &mut [f32]) {
    write(position, viewer, &mut Planes { rest: planes });
}

/// Receives one plane after another.
pub(crate) trait Writer {
    /// Receives a plane that is 1 on these spots.
    fn spots(&mut self, spots: Bitboard);

    /// Receives a plane with one value.
    fn fill(&mut self, value: f32);
}

/// Writes what a player sees of a position, with its marks as planes of zeros, as they are in phase push.
#[inline(always)]
pub(crate) fn write(position: &GipfPosition, viewer: Player, writer: &mut impl Writer) {
    write_pieces(position, viewer, writer);
    writer.fill(0.0);
    if position.variant().has_spared_pieces() {
        writer.fill(0.0);
    }
    write_scalars(position, viewer, writer);
}

#[inline(always)]
pub(crate) fn write_pieces(position: &GipfPosition, viewer: Player, writer: &mut impl Writer) {
    let (board, variant) = (position.board(), position.variant());
    let both = [board.pieces_of(viewer), board.pieces_of(viewer.other())];
    let special = board.gipfs() | board.loaded() | board.used();
    for pieces in both {
        writer.spots(pieces.without(special));
    }
    if variant.has_gipfs() {
        for pieces in both {
            writer.spots(pieces & board.gipfs());
        }
    }
    if variant.has_zertz() {
        for pieces in both {
            writer.spots(pieces & board.loaded());
        }
        for pieces in both {
            writer.spots(pieces & board.used());
        }
    }
}

#[inline(always)]
pub(crate) fn write_scalars(position: &GipfPosition, viewer: Player, writer: &mut impl Writer) {
    let both = [viewer, viewer.other()];
    for player in both {
        writer.fill(f32::from(position.reserve(player)) / MOST_RESERVE);
    }
    writer.fill(match position.phase() {
        Phase::Pre => -1.0,
        Phase::Push => 0.0,
        Phase::Post => 1.0,
    });
    if !position.variant().is_push_off() {
        let earlier = if position.phase() == Phase::Push { position.occurrences().saturating_sub(1) } else { 0 };
        writer.fill(f32::from(earlier) / 2.0);
    }
    writer.fill(limit_value(position));
    if position.variant().opening() == Opening::Tournament {
        for player in both {
            writer.fill(f32::from(u8::from(position.gipf_right(player))));
        }
    }
    if position.variant().has_zertz() {
        for player in both {
            writer.fill(f32::from(position.potentials(player)) / MOST_POTENTIALS);
        }
    }
    if position.variant().is_push_off() {
        writer.fill(if position.turn_of() == viewer { 1.0 } else { -1.0 });
    }
}

/// Adds the marks to their planes, which are zero.
#[cold]
fn write_marks(position: &GipfPosition, viewer: Player, planes: &mut [f32]) {
    let (lines, rest) = planes.split_at_mut(CELLS);
    if position.variant().is_push_off() {
        write_rows_in_evaluation(position, viewer, lines);
    } else {
        write_handled(position, lines);
    }
    if position.variant().has_spared_pieces() {
        write_pending(position, &mut rest[..CELLS]);
    }
}

fn write_handled(position: &GipfPosition, plane: &mut [f32]) {
    for line in position.handled_lines() {
        add_line(line, line.spots(), 1.0, plane);
    }
}

fn write_rows_in_evaluation(position: &GipfPosition, viewer: Player, plane: &mut [f32]) {
    for (owner, line, row) in position.rows_in_evaluation() {
        add_line(line, row, if owner == viewer { 1.0 } else { -1.0 }, plane);
    }
}

fn add_line(line: Line, spots: Bitboard, sign: f32, plane: &mut [f32]) {
    let value = sign * [1.0, 2.0, 4.0][line.direction().index()] / 7.0;
    for spot in spots {
        plane[spot.cell()] += value;
    }
}

fn write_pending(position: &GipfPosition, plane: &mut [f32]) {
    // In push-off all pieces at the ends of a row are in question together.
    let waiting = if position.question().is_some() { 0.5 } else { 1.0 };
    for spot in position.pending() {
        plane[spot.cell()] = waiting;
    }
    if let Some(spot) = position.question() {
        plane[spot.cell()] = 1.0;
    }
}

fn limit_value(position: &GipfPosition) -> f32 {
    position.placement_limit().map_or(0.0, |limit| {
        let left = limit.saturating_sub(position.placements());
        LIMIT_SCALE / (LIMIT_SCALE - 1.0 + f32::from(left.max(1)))
    })
}

/// Writes plane after plane without vector instructions of this machine.
struct Planes<'a> {
    rest: &'a mut [f32],
}

/// The values of a row for each set of its cells: eight of them, so that a row is one copy of a power of two.
const ROWS: [[f32; SIDE + 1]; 128] = {
    let mut rows = [[0.0; SIDE + 1]; 128];
    let mut at = 0;
    while at < 128 * SIDE {
        if (at / SIDE) >> (at % SIDE) & 1 == 1 {
            rows[at / SIDE][at % SIDE] = 1.0;
        }
        at += 1;
    }
    rows
};

impl Writer for Planes<'_> {
    /// Writes 1 on these spots. A byte of the bitboard is a row of the plane.
    ///
    /// One value beyond the plane is overwritten, so another plane has to follow.
    #[inline]
    fn spots(&mut self, spots: Bitboard) {
        let plane: &mut [f32; CELLS + 1] = self.rest.first_chunk_mut().expect("the slice has the layout's planes");
        for q in 0..SIDE {
            let row = &ROWS[(spots.bits() >> (8 * q) & 0x7f) as usize];
            plane[SIDE * q..][..row.len()].copy_from_slice(row);
        }
        self.advance();
    }

    #[inline]
    fn fill(&mut self, value: f32) {
        self.advance().fill(value);
    }
}

impl Planes<'_> {
    /// Returns the plane, and advances to the next one.
    #[inline]
    fn advance(&mut self) -> &mut [f32; CELLS] {
        let (plane, rest) =
            std::mem::take(&mut self.rest).split_first_chunk_mut().expect("the slice has the layout's planes");
        self.rest = rest;
        plane
    }
}
