//! The board of small GIPF: 19 spots, 18 dots, 30 entries, 15 lines, computed at compile time.
//!
//! Coordinates are axial, as on the full board: column q and r with a step north (0, 1), north-east (1, 1), south-east
//! (1, 0). The distance from the centre is max(|q|, |r|, |q - r|): at most 2 for a spot, 3 for a dot.

/// The number of spots, numbered by column, then upwards.
pub(super) const SPOTS: usize = 19;
/// The number of pairs of a dot and a direction whose first step is a spot, by dot, then direction.
pub(super) const ENTRIES: usize = 30;
/// The number of lines: five N, five NE, five SE, each by its first dot.
pub(super) const LINES: usize = 15;
/// The number of spots on the longest lines.
pub(super) const LONGEST: usize = 5;
/// The number of pieces of a colour on adjacent spots of a line that are a row.
pub(super) const ROW: usize = 3;
/// The number of symmetries: six turns, each with and without a reflection.
pub(super) const SYMMETRIES: usize = 12;

const RADIUS: i8 = 2;
/// The steps N, NE, SE, S, SW, NW.
const STEPS: [(i8, i8); 6] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)];

#[derive(Clone, Copy)]
struct Point {
    q: i8,
    r: i8,
}

impl Point {
    const fn radius(self) -> i8 {
        let (q, r, s) = (self.q.abs(), self.r.abs(), (self.q - self.r).abs());
        let qr = if q > r { q } else { r };
        if qr > s { qr } else { s }
    }

    const fn step(self, direction: usize) -> Self {
        Self { q: self.q + STEPS[direction].0, r: self.r + STEPS[direction].1 }
    }

    const fn is(self, other: Self) -> bool {
        self.q == other.q && self.r == other.r
    }

    /// Returns the point after a reflection, from symmetry 6 on, and then a sixth of a turn for each of the rest.
    const fn mapped(self, symmetry: usize) -> Self {
        let mut point = if symmetry >= 6 { Self { q: self.r, r: self.q } } else { self };
        let mut turns = symmetry % 6;
        while turns > 0 {
            point = Self { q: point.r, r: point.r - point.q };
            turns -= 1;
        }
        point
    }
}

/// An ordered list of spots: a line seen from one of its ends.
#[derive(Clone, Copy)]
pub(super) struct Track {
    spots: [u8; LONGEST],
    len: u8,
}

impl Track {
    /// Returns the spots, from the end on.
    #[inline]
    pub fn spots(&self) -> &[u8] {
        &self.spots[..self.len as usize]
    }

    const fn mask(self) -> u32 {
        let (mut mask, mut at) = (0, 0);
        while at < self.len as usize {
            mask |= 1 << self.spots[at];
            at += 1;
        }
        mask
    }
}

/// Returns the `N` points within a range of distances from the centre, by column, then upwards.
const fn points<const N: usize>(nearest: i8, farthest: i8) -> [Point; N] {
    let mut points = [Point { q: 0, r: 0 }; N];
    let (mut q, mut count) = (-farthest, 0);
    while q <= farthest {
        let mut r = -farthest;
        while r <= farthest {
            let point = Point { q, r };
            if point.radius() >= nearest && point.radius() <= farthest {
                points[count] = point;
                count += 1;
            }
            r += 1;
        }
        q += 1;
    }
    points
}

const SPOT_POINTS: [Point; SPOTS] = points(0, RADIUS);
const DOT_POINTS: [Point; 18] = points(RADIUS + 1, RADIUS + 1);

const fn spot_at(point: Point) -> u8 {
    let mut spot = 0;
    while spot < SPOTS {
        if SPOT_POINTS[spot].is(point) {
            return spot as u8;
        }
        spot += 1;
    }
    panic!("a point within two steps of the centre is a spot")
}

const fn track_from(dot: Point, direction: usize) -> Track {
    let mut track = Track { spots: [0; LONGEST], len: 0 };
    let mut point = dot.step(direction);
    while point.radius() <= RADIUS {
        track.spots[track.len as usize] = spot_at(point);
        track.len += 1;
        point = point.step(direction);
    }
    track
}

/// The dot, as its number, and the direction of each entry.
const ENTRY_ENDS: [(usize, usize); ENTRIES] = {
    let mut ends = [(0, 0); ENTRIES];
    let (mut dot, mut count) = (0, 0);
    while dot < DOT_POINTS.len() {
        let mut direction = 0;
        while direction < 6 {
            if DOT_POINTS[dot].step(direction).radius() <= RADIUS {
                ends[count] = (dot, direction);
                count += 1;
            }
            direction += 1;
        }
        dot += 1;
    }
    ends
};

/// The spots that a push passes, by entry.
pub(super) static TRACKS: [Track; ENTRIES] = {
    let mut tracks = [Track { spots: [0; LONGEST], len: 0 }; ENTRIES];
    let mut entry = 0;
    while entry < ENTRIES {
        tracks[entry] = track_from(DOT_POINTS[ENTRY_ENDS[entry].0], ENTRY_ENDS[entry].1);
        entry += 1;
    }
    tracks
};

/// The entry at which each line begins.
const LINE_ENTRIES: [u8; LINES] = {
    let mut entries = [0; LINES];
    let (mut axis, mut line) = (0, 0);
    while axis < 3 {
        let mut entry = 0;
        while entry < ENTRIES {
            if ENTRY_ENDS[entry].1 == axis {
                entries[line] = entry as u8;
                line += 1;
            }
            entry += 1;
        }
        axis += 1;
    }
    entries
};

/// The spots of each line.
pub(super) static LINE_SPOTS: [u32; LINES] = {
    let mut lines = [0; LINES];
    let mut line = 0;
    while line < LINES {
        lines[line] = track_of(line).mask();
        line += 1;
    }
    lines
};

const fn track_of(line: usize) -> Track {
    let (dot, direction) = ENTRY_ENDS[LINE_ENTRIES[line] as usize];
    track_from(DOT_POINTS[dot], direction)
}

/// The places on a line at which a row can begin.
const ROW_STARTS: usize = LONGEST + 1 - ROW;

/// The rows of each line; rows that a shorter line lacks are sets that never occur.
static ROWS: [[u32; ROW_STARTS]; LINES] = {
    let mut rows = [[u32::MAX; ROW_STARTS]; LINES];
    let mut line = 0;
    while line < LINES {
        let track = track_of(line);
        let mut start = 0;
        while start + ROW <= track.len as usize {
            let part = Track { spots: shifted(track.spots, start), len: ROW as u8 };
            rows[line][start] = part.mask();
            start += 1;
        }
        line += 1;
    }
    rows
};

const fn shifted(spots: [u8; LONGEST], by: usize) -> [u8; LONGEST] {
    let (mut moved, mut at) = ([0; LONGEST], by);
    while at < LONGEST {
        moved[at - by] = spots[at];
        at += 1;
    }
    moved
}

/// Returns the lines on which these pieces have a row, one bit each.
#[inline]
pub(super) fn rows(pieces: u32) -> u16 {
    let has_row = |line: &usize| ROWS[*line].iter().any(|row| row & pieces == *row);
    (0..LINES).filter(has_row).fold(0, |lines, line| lines | 1 << line)
}

/// Returns the pieces contiguous with the middle of a line, which every row on it covers.
pub(super) fn capture_set(line: usize, occupied: u32) -> u32 {
    let spots = TRACKS[LINE_ENTRIES[line] as usize].spots();
    let (before, behind) = spots.split_at(spots.len() / 2);
    let stands = |spot: &&u8| occupied >> **spot & 1 == 1;
    let part = before.iter().rev().take_while(stands).chain(behind.iter().take_while(stands));
    part.fold(0, |set, spot| set | 1 << spot)
}

/// Returns where a symmetry takes a spot.
const fn map_spot(symmetry: usize, spot: usize) -> u8 {
    spot_at(SPOT_POINTS[spot].mapped(symmetry))
}

/// The low ten spots and the high nine of a set are mapped by one table each.
const HALF: usize = 10;

static SPOT_SETS: [[[u32; 1 << HALF]; 2]; SYMMETRIES] = {
    let mut sets = [[[0; 1 << HALF]; 2]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut spot = 0;
        while spot < SPOTS {
            let (half, bit) = (spot / HALF, 1 << (spot % HALF));
            let image = 1 << map_spot(symmetry, spot);
            let mut set = bit;
            while set < 1 << HALF {
                sets[symmetry][half][set] |= image;
                set = (set + 1) | bit;
            }
            spot += 1;
        }
        symmetry += 1;
    }
    sets
};

/// Returns where a symmetry takes a set of spots, one bit each.
#[inline]
pub(super) fn map_spots(symmetry: usize, spots: u32) -> u32 {
    let [low, high] = &SPOT_SETS[symmetry];
    low[spots as usize % (1 << HALF)] | high[spots as usize >> HALF]
}

static ENTRY_IMAGES: [[u8; ENTRIES]; SYMMETRIES] = {
    let mut images = [[0; ENTRIES]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut entry = 0;
        while entry < ENTRIES {
            images[symmetry][entry] = entry_image(symmetry, entry);
            entry += 1;
        }
        symmetry += 1;
    }
    images
};

/// An entry is identified by its dot and its first spot.
const fn entry_image(symmetry: usize, entry: usize) -> u8 {
    let (dot, direction) = ENTRY_ENDS[entry];
    let from = DOT_POINTS[dot].mapped(symmetry);
    let to = DOT_POINTS[dot].step(direction).mapped(symmetry);
    let mut other = 0;
    while other < ENTRIES {
        let (dot, direction) = ENTRY_ENDS[other];
        if DOT_POINTS[dot].is(from) && DOT_POINTS[dot].step(direction).is(to) {
            return other as u8;
        }
        other += 1;
    }
    panic!("the image of an entry is an entry")
}

/// Returns where a symmetry takes an entry, as a place on the board.
pub(super) fn map_entry(symmetry: usize, entry: usize) -> usize {
    usize::from(ENTRY_IMAGES[symmetry][entry])
}

/// Returns where a symmetry takes a line.
pub(super) fn map_line(symmetry: usize, line: usize) -> usize {
    let image = map_spots(symmetry, LINE_SPOTS[line]);
    LINE_SPOTS.iter().position(|&spots| spots == image).expect("the image of a line is a line")
}

/// Returns the cell of a spot in a 5×5 plane.
pub(super) const fn cell(spot: usize) -> usize {
    let Point { q, r } = SPOT_POINTS[spot];
    LONGEST * (q + RADIUS) as usize + (r + RADIUS) as usize
}

/// Returns the column, a to g, and the number in it from below.
fn name(Point { q, r }: Point) -> String {
    format!("{}{}", char::from(b'd'.wrapping_add_signed(q)), r + RADIUS + 2 - q.max(0))
}

/// Returns the name of a spot, such as `d4`.
#[cfg(test)]
pub(super) fn spot_name(spot: usize) -> String {
    name(SPOT_POINTS[spot])
}

/// Returns the dot and the first spot of an entry, such as `d1-d2`.
pub(super) fn entry_name(entry: usize) -> String {
    let (dot, direction) = ENTRY_ENDS[entry];
    format!("{}-{}", name(DOT_POINTS[dot]), name(DOT_POINTS[dot].step(direction)))
}

/// Returns the two end dots of a line, such as `d1-d7`.
pub(super) fn line_name(line: usize) -> String {
    let (dot, direction) = ENTRY_ENDS[usize::from(LINE_ENTRIES[line])];
    let mut end = DOT_POINTS[dot].step(direction);
    while end.radius() <= RADIUS {
        end = end.step(direction);
    }
    format!("{}-{}", name(DOT_POINTS[dot]), name(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_board_has_lines_of_three_to_five_spots_named_as_on_the_full_board() {
        let lengths: Vec<_> = LINE_SPOTS.iter().map(|spots| spots.count_ones()).collect();
        assert_eq!(lengths, [3, 4, 5, 4, 3, 5, 4, 3, 4, 3, 3, 4, 5, 4, 3]);
        let lines: Vec<_> = (0..LINES).map(line_name).collect();
        assert_eq!(lines[..5], ["b1-b5", "c1-c6", "d1-d7", "e1-e6", "f1-f5"]);
        assert_eq!(lines[5..10], ["a1-g4", "a2-f5", "a3-e6", "b1-g3", "c1-g2"]);
        assert_eq!(lines[10..], ["a2-e1", "a3-f1", "a4-g1", "b5-g2", "c6-g3"]);
        assert_eq!((&*entry_name(0), &*entry_name(29)), ("a1-b2", "g4-f4"));
        let names: HashSet<_> = (0..ENTRIES).map(entry_name).collect();
        assert_eq!(names.len(), ENTRIES);
    }

    #[test]
    fn the_symmetries_are_twelve_permutations_that_keep_lines_and_tracks() {
        let images: HashSet<Vec<_>> =
            (0..SYMMETRIES).map(|symmetry| (0..SPOTS).map(|spot| map_spot(symmetry, spot)).collect()).collect();
        assert_eq!(images.len(), SYMMETRIES);
        for symmetry in 0..SYMMETRIES {
            assert_eq!(map_spots(symmetry, (1 << SPOTS) - 1), (1 << SPOTS) - 1);
            let lines: HashSet<_> = (0..LINES).map(|line| map_line(symmetry, line)).collect();
            assert_eq!(lines.len(), LINES);
            for (entry, track) in TRACKS.iter().enumerate() {
                let image = track.spots().iter().map(|&spot| map_spot(symmetry, usize::from(spot)));
                assert!(image.eq(TRACKS[map_entry(symmetry, entry)].spots().iter().copied()));
            }
        }
    }
}
