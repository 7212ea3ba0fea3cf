//! Datasets as the input of a fit.

use std::path::{Path, PathBuf};

use gipf_env::{GipfPosition, Variant};
use gipf_play::Stop;
use gipf_play::players::alpha_beta::tuning::Example;
use rayon::prelude::*;

use super::files::check_each_once;
use super::{Accepted, DataFile, DatasetError, DatasetReader, files_of, is_held_out, played_game, survey};
#[cfg(feature = "learn")]
use crate::training::{PackedSamples, samples};
use crate::training::{PlayedGame, Split, examples};

/// The files of some datasets, all of one rule set.
pub struct Source {
    variant: Variant,
    files: Vec<DataFile>,
    rows: u64,
}

impl Source {
    /// Finds the files of the datasets in some directories. If no rule set is given, it is that of the first file.
    ///
    /// # Errors
    /// If a directory has no dataset that is accepted, one of its files is damaged or of another rule set, or a
    /// dataset occurs twice.
    ///
    /// # Panics
    /// If there is no directory.
    pub fn open(folders: &[PathBuf], accepted: Accepted, variant: Option<Variant>) -> Result<Self, DatasetError> {
        let files = files_of(folders, accepted)?;
        check_each_once(&files)?;
        let (variant, rows) = survey(&files, variant, DatasetReader::num_rows)?;
        Ok(Self { variant, files, rows: rows.iter().sum() })
    }

    /// Returns the rule set of all games.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns whether a path is that of one of the files, or of something that their datasets keep beside them: manifest,
    /// description, texts.
    pub fn shares(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file.shares(path))
    }

    /// Returns the number of rows.
    pub const fn num_rows(&self) -> u64 {
        self.rows
    }

    /// Reads the samples of all games on all threads of the current rayon pool, with values that look ahead as
    /// `learning.value_lambda` says, and holds out those of about the given share of the games; `advance` is called
    /// with the number of rows read. Returns nothing if a stop was requested.
    ///
    /// # Errors
    /// If a file is damaged, or its rows contradict the rules.
    #[cfg(feature = "learn")]
    pub fn split(
        &self,
        hold_out: f64,
        value_lambda: f32,
        advance: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Result<Option<Split<PackedSamples<GipfPosition>>>, DatasetError> {
        let take = |part: &mut PackedSamples<_>, game: &_| part.extend(samples(game, value_lambda));
        self.read(hold_out, &take, |all, part| all.append(&part), advance, stop)
    }

    /// Reads the examples that the baseline AI's evaluation learns from: see [`examples`]. Those of about the given
    /// share of the games are held out; the rest is as for `split`.
    ///
    /// # Errors
    /// If a file is damaged, or its rows contradict the rules.
    pub fn examples(
        &self,
        trust: f32,
        hold_out: f64,
        advance: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Result<Option<Split<Vec<Example>>>, DatasetError> {
        let take = |part: &mut Vec<_>, game: &_| part.extend(examples(game, trust));
        self.read(hold_out, &take, |all, mut part| all.append(&mut part), advance, stop)
    }

    /// Lets `take` collect what it needs from each game, file by file on all threads, and `join` put the parts of the
    /// files together in their order; returns nothing if a stop was requested.
    fn read<T: Default + Send>(
        &self,
        hold_out: f64,
        take: &(impl Fn(&mut T, &PlayedGame<GipfPosition>) + Sync),
        join: impl Fn(&mut T, T),
        advance: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Result<Option<Split<T>>, DatasetError> {
        let read = |file: &DataFile| {
            let (reader, mut taken) = (DatasetReader::open(file)?, Split::default());
            let key = reader.key();
            for rows in reader.games().take_while(|_| !stop.requested()) {
                let rows = rows?;
                let game = played_game(&rows).map_err(DatasetError::replay(file.path()))?;
                reader.check_variant(&game.start)?;
                take(taken.part(is_held_out(&key, game.id, hold_out)), &game);
                advance(rows.len() as u64);
            }
            Ok(taken)
        };
        let files = self.files.par_iter().map(read).collect::<Result<Vec<_>, DatasetError>>()?;
        let mut split = Split::default();
        for Split { learned, held_out } in files {
            join(&mut split.learned, learned);
            join(&mut split.held_out, held_out);
        }
        Ok((!stop.requested()).then_some(split))
    }
}
