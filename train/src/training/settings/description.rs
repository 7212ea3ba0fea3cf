//! What each setting means, as text: the comments of `--print-config` and the page of all settings.
//!
//! The texts are the doc comments of the settings structs, collected in `settings.txt`; a test checks that the two agree.

use std::fmt::Write;

use gipf_models::{HexConfig, LineConfig, MlpConfig};
use gipf_play::search::{Gumbel, Puct};
use serde::Serialize;

use super::config::Config;

/// The doc comments, one per line: `Type.field: text`, or `Type: text`.
const TEXTS: &str = include_str!("settings.txt");
/// Settings that are written only when they are on, each with the value that means off.
const OFF: [(&str, &str); 3] =
    [("LineConfig.global_pooling", "false"), ("LineConfig.push_paths", "false"), ("GameConfig.potentials", "3")];
/// The widest line of a comment (characters).
const WIDTH: usize = 100;

/// A table of settings, such as `learning.optimizer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsTable {
    /// Its name, as in a TOML header.
    pub name: String,
    /// What the table is about.
    pub about: String,
    /// Its settings, in their order.
    pub settings: Vec<Setting>,
}

/// A setting with its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name within its table.
    pub name: String,
    /// Its value, as TOML; none if the setting is off and so not written.
    pub value: Option<String>,
    /// Its meaning, with its unit.
    pub about: String,
    /// The value in the preset `quick`; for a method or a kind of network that `quick` does not use, its own default.
    pub default: String,
}

/// The name of the table of each phase.
const PHASES: &str = "phases";

impl SettingsTable {
    /// Returns whether these are changes in the course of a run: their settings have no values elsewhere.
    pub fn is_of_phase(&self) -> bool {
        self.name.split('.').next() == Some(PHASES)
    }
}

impl Config {
    /// Returns these settings as TOML text with a comment for each, which [`Config::parse`] reads as the same settings.
    pub fn to_commented_text(&self) -> String {
        let mut text = "# Settings of a training run: `gipf train --config FILE` reads them.\n".to_owned();
        if self.phases.is_empty() {
            // Without this line the phases would be those of the preset.
            write_comment(&mut text, &format!("\n{}", text_of("Config.phases")));
            text.push_str("phases = []\n");
        }
        for table in self.described() {
            write_comment(&mut text, &format!("\n{}", table.about));
            let header = if table.name == PHASES { "[[phases]]".to_owned() } else { format!("[{}]", table.name) };
            writeln!(text, "{header}").expect("strings can grow");
            let is_of_phase = table.is_of_phase();
            for setting in table.settings {
                let default = if is_of_phase { String::new() } else { format!(" Default: {}.", setting.default) };
                write_comment(&mut text, &format!("\n{}{default}", setting.about));
                match setting.value {
                    Some(value) => writeln!(text, "{} = {value}", setting.name),
                    None => writeln!(text, "# {} = {}", setting.name, setting.default),
                }
                .expect("strings can grow");
            }
        }
        text
    }

    /// Returns all settings with their meanings, in the order of the text.
    ///
    /// # Panics
    /// If a setting has no description, which a test rules out.
    pub fn described(&self) -> Vec<SettingsTable> {
        let text = self.to_text();
        let blocks = text.split("\n\n").map(str::trim).filter(|block| block.starts_with('['));
        blocks.map(|block| table(block, &text)).collect()
    }
}

/// Describes one table: its header, then its settings, one per line.
fn table(block: &str, all: &str) -> SettingsTable {
    let mut lines = block.lines();
    let name = lines.next().expect("a block has a header").trim_matches(['[', ']']).to_owned();
    let values: Vec<_> = lines.filter_map(|line| line.split_once(" = ")).collect();
    // A phase may change a network without naming its kind.
    let kinds = values.iter().copied().chain(all.lines().filter_map(|line| line.split_once(" = ")));
    let kind = type_of(&name, kinds);
    if name.split('.').next() == Some(PHASES) {
        let as_before = |(field, value): &(&str, &str)| Setting {
            name: (*field).to_owned(),
            value: Some((*value).to_owned()),
            about: about(kind, field),
            default: "as before".to_owned(),
        };
        return SettingsTable {
            about: about_table(&name, kind),
            settings: values.iter().map(as_before).collect(),
            name,
        };
    }
    let defaults = defaults(&name, kind);
    let setting = |field: &str, value: Option<&str>| Setting {
        name: field.to_owned(),
        value: value.map(str::to_owned),
        about: about(kind, field),
        default: default(kind, field, &defaults),
    };
    let mut settings: Vec<_> = values.iter().map(|(field, value)| setting(field, Some(value))).collect();
    let is_written = |field: &str| {
        values.iter().any(|(written, _)| *written == field) || all.contains(&format!("\n[{name}.{field}"))
    };
    settings.extend(fields_of(kind).filter(|field| !is_written(field)).map(|field| setting(field, None)));
    SettingsTable { about: about_table(&name, kind), name, settings }
}

/// Returns what a setting means.
fn about(kind: &str, field: &str) -> String {
    text_of(&if field == "kind" { "NetKind".to_owned() } else { format!("{kind}.{field}") }).to_owned()
}

/// Returns the struct whose fields the settings of a table are; a network has the first kind among the values.
fn type_of<'a>(table: &str, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> &'static str {
    match table.rsplit('.').next().unwrap_or(table) {
        "run" => "RunConfig",
        "game" => "GameConfig",
        "network" => match values.into_iter().find(|(name, _)| *name == "kind") {
            Some((_, "\"hex\"")) => "HexConfig",
            Some((_, "\"mlp\"")) => "MlpConfig",
            _ => "LineConfig",
        },
        "search" => "SearchConfig",
        "gumbel" => "Gumbel",
        "puct" => "Puct",
        "phases" => "Phase",
        "self_play" => "SelfPlayConfig",
        "cache" => "CacheConfig",
        "replay" => "ReplayConfig",
        "learning" => "LearningConfig",
        "optimizer" => "OptimizerConfig",
        "student" => "StudentConfig",
        "evaluation" => "EvaluationConfig",
        "gating" => "GatingConfig",
        _ => panic!("settings {table} have no description"),
    }
}

/// Returns what a table is about: the text of its field or of its alternative.
fn about_table(table: &str, kind: &str) -> String {
    let (parent, field) = table.rsplit_once('.').unwrap_or(("", table));
    let parent = if parent == PHASES { "" } else { parent };
    match (kind, parent.rsplit('.').next().unwrap_or_default()) {
        ("LineConfig", _) => text_of("NetKind.line"),
        ("HexConfig", _) => text_of("NetKind.hex"),
        ("MlpConfig", _) => text_of("NetKind.mlp"),
        ("Gumbel", _) => text_of("Method.gumbel"),
        ("Puct", "method") => text_of("Method.puct"),
        ("Puct", _) => text_of("Interior.puct"),
        (_, "") => text_of(&format!("Config.{field}")),
        (_, outer) => text_of(&format!("{}.{field}", type_of(outer, []))),
    }
    .to_owned()
}

/// Returns the doc comment of a field or a type.
fn text_of(name: &str) -> &'static str {
    let text = TEXTS.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    text.unwrap_or_else(|| panic!("{name} has no description"))
}

/// Returns the settings of a struct; fields that are tables of their own have no default, and are left out here.
fn fields_of(kind: &'static str) -> impl Iterator<Item = &'static str> {
    let own = move |line: &'static str| line.strip_prefix(kind)?.strip_prefix('.')?.split(": ").next();
    TEXTS.lines().filter_map(own).filter(move |field| OFF.iter().any(|(off, _)| *off == format!("{kind}.{field}")))
}

/// Returns the settings that apply when a text does not name them.
fn defaults(table: &str, kind: &str) -> toml::Table {
    // Converted through the text, in which 1.1 is 1.1.
    let quick = as_table(&Config::preset("quick").expect("it is a preset"));
    let inner = |outer: toml::Table, name: &str| outer.get(name).and_then(|inner| inner.as_table().cloned());
    let found = table.split('.').try_fold(quick, inner);
    // Another kind of network has the table, but none of its settings.
    match found {
        Some(found) if !matches!(kind, "HexConfig" | "MlpConfig") => found,
        _ => own_defaults(kind),
    }
}

/// Returns the defaults of methods and networks that `quick` does not use.
fn own_defaults(kind: &str) -> toml::Table {
    match kind {
        "HexConfig" => as_table(&HexConfig::default()),
        "MlpConfig" => as_table(&MlpConfig::default()),
        "LineConfig" => as_table(&LineConfig::default()),
        "Gumbel" => as_table(&Gumbel::default()),
        "Puct" => as_table(&Puct::default()),
        _ => toml::Table::new(),
    }
}

fn as_table(settings: &impl Serialize) -> toml::Table {
    let text = toml::to_string(settings).expect("settings are tables of plain values");
    text.parse().expect("it was written as TOML")
}

fn default(kind: &str, field: &str, defaults: &toml::Table) -> String {
    let off = || OFF.iter().find(|(name, _)| *name == format!("{kind}.{field}")).map(|(_, off)| (*off).to_owned());
    let written = |value: &toml::Value| if value.is_table() { "a table".to_owned() } else { value.to_string() };
    let line = || (field == "kind").then(|| "\"line\"".to_owned());
    line().or_else(|| defaults.get(field).map(written)).or_else(off).expect("every setting has a default")
}

/// Writes a text as comments; each line break in it becomes an empty line.
fn write_comment(text: &mut String, comment: &str) {
    for paragraph in comment.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() + 3 > WIDTH {
                writeln!(text, "# {line}").expect("strings can grow");
                line.clear();
            }
            line += if line.is_empty() { "" } else { " " };
            line += word;
        }
        writeln!(text, "{}", if line.is_empty() { line } else { format!("# {line}") }).expect("strings can grow");
    }
}
