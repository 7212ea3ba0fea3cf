//! The findings of an analysis, in words for players.

use std::fmt::Write;

use gipf_env::Player;
use gipf_play::analysis::{AnalysedTurn, Analysis, PlayerSummary, Severity, comments};

use super::file::Game;
use crate::cli::Console;

/// The maximum width of the column of turns, in characters.
const WIDEST: usize = 36;
/// The number of turns of a line that are shown.
const LINE: usize = 4;

/// Returns the analysis that the comments of a game hold, and warns if it cannot be read.
pub(super) fn kept(game: &Game, console: &mut Console<'_>) -> Option<Analysis> {
    let record = &game.reading.as_ref().ok()?.record;
    comments::read(record, game.tagged.comments()).unwrap_or_else(|why| {
        console.warn(&format!("{}: the analysis in its comments is passed over: {why}", game.name));
        None
    })
}

/// Returns the whole report, without a line break at its end.
pub(super) fn report(analysis: &Analysis) -> String {
    let texts = analysis.turns.iter().map(|turn| turn.played.chars().count());
    let width = texts.max().unwrap_or_default().clamp("played".len(), WIDEST);
    let head = format!("turn  player   value  {:width$}   loss", "played");
    let rows = analysis.turns.iter().map(|turn| row(turn, width));
    let end = format!("         end  {:>6}", value(analysis.end.value));
    let table: Vec<_> = [head].into_iter().chain(rows).chain([end]).collect();
    format!("{}\n\n{}\n\n{}", explained(analysis), table.join("\n"), summary(analysis))
}

fn explained(analysis: &Analysis) -> String {
    let Analysis { analyst, .. } = analysis;
    format!("Values by {analyst}: the result expected for White, from -1 (Black wins) to +1 (White wins)")
}

fn row(turn: &AnalysedTurn, width: usize) -> String {
    let AnalysedTurn { number, player, played, loss, .. } = turn;
    let player = player.to_string();
    let start = format!("{number:>4}  {player:<6}  {:>6}  {played:<width$}", value(turn.value));
    let loss = if turn.forced { "forced".to_owned() } else { format!("{loss:>6.3}") };
    let told = match turn.severity {
        Some(severity) => format!("{start}  {loss}  {severity}{}", better(turn)),
        None => format!("{start}  {loss}"),
    };
    told.trim_end().to_owned()
}

/// Returns the text that is shown below a turn.
pub(super) fn verdict(turn: &AnalysedTurn) -> String {
    let AnalysedTurn { loss, .. } = turn;
    let values = format!("value {} before, {} after", value(turn.value), value(turn.after));
    match turn.severity {
        _ if turn.forced => format!("{values}; no choice"),
        Some(severity) => format!("{values}: {severity}, loses {loss:.3}{}", better(turn)),
        None => values,
    }
}

/// Returns the better turn, with its value and the expected continuation.
fn better(turn: &AnalysedTurn) -> String {
    let Some(best) = turn.candidates.first() else { return String::new() };
    let line: Vec<_> = best.line.iter().take(LINE).map(String::as_str).collect();
    let then = if line.is_empty() { String::new() } else { format!(", then {}", line.join(" ")) };
    format!("; better {} ({}){then}", best.turn, value(best.value))
}

/// Returns the mistakes, the turning points, the accuracy of both, and the end of the book.
pub(super) fn summary(analysis: &Analysis) -> String {
    let mut text = mistakes(analysis);
    let mut add = |line: String| write!(text, "\n{line}").expect("strings can grow");
    add(turning_points(analysis));
    for (player, summary) in Player::BOTH.into_iter().zip(&analysis.players) {
        add(accuracy(player, summary));
    }
    add(match analysis.left_book {
        _ if !analysis.starts_in_book() => "The game did not start in the book of openings.".to_owned(),
        Some(turn) => format!("The game left the book of openings with turn {turn}."),
        None => "The game never left the book of openings.".to_owned(),
    });
    text
}

/// Returns the mistakes and blunders, the largest first; the rest is in the table.
fn mistakes(analysis: &Analysis) -> String {
    let turns = analysis.mistakes.iter().filter_map(|&number| analysis.turn(number));
    let large: Vec<_> = turns.filter(|turn| turn.severity >= Some(Severity::Mistake)).collect();
    if large.is_empty() {
        return "No mistakes: no turn lost 0.2 or more.".to_owned();
    }
    let told = |turn: &&AnalysedTurn| {
        let AnalysedTurn { number, player, played, .. } = turn;
        format!("  turn {number}, {player} {played}: {}", verdict(turn))
    };
    let lines: Vec<_> = large.iter().map(told).collect();
    format!("Mistakes, the largest first:\n{}", lines.join("\n"))
}

fn turning_points(analysis: &Analysis) -> String {
    let told = analysis.turning_points.iter().map(|point| format!("turn {} ({} leads)", point.turn, point.leader));
    let told: Vec<_> = told.collect();
    if told.is_empty() { "No turning points.".to_owned() } else { format!("Turning points: {}.", told.join(", ")) }
}

fn accuracy(player: Player, summary: &PlayerSummary) -> String {
    let PlayerSummary { accuracy, choices, inaccuracies, mistakes, blunders, .. } = summary;
    let Some(accuracy) = accuracy else { return format!("Accuracy of {player}: no turn with a choice.") };
    format!(
        "Accuracy of {player}: {accuracy:.1} % in {choices} turns with a choice; inaccuracies {inaccuracies}, mistakes {mistakes}, blunders {blunders}."
    )
}

fn value(value: f32) -> String {
    format!("{value:+.2}")
}
