//! `gipf record convert`: games in another notation, as position texts, or as a dataset.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use gipf_env::notation::Ledger;
use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Notation, Record, RecordError, Source};
use gipf_env::{Action, Setup};
use gipf_play::{TaggedGame, reading, writing};

use super::file::Game;
use super::{Selection, told};
use crate::cli::output::check_apart;
use crate::cli::{Console, Exit, WrongUse};
use crate::{Existing, OutputFile};

/// Writes the games in another notation, as position texts, or as a dataset.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    selection: Selection,
    /// What to write: complete or short (running text in the official notation), sheet (a score sheet), lines (one turn
    /// per line), julio, gpn (the position at the start of each turn, and the last), dataset (Parquet files). In a
    /// notation, tags and comments are kept; tags say where a game starts if its text does not, and separate several games
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    to: Format,
    /// The file, or for a dataset the directory; standard output unless given
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// The licence of the games in a dataset, as an SPDX expression [default: none is stated]
    #[cfg(feature = "dataset")]
    #[arg(long, alias = "license", value_name = "SPDX", value_parser = crate::dataset::licence)]
    licence: Option<String>,
    /// Replace the output if it exists: a file once the new one is complete, a dataset at once
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "Examples:
  gipf record convert game.txt --to julio
  gipf record convert sheet.txt --to gpn
  gipf record convert games.txt --to dataset --out datasets/games";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text(Notation),
    Positions,
    Dataset,
}

fn format(text: &str) -> Result<Format, String> {
    Ok(match text {
        "complete" => Format::Text(Notation::Text(Form::Complete)),
        "short" => Format::Text(Notation::Text(Form::Short)),
        "sheet" => Format::Text(Notation::Sheet(Form::Complete)),
        "lines" => Format::Text(Notation::Lines(Form::Complete)),
        "julio" => Format::Text(Notation::Julio),
        "gpn" => Format::Positions,
        "dataset" => Format::Dataset,
        _ => return Err("expected complete, short, sheet, lines, julio, gpn or dataset".to_owned()),
    })
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    #[cfg(feature = "dataset")]
    if args.licence.is_some() && args.to != Format::Dataset {
        return Err(WrongUse("--licence: expected --to dataset, since a dataset states it".to_owned()).into());
    }
    if args.force && args.out.is_none() {
        return Err(WrongUse("--force: expected --out PATH, since nothing is replaced without it".to_owned()).into());
    }
    // In another notation it is the same game; position texts lose the game, and a single game loses the others of its file.
    let loses = matches!(args.to, Format::Positions) || args.selection.game.is_some();
    if let Some(out) = args.out.as_deref().filter(|_| args.force && loses) {
        check_apart(out, [args.selection.file.as_path()])?;
    }
    let games = args.selection.games(console)?;
    if args.to == Format::Dataset {
        return dataset(args, games, console);
    }
    // All games are converted before anything is written.
    let several = games.len() > 1;
    let texts = games.into_iter().map(|game| text(game, args.to, several)).collect::<Result<Vec<_>>>()?;
    let text = texts.join("\n");
    match &args.out {
        Some(path) => OutputFile::open(path, Existing::by_force(args.force))?.fill(text.as_bytes())?,
        None => write!(console.out, "{text}")?,
    }
    Ok(Exit::Success)
}

fn text(game: Game, format: Format, several: bool) -> Result<String> {
    let Game { name, reading, tagged, unfinished, .. } = game;
    let record = reading?.record;
    let Format::Text(notation) = format else { return positions(&record) };
    let mut turns = record::write(&record, notation).with_context(|| name.clone())?;
    let mut read = record::read(&turns, &Source::default());
    if read == Err(RecordError::Empty) {
        // A game without a turn or a result can only be read if it has a star.
        turns.push_str("*\n");
        read = record::read(&turns, &Source::default());
    }
    let tells_start = read.is_ok_and(|reading| reading.record.setup() == record.setup());
    let lacking = [left_out(&turns, &record), unfinished.clone()].concat();
    let text = with_tags_of(&tagged, (turns, &lacking), record.setup(), several || !tells_start);
    check_read_back(&text, &record, &unfinished).context(name)?;
    Ok(text)
}

/// Returns the decisions of a last turn that leaves nothing to write.
fn left_out(turns: &str, record: &Record) -> Vec<Action> {
    let source = Source { setup: Some(record.setup().clone()), ..Source::default() };
    let written = record::read(turns, &source).map(|reading| reading.record.actions());
    let actions = record.actions();
    written.ok().and_then(|written| actions.strip_prefix(&*written)).map(<[_]>::to_vec).unwrap_or_default()
}

/// Checks that a text is read as the game that it was written from.
fn check_read_back(text: &str, record: &Record, unfinished: &[Action]) -> Result<()> {
    let again = reading::read(&TaggedGame::all_of(text).swap_remove(0), &Source::default(), &mut Vec::new());
    let again = again.context("what would be written cannot be read back")?;
    let found = &again.reading.record;
    // Removals of which the order leaves no trace may be read in another one.
    let is_same = positions(found)? == positions(record)? && found.conclusion() == record.conclusion();
    ensure!(
        is_same && again.unfinished() == unfinished,
        "it would be read back as another game ({}): expected another format",
        told(&again.reading)
    );
    Ok(())
}

/// Returns a game of these turns with the tags and comments of another, and the decisions that the turns lack. Its start
/// is stated if it must be, or if there are other tags.
fn with_tags_of(
    other: &TaggedGame,
    (turns, lacking): (String, &[Action]),
    start: &Setup,
    is_start_told: bool,
) -> String {
    let mut game = TaggedGame::new(turns).with_comments(other.comments().map(str::to_owned));
    other.tags().for_each(|(name, value)| game.add(name, value));
    writing::forget_start(&mut game);
    writing::tell_decisions(&mut game, lacking);
    if is_start_told || game.tags().next().is_some() {
        writing::tell_start(&mut game, start);
    }
    game.sealed_as(other.seal())
}

/// Returns the position texts at the start of each turn and at the end, one per line.
fn positions(record: &Record) -> Result<String> {
    let mut ledger = Ledger::new(record.setup())?;
    for action in record.actions() {
        ledger.play(action)?;
    }
    let starts = record.turns().iter().map(|turn| turn.setup.to_string());
    Ok(starts.chain([ledger.setup().to_string()]).map(|text| text + "\n").collect())
}

fn out(args: &Args) -> Result<&Path, WrongUse> {
    args.out.as_deref().ok_or_else(|| WrongUse("--to dataset: expected --out with a directory".to_owned()))
}

#[cfg(not(feature = "dataset"))]
fn dataset(args: &Args, _: Vec<Game>, _: &mut Console<'_>) -> Result<Exit> {
    out(args)?;
    Err(WrongUse("--to dataset: this program was built without datasets".to_owned()).into())
}

#[cfg(feature = "dataset")]
fn dataset(args: &Args, games: Vec<Game>, console: &mut Console<'_>) -> Result<Exit> {
    use crate::dataset::{DatasetWriter, Plan, Provenance, UNSTATED};

    let folder = out(args)?;
    let parents = games.first().map(|game| game.source.to_string()).into_iter().collect();
    let (ruled, games): (Vec<_>, Vec<_>) = games.into_iter().partition(|game| is_ruled(&game.tagged));
    for Game { name, .. } in ruled {
        console.warn(&format!("{name}: left out, since it was not decided on the board"));
    }
    anyhow::ensure!(!games.is_empty(), "no game is left: expected some that were decided on the board, or given up");
    let names: Vec<_> = games.iter().map(|game| game.name.clone()).collect();
    let games = games.into_iter().enumerate();
    let played: Result<Vec<_>> = games.map(|(id, game)| played(id as u64, &game.name, &game.reading?.record)).collect();
    let played = played?;
    let variant = played.first().expect("a file has a game").start.variant();
    let provenance = Provenance {
        settings: serde_json::json!({ "source": args.selection.file.display().to_string() }),
        // Only the owner of the games knows their licence.
        licence: args.licence.clone().unwrap_or_else(|| UNSTATED.to_owned()),
        ..Provenance::of(variant, 0)
    };
    // All games are converted before anything is written.
    let rows = names.iter().zip(&played).map(|(name, game)| rows_of(name, game, &provenance));
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let (games, choices) = (Some(played.len() as u64), course(&played).into());
    let plan = Plan { games, parents, choices, ..Plan::new("record convert", provenance) };
    let mut writer = DatasetWriter::create(folder, plan, Existing::by_force(args.force))?;
    let done = writer.games() as usize;
    rows.into_iter().skip(done).try_for_each(|rows| writer.write_rows(rows))?;
    let summary = writer.finish()?;
    console.tell(format_args!("{} games, {} decisions in {}", summary.games, summary.rows, folder.display()));
    Ok(Exit::Success)
}

/// Returns whether a game was lost by the clock, a penalty or a fault of a program: its result says nothing about its
/// positions.
#[cfg(feature = "dataset")]
fn is_ruled(game: &TaggedGame) -> bool {
    let why = game.value(gipf_play::arena::TERMINATION).unwrap_or_default().to_lowercase();
    // The last two are words of PGN.
    ["time", "forfeit", "penalty", "rules infraction", "abandoned"].into_iter().any(|word| why.contains(word))
}

/// Returns the rows of a game; messages refer to the game by `name`.
#[cfg(feature = "dataset")]
fn rows_of(
    name: &str,
    game: &crate::training::PlayedGame<gipf_env::GipfPosition>,
    provenance: &crate::dataset::Provenance,
) -> Result<Vec<crate::dataset::Row>> {
    provenance.rows_of(game).map_err(|error| match error {
        crate::dataset::DatasetError::Game { what, .. } => anyhow::anyhow!("{name}: {what}"),
        other => other.into(),
    })
}

/// Returns a checksum of everything that is played.
#[cfg(feature = "dataset")]
fn course(games: &[crate::training::PlayedGame<gipf_env::GipfPosition>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for game in games {
        hasher
            .update(format!("{} {:?} {}", game.start.to_gpn(), game.start.placement_limit(), game.outcome).as_bytes());
        for decision in &game.decisions {
            hasher.update(&decision.action.0.to_le_bytes());
        }
    }
    hasher.finalize().to_string()
}

/// Returns a game as self-play would have recorded it, but without a search.
#[cfg(feature = "dataset")]
fn played(id: u64, name: &str, record: &Record) -> Result<crate::training::PlayedGame<gipf_env::GipfPosition>> {
    use gipf_env::GipfPosition;

    use crate::training::{Decision, PlayedGame};

    let start = GipfPosition::from_setup(record.setup())?;
    let (mut position, mut decisions) = (start.clone(), Vec::new());
    for action in record.actions() {
        decisions.push(Decision::unsearched(&position, action.index()));
        position.play(action)?;
    }
    anyhow::ensure!(!decisions.is_empty(), "{name}: no turn was played, expected games with decisions");
    let outcome = outcome(position.outcome(), record).with_context(|| format!("{name}: {}", without_result(record)))?;
    Ok(PlayedGame { id, start, decisions, outcome })
}

/// Returns why a game cannot be learned from.
#[cfg(feature = "dataset")]
fn without_result(record: &Record) -> &'static str {
    match record.conclusion() {
        None => "the game has no result",
        Some(_) => {
            "nobody won, and by the rules the game had not ended: expected one that was played to its end, or given up"
        }
    }
}

/// Returns how the game ended: by the rules or by resignation.
#[cfg(feature = "dataset")]
fn outcome(found: Option<gipf_env::Outcome>, record: &Record) -> Option<gipf_env::Outcome> {
    use gipf_env::notation::record::Conclusion;
    use gipf_env::{Outcome, Reason};

    match (found, record.conclusion()) {
        (Some(outcome), _) => Some(outcome),
        (None, Some(Conclusion::Won(winner))) => Some(Outcome::win(winner, Reason::Resignation)),
        (None, _) => None,
    }
}
