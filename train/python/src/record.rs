//! Analyses of recorded games.

use std::ffi::CString;

use gipf_env::Variant;
use gipf_env::notation::record::{Record, Source};
use gipf_play::analysis::{AnalysisError, Effort, Work, analyse, analyst, comments, default_analyst};
use gipf_play::reading::{self, RULES, STARTS};
use gipf_play::{Stop, TaggedGame};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::argument::{Name, Real, Text, Whole};
use crate::error::{AgentError, GipfError, OrRaise, PositionError, one_line, variant};
use crate::mind::cost;
use crate::waiting::interruptible;
use crate::workers::{on_threads, thread_count};

/// Analyses the first game of a text, and returns the analysis as JSON, and the game with the analysis in its
/// comments, if its rule set has a notation.
#[pyfunction]
#[pyo3(name = "_analyse_record")]
#[pyo3(signature = (text, agent, variant, limits, threads, candidates))]
pub fn analyse_record(
    py: Python<'_>,
    text: Text,
    agent: Option<Name>,
    variant: Option<Text>,
    limits: (Option<Whole>, Option<Real>),
    threads: Option<Whole>,
    candidates: Whole,
) -> PyResult<(String, Option<String>)> {
    let (nodes, time) = cost(limits.0, limits.1)?;
    let threads = thread_count(threads)?;
    let effort = Effort { nodes, time, candidates: candidates.checked("multipv", 1..=50_usize)?, seed: 0 };
    let asked = variant.map(|name| self::variant(&name)).transpose()?;
    let spec = agent.map(|name| name.agent()).transpose()?;
    let stop = Stop::default();
    let (game, record, warned) = interruptible(py, &stop, || {
        let game = TaggedGame::all_of(&text).swap_remove(0);
        let (record, warned) = read(&game, asked)?;
        Ok((game, record, warned))
    })?;
    warned.iter().try_for_each(|note| warn(py, note))?;
    interruptible(py, &stop, || {
        let spec = spec.unwrap_or_else(|| default_analyst(record.variant()));
        let analysis = on_threads(threads, || {
            let contender = analyst(&spec, record.variant(), &effort).or_raise()?;
            let work = Work { effort, progress: &|_| (), stop: &stop };
            analyse(&record, &contender, &work).map_err(|error| match error {
                AnalysisError::NoValues(_) => AgentError::new_err(one_line(&error)),
                AnalysisError::Stopped | AnalysisError::Fault(_) => GipfError::new_err(one_line(&error)),
            })
        })??;
        let seal = game.seal();
        let noted = comments::annotate(game, &analysis).ok().map(|game| game.sealed_as(seal));
        let json = serde_json::to_string(&analysis).map_err(|error| GipfError::new_err(one_line(&error)))?;
        Ok((json, noted))
    })
}

/// Warns the caller of the function of the package that called this one.
fn warn(py: Python<'_>, note: &str) -> PyResult<()> {
    let text = CString::new(one_line(&note)).expect("control characters are escaped");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)
}

/// Reads a game, and returns the warnings about it; the rule set asked for applies if the text does not name one.
fn read(game: &TaggedGame, asked: Option<Variant>) -> PyResult<(Record, Vec<String>)> {
    let tells = STARTS.iter().chain(&RULES).any(|tag| game.value(tag).is_some());
    let given = asked.filter(|_| !tells).map(Source::of_variant).unwrap_or_default();
    let mut warned = Vec::new();
    let read = reading::read(game, &given, &mut warned);
    let read = read.map_err(|error| PositionError::new_err(one_line(&error)))?;
    warned.extend(read.unfinished_note());
    let record = read.reading.record;
    match asked.filter(|&asked| asked != record.variant()) {
        Some(asked) => {
            let text = format!("variant {asked}: expected {}, as the text says", record.variant());
            Err(PositionError::new_err(text))
        }
        None => Ok((record, warned)),
    }
}
