//! The settings of a search.

use serde::{Deserialize, Serialize};

/// The settings of a search; the paper's values are those of the reference named at each group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConfig {
    /// How actions are selected, and what policy is learned from the search: a table `gumbel` or `puct`.
    pub method: Method,
    /// Whether proven wins, losses and draws are passed up the tree (MCTS-solver, Winands et al. 2008). Turn it off only to
    /// compare.
    pub solver: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self { method: Method::default(), solver: true }
    }
}

/// How actions are selected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Method {
    /// Gumbel AlphaZero: sequential halving at the root, completed Q below (Danihelka et al. 2022).
    Gumbel(Gumbel),
    /// AlphaZero's rule (Silver et al. 2018), with first-play urgency and Dirichlet noise.
    Puct(Puct),
}

impl Default for Method {
    fn default() -> Self {
        Self::Gumbel(Gumbel::default())
    }
}

impl Method {
    /// Returns whether the search goes through phases that share out its simulations, so that it has to know beforehand how
    /// many there will be: sequential halving.
    pub const fn has_phases(&self) -> bool {
        matches!(self, Self::Gumbel(_))
    }

    /// Returns the temperature of the priors.
    pub(super) fn prior_temperature(&self) -> f32 {
        match self {
            Self::Puct(puct) | Self::Gumbel(Gumbel { interior: Interior::Puct(puct), .. }) => puct.prior_temperature,
            Self::Gumbel(_) => 1.0,
        }
    }
}

/// Settings of the Gumbel method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gumbel {
    /// The largest number of root actions considered, m (actions); the paper's: 16. With n simulations it is at most n / 2, but
    /// not below 2, and above 16 at most n / 8.
    pub considered: u32,
    /// The visits added to the largest visit count in σ (visits); the paper's: 50.
    pub c_visit: f32,
    /// The weight of Q, taken from 0 to 1, against the logits (logits per visit); the paper's: 1.0. The larger it is, the
    /// more the policy target trusts the values found by the search. The presets begin with 0.25, since the values of an
    /// untrained network are noise.
    //
    // mctx has 0.1 for Q stretched to 0..1 at each node. Most actions in GIPF differ little in value: with a noisy material
    // evaluation and 64 simulations 1.0 scores 51 % against PUCT, 0.25 only 31 %. Where single actions win or lose, as in
    // connect-four, 0.25 is as good.
    pub c_scale: f32,
    /// How actions are selected below the root: "completed-q", as in the paper, or a table `puct`.
    pub interior: Interior,
}

impl Default for Gumbel {
    fn default() -> Self {
        Self { considered: 16, c_visit: 50.0, c_scale: 1.0, interior: Interior::CompletedQ }
    }
}

/// How the Gumbel method selects below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Interior {
    /// By completed Q: visits in proportion to the improved policy, which takes the search wide.
    #[default]
    CompletedQ,
    /// PUCT below the root, which searches deeper where many actions have similar priors. Its noise settings are not used.
    Puct(Puct),
}

/// Settings of PUCT.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Puct {
    /// The weight of exploration at few visits (Q per prior); the paper's: 1.25.
    pub c_init: f32,
    /// The number of visits at which that weight has grown by ln 2 (visits); the paper's: 19652.
    pub c_base: f32,
    /// First-play urgency: how much worse than its parent an unvisited action is taken to be, times the square root of the
    /// visited prior (Q, -1 to 1). KataGo: 0.2; the paper takes unvisited actions to be lost.
    pub fpu_reduction: f32,
    /// The temperature of the priors, at least 0.1: the network's policy is taken to the power of 1 / temperature, so above 1
    /// less likely actions are visited more. The paper's: 1; Leela Chess Zero: 1.36.
    pub prior_temperature: f32,
    /// The sum of the Dirichlet parameters of the root noise, divided equally among the legal actions (pseudo-counts). The
    /// paper: about 10 for chess (0.3 for each of some 35 actions).
    pub dirichlet_total: f32,
    /// The share of noise in the root priors, 0 to 1; the paper's: 0.25.
    pub dirichlet_share: f32,
    /// How far exploration depends on the spread of the values found below a node, 0 to 1: with 1 it is proportional to
    /// their standard deviation / 0.4, with 0 it does not depend on it. KataGo: 0.85.
    pub c_spread: f32,
    /// Where the root plays by PUCT: 0 plays the most visited action. A positive number plays the action with the highest
    /// lower confidence bound, this many standard errors below its value, of those with at least 0.15 of the most
    /// visits. KataGo: 5.
    pub lcb: f32,
}

impl Default for Puct {
    fn default() -> Self {
        Self {
            c_init: 1.25,
            c_base: 19652.0,
            fpu_reduction: 0.2,
            prior_temperature: 1.0,
            dirichlet_total: 10.0,
            dirichlet_share: 0.25,
            c_spread: 0.0,
            lcb: 0.0,
        }
    }
}

/// A setting is out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("search setting {name} is {value}, expected {expected}")]
pub struct SearchConfigError {
    /// The name of the setting.
    pub name: &'static str,
    /// Its value.
    pub value: f32,
    /// Its range.
    pub expected: &'static str,
}

impl SearchConfig {
    /// Returns the default settings of the Gumbel method, with which a run begins.
    pub fn gumbel() -> Self {
        Self::default()
    }

    /// Returns the settings for playing with a trained network: PUCT from the root on, with flattened priors.
    ///
    /// Sequential halving, with which self-play learns, plays worse (METHODS.md).
    pub fn play() -> Self {
        let puct = Puct { c_init: 1.1, fpu_reduction: 0.15, prior_temperature: 1.5, ..Puct::default() };
        Self { method: Method::Puct(puct), ..Self::default() }
    }

    /// Returns the settings for self-play with a network whose values mean something: PUCT below a Gumbel root.
    ///
    /// With the network of a quick run and 64 simulations it scores 81 % against completed Q below the root and a
    /// `c_scale` of 0.25, with which a run begins (200 paired games).
    pub fn self_play() -> Self {
        let interior = Interior::Puct(Puct::default());
        Self { method: Method::Gumbel(Gumbel { interior, ..Gumbel::default() }), ..Self::default() }
    }

    /// Returns the default settings of PUCT.
    pub fn puct() -> Self {
        Self { method: Method::Puct(Puct::default()), ..Self::default() }
    }

    /// Checks that every setting is in its range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), SearchConfigError> {
        match &self.method {
            Method::Gumbel(gumbel) => gumbel.validate(),
            Method::Puct(puct) => puct.validate(),
        }
    }
}

impl Gumbel {
    fn validate(&self) -> Result<(), SearchConfigError> {
        within("considered", self.considered as f32, 1.0, f32::MAX, "at least 1")?;
        within("c_visit", self.c_visit, 0.0, MOST, "0 to 1000000")?;
        within("c_scale", self.c_scale, 0.0, MOST, "0 to 1000000")?;
        match &self.interior {
            Interior::CompletedQ => Ok(()),
            Interior::Puct(puct) => puct.validate(),
        }
    }
}

impl Puct {
    fn validate(&self) -> Result<(), SearchConfigError> {
        within("c_init", self.c_init, 0.0, MOST, "0 to 1000000")?;
        within("c_base", self.c_base, 1.0, 1e9, "1 to 1000000000")?;
        within("fpu_reduction", self.fpu_reduction, 0.0, MOST, "0 to 1000000")?;
        within("prior_temperature", self.prior_temperature, 0.1, MOST, "0.1 to 1000000")?;
        within("dirichlet_total", self.dirichlet_total, 1e-3, MOST, "0.001 to 1000000")?;
        within("c_spread", self.c_spread, 0.0, 1.0, "0 to 1")?;
        within("lcb", self.lcb, 0.0, MOST, "0 to 1000000")?;
        within("dirichlet_share", self.dirichlet_share, 0.0, 1.0, "0 to 1")
    }
}

/// The largest weight: products of a few of them, with visits, are finite.
const MOST: f32 = 1e6;

fn within(
    name: &'static str,
    value: f32,
    least: f32,
    most: f32,
    expected: &'static str,
) -> Result<(), SearchConfigError> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(SearchConfigError { name, value, expected }) }
}

/// What one search may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The number of simulations (visits of root actions). The evaluation of the root is not one of them, so a search
    /// asks for at most one evaluation more; with 0 the answer rests on the network's policy alone.
    pub simulations: u32,
    /// Whether the root is explored at random, as in self-play: Gumbel or Dirichlet noise. Without it the search is
    /// deterministic and plays what it considers best.
    pub noise: bool,
}

impl Budget {
    /// Returns a budget for playing to win: no noise.
    pub const fn quiet(simulations: u32) -> Self {
        Self { simulations, noise: false }
    }

    /// Returns a budget for self-play: with noise at the root.
    pub const fn noisy(simulations: u32) -> Self {
        Self { simulations, noise: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let puct = Puct { dirichlet_share: 1.5, ..Puct::default() };
        let config = SearchConfig { method: Method::Puct(puct), solver: true };
        assert_eq!(config.validate().unwrap_err().name, "dirichlet_share");
        let gumbel = Gumbel { c_scale: f32::NAN, ..Gumbel::default() };
        let config = SearchConfig { method: Method::Gumbel(gumbel), solver: true };
        assert!(config.validate().unwrap_err().to_string().starts_with("search setting c_scale is NaN"));
        let gumbel = Gumbel { c_scale: 1e37, ..Gumbel::default() };
        let config = SearchConfig { method: Method::Gumbel(gumbel), solver: true };
        assert_eq!(config.validate().unwrap_err().expected, "0 to 1000000");
        assert_eq!(SearchConfig::default().validate(), Ok(()));
        assert_eq!(SearchConfig::puct().validate(), Ok(()));
    }

    #[test]
    fn a_config_survives_text_and_unknown_keys_are_refused() {
        let text = "solver = false\n[method.gumbel]\nc_scale = 0.5\n";
        let config: SearchConfig = toml::from_str(text).unwrap();
        let gumbel = Gumbel { c_scale: 0.5, ..Gumbel::default() };
        assert_eq!(config, SearchConfig { method: Method::Gumbel(gumbel), solver: false });
        assert_eq!(toml::from_str::<SearchConfig>(&toml::to_string(&config).unwrap()).unwrap(), config);
        for wrong in ["depth = 3", "[method.gumbel]\nc_puct = 1.0", "[method.uct]"] {
            assert!(toml::from_str::<SearchConfig>(wrong).is_err(), "{wrong}");
        }
    }
}
