//! The description that stands beside the files of a dataset.
//!
//! Its head is the one that the Hugging Face Hub and `datasets` read: licence, kind of task, size, and which files there
//! are.

use std::fmt::Write as _;
use std::path::Path;

use gipf_models::write_whole;

use super::table::FIELDS;
use super::{DatasetError, Provenance, SCHEMA_VERSION, Summary};

/// A part of the dataset, as `datasets` names it, and the pattern of its files.
pub(super) type Part = (&'static str, &'static str);

/// The dataset as a whole.
pub(super) const WHOLE: &[Part] = &[("train", "games-*.parquet")];
/// A dataset of which games are held out.
pub(super) const HELD_OUT: [Part; 2] =
    [("train", "train/games-*.parquet"), ("validation", "validation/games-*.parquet")];

/// Writes `README.md`.
pub(super) fn write(
    folder: &Path,
    provenance: &Provenance,
    summary: &Summary,
    parts: &[Part],
) -> Result<(), DatasetError> {
    let path = folder.join("README.md");
    let text = head(provenance, summary, parts) + &body(provenance, summary, parts[0].1);
    write_whole(&path, text.as_bytes()).map_err(DatasetError::io(&path, "write"))
}

fn head(provenance: &Provenance, summary: &Summary, parts: &[Part]) -> String {
    let size = match summary.rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        10_000_000..100_000_000 => "10M<n<100M",
        _ => "100M<n<1B",
    };
    // The Hub knows licences by small letters, and joined ones as `other`.
    let licence = provenance.licence.to_lowercase();
    let licence = if licence.contains(' ') { "other".to_owned() } else { licence };
    let mut files = String::new();
    for (split, path) in parts {
        writeln!(files, "      - split: {split}\n        path: {path}").expect("strings can grow");
    }
    format!(
        "---
license: {licence}
pretty_name: Games of GIPF ({})
task_categories:
  - reinforcement-learning
tags:
  - board-games
  - gipf
  - self-play
size_categories:
  - {size}
configs:
  - config_name: default
    data_files:
{files}---
",
        provenance.variant
    )
}

fn body(provenance: &Provenance, summary: &Summary, pattern: &str) -> String {
    let Provenance { variant, checkpoint, settings, seed, program, licence } = provenance;
    let checkpoint = checkpoint.as_deref().unwrap_or("none");
    let Summary { games, rows, files } = summary;
    let mut columns = String::new();
    for field in FIELDS {
        writeln!(columns, "| `{}` | {} | {} |", field.name, field.type_name(), field.about).expect("strings can grow");
    }
    format!(
        "
# Games of GIPF

{games} games of `{variant}`, played by a program against itself: {rows} decisions in {} files `{pattern}`.
One row is one decision. The rows of a game stand together, in the order of play, and are never split over files. Beside
each file lies a text of the same name with the same games in official notation; what the notation cannot express is left
out there, with a line that begins with `%`.

| | |
|---|---|
| program | {program} |
| checkpoint | {checkpoint} |
| seed | {seed} |
| licence | {licence} |
| settings | `{settings}` |
| schema version | {SCHEMA_VERSION} |

The same is in the metadata of each file, under `gipf.…`.

## Columns

| column | type | meaning |
|---|---|---|
{columns}
A turn can hold several decisions of one player: a placement, and choices at removals. Never infer who is to move from
the number of decisions. `result` is from White's view, the two values are those of the player to move.

Rounded are the policy, where a probability is off by less than 1/255, and the values, off by at most 1/254. Left out is
what follows from `start`, `limit` and the actions of a game: position texts, lists of legal actions, placements made. Left
out too are the network's own policy, which would double the size, and temperatures, since self-play draws no action by one.

{READING}",
        files.len()
    )
}

const READING: &str = r#"## Reading it

```python
import polars
rows = polars.read_parquet("games-*.parquet")
targets = rows.filter(polars.col("effort") == "full").select("board", "to_move", "policy_actions", "policy", "result")

import pandas
rows = pandas.read_parquet("games-00000.parquet")
won = rows.groupby("game_id")["result"].first().value_counts()

import duckdb
duckdb.sql("SELECT ending, count(DISTINCT game_id) FROM 'games-*.parquet' GROUP BY ending")

import datasets
rows = datasets.load_dataset("parquet", data_files="games-*.parquet", split="train")
rows = datasets.load_dataset(".", split="train")    # in this directory: by the head of this text

import pyarrow.parquet
print(pyarrow.parquet.read_metadata("games-00000.parquet").metadata)

import numpy
policy = numpy.zeros(65)                            # 63, 65, 107, 371 or 373 actions
policy[rows[0]["policy_actions"]] = numpy.array(rows[0]["policy"]) / 255
board = numpy.frombuffer(rows[0]["board"], numpy.uint8)
```

`gipf data validate DIR` plays every game again and compares all columns; `gipf data info`, `merge`, `split` and `export`
do the rest.
"#;
