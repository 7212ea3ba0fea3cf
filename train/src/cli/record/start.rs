//! The start of a game, from its tags: by the rule set, or by a position text as match runners write it.

use gipf_env::text::truncate_escaped;
use gipf_env::{Setup, Variant};
use gipf_play::TaggedGame;

use super::Known;
use super::why::Why;

/// The tags of a position text: that of this project, and that of PGN.
pub(super) const STARTS: [&str; 2] = ["Start", "FEN"];
/// The tags of a rule set: that of this project, and those of others.
pub(super) const RULES: [&str; 3] = ["Variant", "RuleSet", "Rules"];

/// Returns the placement limit that a tag states. Version 0.1 called it `PlyLimit`.
fn limit(game: &TaggedGame) -> Result<Option<u16>, Why> {
    let tag = ["PlacementLimit", "PlyLimit"].into_iter().find_map(|name| Some((name, game.value(name)?)));
    tag.map(|(name, limit)| limit.parse().map_err(|why| Why::tag(name, why))).transpose()
}

/// Returns where the game starts, if the caller or a tag states it, and adds to `notes` what was ignored.
pub(super) fn start_of(game: &TaggedGame, known: &Known, notes: &mut Vec<String>) -> Result<Option<Setup>, Why> {
    let given = known.position.clone().or_else(|| known.variant.map(Setup::start));
    let setup = match given {
        Some(given) => {
            notes.extend(set_aside(game, &given));
            Some(given)
        }
        None => by_tags(game, notes)?,
    };
    let limit = limit(game)?;
    if setup.is_none() && limit.is_some() {
        notes.push("tag PlacementLimit is ignored: no tag says where the game starts".to_owned());
    }
    Ok(setup.map(|setup| setup.with_placement_limit(limit)))
}

/// Returns the start of the game according to its tags, which must agree.
fn by_tags(game: &TaggedGame, notes: &mut Vec<String>) -> Result<Option<Setup>, Why> {
    let mut start: Option<(&str, Setup)> = None;
    for (tag, text) in tags(game, &STARTS) {
        let setup: Setup = text.parse().map_err(|why| Why::tag(tag, why))?;
        match &start {
            Some((first, other)) if *other != setup => return Err(Why::differ([first, tag])),
            _ => start = Some((tag, setup)),
        }
    }
    let mut rules = start.as_ref().map(|(tag, setup)| (*tag, setup.variant));
    for (tag, text) in tags(game, &RULES) {
        match (text.parse::<Variant>(), &rules) {
            (Ok(variant), Some((first, other))) if *other != variant => return Err(Why::differ([first, tag])),
            (Ok(variant), None) => rules = Some((tag, variant)),
            (Ok(_), Some(_)) => {}
            (Err(_), _) if start.is_some() => notes.push(misunderstood(tag, text, "a rule set such as standard")),
            (Err(why), _) => return Err(Why::tag(tag, why)),
        }
    }
    check_set_up(game, start.as_ref(), notes)?;
    Ok(start.map(|(_, setup)| setup).or_else(|| rules.map(|(_, variant)| Setup::start(variant))))
}

/// The tag `SetUp` of PGN states whether the game has its own start.
fn check_set_up(game: &TaggedGame, start: Option<&(&str, Setup)>, notes: &mut Vec<String>) -> Result<(), Why> {
    match (game.value("SetUp"), start) {
        (None, _) | (Some("0"), None) | (Some("1"), Some(_)) => {}
        (Some("1"), None) => return Err(Why::tag("SetUp", "a start of its own, which no tag Start or FEN gives")),
        (Some("0"), Some((tag, setup))) => {
            if *setup != Setup::start(setup.variant) {
                notes.push(format!("tag SetUp says that the game starts as usual; it starts as the tag {tag} says"));
            }
        }
        (Some(other), _) => notes.push(misunderstood("SetUp", other, "0 or 1")),
    }
    Ok(())
}

fn misunderstood(tag: &str, found: &str, expected: &str) -> String {
    format!("tag {tag} is not understood: found `{}`, expected {expected}", truncate_escaped(found, 40))
}

/// Returns the tags that contradict the caller.
fn set_aside(game: &TaggedGame, given: &Setup) -> Vec<String> {
    let starts = tags(game, &STARTS).filter(|(_, text)| text.parse::<Setup>().as_ref() != Ok(given));
    let rules = tags(game, &RULES).filter(|(_, text)| text.parse::<Variant>().as_ref() != Ok(&given.variant));
    starts.chain(rules).map(|(tag, _)| format!("tag {tag} is ignored: the game is read as asked")).collect()
}

/// Returns the tags of these names, in the order of the game.
fn tags<'a>(game: &'a TaggedGame, names: &'static [&'static str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    game.tags().filter(|(name, _)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}
