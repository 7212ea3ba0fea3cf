//! What a network answers to the positions of a round, in files: other engines with the same weights must say the same.

use std::io;
use std::path::{Path, PathBuf};

use gipf_env::Variant;
use gipf_models::{
    Array, Checkpoint, CheckpointError, Engine, EngineOptions, Metadata, NetConfig, Precision, Scratch, TensorFile,
    Weights, create_folders,
};

use super::infer::{POSITIONS, SEED};
use super::positions::{planes, random_positions};
use crate::output::{Existing, OutputError, OutputFile};

/// Writes a network as it is measured, `VARIANT-NAME.safetensors`, and its answers in floats,
/// `VARIANT-NAME.answers.safetensors`: the tensors `planes`, `logits` and `wdl`, a row for each position.
///
/// # Errors
/// If a file exists and is not to be replaced, or cannot be written.
pub fn write(place: Place<'_>, name: &str, variant: Variant, config: &NetConfig) -> Result<(), AnswersError> {
    create_folders(place.folder).map_err(|error| AnswersError::Folder(place.folder.to_owned(), error))?;
    let file = |ending: &str| place.folder.join(format!("{variant}-{name}{ending}.safetensors"));
    let (network, told) = (file(""), file(".answers"));
    let outputs = (OutputFile::open(&network, place.existing)?, OutputFile::open(&told, place.existing)?);
    let metadata = Metadata { game: variant.to_string(), step: 0, seed: SEED, commit: None };
    let checkpoint = Checkpoint { config: config.clone(), metadata, weights: Weights::initial(config, SEED) };
    outputs.0.fill(&checkpoint.to_bytes(&network)?)?;
    let rows = |values: Vec<f32>| Array { shape: vec![POSITIONS, values.len() / POSITIONS], values };
    let tensors = answers(&checkpoint, variant).map(|(part, values)| (part.to_owned(), rows(values)));
    let answers = TensorFile { body: (), tensors: tensors.into() };
    Ok(outputs.1.fill(&answers.to_bytes(&told).map_err(CheckpointError::from)?)?)
}

/// Where answers are written.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// What is done with files that are there.
    pub existing: Existing,
}

/// Answers could not be written.
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    /// The folder.
    #[error("{path} cannot be made: {error}", path = .0.display(), error = .1)]
    Folder(PathBuf, io::Error),
    /// The files.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// What is in them.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

fn answers(Checkpoint { config, weights, .. }: &Checkpoint, variant: Variant) -> [(&'static str, Vec<f32>); 3] {
    let options = EngineOptions { precision: Precision::F32, ..EngineOptions::default() };
    let engine = Engine::with_options(weights, config, options).expect("the weights are the network's");
    let planes = planes(&random_positions(variant, POSITIONS));
    let (mut logits, mut wdl) = (vec![0.0; POSITIONS * config.actions.size()], vec![0.0; POSITIONS * 3]);
    engine.forward(&mut Scratch::default(), &planes, POSITIONS, &mut logits, &mut wdl);
    [("planes", planes), ("logits", logits), ("wdl", wdl)]
}

#[cfg(test)]
mod tests {
    use super::super::positions::network;
    use super::*;

    #[test]
    fn a_network_and_its_answers_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let config = network("mlp", Variant::BASIC).unwrap();
        let place = Place { folder: folder.path(), existing: Existing::Refused };
        write(place, "mlp", Variant::BASIC, &config).unwrap();
        assert!(matches!(write(place, "mlp", Variant::BASIC, &config), Err(AnswersError::Output(_))));
        let checkpoint = Checkpoint::load_for(&folder.path().join("basic-mlp.safetensors"), "basic").unwrap();
        let answers = TensorFile::<()>::load(&folder.path().join("basic-mlp.answers.safetensors")).unwrap().tensors;
        let engine = Engine::new(&checkpoint.weights, &checkpoint.config).unwrap();
        let (mut logits, mut wdl) = (vec![0.0; config.actions.size()], [0.0; 3]);
        let last = POSITIONS - 1;
        let planes = &answers["planes"].values[last * config.layout.size()..];
        engine.forward(&mut Scratch::default(), planes, 1, &mut logits, &mut wdl);
        let off =
            logits.iter().zip(&answers["logits"].values[last * config.actions.size()..]).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f32::max) < 0.01);
        assert_eq!(answers["wdl"].shape, [POSITIONS, 3]);
    }
}
