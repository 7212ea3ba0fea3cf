//! The definition of a column: name, meaning, type and layout, and its value in a row.

use parquet::basic::Encoding;
use parquet::schema::types::ColumnPath;

use super::cell::Cell;
use super::row::Row;

/// A column of the file.
pub(super) struct Field {
    pub name: &'static str,
    /// What it means, for the description beside the files.
    pub about: &'static str,
    pub element: Element,
    pub shape: Shape,
    /// Returns the value of a row.
    pub get: fn(&Row) -> Cell,
    /// Sets the value of a row, and returns whether it belongs in this column.
    pub set: fn(&mut Row, &Cell) -> bool,
}

/// The type of a value, or of the values of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    U8,
    U16,
    U32,
    U64,
    I8,
    Bool,
    Text,
    /// A byte for each spot.
    Board,
}

/// The number of values in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    One,
    OneOrNull,
    List,
}

impl Field {
    /// Returns the type as readers of the file see it.
    pub fn type_name(&self) -> String {
        let element = match self.element {
            Element::U8 => "uint8",
            Element::U16 => "uint16",
            Element::U32 => "uint32",
            Element::U64 => "uint64",
            Element::I8 => "int8",
            Element::Bool => "bool",
            Element::Text => "string",
            Element::Board => "37 bytes",
        };
        match self.shape {
            Shape::One => element.to_owned(),
            Shape::OneOrNull => format!("{element} or null"),
            Shape::List => format!("list of {element}"),
        }
    }

    /// Returns how the values are laid out before they are compressed; none for the library's default, a dictionary
    /// where it has one.
    ///
    /// Chosen for the smallest files of self-play games: a dictionary for words and for numbers that can be null,
    /// boards as they are, and for all other numbers one stream for each of their bytes, so that the compressor meets
    /// the low bytes side by side.
    pub const fn encoding(&self) -> Option<Encoding> {
        match (self.element, self.shape) {
            (Element::Text | Element::Bool, _) | (_, Shape::OneOrNull) => None,
            (Element::Board, _) => Some(Encoding::PLAIN),
            _ => Some(Encoding::BYTE_STREAM_SPLIT),
        }
    }

    /// Returns the path of its values in the schema.
    pub fn path(&self) -> ColumnPath {
        let name = self.name.to_owned();
        let parts = if self.is_list() { vec![name, "list".to_owned(), "element".to_owned()] } else { vec![name] };
        ColumnPath::new(parts)
    }

    /// Returns the definition in the language of Parquet schemas.
    pub fn definition(&self) -> String {
        let (physical, logical) = match self.element {
            Element::U8 => ("INT32", " (INTEGER(8,false))"),
            Element::U16 => ("INT32", " (INTEGER(16,false))"),
            Element::U32 => ("INT32", " (INTEGER(32,false))"),
            Element::U64 => ("INT64", " (INTEGER(64,false))"),
            Element::I8 => ("INT32", " (INTEGER(8,true))"),
            Element::Bool => ("BOOLEAN", ""),
            Element::Text => ("BYTE_ARRAY", " (STRING)"),
            Element::Board => ("FIXED_LEN_BYTE_ARRAY (37)", ""),
        };
        let name = self.name;
        let repetition = if self.nullable() { "OPTIONAL" } else { "REQUIRED" };
        if self.is_list() {
            let items = format!("REPEATED GROUP list {{ REQUIRED {physical} element{logical}; }}");
            format!("{repetition} GROUP {name} (LIST) {{ {items} }}")
        } else {
            format!("{repetition} {physical} {name}{logical};")
        }
    }

    pub const fn is_list(&self) -> bool {
        matches!(self.shape, Shape::List)
    }

    pub const fn nullable(&self) -> bool {
        matches!(self.shape, Shape::OneOrNull)
    }
}
