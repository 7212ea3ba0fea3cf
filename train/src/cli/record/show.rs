//! `gipf record show`: games board by board.

use anyhow::Result;
use gipf_env::notation::official::{self, Form};
use gipf_env::notation::record::Reading;
use gipf_env::notation::{Ledger, Turn, Unwritable};
use gipf_env::{Action, Drawing, Style};
use gipf_play::analysis::Analysis;

use super::{Selection, report, told};
use crate::cli::{Console, Exit};

// An analysis by `gipf record analyse --comments` is shown with the turns.
/// Prints the games board by board.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    selection: Selection,
}

const EXAMPLES: &str = "Example:
  gipf record show game.txt | less";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    for game in args.selection.games(console)? {
        let analysis = report::kept(&game, console);
        show(&game.reading?, analysis.as_ref(), console)?;
    }
    Ok(Exit::Success)
}

fn show(reading: &Reading, analysis: Option<&Analysis>, console: &mut Console<'_>) -> Result<()> {
    let record = &reading.record;
    let mut ledger = Ledger::new(record.setup())?;
    draw(ledger.position().drawing().with_start(record.setup()), console)?;
    for (number, turn) in (1..).zip(record.turns()) {
        let text = match official::write_with_reserve(&ledger, &turn.actions, Form::Complete) {
            Ok(text) => text,
            Err(Unwritable::Nothing) => "keeps all pieces".to_owned(),
            // If the rule set has no notation, the decisions are listed.
            Err(_) => turn.actions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        for &action in &turn.actions {
            ledger.play(action)?;
        }
        writeln!(console.out, "turn {number}, {}: {text}", turn.player)?;
        if let Some(turn) = analysis.and_then(|analysis| analysis.turn(number)) {
            writeln!(console.out, "{}", report::verdict(turn))?;
        }
        // Pieces that the next turn removes without a choice are already gone from the position.
        let next = record.turns().get(number).map_or_else(|| ledger.setup(), |turn| turn.setup.clone());
        draw(ledger.position().drawing().with_start(&next).with_last(placement(turn)), console)?;
    }
    if let Some(analysis) = analysis {
        writeln!(console.out, "{}\n", report::summary(analysis))?;
    }
    writeln!(console.out, "{}", told(reading))?;
    Ok(())
}

fn placement(turn: &Turn) -> Option<Action> {
    turn.placement.map(|(action, _)| action)
}

fn draw(drawing: Drawing<'_>, console: &mut Console<'_>) -> Result<()> {
    let style = if console.colours { Style::Ansi } else { Style::Plain };
    writeln!(console.out, "{}", drawing.with_style(style))?;
    Ok(())
}
