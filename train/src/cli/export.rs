//! `gipf export`: networks for other programs.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use gipf_env::Variant;
use gipf_models::{Export, FILES, License, Precision};
use gipf_play::players::Network;
use serde::Serialize;

use super::network::check_answers;
use super::output::check_apart;
use super::{Console, Exit, WrongUse, output};
use crate::{Existing, write_folder};

/// Writes a network for other programs: as an ONNX model, or as a folder for the Hugging Face Hub that PyTorch loads.
///
/// Both hold the network as it was trained, in 32-bit floats; neither includes a search or the rules.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The checkpoint, a run (its best network, or otherwise its newest), or `pretrained`
    #[arg(value_name = "CHECKPOINT")]
    network: PathBuf,
    /// What to write: an ONNX model, or a folder with the tensors, a PyTorch module, config.json and a model card
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// The file, or with `--to safetensors` the folder, to write
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// The rule set of `pretrained` [default: standard]; of a checkpoint, the one expected
    #[arg(long)]
    variant: Option<Variant>,
    /// The licence that the model card states, by its name on the Hub, such as cc-by-4.0 [default: mit for `pretrained`,
    /// otherwise none]
    #[arg(long, alias = "license", value_name = "ID")]
    licence: Option<License>,
    /// Replace the output if it exists: a model once the new one is complete, the files of a folder one by one
    #[arg(long)]
    force: bool,
    /// Print what was written as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf export runs/standard-quick --to onnx --out standard.onnx
  gipf export pretrained --variant tournament --to safetensors \\
      --out gipf-tournament";

/// The formats of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// An ONNX model
    Onnx,
    /// A folder with tensors, PyTorch module and model card
    Safetensors,
}

/// What was written.
#[derive(Serialize)]
struct Written {
    out: String,
    format: Format,
    variant: String,
    weights: usize,
    bytes: usize,
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if args.licence.is_some() && args.to != Format::Safetensors {
        return Err(WrongUse("--licence: expected --to safetensors, since a model card states it".to_owned()).into());
    }
    check_apart(&args.out, [args.network.as_path()])?;
    // A run may still be training, and its network is read twice.
    let network = Network::named(&args.network).resolved()?;
    let variant = match args.variant {
        Some(variant) => variant,
        None => network.variant()?.unwrap_or(Variant::STANDARD),
    };
    let checkpoint = network.checkpoint(variant)?;
    // The exported network computes in floats.
    check_answers(&args.network, &checkpoint, &[Precision::F32])?;
    let export = Export::of(&checkpoint).with_context(|| args.network.display().to_string())?;
    let bytes = match args.to {
        Format::Onnx => {
            let model = export.onnx();
            output::open(&args.out, Existing::by_force(args.force), console)?.fill(&model)?;
            model.len()
        }
        Format::Safetensors => {
            let files: Vec<_> = FILES.into_iter().zip(export.folder(args.licence(&network).as_ref())).collect();
            write_folder(&args.out, &files, Existing::by_force(args.force))?;
            files.iter().map(|(_, bytes)| bytes.len()).sum()
        }
    };
    let out = args.out.display().to_string();
    let written = Written { out, format: args.to, variant: variant.to_string(), weights: export.weights(), bytes };
    written.tell(args.json, console)?;
    Ok(Exit::Success)
}

impl Args {
    /// Returns the licence to state: the requested one, or that of the networks that come with the program.
    fn licence(&self, network: &Network) -> Option<License> {
        let own = || (*network == Network::Pretrained).then(|| "mit".parse().expect("it is a licence"));
        self.licence.clone().or_else(own)
    }
}

impl Written {
    fn tell(&self, json: bool, console: &mut Console<'_>) -> Result<()> {
        if json {
            console.tell_json(self)?;
        } else {
            let Self { out, variant, weights, bytes, .. } = self;
            console.tell(format_args!("done: {out}, {weights} weights of a network for {variant}, {bytes} bytes"));
        }
        Ok(())
    }
}
