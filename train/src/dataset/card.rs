//! The description that accompanies the files of a dataset.
//!
//! Its head is what the Hugging Face Hub and `datasets` read: licence, kind of task, size, and the files. Names from
//! elsewhere, such as those of agents, programs or licences, are in one block of JSON, where they mean nothing to
//! YAML, Markdown or HTML.

use std::fmt::Write as _;

use super::folder::TakenFolder;
use super::licence::hub_name;
use super::table::FIELDS;
use super::{ARRAYS, DatasetError, Provenance, SCHEMA_VERSION, Summary};

/// A part of the dataset, as `datasets` names it, and the pattern of its files.
pub(super) type Part = (&'static str, &'static str);

/// The dataset as a whole.
pub(super) const WHOLE: &[Part] = &[("train", "games-*.parquet")];
/// A dataset some of whose games are held out.
pub(super) const HELD_OUT: [Part; 2] =
    [("train", "train/games-*.parquet"), ("validation", "validation/games-*.parquet")];

/// The name of the description. Hubs expect `README.md`, but libraries would take that for a file of games.
pub(super) const CARD: &str = "_README.md";

/// Writes the description.
pub(super) fn write(
    folder: &TakenFolder,
    provenance: &Provenance,
    summary: &Summary,
    parts: &[Part],
) -> Result<(), DatasetError> {
    let text = head(provenance, summary, parts) + &body(provenance, summary, parts);
    folder.put(CARD, text.as_bytes())
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
    let licence = hub_name(&provenance.licence);
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

fn body(provenance: &Provenance, summary: &Summary, parts: &[Part]) -> String {
    let (variant, Summary { games, rows, files }) = (provenance.variant, summary);
    let patterns: Vec<_> = parts.iter().map(|(_, pattern)| format!("`{pattern}`")).collect();
    let (patterns, reading) = (patterns.join(" and "), reading(parts[0]));
    let provenance = block(&serde_json::to_string_pretty(provenance).expect("a provenance is plain values"));
    let mut columns = String::new();
    for field in FIELDS {
        writeln!(columns, "| `{}` | {} | {} |", field.name, field.type_name(), field.about).expect("strings can grow");
    }
    let mut arrays = String::new();
    for [name, element, shape, about] in ARRAYS {
        writeln!(arrays, "| `{name}` | {element} | {shape} | {about} |").expect("strings can grow");
    }
    format!(
        "
# Games of GIPF

{games} games of `{variant}`: {rows} decisions in {} files {patterns}.
One row is one decision. The rows of a game stand together, in the order of play, and are never split over files. Beside them,
in `_text`, are the same games in official notation; what the notation cannot express is left out there, with a line that
begins with `%`. `_manifest.json`, beside them too, has the checksums of all files.

Schema version {SCHEMA_VERSION}. Where the games come from, as in the metadata of each file under `gipf.…`:

{provenance}

## Columns

| column | type | meaning |
|---|---|---|
{columns}
A turn can hold several decisions of one player: a placement, and choices at removals. Never infer who is to move from
the number of decisions. `result` is from White's view, the two values are those of the player to move.

Rounded are the policy, where a probability is off by less than 1/255, and the values, off by at most 1/254. Left out is
what follows from `start`, `limit` and the actions of a game: position texts, lists of legal actions, placements made. Left
out too are the network's own policy, which would double the size, and temperatures, since self-play draws no action by one.

## Arrays

`gipf data export --out FILE.npz DIR` writes the decisions, N in all, as dense arrays for `numpy.load`:

| array | type | shape | meaning |
|---|---|---|---|
{arrays}
{reading}",
        files.len()
    )
}

/// Returns a text as a block that Markdown does not interpret: its fence is longer than any fence in the text.
fn block(text: &str) -> String {
    let longest = text.split(|other| other != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}json\n{text}\n{fence}")
}

/// Returns how to read the files; in a split, those of one part.
fn reading((split, pattern): Part) -> String {
    let folder = pattern.rsplit_once('/').map_or("DIR".to_owned(), |(folder, _)| format!("DIR/{folder}"));
    READING.replace("PART", &folder).replace("SPLIT", split)
}

/// DIR is the directory of the description, PART that of files, SPLIT what `datasets` calls them.
const READING: &str = r#"## Reading it

```python
import pandas                                       # DIR is this directory
rows = pandas.read_parquet("PART")
won = rows.groupby("game_id")["result"].first().value_counts()

import pyarrow.dataset, pyarrow.parquet
rows = pyarrow.dataset.dataset("PART").to_table().to_pylist()
print(pyarrow.parquet.read_metadata("PART/games-00000.parquet").metadata)

import polars                                       # which takes all files of a directory for data
rows = polars.read_parquet("PART/*.parquet")
targets = rows.filter(polars.col("effort") == "full").select("board", "to_move", "policy_actions", "policy", "result")

import duckdb
duckdb.sql("SELECT ending, count(DISTINCT game_id) FROM 'PART/*.parquet' GROUP BY ending")

import datasets
rows = datasets.load_dataset("DIR", split="SPLIT")

import numpy
policy = numpy.zeros(65)                            # 63, 65, 107, 371 or 373 actions
policy[rows[0]["policy_actions"]] = numpy.array(rows[0]["policy"]) / 255
board = numpy.frombuffer(rows[0]["board"], numpy.uint8)
```

On the Hugging Face Hub this text has to be called `README.md`:

```sh
hf upload NAME/DATASET DIR . --repo-type dataset --exclude '*_README.md' --exclude '*_lock'
hf upload NAME/DATASET DIR/_README.md README.md --repo-type dataset
```

`gipf data validate DIR` plays every game again, and compares every column that follows from its start and its actions, and
all checksums; `gipf data info`, `merge`, `split` and `export` do the rest.
"#;

#[cfg(test)]
mod tests {
    use gipf_env::Variant;

    use super::*;

    #[test]
    fn what_others_have_named_means_nothing_to_yaml_markdown_or_html() {
        let hostile = "*evil\n---\n```\n````json\n| a | <script>alert(1)</script> [x](y) `";
        let provenance = Provenance {
            checkpoint: Some(hostile.to_owned()),
            settings: serde_json::json!({ "agent": hostile }),
            program: hostile.to_owned(),
            licence: hostile.to_owned(),
            ..Provenance::of(Variant::STANDARD, 1)
        };
        let plain = Provenance { licence: "MIT OR X".to_owned(), ..Provenance::of(Variant::STANDARD, 1) };
        let summary = Summary { games: 1, rows: 2, files: Vec::new() };
        assert_eq!(head(&provenance, &summary, WHOLE), head(&plain, &summary, WHOLE));

        let text = body(&provenance, &summary, WHOLE);
        let (before, rest) = text.split_once("\n`````json\n").expect("the fence is longer than those in the text");
        let (json, after) = rest.split_once("\n`````\n").unwrap();
        assert!(!json.lines().any(|line| line.trim_start().starts_with("```")), "{json}");
        assert_eq!(serde_json::from_str::<Provenance>(json).unwrap(), provenance);
        assert!(![before, after].iter().any(|text| text.contains("evil") || text.contains("script")));
    }

    #[test]
    fn every_part_is_named_and_no_placeholder_is_left() {
        let (provenance, summary) =
            (Provenance::of(Variant::BASIC, 1), Summary { games: 1, rows: 2, files: Vec::new() });
        for parts in [WHOLE, &HELD_OUT, &HELD_OUT[1..]] {
            let text = body(&provenance, &summary, parts);
            assert!(parts.iter().all(|(_, pattern)| text.contains(&format!("`{pattern}`"))), "{text}");
            assert!(!text.contains("PART") && !text.contains("SPLIT"), "{text}");
            assert!(text.contains(&format!("split=\"{}\"", parts[0].0)), "{text}");
        }
    }
}
