//! The description that stands beside the files of a dataset.

use std::fmt::Write as _;
use std::path::Path;

use gipf_models::write_whole;

use super::field::FIELDS;
use super::{DatasetError, Provenance, SCHEMA_VERSION, Summary};

/// Writes `README.md`.
pub(super) fn write(folder: &Path, provenance: &Provenance, summary: &Summary) -> Result<(), DatasetError> {
    let path = folder.join("README.md");
    write_whole(&path, text(provenance, summary).as_bytes()).map_err(DatasetError::io(&path, "write"))
}

fn text(provenance: &Provenance, summary: &Summary) -> String {
    let Provenance { variant, checkpoint, settings, seed, program } = provenance;
    let checkpoint = checkpoint.as_deref().unwrap_or("none");
    let Summary { games, rows, files } = summary;
    let mut columns = String::new();
    for field in FIELDS {
        writeln!(columns, "| `{}` | {} | {} |", field.name, field.type_name(), field.about).expect("strings can grow");
    }
    format!(
        "# Games of GIPF

{games} games of `{variant}`, played by a program against itself: {rows} decisions in {} files `games-*.parquet`.
One row is one decision. The rows of a game stand together, in the order of play, and are never split over files.

| | |
|---|---|
| program | {program} |
| checkpoint | {checkpoint} |
| seed | {seed} |
| settings | `{settings}` |
| schema version | {SCHEMA_VERSION} |

The same is in the metadata of each file, under `gipf.…`.

## Columns

| column | type | meaning |
|---|---|---|
{columns}
A turn can hold several decisions of one player: a placement, and choices at removals. Never infer who is to move from
the number of decisions. A position text alone does not restore a decision in phase `pre` or `post`; `start` and the
actions of the game up to it do.

## Reading it

```python
import polars
rows = polars.read_parquet(\"games-*.parquet\")
targets = rows.filter(polars.col(\"effort\") == \"full\").select(\"gpn\", \"legal\", \"policy\", \"result\", \"root_value\")

import pyarrow.parquet
print(pyarrow.parquet.read_metadata(\"games-00000.parquet\").metadata)
```
",
        files.len()
    )
}
