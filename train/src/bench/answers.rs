//! A network's answers for the positions of a round, in files: other engines with the same weights must give the same
//! answers.

use std::io;
use std::path::{Path, PathBuf};

use gipf_env::Variant;
use gipf_models::{
    Array, Checkpoint, CheckpointError, Engine, EngineOptions, Metadata, NetConfig, Precision, Scratch, TensorFile,
    Weights, create_folders,
};

use super::infer::{POSITIONS, SEED};
use super::positions::{planes, random_positions};
use crate::output::{Existing, OutputError, OutputFile, check_outside_runs};

/// The files of a network as it is measured, `VARIANT-NAME.safetensors`, and of its answers in floats,
/// `VARIANT-NAME.answers.safetensors`: the tensors `planes`, `logits` and `wdl`, with one row for each position.
#[derive(Debug)]
pub struct AnswerFiles {
    variant: Variant,
    network: OutputFile,
    answers: OutputFile,
}

impl AnswerFiles {
    /// Opens the files of a network of this name in a folder, which is created if it is missing.
    ///
    /// # Errors
    /// If a file exists and is not to be replaced, or the folder cannot be created.
    pub fn open(folder: &Path, existing: Existing, name: &str, variant: Variant) -> Result<Self, AnswersError> {
        check_outside_runs(folder)?;
        create_folders(folder).map_err(|error| AnswersError::Folder(folder.to_owned(), error))?;
        let file = |ending| OutputFile::open(&folder.join(format!("{variant}-{name}{ending}.safetensors")), existing);
        Ok(Self { variant, network: file("")?, answers: file(".answers")? })
    }

    /// Writes the files of a network with this configuration.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn fill(self, config: &NetConfig) -> Result<(), AnswersError> {
        let Self { variant, network, answers: told } = self;
        let metadata = Metadata { game: variant.to_string(), step: 0, seed: SEED, commit: None };
        let checkpoint = Checkpoint { config: config.clone(), metadata, weights: Weights::initial(config, SEED) };
        let bytes = checkpoint.to_bytes(network.path())?;
        network.fill(&bytes)?;
        let rows = |values: Vec<f32>| Array { shape: vec![POSITIONS, values.len() / POSITIONS], values };
        let tensors = answers(&checkpoint, variant).map(|(part, values)| (part.to_owned(), rows(values)));
        let answers = TensorFile { body: (), tensors: tensors.into() };
        let bytes = answers.to_bytes(told.path()).map_err(CheckpointError::from)?;
        Ok(told.fill(&bytes)?)
    }
}

/// Why answers could not be written.
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    /// The folder cannot be used.
    #[error("{path} cannot be made: {error}", path = .0.display(), error = .1)]
    Folder(PathBuf, io::Error),
    /// A file cannot be opened or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The content cannot be made.
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
        let open = || AnswerFiles::open(folder.path(), Existing::Refused, "mlp", Variant::BASIC);
        open().unwrap().fill(&config).unwrap();
        assert!(matches!(open(), Err(AnswersError::Output(_))));
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
