//! The meanings of settings: they are collected from the doc comments and complete, and the page of all settings is made
//! from them.
//!
//! `GIPF_WRITE=1 cargo test --release -p gipf-tests settings` rewrites the collection and the page.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use gipf_models::PRETRAINED;
use gipf_train::training::{Config, Setting, SettingsTable};

use crate::wishes;

/// Where the settings are defined, with the types in each file.
const SOURCES: [(&str, &[&str]); 9] = [
    ("train/src/training/settings/config.rs", &["Config", "RunConfig", "EvaluationConfig", "GatingConfig"]),
    ("train/src/training/settings/learning.rs", &["LearningConfig", "OptimizerConfig", "StudentConfig"]),
    ("train/src/training/settings/phase.rs", &["Phase"]),
    ("train/play/src/game_config.rs", &["GameConfig"]),
    ("models/src/config.rs", &["NetKind", "LineConfig", "HexConfig", "MlpConfig"]),
    ("train/play/src/search/config.rs", &["SearchConfig", "Method", "Gumbel", "Interior", "Puct"]),
    ("train/src/training/self_play/config.rs", &["SelfPlayConfig"]),
    ("train/play/src/evaluator/cache.rs", &["CacheConfig"]),
    ("train/src/training/samples/replay.rs", &["ReplayConfig"]),
];
const COLLECTION: &str = "train/src/training/settings/settings.txt";
const PAGE: &str = "docs/settings.md";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name)
}

/// Compares a file with its expected contents, and writes it first where that was asked for.
fn check_current(name: &str, expected: &str) {
    if wishes::writes() {
        fs::write(path(name), expected).unwrap();
    }
    let found = fs::read_to_string(path(name)).unwrap_or_default();
    assert!(found == expected, "{name} is not current: GIPF_WRITE=1 cargo test --release -p gipf-tests settings");
}

/// Returns the doc comments of a type and its fields or variants, one on each line.
fn doc_comments(source: &str, kind: &str) -> String {
    let (mut found, mut comment, mut is_inside) = (String::new(), String::new(), false);
    for line in source.lines() {
        let trimmed = line.trim_start();
        if let Some(more) = trimmed.strip_prefix("/// ") {
            comment += if comment.is_empty() { "" } else { " " };
            comment += more;
            continue;
        }
        let words = trimmed.trim_start_matches("pub ").split([' ', ':', '(', ',', '{', '<']);
        let words: Vec<_> = words.take(2).collect();
        let begins = line.starts_with("pub ") && ["struct", "enum"].contains(&words[0]) && words[1] == kind;
        is_inside = begins || is_inside && !line.starts_with('}');
        let is_code = !trimmed.starts_with("#[") && !trimmed.starts_with("//");
        if is_inside && is_code && !comment.is_empty() {
            let field = if begins { String::new() } else { format!(".{}", words[0].to_lowercase()) };
            writeln!(found, "{kind}{field}: {comment}").unwrap();
        }
        if is_code {
            comment.clear();
        }
    }
    found
}

#[test]
fn the_meanings_of_settings_are_their_doc_comments() {
    let of_file = |(file, kinds): (&str, &[&str])| {
        let source = fs::read_to_string(path(file)).unwrap();
        kinds.iter().map(|kind| doc_comments(&source, kind)).collect::<String>()
    };
    check_current(COLLECTION, &SOURCES.map(of_file).concat());
}

/// Returns settings that together have every table that exists.
fn all_kinds() -> Vec<Config> {
    let quick = Config::preset("quick").unwrap();
    let changed = |setting: &str| quick.with(setting).unwrap();
    vec![
        quick.clone(),
        Config::preset("hour").unwrap(),
        Config::preset("overnight").unwrap(),
        changed("network.kind=hex"),
        changed("network.kind=mlp"),
        changed("search.method={puct={}}"),
        changed("evaluation.search.method={gumbel={}}"),
        changed("game.variant=basic+zertz").with("game.potentials=4").unwrap(),
        changed("network.kind=hex").with("phases=[{ after_games = 9, network = { blocks = 4 } }]").unwrap(),
    ]
}

#[test]
fn every_setting_has_a_comment_and_the_text_reads_back() {
    for config in all_kinds() {
        let text = config.to_commented_text();
        assert_eq!(Config::parse(&text).unwrap(), config, "{text}");
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[1].contains(" = ") && !pair[1].starts_with("# ")) {
            assert!(pair[0].starts_with("# "), "`{}` has no comment", pair[1]);
        }
        assert!(lines.iter().all(|line| !line.starts_with('#') || line.chars().count() <= 100), "{text}");
        let plain: Vec<_> = config.to_text().lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
        let kept: Vec<_> = lines.iter().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert!(plain.iter().eq(kept), "the comments are all that is added: {text}");
    }
}

#[test]
fn the_presets_of_the_networks_that_ship_make_such_networks() {
    for (preset, shipped) in
        ["hour", "overnight"].into_iter().flat_map(|preset| PRETRAINED.map(|shipped| (preset, shipped)))
    {
        let made = Config::preset(preset).unwrap().at(u64::MAX).network.0;
        assert_eq!(made, shipped.checkpoint().config.net, "{preset}, {}", shipped.game);
    }
}

#[test]
fn the_defaults_told_are_those_that_count() {
    let changes_no_value =
        |config: &Config| config.run == Config::default().run && config.game == Config::default().game;
    for config in all_kinds().into_iter().filter(changes_no_value) {
        for table in config.described().into_iter().filter(|table| !table.is_of_phase()) {
            for setting in &table.settings {
                let value = setting.value.as_ref().filter(|_| setting.name != "kind");
                assert!(value.is_none_or(|value| *value == setting.default), "{}: {setting:?}", table.name);
            }
        }
    }
}

const HEAD: &str = "# Settings

All settings of `gipf train`, with their values in the presets `quick` (the defaults), and `hour` and `overnight` where they
differ. **These are the values at the beginning of a run**: what changes in its course is [at the end](#the-presets).
Methods and kinds of networks that these presets do not use have the defaults of their own, and so has `gipf fit`, whose `--help`
names them. This page is made from the comments of the sources; `gipf train --print-config` prints the same with the values of a
run.

Name single settings, or a file of them. A single setting holds for the whole run, whatever its phases say of it:

```sh
gipf train --set self_play.full_simulations=128 --set run.seed=7    # single settings
gipf train --print-config > my.toml                                 # all of them, with comments, to edit
gipf train --config my.toml
```

A file may name only what it changes: everything else is as in `quick`, but a network whose kind is named has the defaults of its
kind. If it names no phases, what it names holds for the whole run too. Unknown names are refused. A run keeps its settings in `config.toml` of its directory.
";

/// Returns the tables of several configurations, each name once.
fn tables() -> Vec<(String, SettingsTable)> {
    let mut tables: Vec<(String, SettingsTable)> = Vec::new();
    for config in all_kinds() {
        for table in config.described().into_iter().filter(|table| table.name == "phases" || !table.is_of_phase()) {
            let kind = table.settings.iter().find(|setting| setting.name == "kind");
            let kind = kind.and_then(|kind| kind.value.clone()).filter(|kind| kind != "\"line\"");
            let title = kind.map_or(table.name.clone(), |kind| format!("{}, kind = {kind}", table.name));
            let place = tables.iter().rposition(|(known, _)| known.split('.').next() == title.split(['.', ',']).next());
            let place = place.map_or(tables.len(), |place| place + 1);
            if tables.iter().all(|(known, _)| *known != title) {
                tables.insert(place, (title, table));
            }
        }
    }
    tables
}

fn page() -> String {
    let presets = ["quick", "hour", "overnight"].map(values);
    let mut page = HEAD.to_owned();
    for (title, table) in tables() {
        write!(page, "\n## {title}\n\n{}\n\n", table.about).unwrap();
        page += "| setting | meaning | quick | hour | overnight |\n|---|---|---|---|---|\n";
        let of_its_kind = |name: &str| name != "kind" || title == table.name;
        for setting in table.settings.iter().filter(|setting| of_its_kind(&setting.name)) {
            let name = format!("{}.{}", table.name, setting.name);
            let [quick, hour, night] = presets.each_ref().map(|preset| {
                let other = preset.get(&name).filter(|value| **value != setting.default && title == table.name);
                other.map_or(String::new(), |value| format!("`{value}`"))
            });
            let about = setting.about.replace('|', "\\|");
            // A phase has no default of its own, and other tables are not values.
            let default = match &*setting.default {
                "a table" | "as before" => quick,
                default => format!("`{default}`"),
            };
            writeln!(page, "| `{}` | {about} | {default} | {hour} | {night} |", setting.name).unwrap();
        }
    }
    for (title, text) in PRESETS {
        write!(page, "\n{title}\n\n```toml\n{text}```\n").unwrap();
    }
    page
}

/// The texts of the longer presets, which stand below the tables and show what changes in the course of a run.
const PRESETS: [(&str, &str); 2] = [
    ("## The presets\n\n`hour`:", include_str!("../../../train/src/training/settings/presets/hour.toml")),
    ("`overnight`:", include_str!("../../../train/src/training/settings/presets/overnight.toml")),
];

/// Returns the values of a preset's settings by their full names; those of its phases follow one after the other.
fn values(preset: &str) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for SettingsTable { name, settings, .. } in Config::preset(preset).unwrap().described() {
        for Setting { name: setting, value, .. } in settings {
            let Some(value) = value else { continue };
            let known = values.entry(format!("{name}.{setting}")).or_default();
            *known = if known.is_empty() { value } else { format!("{known}, {value}") };
        }
    }
    values
}

#[test]
fn the_page_of_settings_is_current() {
    check_current(PAGE, &page());
}
