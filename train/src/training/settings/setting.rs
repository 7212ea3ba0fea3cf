//! Changes of single settings, as named on the command line.

use super::config::{Config, ConfigFault};

/// Returns the name of the setting in an assignment such as `run.games=200`.
pub fn assigned(assignment: &str) -> &str {
    assignment.split('=').next().unwrap_or_default().trim()
}

impl Config {
    /// Returns these settings with some of them changed: `assignment` is for example `self_play.full_simulations=128`,
    /// or a table of several such as `network={kind="mlp",hidden=[64]}`. Another kind of network begins with its own
    /// defaults. A setting set this way keeps its value for the whole run: phases that change it leave it at this value.
    ///
    /// # Errors
    /// If there is no such setting, or the value does not fit it.
    pub fn with(&self, assignment: &str) -> Result<Self, ConfigFault> {
        let fault = || ConfigFault::Override(assignment.to_owned());
        let (path, value) = assignment.split_once('=').ok_or_else(fault)?;
        let path = renamed(path.trim());
        let (group, names) = path.split_once('.').map_or((path.as_str(), None), |(group, names)| (group, Some(names)));
        let value = parse_value(value.trim());
        if names.is_none() && !value.is_table() && !value.is_array() {
            return Err(fault());
        }
        let within = |value, name: &str| toml::Table::from_iter([(name.trim().to_owned(), value)]);
        let value =
            names.into_iter().flat_map(|names| names.rsplit('.')).fold(value, |value, name| within(value, name).into());
        let change = within(value, group);
        // Not all numbers that a caller can set can be written; they are refused in words by `validate`.
        let mut table = match toml::Table::try_from(self) {
            Ok(table) => table,
            Err(error) => return Err(ConfigFault::Text { line: None, what: error.to_string() }),
        };
        if group == "late_phase" {
            // The old setting stands for these two.
            for name in ["phases", "learning.value_mix_games"] {
                taken(&mut table, name);
            }
        }
        hold(&mut table, &change);
        Self::parse(&laid_over(table, change).to_string()).map_err(|fault| match fault {
            // The line is in a text that the user did not write.
            ConfigFault::Text { what, .. } => ConfigFault::Text { line: None, what },
            fault => fault,
        })
    }
}

/// Applies a change to each phase of a run that would undo it.
pub(super) fn hold(table: &mut toml::Table, change: &toml::Table) {
    let mut change = change.clone();
    let mut changed = laid_over(table.clone(), change.clone());
    for settings in [&mut change, &mut changed] {
        // Phases do not change phases, and each would be compared with copies of all.
        settings.remove("phases");
    }
    let phases = table.get_mut("phases").and_then(toml::Value::as_array_mut).into_iter().flatten();
    for phase in phases.filter_map(toml::Value::as_table_mut) {
        let then = laid_over(changed.clone(), phase.clone());
        if laid_over(then.clone(), change.clone()) != then {
            *phase = laid_over(std::mem::take(phase), change.clone());
        }
    }
}

/// Returns a table with the values of another in place of its own. For alternatives, such as search methods or kinds
/// of networks, the alternative of `over` replaces the one of `base`.
pub(crate) fn laid_over(mut base: toml::Table, over: toml::Table) -> toml::Table {
    use toml::Value::Table;
    for (key, value) in over {
        let value = match (base.remove(&key), value) {
            (Some(Table(old)), Table(new)) if !is_alternative(&key, &old, &new) => Table(laid_over(old, new)),
            (_, value) => value,
        };
        base.insert(key, value);
    }
    base
}

/// Settings that had another name before 0.1.0, the old name first. Old names are still read.
const RENAMED: [(&str, &str); 4] = [
    ("settled", "late_phase"),
    ("game.limit", "game.placement_limit"),
    ("learning.optimizer.parts", "learning.optimizer.gradient_shards"),
    ("evaluation.promotion", "evaluation.gating"),
];

/// The setting used before there were phases, and what replaced it.
const LATE_PHASE: (&str, &str) = ("late_phase", "phases");

/// Returns the current name of a setting: its own, unless it or its group was renamed.
pub fn new_name(name: &str) -> String {
    let renamed = renamed(name);
    if renamed.split('.').next() == Some(LATE_PHASE.0) { LATE_PHASE.1.to_owned() } else { renamed }
}

fn renamed(name: &str) -> String {
    let renamed = RENAMED.iter().find_map(|(old, new)| {
        let rest = name.strip_prefix(old)?;
        (rest.is_empty() || rest.starts_with('.')).then(|| format!("{new}{rest}"))
    });
    renamed.unwrap_or_else(|| name.to_owned())
}

/// Returns the old names of settings in a configuration, each with its new one.
pub fn old_names(text: &str) -> Vec<(&'static str, &'static str)> {
    let Ok(mut table) = toml::from_str(text) else { return Vec::new() };
    let all = RENAMED.into_iter().map(|(old, new)| (old, if new == LATE_PHASE.0 { LATE_PHASE.1 } else { new }));
    all.chain([LATE_PHASE]).filter(|(old, _)| taken(&mut table, old).is_some()).collect()
}

/// Gives settings with old names their new ones; returns whether there were any.
///
/// # Errors
/// If a setting is given by both names.
pub(crate) fn rename(table: &mut toml::Table) -> Result<bool, ConfigFault> {
    let mut found = false;
    for (old, new) in RENAMED {
        let Some(value) = taken(table, old) else { continue };
        if taken(table, new).is_some() {
            return Err(ConfigFault::Twice { old, new });
        }
        let nested =
            new.rsplit('.').fold(value, |value, name| toml::Table::from_iter([(name.to_owned(), value)]).into());
        let toml::Value::Table(nested) = nested else { unreachable!("a name has at least one part") };
        *table = laid_over(std::mem::take(table), nested);
        found = true;
    }
    Ok(found)
}

/// Settings that were removed, each with the value that earlier programs wrote where it was off.
const RETIRED: [(&str, &str); 2] = [("self_play.resign_value", "1.0"), ("self_play.cache.form", "\"exact\"")];

/// Drops removed settings, so that runs of earlier programs can resume; returns whether there were any.
///
/// # Errors
/// If one of them was on.
pub(crate) fn drop_retired(table: &mut toml::Table) -> Result<bool, ConfigFault> {
    let mut found = false;
    for (name, expected) in RETIRED {
        let Some(value) = taken(table, name) else { continue };
        if value.to_string() != expected {
            return Err(ConfigFault::Retired { name, value: value.to_string(), expected });
        }
        found = true;
    }
    Ok(found)
}

/// Removes a setting from a table and returns it.
fn taken(table: &mut toml::Table, name: &str) -> Option<toml::Value> {
    match name.split_once('.') {
        Some((group, rest)) => taken(table.get_mut(group)?.as_table_mut()?, rest),
        None => table.remove(name),
    }
}

/// Returns whether the settings of one table mean nothing in the other.
fn is_alternative(key: &str, old: &toml::Table, new: &toml::Table) -> bool {
    match key {
        "method" => !new.keys().all(|kind| old.contains_key(kind)),
        // A table that names the kind starts from the defaults of that kind, as do the settings that a run has kept.
        "network" => new.contains_key("kind"),
        _ => false,
    }
}

/// Reads a value as TOML would; anything that is not TOML is a string.
fn parse_value(text: &str) -> toml::Value {
    let table: Result<toml::Table, _> = format!("value = {text}").parse();
    table.ok().and_then(|mut table| table.remove("value")).unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::NetworkConfig;
    use gipf_env::{Player, Variant};
    use gipf_models::{HexConfig, MlpConfig, NetKind};

    #[test]
    fn one_setting_is_changed_by_name() {
        let config = Config::default();
        let changed = config.with("self_play.full_simulations=128").unwrap();
        assert_eq!(changed.self_play.full_simulations, 128);
        assert_eq!(config.with("game.variant = tournament").unwrap().game.variant, Variant::TOURNAMENT);
        let error = config.with("run.gmes=3").unwrap_err().to_string();
        assert!(error.starts_with("unknown field `gmes`"), "{error}");
        let error = Config::parse("[run]\n\ngmes = 3\n").unwrap_err().to_string();
        assert!(error.starts_with("line 3: unknown field `gmes`") && !error.contains('\n'), "{error}");
        let four = config.with("game.variant=basic+zertz").unwrap().with("game.potentials=4").unwrap();
        assert_eq!((four.game.start().potentials(Player::White), four.game.start().potentials(Player::Black)), (4, 4));
        let error = config.with("game.potentials=4").unwrap_err().to_string();
        assert_eq!(error, "setting game.potentials: 4 potentials for standard: expected a variant with +zertz");
        let both = config.with("run={games=7,seed=9}").unwrap();
        assert_eq!((both.run.games, both.run.seed, both.run.iterations), (7, 9, config.run.iterations));
        for wrong in [
            "games",
            "run=3",
            ".=3",
            "run.=3",
            "tempo={games=3}",
            "run.game=3",
            "run.games=0",
            "run.games=many",
            "nothing.at.all=1",
            "game.variant=go",
        ] {
            assert!(config.with(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_set_holds_in_every_phase() {
        let longer = |games: u64, full: u32, cheap: u32| {
            let own = format!("full_simulations = {full}\ncheap_simulations = {cheap}\n");
            format!("[[phases]]\nafter_games = {games}\n[phases.self_play]\n{own}")
        };
        let hour = Config::preset("hour").unwrap().to_text() + &longer(110_000, 128, 24) + &longer(200_000, 256, 32);
        let hour = Config::parse(&hour).unwrap();
        let at = |setting: &str| {
            let config = hour.with(setting).unwrap();
            config.validate().unwrap();
            [0, 5000, 50_000, 150_000, 250_000].map(|games| config.at(games))
        };
        let plain = at("run.seed=7").map(|config| config.self_play.full_simulations);
        assert_eq!(plain, [64, 64, 64, 128, 256]);
        assert_eq!(at("self_play.full_simulations=99").map(|config| config.self_play.full_simulations), [99; 5]);
        assert_eq!(at("self_play={full_simulations=99}").map(|config| config.self_play.full_simulations), [99; 5]);
        let cheap = at("self_play.full_simulations=99").map(|config| config.self_play.cheap_simulations);
        assert_eq!(cheap, [16, 16, 16, 24, 32], "what was not named goes its way");
        for puct in ["search.method={puct={c_init=2.0}}", "search.method.puct.c_init=2.0"] {
            let found = at(puct).map(|config| config.search);
            assert!(found.iter().all(|search| *search == found[0]) && found[0] != hour.search, "{puct}: {found:?}");
        }
        let hex = at("network={kind=\"hex\",channels=48}").map(|config| config.network.0);
        assert_eq!(hex, [0; 5].map(|_| NetKind::Hex(HexConfig { channels: 48, ..HexConfig::default() })));
        let one_by_one = hour.with("network.kind=hex").and_then(|config| config.with("network.channels=48")).unwrap();
        assert_eq!(one_by_one.at(50_000).network.0, hex[0]);
        let phases = hour.with("phases=[{after_games=9,replay={window=99}}]").unwrap();
        assert_eq!([8, 9].map(|games| phases.at(games).replay.window), [50_000, 99]);
    }

    #[test]
    fn settings_that_are_no_more_may_be_off() {
        let off =
            "[self_play]\nresign_value = 1.0\nrandom_plies = 3\n[self_play.cache]\nmegabytes = 2\nform = \"exact\"\n";
        let on = Config::parse("[self_play]\nrandom_plies = 3\ncache = { megabytes = 2 }\n").unwrap();
        assert_eq!(Config::parse(off).unwrap(), on);
        for (old, new, name) in
            [("1.0", "0.9", "self_play.resign_value"), ("exact", "canonical", "self_play.cache.form")]
        {
            let told = Config::parse(&off.replace(old, new)).unwrap_err().to_string();
            assert!(told.starts_with(&format!("setting {name} is")) && told.contains("it was removed"), "{told}");
        }
        assert!(Config::parse(&off.replace("random_plies", "random")).is_err());
    }

    #[test]
    fn old_names_of_settings_are_still_read() {
        let old = "[settled]\nfrom = 0.5\n[settled.search]\nsolver = false\n[game]\nlimit = 300\n\
                   [learning.optimizer]\nparts = 3\n[evaluation.promotion]\ngames = 40\n";
        let new = "[late_phase]\nfrom = 0.5\n[late_phase.search]\nsolver = false\n[game]\nplacement_limit = 300\n\
                   [learning.optimizer]\ngradient_shards = 3\n[evaluation.gating]\ngames = 40\n";
        let config = Config::parse(new).unwrap();
        assert_eq!(Config::parse(old).unwrap(), config);
        let told: Vec<_> = old_names(old).into_iter().map(|(old, _)| old).collect();
        assert_eq!(told, RENAMED.map(|(old, _)| old));
        assert_eq!((old_names(new), new_name("settled.from")), (vec![LATE_PHASE], "phases".to_owned()));
        let one_by_one = ["settled={from=0.5,search={solver=false}}", "game.limit=300"]
            .into_iter()
            .chain(["learning.optimizer.parts=3", "evaluation.promotion.games=40"])
            .fold(Config::preset("quick").unwrap(), |config, setting| config.with(setting).unwrap());
        assert_eq!(one_by_one.phases, config.phases);
        assert_eq!(one_by_one.game, config.game);
        assert_eq!(one_by_one.learning.optimizer, config.learning.optimizer);
        assert_eq!(one_by_one.evaluation.gating, config.evaluation.gating);
        let told = Config::parse("[settled]\nfrom = 1.0\n[late_phase]\nfrom = 0.5\n").unwrap_err().to_string();
        assert_eq!(told, "setting late_phase is there twice: `settled` is its old name");
        assert_eq!(new_name("settledness.from"), "settledness.from");
        assert!(Config::parse("settled = 3\n").is_err() && Config::parse("[game]\nlimit = 1\n").is_err());
    }

    #[test]
    fn the_network_is_chosen_by_its_kind() {
        let config = Config::parse("[network]\nkind = \"hex\"\nblocks = 6\nchannels = 64\n").unwrap();
        assert_eq!(config.network.0, NetKind::Hex(HexConfig { blocks: 6, channels: 64, ..HexConfig::default() }));
        assert_eq!(config.with("network.channels=48").unwrap().validate().map_err(|error| error.to_string()), Ok(()));
        let line = config.with("network.kind=line").unwrap();
        assert_eq!(line.network, NetworkConfig::default(), "what hex networks have is no setting of others");
        let mlp = config.with("network={kind=\"mlp\", hidden=[64]}").unwrap();
        assert_eq!(mlp.network.0, NetKind::Mlp(MlpConfig { hidden: vec![64] }));
        assert_eq!(line.with("network.kind=mlp").unwrap().network.0, NetKind::Mlp(MlpConfig::default()));
        let anew = config.with("network={kind=\"hex\",channels=48}").unwrap().network.0;
        assert_eq!(
            anew,
            NetKind::Hex(HexConfig { channels: 48, ..HexConfig::default() }),
            "the kind as it is by itself"
        );
        let error = config.with("network.blocks=0").and_then(|config| config.validate()).unwrap_err().to_string();
        assert!(error.contains("blocks"), "{error}");
    }
}
