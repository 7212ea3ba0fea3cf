//! One file of a dataset, as bytes.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::table::{FIELDS, definition};
use super::{Provenance, ROW_GROUP_ROWS, Row, column};

/// The effort of the compressor, 1 to 22.
const LEVEL: i32 = 9;

/// Returns the rows of games as a Parquet file.
pub(super) fn encode(rows: &[Row], provenance: &Provenance) -> Result<Vec<u8>> {
    let schema = parse_message_type(&definition()).expect("the definition of the columns is a Parquet schema");
    let mut parquet = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties(provenance)))?;
    groups(rows).into_iter().try_for_each(|rows| write_group(&mut parquet, rows))?;
    parquet.into_inner()
}

/// Splits rows into row groups. The rows of a game are in one group, unless the game is longer than a group, as a
/// game without a limit can be.
fn groups(rows: &[Row]) -> Vec<&[Row]> {
    let (mut groups, mut begin, mut end) = (Vec::new(), 0, 0);
    for game in rows.chunk_by(|one, next| one.game_id == next.game_id) {
        if end - begin + game.len() > ROW_GROUP_ROWS {
            groups.push(&rows[begin..end]);
            begin = end;
        }
        end += game.len();
    }
    groups.push(&rows[begin..end]);
    groups.into_iter().flat_map(|rows| rows.chunks(ROW_GROUP_ROWS)).collect()
}

fn write_group(parquet: &mut SerializedFileWriter<Vec<u8>>, rows: &[Row]) -> Result<()> {
    let mut group = parquet.next_row_group()?;
    for field in FIELDS {
        let cells: Vec<_> = rows.iter().map(field.get).collect();
        let mut writer = group.next_column()?.expect("the file has a column for each field");
        column::write(field, &cells, &mut writer)?;
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

/// Returns the layout and compression of the columns.
fn properties(provenance: &Provenance) -> WriterProperties {
    let level = ZstdLevel::try_new(LEVEL).expect("zstd has this level");
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(provenance.program.clone())
        .set_key_value_metadata(Some(provenance.to_metadata()));
    let encoded = FIELDS.iter().filter_map(|field| Some((field.path(), field.encoding()?)));
    let properties = encoded.fold(properties, |properties, (path, encoding)| {
        properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding)
    });
    properties.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_stands_in_one_row_group_unless_it_is_longer() {
        let lengths = |games: &[usize]| {
            let game = |(id, &length): (usize, &usize)| vec![Row { game_id: id as u64, ..Row::blank() }; length];
            let rows: Vec<_> = games.iter().enumerate().flat_map(game).collect();
            groups(&rows).iter().map(|group| group.len()).collect::<Vec<_>>()
        };
        let most = ROW_GROUP_ROWS;
        assert_eq!(lengths(&[most - 10, 10]), [most]);
        assert_eq!(lengths(&[most - 10, 11]), [most - 10, 11]);
        assert_eq!(lengths(&[5, 2 * most + 1, 7]), [5, most, most, 1, 7]);
        assert!(lengths(&[]).is_empty());
    }
}
