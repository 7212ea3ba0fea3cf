//! Curves and games as one self-contained file: no server, no network, no other file.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::BoardError;
use crate::game::GameText;
use crate::geometry::BoardLines;
use crate::shelf::RunCurves;
use crate::view::{Legal, Piece, View};

/// The most actions of a game in a file.
const MOST: usize = 1000;

/// The code of the page that draws, in an order in which everything stands before its use.
const CODE: [&str; 4] = [
    include_str!("../page/board.js"),
    include_str!("../page/graph.js"),
    include_str!("../page/charts.js"),
    include_str!("../page/report.js"),
];
const STYLE: &str = include_str!("../page/style.css");

/// A game to be played through: every position, so that no rules are needed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    about: String,
    frames: Vec<Frame>,
}

/// What a replay says about a position besides what is on the board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Remark {
    /// The expected result for White, -1 to 1, if there is an opinion.
    pub value: Option<f32>,
    /// A remark on it, such as what is wrong with the turn that led there.
    #[serde(rename(serialize = "remark"))]
    pub text: Option<String>,
    /// Whether the turn that led there was a mistake.
    pub is_mistake: bool,
}

/// A position of a replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Frame {
    to_move: gipf_env::Player,
    pieces: Vec<Piece>,
    reserves: [u8; 2],
    at_stake: Vec<usize>,
    last: Option<usize>,
    pushed: Vec<usize>,
    /// The action that led here, and the same in words.
    played: Option<Legal>,
    text: String,
    #[serde(flatten)]
    remark: Remark,
}

impl Replay {
    /// Returns a game as a replay. `remarks` are those on the positions, the start first; there may be fewer.
    ///
    /// # Errors
    /// If it is not a game, or has more than 1000 actions.
    pub fn of(game: &GameText, about: &str, remarks: &[Remark]) -> Result<Self, BoardError> {
        if game.actions.len() > MOST {
            return Err(BoardError::LongFile { found: game.actions.len(), most: MOST });
        }
        let (setup, actions, positions) = (game.setup()?, game.actions()?, game.positions()?);
        let (mut frames, mut before): (Vec<Frame>, Option<View>) = (Vec::new(), None);
        for count in 0..=actions.len() {
            let view = View::at(&setup, &actions[..count], &positions[..=count]);
            let legal = before.and_then(|before| {
                before.legal.into_iter().find(|legal| Some(&legal.action) == game.actions[..count].last())
            });
            let text = legal.as_ref().map_or_else(|| "The start".to_owned(), |legal| legal.text.clone());
            let text = view.outcome.as_ref().map_or(text.clone(), |outcome| format!("{text}. {outcome}"));
            frames.push(Frame {
                to_move: view.to_move,
                pieces: view.pieces.clone(),
                reserves: view.reserves,
                at_stake: view.at_stake.clone(),
                last: view.last,
                pushed: view.pushed.clone(),
                played: legal,
                text,
                remark: remarks.get(count).cloned().unwrap_or_default(),
            });
            before = Some(view);
        }
        Ok(Self { about: about.to_owned(), frames })
    }
}

/// Returns runs and games as one HTML file, in which texts from others stay plain text.
pub fn report(title: &str, runs: &[RunCurves], games: &[Replay]) -> String {
    let data = json!({ "runs": runs, "games": games, "board": BoardLines::new() });
    // Nothing in it can end the element around it.
    let data = data.to_string().replace('<', "\\u003c");
    let title = escaped(title);
    let code: String = CODE.iter().map(|source| inlined(source)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src \
         'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body class=\"report\">\n\
         <header><h1>GIPF</h1><p>{title}</p></header>\n<main id=\"report\"></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script type=\"module\">\n{code}</script>\n\
         </body>\n</html>\n"
    )
}

/// Returns a module of the page as a part of one script.
fn inlined(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.starts_with("import "));
    lines.map(|line| line.strip_prefix("export ").unwrap_or(line)).fold(String::new(), |all, line| all + line + "\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shelf::{ChartCurves, Curve};

    #[test]
    fn texts_of_others_stay_text_and_nothing_is_loaded() {
        let evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"";
        let curve = Curve { name: evil.to_owned(), values: vec![Some(1.0)], ..Curve::default() };
        let chart =
            ChartCurves { key: evil.to_owned(), title: evil.to_owned(), unit: evil.to_owned(), curves: vec![curve] };
        let run = RunCurves {
            name: evil.to_owned(),
            charts: vec![chart],
            findings: vec![(1, evil.to_owned())],
            ..RunCurves::default()
        };
        let game = GameText { start: None, variant: Some("basic".to_owned()), actions: vec![0, 5] };
        let replay =
            Replay::of(&game, evil, &[Remark { value: Some(0.5), text: Some(evil.to_owned()), is_mistake: true }])
                .unwrap();
        let page = report(evil, &[run], &[replay]);
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{page}");
        // The scripts begin and end where this file says.
        assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
        let page = report("a report", &[RunCurves::default()], &[]);
        for word in ["\nimport ", "\nexport ", " src=", "href=\"h", "url(", "@import", "fetch(", "WebSocket"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn a_replay_has_every_position() {
        let game = GameText { start: None, variant: Some("basic".to_owned()), actions: vec![0, 5, 9] };
        let replay = Replay::of(&game, "a game", &[]).unwrap();
        assert_eq!(replay.frames.len(), 4);
        assert_eq!(replay.frames[3].pieces.len(), replay.frames[0].pieces.len() + 3);
        let long = GameText { actions: vec![0; 2000], ..game.clone() };
        assert!(Replay::of(&long, "", &[]).is_err());
        assert!(Replay::of(&GameText { actions: vec![60000], ..game }, "", &[]).is_err());
    }
}
