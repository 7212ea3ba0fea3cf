//! Settings of a search in the names of agents: differences from the search that `gipf play` uses.

use std::fmt;

use super::setting::{SettingError, number};
use crate::search::{Gumbel, Interior, Method, Puct, SearchConfig, SearchConfigError};

/// Returns the settings with one changed.
///
/// * `root=gumbel` or `root=puct`: how the root selects. The settings of PUCT below it stay the same.
/// * `considered`, `c_scale`: of the Gumbel root; either of them selects it.
/// * `c_init`, `c_base`, `fpu_reduction`, `prior_temperature`, `c_spread`: of PUCT; `lcb`: of PUCT at the root.
pub(super) fn changed(config: SearchConfig, setting: &'static str, value: &str) -> Result<SearchConfig, SettingError> {
    let method = match setting {
        "root" => with_root(config.method, value)?,
        "considered" => {
            let considered = number(setting, value, 1..=u32::MAX)?;
            Method::Gumbel(Gumbel { considered, ..gumbel_root(config.method) })
        }
        "c_scale" => Method::Gumbel(Gumbel { c_scale: real(setting, value)?, ..gumbel_root(config.method) }),
        _ => {
            let mut puct = puct_of(&config.method).unwrap_or_default();
            *puct_setting(&mut puct, setting).expect("it is one of the names") = real(setting, value)?;
            with_puct(config.method, puct)
        }
    };
    let changed = SearchConfig { method, ..config };
    let fault = |error: SearchConfigError| SettingError::value(setting, value, error.expected);
    changed.validate().map(|()| changed).map_err(fault)
}

/// Refuses settings of one root together with the other root: one of the two would have no effect.
pub(super) fn check_root<'a>(settings: &(impl Iterator<Item = &'a str> + Clone)) -> Result<(), SettingError> {
    let is_named = |root: &str| settings.clone().any(|setting| setting == root);
    let first_of = |names: &[&'static str]| {
        let mut named = settings.clone().filter_map(|setting| setting.split_once('='));
        named.find_map(|(name, value)| Some((*names.iter().find(|own| **own == name)?, value)))
    };
    let refused = match first_of(&GUMBEL_SETTINGS) {
        Some(found) if is_named("root=puct") => Some((found, "root=gumbel, to which it belongs")),
        None if !is_named("root=gumbel") => None,
        _ => first_of(&PUCT_ROOT_SETTINGS).map(|found| (found, "root=puct, to which it belongs")),
    };
    refused.map_or(Ok(()), |((name, value), expected)| Err(SettingError::value(name, value, expected)))
}

/// Iterates over the names of the settings.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ["root"].into_iter().chain(GUMBEL_SETTINGS).chain(PUCT_SETTINGS)
}

fn real(setting: &'static str, value: &str) -> Result<f32, SettingError> {
    value.parse().map_err(|_| SettingError::value(setting, value, "a number"))
}

/// Writes the differences from the default settings of play in the form that is parsed, each after a comma.
pub(super) struct Changes<'a>(pub &'a SearchConfig);

impl fmt::Display for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(own) = gumbel_of(self.0) {
            let usual = Gumbel::default();
            f.write_str(",root=gumbel")?;
            write_changed(f, "considered", own.considered, usual.considered)?;
            write_changed(f, "c_scale", own.c_scale, usual.c_scale)?;
        }
        let puct = |config: &SearchConfig| puct_of(&config.method).unwrap_or_default();
        let (mut own, mut other) = (puct(self.0), puct(&SearchConfig::play()));
        for name in PUCT_SETTINGS {
            let value = |puct| *puct_setting(puct, name).expect("it is one of the names");
            write_changed(f, name, value(&mut own), value(&mut other))?;
        }
        Ok(())
    }
}

fn write_changed<T: fmt::Display + PartialEq + Copy>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: T,
    usual: T,
) -> fmt::Result {
    if value == usual { Ok(()) } else { write!(f, ",{name}={value}") }
}

const GUMBEL_SETTINGS: [&str; 2] = ["considered", "c_scale"];
/// Those of PUCT that act only at the root.
const PUCT_ROOT_SETTINGS: [&str; 1] = ["lcb"];
const PUCT_SETTINGS: [&str; 6] = ["c_init", "c_base", "fpu_reduction", "prior_temperature", "c_spread", "lcb"];

fn puct_setting<'a>(puct: &'a mut Puct, name: &str) -> Option<&'a mut f32> {
    match name {
        "c_init" => Some(&mut puct.c_init),
        "c_base" => Some(&mut puct.c_base),
        "fpu_reduction" => Some(&mut puct.fpu_reduction),
        "prior_temperature" => Some(&mut puct.prior_temperature),
        "c_spread" => Some(&mut puct.c_spread),
        "lcb" => Some(&mut puct.lcb),
        _ => None,
    }
}

fn with_root(method: Method, root: &str) -> Result<Method, SettingError> {
    match root {
        "puct" => Ok(Method::Puct(puct_of(&method).unwrap_or_default())),
        "gumbel" => Ok(Method::Gumbel(gumbel_root(method))),
        _ => Err(SettingError::value("root", root, "gumbel or puct")),
    }
}

/// Returns the settings of the Gumbel root, the default ones with the same PUCT if there is none.
fn gumbel_root(method: Method) -> Gumbel {
    match method {
        Method::Gumbel(gumbel) => gumbel,
        Method::Puct(puct) => Gumbel { interior: Interior::Puct(puct), ..Gumbel::default() },
    }
}

fn gumbel_of(config: &SearchConfig) -> Option<Gumbel> {
    match config.method {
        Method::Gumbel(gumbel) => Some(gumbel),
        Method::Puct(_) => None,
    }
}

fn puct_of(method: &Method) -> Option<Puct> {
    match method {
        Method::Puct(puct) | Method::Gumbel(Gumbel { interior: Interior::Puct(puct), .. }) => Some(*puct),
        Method::Gumbel(_) => None,
    }
}

fn with_puct(method: Method, puct: Puct) -> Method {
    match method {
        Method::Puct(_) => Method::Puct(puct),
        Method::Gumbel(gumbel) => Method::Gumbel(Gumbel { interior: Interior::Puct(puct), ..gumbel }),
    }
}
