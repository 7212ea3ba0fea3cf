//! Products with the matrix instructions of x86-64, AMX: sixteen rows with sixteen outputs at once, 64 inputs deep.
//!
//! A tile is a register of sixteen rows of 64 bytes. One holds 64 inputs of sixteen rows of a product; another the weights
//! from these inputs to a lane of outputs, laid out as [`fours::pack`](super::fours::pack) does; and a third the sums of all
//! their products (Intel, *64 and IA-32 Architectures Software Developer's Manual*, volume 2: `TDPBUSD`). The compiler has
//! no stable names for the instructions, so they are written out.

use std::arch::asm;
use std::arch::x86_64::{__cpuid_count, __m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_store_si512};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::LazyLock;

use super::fours::Product;
use super::{FOUR, RowScales};
use crate::infer::kernel::tiles::{Finish, PANEL, finish};
use crate::infer::kernel::x86::Wide;
use crate::infer::kernel::{Instructions, Target, Vector, Weights};
use crate::infer::lanes::LANE;

/// The number of rows of a tile.
const TILE: usize = 16;
/// The number of bytes in a row of a tile.
const DEEP: usize = 64;
/// The number of rows that go through the matrix together: two tiles.
const ROWS: usize = 2 * TILE;
/// The most inputs of a row: two tiles of rows take 16 KB, which the first-level cache holds beside the weights.
const MOST_INPUTS: usize = 8 * DEEP;
/// The least rows: fewer leave most of a tile empty.
const LEAST_ROWS: usize = 8;

/// Returns whether the machine has the instructions, with AVX-512 beside them, and this program may use them.
pub fn is_available() -> bool {
    static AVAILABLE: LazyLock<bool> =
        LazyLock::new(|| Instructions::Avx512.is_available() && has_tiles() && request());
    *AVAILABLE
}

/// Returns whether the processor, one with AVX-512, has tiles, and products of bytes in them.
fn has_tiles() -> bool {
    const TILES_AND_BYTES: u32 = 1 << 24 | 1 << 25;
    __cpuid_count(7, 0).edx & TILES_AND_BYTES == TILES_AND_BYTES
}

/// Asks Linux for the registers, which add 8 KB to what it keeps of each thread that uses them.
///
/// It refuses if a thread has set up a stack for signals that has no room for them, and from then on refuses such stacks.
#[cfg(target_os = "linux")]
fn request() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: the call takes two numbers, and writes no memory of this program.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

/// There is no portable way to ask for the registers.
#[cfg(not(target_os = "linux"))]
fn request() -> bool {
    false
}

/// The form of all eight tiles, as the instruction reads it.
#[repr(C, align(64))]
struct Form {
    palette: u8,
    /// The row to begin with, and nothing.
    zeros: [u8; 15],
    bytes: [u16; 16],
    rows: [u8; 16],
}

static FORM: Form = {
    let mut form = Form { palette: 1, zeros: [0; 15], bytes: [0; 16], rows: [0; 16] };
    let mut tile = 0;
    while tile < 8 {
        (form.bytes[tile], form.rows[tile]) = (DEEP as u16, TILE as u8);
        tile += 1;
    }
    form
};

/// 64 inputs of two tiles of rows.
#[repr(C, align(64))]
struct Block([[u8; DEEP]; ROWS]);

/// The sums of two tiles of rows, for each of the two lanes of a panel.
#[repr(C, align(64))]
struct Sums([[[[i32; LANE]; TILE]; PANEL]; 2]);

const _: () = assert!(size_of::<[[i32; LANE]; TILE]>() == 1024, "what `tilestored` writes");

impl Product<'_> {
    /// Returns whether it fills tiles well if it has this many rows.
    pub fn suits_tiles(self, count: usize) -> bool {
        let inputs = self.rows.rows.taps.len() * self.matrix.inputs;
        self.matrix.inputs.is_multiple_of(DEEP)
            && (DEEP..=MOST_INPUTS).contains(&inputs)
            && self.matrix.lanes().is_multiple_of(PANEL)
            && count >= LEAST_ROWS
    }

    /// Multiplies, and writes the outputs.
    ///
    /// # Safety
    /// The product must [suit](Self::suits_tiles) tiles and they must be [available](is_available), and the outputs must lie
    /// within the target.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,fma")]
    pub unsafe fn write_by_tiles(self, target: &mut Target) {
        let mut blocks = [const { MaybeUninit::uninit() }; MOST_INPUTS / DEEP];
        let mut sums = MaybeUninit::<Sums>::uninit();
        let count = target.offsets.len();
        // SAFETY: as required of the caller.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const FORM, options(nostack, preserves_flags));
            for row in (0..count).step_by(ROWS) {
                let rows = row..count.min(row + ROWS);
                self.bring_together(rows.clone(), &mut blocks);
                let mut panel = self.matrix.fours.as_ptr();
                for first in (0..self.matrix.lanes()).step_by(PANEL) {
                    if rows.len() > TILE {
                        self.multiply::<2>(blocks.as_ptr().cast(), panel, sums.as_mut_ptr());
                    } else {
                        self.multiply::<1>(blocks.as_ptr().cast(), panel, sums.as_mut_ptr());
                    }
                    // A loop for each way to write, so that not every row has to ask.
                    let (rows, sums) = (rows.clone(), sums.as_ptr());
                    match target.finish {
                        Finish::Store => self.finish(rows, sums, first, target, Finish::Store),
                        Finish::Rectify => self.finish(rows, sums, first, target, Finish::Rectify),
                        Finish::Add => self.finish(rows, sums, first, target, Finish::Add),
                        Finish::AddRectified => self.finish(rows, sums, first, target, Finish::AddRectified),
                    }
                    panel = panel.add(self.matrix.segments * self.matrix.inputs / FOUR * PANEL);
                }
            }
            // Without it every change of threads would have to save all tiles.
            asm!("tilerelease", options(nostack, preserves_flags));
        }
    }

    /// Copies rows, their segments one after the other, into blocks. The last row also fills up the last tile.
    ///
    /// # Safety
    /// As of [`Self::write_by_tiles`]; the rows must exist.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,fma")]
    unsafe fn bring_together(self, rows: Range<usize>, blocks: &mut [MaybeUninit<Block>]) {
        let (from, each) = (self.rows.rows, self.matrix.inputs / DEEP);
        for index in 0..rows.len().next_multiple_of(TILE) {
            let places = (rows.start + index).min(rows.end - 1) * from.taps.len();
            for tap in 0..from.taps.len() {
                // SAFETY: each segment lies within the source, and has `each` blocks of bytes; `suits_tiles` has compared
                // their number with that of the blocks.
                unsafe {
                    let from = from.source.as_ptr().add(from.offsets.nth(places + tap));
                    for block in 0..each {
                        let to = blocks.as_mut_ptr().add(tap * each + block).cast::<__m512i>().add(index);
                        _mm512_store_si512(to, _mm512_loadu_si512(from.add(block * (DEEP / LANE)).cast()));
                    }
                }
            }
        }
    }

    /// Multiplies one or two tiles of rows with a panel.
    ///
    /// # Safety
    /// As of [`Self::write_by_tiles`]; there must be a block for every 64 inputs, and `panel` must be one of the matrix.
    unsafe fn multiply<const TILES: usize>(self, mut block: *const Block, panel: *const Weights, sums: *mut Sums) {
        const STRIDE: usize = PANEL * size_of::<Weights>();
        let each = self.matrix.inputs / DEEP;
        // SAFETY: as required of the caller. Tiles keep what they hold from one block to the next, since the compiler uses
        // them only in functions that enable AMX, and none does.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                options(nomem, nostack, preserves_flags)
            );
            for tap in self.rows.rows.taps {
                for place in tap * each..(tap + 1) * each {
                    let weights = panel.add(place * DEEP / FOUR * PANEL);
                    asm!(
                        "tileloadd tmm4, [{rows} + {bytes}*1]",
                        "tileloadd tmm6, [{one} + {stride}*1]",
                        "tdpbusd tmm0, tmm4, tmm6",
                        "tileloadd tmm7, [{other} + {stride}*1]",
                        "tdpbusd tmm1, tmm4, tmm7",
                        rows = in(reg) block,
                        bytes = in(reg) DEEP,
                        one = in(reg) weights,
                        other = in(reg) weights.add(1),
                        stride = in(reg) STRIDE,
                        options(readonly, nostack, preserves_flags)
                    );
                    if TILES > 1 {
                        asm!(
                            "tileloadd tmm5, [{rows} + {bytes}*1]",
                            "tdpbusd tmm2, tmm5, tmm6",
                            "tdpbusd tmm3, tmm5, tmm7",
                            rows = in(reg) block.cast::<[u8; DEEP]>().add(TILE),
                            bytes = in(reg) DEEP,
                            options(readonly, nostack, preserves_flags)
                        );
                    }
                    block = block.add(1);
                }
            }
            // One after the other, as `Sums` has them; without a second tile of rows its sums are zeros.
            asm!(
                "tilestored [{sums} + {bytes}*1], tmm0",
                "tilestored [{sums} + {bytes}*1 + 1024], tmm1",
                "tilestored [{sums} + {bytes}*1 + 2048], tmm2",
                "tilestored [{sums} + {bytes}*1 + 3072], tmm3",
                sums = in(reg) sums,
                bytes = in(reg) DEEP,
                options(nostack, preserves_flags)
            );
        }
    }

    /// Writes the outputs of rows for the panel that begins with lane `first`.
    ///
    /// # Safety
    /// As of [`Self::write_by_tiles`]; the sums of these rows must have been written.
    #[inline(always)]
    unsafe fn finish(self, rows: Range<usize>, sums: *const Sums, first: usize, target: &mut Target, how: Finish) {
        let mut scales = RowScales::from(rows.start, self.rows);
        for (index, row) in rows.enumerate() {
            // SAFETY: as required of the caller.
            unsafe {
                let scale = scales.of(row);
                let mut floats = [Wide::splat(0.0); PANEL];
                for (lane, float) in floats.iter_mut().enumerate() {
                    let sums = &raw const (*sums).0[index / TILE][lane][index % TILE];
                    *float = self.matrix.floats(first + lane, _mm512_load_si512(sums.cast()), scale);
                }
                let to = target.lanes.as_mut_ptr().add(target.offsets.nth(row) + first);
                finish(&floats, to, how);
            }
        }
    }
}
