//! The headers of pages, read before the library reads the pages: it decompresses a page as a whole, to any size that
//! the header claims, so that a small file could fill the memory.
//!
//! A header is a struct in the compact protocol of Thrift. Only what writers of Parquet write is accepted: the library
//! looks at the numbers of fields and hardly at their types, and must not find another size in it than is found here.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::column::damaged;
use super::field::Field;
use super::pages::most_bytes;

/// Checks the headers of a column in a row group of `rows` rows: together its pages must not claim more bytes than the
/// column can have, and they must lie in its part of the file.
///
/// # Errors
/// If they do not, or cannot be read.
pub(super) fn check(file: &File, chunk: &ColumnChunkMetaData, field: &Field, rows: usize) -> Result<()> {
    let (mut left, mut room) = (most_bytes(field, rows), chunk.byte_range().1);
    let end = chunk.byte_range().0.checked_add(room).filter(|&end| end <= Length::len(file));
    let end = end.ok_or_else(|| damaged(field))?;
    while room > 0 {
        let header = Header::read(file.get_read(end - room)?).map_err(|error| told(error, field))?;
        let rest = room.checked_sub(header.length + header.stored).zip(left.checked_sub(header.claimed));
        (room, left) = rest.ok_or_else(|| damaged(field))?;
    }
    Ok(())
}

/// Returns the error for a header that cannot be read.
fn told(error: io::Error, field: &Field) -> ParquetError {
    match error.kind() {
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => damaged(field),
        _ => error.into(),
    }
}

/// What the header of a page says, in bytes.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    /// Of the header itself.
    length: u64,
    /// Of the page in the file.
    stored: u64,
    /// Of the page after it is decompressed.
    claimed: u64,
}

// Types of fields.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const STRUCT: u8 = 12;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// If it is none, or cannot be read.
    fn read(input: impl Read) -> io::Result<Self> {
        let (mut fields, mut last) = (Fields { input, length: 0 }, 0);
        let (mut stored, mut claimed) = (None, None);
        while let Some((number, kind)) = fields.next(last)? {
            match (number, kind) {
                (1 | 4, I32) => _ = fields.number()?,
                (2, I32) => claimed = Some(fields.size()?),
                (3, I32) => stored = Some(fields.size()?),
                (5, STRUCT) => fields.skip(None, Some(5))?,
                (7, STRUCT) => fields.skip(Some(3), None)?,
                (8, STRUCT) => fields.skip(Some(7), Some(8))?,
                _ => return Err(ErrorKind::InvalidData.into()),
            }
            last = number;
        }
        let (stored, claimed) = stored.zip(claimed).ok_or(ErrorKind::InvalidData)?;
        Ok(Self { length: fields.length, stored, claimed })
    }
}

/// The fields of a header while they are read.
struct Fields<R> {
    input: R,
    /// The number of bytes read.
    length: u64,
}

impl<R: Read> Fields<R> {
    /// The most bytes of a header: it can have statistics with four texts.
    const MOST: u64 = 4096;

    /// Returns the number and the type of the field after the one with the number `last`; none at the end of the
    /// struct. Fields have ascending numbers, so that none occurs twice.
    fn next(&mut self, last: u64) -> io::Result<Option<(u64, u8)>> {
        let byte = self.byte()?;
        match (byte >> 4, byte & 15) {
            (_, 0) => Ok(None),
            // A number in full, which writers need only for steps of more than 15.
            (0, _) => Err(ErrorKind::InvalidData.into()),
            (step, kind) => Ok(Some((last + u64::from(step), kind))),
        }
    }

    /// Skips the header of one kind of page: numbers, and the flag and the statistics with these numbers.
    fn skip(&mut self, flag: Option<u64>, statistics: Option<u64>) -> io::Result<()> {
        let mut last = 0;
        while let Some((number, kind)) = self.next(last)? {
            match kind {
                I32 => _ = self.number()?,
                TRUE | FALSE if flag == Some(number) => {}
                STRUCT if statistics == Some(number) => self.skip_statistics()?,
                _ => return Err(ErrorKind::InvalidData.into()),
            }
            last = number;
        }
        Ok(())
    }

    fn skip_statistics(&mut self) -> io::Result<()> {
        while let Some((_, kind)) = self.next(0)? {
            match kind {
                TRUE | FALSE => {}
                I64 => _ = self.number()?,
                BINARY => (0..self.number()?).try_for_each(|_| self.byte().map(drop))?,
                _ => return Err(ErrorKind::InvalidData.into()),
            }
        }
        Ok(())
    }

    /// Returns a number of bytes: a signed number, whose sign is its lowest bit.
    fn size(&mut self) -> io::Result<u64> {
        let number = self.number()?;
        let is_size = number & 1 == 0 && i32::try_from(number >> 1).is_ok();
        if is_size { Ok(number >> 1) } else { Err(ErrorKind::InvalidData.into()) }
    }

    /// Returns a number of at most 64 bits, 7 in each byte, the lowest first.
    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(ErrorKind::InvalidData.into())
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.length += 1;
        if self.length > Self::MOST {
            return Err(ErrorKind::InvalidData.into());
        }
        self.input.read_exact(&mut byte)?;
        Ok(byte[0])
    }
}

#[cfg(test)]
mod tests {
    use std::array;
    use std::fs;

    use gipf_env::Variant;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::super::table::FIELDS;
    use super::super::{DataFile, DatasetError, DatasetReader, Provenance, Row, part};
    use super::*;

    /// Returns a size in five bytes, however small it is.
    fn number(size: usize) -> [u8; 5] {
        array::from_fn(|place| ((2 * size) >> (7 * place)) as u8 % 128 + if place < 4 { 128 } else { 0 })
    }

    /// Returns the header of a page of plain values, without its end.
    fn unfinished(claimed: usize, stored: usize, values: usize) -> Vec<u8> {
        let [claimed, stored, values] = [claimed, stored, values].map(number);
        let sizes = [&[0x15, 0, 0x15][..], &claimed, &[0x15], &stored].concat();
        [&sizes[..], &[0x2c, 0x15], &values, &[0x15, 0, 0x15, 6, 0x15, 6, 0]].concat()
    }

    fn header(claimed: usize, stored: usize, values: usize) -> Vec<u8> {
        [unfinished(claimed, stored, values), vec![0]].concat()
    }

    #[test]
    fn the_sizes_are_those_that_the_header_says() {
        let read = |bytes: &[u8]| Header::read(bytes).ok().map(|header| (header.claimed, header.stored, header.length));
        let plain = header(1 << 20, 77, 9);
        assert_eq!(read(&plain), Some((1 << 20, 77, 29)));
        assert_eq!(read(&[&plain[..], b"the page"].concat()), Some((1 << 20, 77, 29)));
        let dictionary = [0x15, 4, 0x15, 8, 0x15, 6, 0x4c, 0x15, 2, 0x15, 0, 0x12, 0, 0];
        assert_eq!(read(&dictionary), Some((4, 3, 14)));
        let with_texts = [0x15, 0, 0x15, 8, 0x15, 6, 0x2c, 0x1c, 0x18, 2, 0x15, 0, 0x26, 1, 0x41, 0, 0, 0];
        assert!(read(&with_texts).is_none(), "statistics have the number 5");
        let with_texts =
            [&[0x15, 0, 0x15, 8, 0x15, 6, 0x2c, 0x5c, 0x18, 2, 0x15, 0, 0x26, 1, 0x41][..], &[0; 3]].concat();
        assert_eq!(read(&with_texts), Some((4, 3, 18)));
    }

    /// The library would find another size in them, or the next header elsewhere.
    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        let sizes = &header(8, 8, 9)[..14];
        let again = [&unfinished(8, 8, 9)[..], &[5, 4], &number(1 << 30), &[0]].concat();
        let back = [&unfinished(8, 8, 9)[..], &[5, 1, 0, 0x35], &number(1 << 30), &[0]].concat();
        let text = [&[0x18, 2, 0x15, 0][..], &sizes[2..], &[0]].concat();
        let flag = [sizes, &[0x2c, 0x11, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0]].concat();
        let list = [sizes, &[0x29, 0x10, 0]].concat();
        let negative = [0x15, 0, 0x15, 7, 0x15, 6, 0];
        let endless = [sizes, &[0x2c, 0x5c, 0x18, 255, 255, 3], &vec![0; 99_999]].concat();
        let cut = &header(8, 8, 9)[..20];
        for wrong in [&again[..], &back, &text, &flag, &list, &negative, &endless, cut, sizes, &[0], &[]] {
            assert!(Header::read(wrong).is_err(), "{wrong:?}");
        }
    }

    /// Returns `size` zeros as a frame of zstd, followed by one to be skipped, of `length` bytes together.
    fn zeros(size: usize, length: usize) -> Vec<u8> {
        const BLOCK: usize = 1 << 17;
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
        for begin in (0..size).step_by(BLOCK) {
            let repeated = ((size - begin).min(BLOCK) << 3) + 2 + usize::from(begin + BLOCK >= size);
            frame.extend(&repeated.to_le_bytes()[..3]);
            frame.push(0);
        }
        let rest = length - frame.len() - 8;
        frame.extend([0x50, 0x2a, 0x4d, 0x18].into_iter().chain((rest as u32).to_le_bytes()));
        frame.resize(length, 0);
        frame
    }

    /// A file of some kilobytes would take as much memory as its author likes.
    #[test]
    fn a_page_that_unpacks_to_more_than_its_rows_can_need_is_refused() {
        let random = |row: u16| blake3::hash(&row.to_le_bytes()).as_bytes()[0];
        let rows: Vec<_> = (0..9000).map(|row| Row { ply: random(row).into(), ..Row::blank() }).collect();
        let whole = part::encode(&rows, &Provenance::of(Variant::BASIC, 1)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.parquet");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            DatasetReader::open(&DataFile::alone(&path))?.rows().collect::<Result<Vec<_>, _>>()
        };
        assert_eq!(read(&whole).unwrap(), rows);
        let column = FIELDS.iter().position(|field| field.name == "ply").unwrap();
        let parquet = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let (begin, length) = parquet.metadata().row_group(0).column(column).byte_range();
        let unpacked = |size: usize| {
            let header = header(size, length as usize - 29, rows.len());
            let page = [header, zeros(size, length as usize - 29)].concat();
            read(&[&whole[..begin as usize], &page, &whole[(begin + length) as usize..]].concat())
        };
        assert!(unpacked(4 * rows.len()).unwrap().iter().all(|row| row.ply == 0));
        let told = unpacked(1 << 27).unwrap_err();
        assert!(
            matches!(told, DatasetError::Parquet { .. }) && told.to_string().contains("column ply is damaged"),
            "{told}"
        );
    }
}
