//! Converts cells to the values and levels of a Parquet column, and back.
//!
//! A definition level says how much of a value is there: null, an empty list, or a value. A repetition level is 0 for
//! the first value of a row and 1 for the others of its list.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedColumnWriter;

use super::cell::Cell;
use super::field::{Element, Field};

/// Writes the cells of one column of a row group.
pub(super) fn write(field: &Field, cells: &[Cell], writer: &mut SerializedColumnWriter<'_>) -> Result<()> {
    match field.element {
        Element::U8 | Element::U16 | Element::U32 | Element::I8 => write_as::<Int32Type>(field, cells, writer),
        Element::U64 => write_as::<Int64Type>(field, cells, writer),
        Element::Board => write_as::<FixedLenByteArrayType>(field, cells, writer),
        Element::Bool => write_as::<BoolType>(field, cells, writer),
        Element::Text => write_as::<ByteArrayType>(field, cells, writer),
    }
}

/// Reads the cells of one column of a row group of `rows` rows.
pub(super) fn read(field: &Field, rows: usize, reader: ColumnReader) -> Result<Vec<Cell>> {
    match field.element {
        Element::U8 | Element::U16 | Element::U32 | Element::I8 => read_as::<Int32Type>(field, rows, reader),
        Element::U64 => read_as::<Int64Type>(field, rows, reader),
        Element::Board => read_as::<FixedLenByteArrayType>(field, rows, reader),
        Element::Bool => read_as::<BoolType>(field, rows, reader),
        Element::Text => read_as::<ByteArrayType>(field, rows, reader),
    }
}

/// The longest text of a cell in bytes: position texts are a third of it.
pub(super) const MOST_TEXT: usize = 512;

/// A physical type of Parquet that holds the values of cells.
trait Physical: DataType {
    /// Appends the values of a cell, and returns their number.
    fn put(cell: &Cell, values: &mut Vec<Self::T>) -> usize;

    /// Returns the cell of a value.
    fn one(value: &Self::T) -> Result<Cell>;

    /// Returns the cell of a list.
    fn list(values: &[Self::T]) -> Cell;
}

impl Physical for Int32Type {
    fn put(cell: &Cell, values: &mut Vec<i32>) -> usize {
        // Unsigned 32-bit values are stored as the signed values with the same bits.
        put_all(cell, values, |number| number as i32)
    }

    fn one(&value: &i32) -> Result<Cell> {
        Ok(Cell::Number(value.into()))
    }

    fn list(values: &[i32]) -> Cell {
        Cell::numbers(values.iter().copied())
    }
}

impl Physical for Int64Type {
    fn put(cell: &Cell, values: &mut Vec<i64>) -> usize {
        put_all(cell, values, |number| number)
    }

    fn one(&value: &i64) -> Result<Cell> {
        Ok(Cell::Number(value))
    }

    fn list(values: &[i64]) -> Cell {
        Cell::numbers(values.iter().copied())
    }
}

impl Physical for FixedLenByteArrayType {
    fn put(cell: &Cell, values: &mut Vec<FixedLenByteArray>) -> usize {
        let Cell::Bytes(bytes) = cell else { unreachable!("a column of boards holds bytes") };
        values.push(ByteArray::from(bytes.clone()).into());
        1
    }

    fn one(value: &FixedLenByteArray) -> Result<Cell> {
        Ok(Cell::Bytes(value.data().to_vec()))
    }

    fn list(_: &[FixedLenByteArray]) -> Cell {
        unreachable!("no column holds lists of boards")
    }
}

impl Physical for BoolType {
    fn put(cell: &Cell, values: &mut Vec<bool>) -> usize {
        let Cell::Flag(flag) = cell else { unreachable!("a column of flags holds flags") };
        values.push(*flag);
        1
    }

    fn one(&value: &bool) -> Result<Cell> {
        Ok(Cell::Flag(value))
    }

    fn list(_: &[bool]) -> Cell {
        unreachable!("no column holds lists of flags")
    }
}

impl Physical for ByteArrayType {
    fn put(cell: &Cell, values: &mut Vec<ByteArray>) -> usize {
        let Cell::Text(text) = cell else { unreachable!("a column of texts holds texts") };
        values.push(text.as_str().into());
        1
    }

    fn one(value: &ByteArray) -> Result<Cell> {
        // A long text would be copied for each row that names it, though it is only once in the dictionary.
        if value.len() > MOST_TEXT {
            return Err(ParquetError::General(format!("a text of {} bytes", value.len())));
        }
        Ok(Cell::Text(value.as_utf8()?.to_owned()))
    }

    fn list(_: &[ByteArray]) -> Cell {
        unreachable!("no column holds lists of texts")
    }
}

fn put_all<T>(cell: &Cell, values: &mut Vec<T>, convert: impl Fn(i64) -> T) -> usize {
    match cell {
        Cell::Number(number) => values.push(convert(*number)),
        Cell::Numbers(numbers) => {
            values.extend(numbers.iter().map(|&number| convert(number)));
            return numbers.len();
        }
        _ => unreachable!("a column of numbers holds numbers"),
    }
    1
}

/// The values of a column, and for each value, null and empty list a definition and a repetition level.
pub(super) struct Levels<T> {
    pub values: Vec<T>,
    pub definition: Vec<i16>,
    pub repetition: Vec<i16>,
}

impl<T> Default for Levels<T> {
    fn default() -> Self {
        Self { values: Vec::new(), definition: Vec::new(), repetition: Vec::new() }
    }
}

/// Returns the definition level of an empty list, which is one below the level of a value and one above null.
fn level_of_empty(field: &Field) -> i16 {
    i16::from(field.nullable())
}

fn level_of_value(field: &Field) -> i16 {
    i16::from(field.nullable()) + i16::from(field.is_list())
}

fn write_as<T: Physical>(field: &Field, cells: &[Cell], writer: &mut SerializedColumnWriter<'_>) -> Result<()> {
    let mut levels = Levels::<T::T>::default();
    for cell in cells {
        if *cell == Cell::Null {
            levels.definition.push(0);
            levels.repetition.push(0);
            continue;
        }
        let count = T::put(cell, &mut levels.values);
        let definition = if count == 0 { level_of_empty(field) } else { level_of_value(field) };
        levels.definition.extend(std::iter::repeat_n(definition, count.max(1)));
        levels.repetition.extend((0..count.max(1)).map(|item| i16::from(item > 0)));
    }
    let (definition, repetition) = (Some(&*levels.definition), Some(&*levels.repetition));
    let definition = definition.filter(|_| level_of_value(field) > 0);
    writer.typed::<T>().write_batch(&levels.values, definition, repetition.filter(|_| field.is_list()))?;
    Ok(())
}

/// Returns the values of one column of a row group of `rows` rows with their levels. Levels that the column does not
/// have are left out.
pub(super) fn levels<T: DataType>(field: &Field, rows: usize, reader: ColumnReader) -> Result<Levels<T::T>> {
    let mut reader: ColumnReaderImpl<T> = get_typed_column_reader(reader);
    let mut levels = Levels::<T::T>::default();
    let (definition, repetition) = (Some(&mut levels.definition), Some(&mut levels.repetition));
    let (found, ..) = reader.read_records(rows, definition, repetition, &mut levels.values)?;
    if found == rows { Ok(levels) } else { Err(damaged(field)) }
}

fn read_as<T: Physical>(field: &Field, rows: usize, reader: ColumnReader) -> Result<Vec<Cell>> {
    let mut levels = levels::<T>(field, rows, reader)?;
    if level_of_value(field) == 0 {
        levels.definition = vec![0; levels.values.len()];
    }
    if !field.is_list() {
        levels.repetition = vec![0; levels.definition.len()];
    }
    let cells = cells_of::<T>(field, &levels)?;
    if cells.len() == rows { Ok(cells) } else { Err(damaged(field)) }
}

fn cells_of<T: Physical>(field: &Field, levels: &Levels<T::T>) -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    let mut values = levels.values.as_slice();
    let mut level = 0;
    while level < levels.definition.len() {
        let more = levels.repetition[level + 1..].iter().take_while(|&&repetition| repetition > 0).count();
        let cell = if levels.definition[level] == level_of_value(field) {
            let (own, rest) = values.split_at_checked(more + 1).ok_or_else(|| damaged(field))?;
            values = rest;
            if field.is_list() { T::list(own) } else { T::one(&own[0])? }
        } else if field.is_list() && levels.definition[level] == level_of_empty(field) {
            T::list(&[])
        } else {
            Cell::Null
        };
        cells.push(cell);
        level += more + 1;
    }
    Ok(cells)
}

/// Returns the error for a column whose pages do not contain what they should.
pub(super) fn damaged(field: &Field) -> ParquetError {
    ParquetError::General(format!("column {} is damaged", field.name))
}
