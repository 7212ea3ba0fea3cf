//! The files of a folder as the Hugging Face Hub reads it.

use std::fmt::{self, Write};
use std::str::FromStr;

use gipf_env::text::truncate_escaped;
use gipf_env::{ActionSpace, ObservationLayout};
use serde::Serialize;

use super::{Export, description, tables::Tables};
use crate::config::NetKind;

/// The names of the files of a folder. The last one is written last: a folder that has it is complete.
pub const FILES: [&str; 4] = ["model.safetensors", "modeling_gipf.py", "README.md", "config.json"];

/// The module that loads the tensors.
const MODULE: &str = include_str!("modeling_gipf.py");
/// The number of characters of foreign text that an error quotes.
const SHOWN: usize = 80;

/// The identifier of a licence, as the Hub lists them, such as `mit` or `cc-by-4.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct License(String);

/// The text is not an identifier of a licence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("licence `{}`: expected an identifier of small letters, digits, dots and hyphens that is a name, such as mit or cc-by-4.0",
    truncate_escaped(.0, SHOWN))]
pub struct UnknownLicense(String);

impl FromStr for License {
    type Err = UnknownLicense;

    /// Reads an identifier. No program knows all of the Hub's list, so only the form of the identifier is checked.
    fn from_str(text: &str) -> Result<Self, UnknownLicense> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
        // The head of a card is YAML, where a number is not a text, and these words are values of their own.
        let is_value = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&text);
        let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
        let sound = text.len() <= 60 && begins && text.chars().all(fits) && !is_value;
        if sound { Ok(Self(text.to_owned())) } else { Err(UnknownLicense(text.to_owned())) }
    }
}

impl fmt::Display for License {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Returns the contents of [`FILES`].
pub fn files(export: &Export<'_>, license: Option<&License>) -> [Vec<u8>; 4] {
    let [readme, config] = [readme(export, license), config(export)].map(String::into_bytes);
    [export.bytes.clone(), MODULE.as_bytes().to_vec(), readme, config]
}

/// The content of `config.json`. It is a type so that the order of the fields, which is part of the bytes, is fixed.
#[derive(Serialize)]
struct Config<'a> {
    model_type: &'static str,
    gipf_version: &'static str,
    variant: String,
    checkpoint: Origin<'a>,
    net: &'a NetKind,
    layout: &'a ObservationLayout,
    num_actions: ActionSpace,
    planes: Vec<&'static str>,
    actions: Vec<String>,
    tables: Option<Tables>,
}

/// Where the weights come from.
#[derive(Serialize)]
struct Origin<'a> {
    blake3: String,
    step: u64,
    seed: u64,
    commit: Option<&'a str>,
}

fn config(export: &Export<'_>) -> String {
    let (config, metadata) = (&export.checkpoint.config, &export.checkpoint.metadata);
    let commit = metadata.commit.as_deref();
    let content = Config {
        model_type: "gipf",
        gipf_version: env!("CARGO_PKG_VERSION"),
        variant: export.variant.to_string(),
        checkpoint: Origin { blake3: export.hash(), step: metadata.step, seed: metadata.seed, commit },
        net: &config.net,
        layout: &config.layout,
        num_actions: config.actions,
        planes: description::planes(export.variant),
        actions: description::actions(export.variant),
        tables: Tables::of(config),
    };
    serde_json::to_string(&content).expect("lists and settings are plain values") + "\n"
}

fn kind(net: &NetKind) -> &'static str {
    match net {
        NetKind::Line(_) => "a network that reads the 21 lines of the board with perceptrons",
        NetKind::Hex(_) => "a residual network whose layers see each spot with its six neighbours",
        NetKind::Mlp(_) => "a perceptron on the whole observation",
    }
}

fn readme(export: &Export<'_>, license: Option<&License>) -> String {
    let (variant, metadata) = (export.variant, &export.checkpoint.metadata);
    let [planes, rows, columns] = export.checkpoint.config.layout.shape();
    let actions = export.checkpoint.config.actions.size();
    let mut card = "---\n".to_owned();
    if let Some(license) = license {
        let _ = writeln!(card, "license: {license}");
    }
    let _ = write!(
        card,
        r#"library_name: pytorch
pipeline_tag: reinforcement-learning
tags:
- gipf
- board-game
- alphazero
- policy-value-network
---

# A policy-value network for GIPF, rule set `{variant}`

This is {kind}, {weights} numbers in all. The program
`gipf` trained it for the board game GIPF by Kris Burm. It looks at one position and says which actions are promising and who
is likely to win. It has no search: with one it plays far better.

| | |
|---|---|
| input | observations `(N, {planes}, {rows}, {columns})`, 32-bit floats, from the view of the player to move; `planes` in `config.json` says what stands in each |
| outputs | logits `(N, {actions})`, one for each action, legal or not; probabilities of win, draw and loss `(N, 3)` for the player to move |
| actions | `actions` in `config.json` says what each number is; which are legal is for the rules to say |
| trained | {step} steps since it began, or last grew or went on from another network; seed {seed} |
| checkpoint | `model.safetensors` is the program's own file, BLAKE3 `{hash}` |

## In PyTorch

```python
import sys
import torch
from huggingface_hub import snapshot_download

folder = snapshot_download("OWNER/NAME")  # or the path of this folder
sys.path.append(folder)
from modeling_gipf import GipfModel

model = GipfModel.from_folder(folder)
with torch.no_grad():
    logits, wdl = model(torch.zeros(1, {planes}, {rows}, {columns}))
```

`gipf.State("{variant}").observation` of the Python package `gipf` gives the observation of a position, and its `action_mask`
says what is legal.

## In the program

`gipf play mcts:model.safetensors` plays against it, `gipf eval mcts:model.safetensors --against alpha-beta:2` measures it.

## What is not known

No results are stated here, since a checkpoint holds none. GIPF is a trademark of its owner; this network is not
affiliated with or endorsed by the game's author or publisher.
"#,
        kind = kind(&export.checkpoint.config.net),
        weights = export.weights(),
        step = metadata.step,
        seed = metadata.seed,
        hash = export.hash(),
    );
    card
}
