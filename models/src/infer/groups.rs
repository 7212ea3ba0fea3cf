//! Layers that see a spot and its neighbours, in groups of spots that have neighbours in the same directions.

use gipf_env::geometry::{SPOTS, Spot};

use crate::board::{TAPS, taps};
use crate::infer::CHUNK;
use crate::infer::kernel::{
    Finish, Gather, Instructions, OffsetList, Packed, PackedInt8, RowTerms, Target, product_int8, product_of_few,
};
use crate::infer::lanes::Lane;
use crate::infer::quantised::Quantised;

/// All spots of a chunk of positions by the directions in which they have neighbours. What lies beyond the board is left
/// out of the products.
#[derive(Debug)]
pub struct Groups {
    groups: Vec<Group>,
    /// All spots of one position with all taps; those beyond the board read the zeros after its inputs. Integer
    /// products are the same this way, and fewer of them are small.
    whole: Group,
}

#[derive(Debug)]
struct Group {
    spots: usize,
    taps: Vec<usize>,
    /// The first lane of each spot's taps, for a full chunk of positions.
    sources: OffsetList,
    /// The first lane of each spot's outputs, likewise.
    targets: OffsetList,
}

/// Where the outputs of a layer go, spot by spot, and how.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// The lanes of all spots of some positions.
    pub lanes: &'a mut [Lane],
    /// How they are written.
    pub finish: Finish,
}

impl Groups {
    /// Returns the groups for a layer with this many lanes of inputs and of outputs per spot.
    pub fn new(input_lanes: usize, output_lanes: usize) -> Self {
        let mut kinds: Vec<_> = Spot::all().map(present).collect();
        kinds.sort();
        kinds.dedup();
        Self {
            groups: kinds.into_iter().map(|taps| Group::new(taps, input_lanes, output_lanes)).collect(),
            whole: Group::whole(input_lanes, output_lanes),
        }
    }

    /// Multiplies each spot and its neighbours with a matrix, given what is not zero of their numbers if that is few.
    ///
    /// # Panics
    /// If the lanes are not those of at most a chunk of positions, or the terms are those of others.
    pub fn product(
        &self,
        set: Instructions,
        matrix: &Packed,
        (from, terms): (&[Lane], Option<&RowTerms>),
        to: Outputs,
    ) {
        let (n, segment) = (positions(&to, matrix.lanes()), matrix.inputs() / TAPS);
        let Outputs { lanes, finish } = to;
        for group in &self.groups {
            let rows = Gather { source: from, segment, taps: &group.taps, offsets: group.sources.first(n) };
            let target = &mut Target { lanes, offsets: group.targets.first(n), finish };
            product_of_few(set, matrix, (rows, terms), target);
        }
    }

    /// Multiplies the bytes of each spot and its neighbours with a matrix.
    ///
    /// # Panics
    /// If the lanes are not those of at most a chunk of positions.
    pub fn product_int8(&self, set: Instructions, matrix: &PackedInt8, from: &Quantised, to: Outputs) {
        let (n, segment) = (positions(&to, matrix.lanes()), matrix.inputs());
        let Outputs { lanes, finish } = to;
        for group in if n == 1 { std::slice::from_ref(&self.whole) } else { &self.groups[..] } {
            let rows = Gather { source: from.bytes(), segment, taps: &group.taps, offsets: group.sources.first(n) };
            let rows = from.scaled(rows, group.spots);
            product_int8(set, matrix, rows, &mut Target { lanes, offsets: group.targets.first(n), finish });
        }
    }
}

fn positions(outputs: &Outputs, lanes: usize) -> usize {
    outputs.lanes.len() / (SPOTS * lanes)
}

impl Group {
    fn new(kind: Vec<usize>, input_lanes: usize, output_lanes: usize) -> Self {
        let members: Vec<_> = Spot::all().filter(|&spot| present(spot) == kind).collect();
        let sources = members.iter().flat_map(|&spot| taps(spot).into_iter().flatten());
        let sources: Vec<_> = sources.map(|spot| (spot * input_lanes) as u32).collect();
        let targets: Vec<_> = members.iter().map(|spot| (spot.index() * output_lanes) as u32).collect();
        Self {
            spots: members.len(),
            taps: kind,
            sources: OffsetList::repeated(&sources, SPOTS * input_lanes, CHUNK),
            targets: OffsetList::repeated(&targets, SPOTS * output_lanes, CHUNK),
        }
    }

    fn whole(input_lanes: usize, output_lanes: usize) -> Self {
        let sources = Spot::all().flat_map(taps).map(|spot| (spot.unwrap_or(SPOTS) * input_lanes) as u32);
        let targets: Vec<_> = (0..SPOTS).map(|spot| (spot * output_lanes) as u32).collect();
        Self {
            spots: SPOTS,
            taps: (0..TAPS).collect(),
            sources: OffsetList::repeated(&sources.collect::<Vec<_>>(), 0, 1),
            targets: OffsetList::repeated(&targets, 0, 1),
        }
    }
}

/// Returns the taps of a spot that lie on the board.
fn present(spot: Spot) -> Vec<usize> {
    let taps = taps(spot);
    (0..TAPS).filter(|&tap| taps[tap].is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spot_and_pair_of_neighbours_is_in_one_group() {
        let groups = Groups::new(1, 1).groups;
        let mut spots: Vec<_> = groups.iter().flat_map(|group| group.targets.of_first()).copied().collect();
        spots.sort_unstable();
        assert!(spots.into_iter().eq(0..SPOTS as u32));
        // 37 spots, and 30 pairs in each direction.
        assert_eq!(groups.iter().map(|group| group.spots * group.taps.len()).sum::<usize>(), 37 + 6 * 30);
        for group in groups {
            let sources = group.sources.of_first().chunks_exact(group.taps.len());
            for (&spot, sources) in group.targets.of_first().iter().zip(sources) {
                let around = taps(Spot::from_index(spot as usize));
                let expected = group.taps.iter().map(|&tap| around[tap].map(|spot| spot as u32));
                assert!(expected.eq(sources.iter().copied().map(Some)));
            }
        }
    }
}
