//! What keeps a network from growing to another one.

use std::collections::BTreeSet;

use gipf_models::{NetConfig, NetKind};
use serde_json::{Map, Value};

/// Returns the settings that keep a network from growing to another one, first as it has them, then as the other has
/// them; none if it grows to it ([`NetConfig::grows_to`]).
pub(crate) fn misfits(from: &NetConfig, to: &NetConfig) -> Option<[String; 2]> {
    if from.grows_to(to) {
        return None;
    }
    if (&from.layout, from.actions) != (&to.layout, to.actions) {
        let sizes = |of: &NetConfig| format!("{} planes and {} actions", of.layout.planes(), of.actions.size());
        return Some([from, to].map(sizes));
    }
    if from.net.kind() != to.net.kind() {
        return Some([from, to].map(|of| format!("kind={}", of.net.kind())));
    }
    let settings = [from, to].map(|of| settings(&of.net));
    let names: BTreeSet<_> = settings.iter().flat_map(Map::keys).collect();
    let grows_alone = |name: &str| {
        let mut changed = settings[0].clone();
        changed.insert(name.to_owned(), value(&settings[1], name));
        let net = serde_json::from_value(changed.into()).expect("settings of one kind have the same types");
        from.grows_to(&NetConfig { net, ..from.clone() })
    };
    let misfits: Vec<_> = names.into_iter().filter(|name| !grows_alone(name)).collect();
    let told = |of: &Map<String, Value>| {
        misfits.iter().map(|name| format!("{name}={}", value(of, name))).collect::<Vec<_>>().join(", ")
    };
    Some(settings.each_ref().map(told))
}

/// Returns the settings of a network by name, without those that are off.
fn settings(net: &NetKind) -> Map<String, Value> {
    match serde_json::to_value(net) {
        Ok(Value::Object(settings)) => settings,
        _ => unreachable!("a network has settings by name"),
    }
}

/// Returns a setting: one that is not written is off.
fn value(settings: &Map<String, Value>, name: &str) -> Value {
    settings.get(name).cloned().unwrap_or(Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use gipf_env::{GipfPosition, Variant};
    use gipf_models::{LineConfig, MlpConfig};

    use super::*;

    fn told(from: &NetKind, to: &NetKind) -> Option<[String; 2]> {
        let [from, to] =
            [from, to].map(|net| NetConfig::of(net.clone(), &GipfPosition::start(Variant::BASIC)).unwrap());
        misfits(&from, &to)
    }

    #[test]
    fn settings_that_do_not_fit_are_named_and_others_not() {
        let large = LineConfig { mixing: vec![8, 16], push_paths: true, ..LineConfig::default() };
        let [plain, large] = [LineConfig::default(), large].map(NetKind::Line);
        assert_eq!(told(&plain, &large), None);
        let expected = ["mixing=[8,16], push_paths=true", "mixing=[16], push_paths=false"].map(str::to_owned);
        assert_eq!(told(&large, &plain), Some(expected));
        // It would grow by the features alone.
        let other = NetKind::Line(LineConfig { features: 32, value_hidden: 8, ..LineConfig::default() });
        assert_eq!(told(&plain, &other), Some(["value_hidden=32", "value_hidden=8"].map(str::to_owned)));
        let mlp = NetKind::Mlp(MlpConfig { hidden: vec![8] });
        assert_eq!(told(&plain, &mlp), Some(["kind=line", "kind=mlp"].map(str::to_owned)));
        let wide = NetKind::Mlp(MlpConfig { hidden: vec![16] });
        assert_eq!(told(&mlp, &wide), Some(["hidden=[8]", "hidden=[16]"].map(str::to_owned)));
    }

    #[test]
    fn networks_of_other_games_differ_in_their_planes_and_actions() {
        let of = |variant| NetConfig::of(NetKind::Line(LineConfig::default()), &GipfPosition::start(variant)).unwrap();
        let wider = NetKind::Line(LineConfig { features: 32, ..LineConfig::default() });
        for net in [NetKind::Line(LineConfig::default()), wider] {
            let standard = NetConfig { net, ..of(Variant::STANDARD) };
            let [found, expected] = misfits(&of(Variant::BASIC), &standard).unwrap();
            let ends = found.ends_with(" planes and 63 actions") && expected.ends_with(" planes and 65 actions");
            assert!(ends, "{found}, {expected}");
        }
    }
}
