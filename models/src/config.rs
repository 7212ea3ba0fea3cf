//! Which network, and how large.

use gipf_env::geometry::{SPOTS, Spot};
use gipf_env::{ActionSpace, ObservationLayout, Position};
use serde::{Deserialize, Serialize};

use crate::board::PolicyLayout;

/// A network for one game: its kind and sizes, its input and its output.
///
/// Stored with every checkpoint: together with the weights it is all that is needed to evaluate a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetConfig {
    /// The kind of the network and its sizes.
    pub net: NetKind,
    /// The observation that it reads.
    pub layout: ObservationLayout,
    /// The game's actions: there is a policy logit for each.
    #[serde(rename = "num_actions")]
    pub actions: ActionSpace,
}

/// The kind of the network: `line` reads the 21 lines of the GIPF board, `hex` is a residual network on its spots,
/// `mlp` is a perceptron for any game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NetKind {
    /// The network that reads the 21 lines of the GIPF board.
    Line(LineConfig),
    /// The residual network in which each layer sees the spots of the GIPF board with their six neighbours.
    Hex(HexConfig),
    /// A perceptron on the whole observation, for any game.
    Mlp(MlpConfig),
}

impl NetKind {
    /// Returns the name of the kind, as in settings and files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Line(_) => "line",
            Self::Hex(_) => "hex",
            Self::Mlp(_) => "mlp",
        }
    }
}

/// Sizes of the line network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LineConfig {
    /// The number of features of a spot.
    pub features: usize,
    /// The width of the two hidden layers of the perceptrons that read a line.
    pub hidden: usize,
    /// Whether each spot also gets the mean and the maximum of the features over the board (global pooling), before it
    /// is mixed with its neighbours.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub global_pooling: bool,
    /// The hidden widths of the steps that mix a spot with its six neighbours, one number per step; features are
    /// rectified between two steps.
    pub mixing: Vec<usize>,
    /// The hidden width of the value head.
    pub value_hidden: usize,
    /// Whether the logit of a push depends on all spots that the push passes, not only on the first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub push_paths: bool,
}

impl Default for LineConfig {
    fn default() -> Self {
        Self { features: 16, hidden: 64, global_pooling: false, mixing: vec![16], value_hidden: 32, push_paths: false }
    }
}

/// Sizes of the residual network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HexConfig {
    /// The number of residual blocks of two layers.
    pub blocks: usize,
    /// The number of features of a spot in all layers.
    pub channels: usize,
    /// The hidden width of the value head.
    pub value_hidden: usize,
}

impl Default for HexConfig {
    fn default() -> Self {
        Self { blocks: 4, channels: 32, value_hidden: 64 }
    }
}

/// Sizes of the perceptron.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlpConfig {
    /// The widths of the hidden layers, at least one.
    pub hidden: Vec<usize>,
}

impl Default for MlpConfig {
    fn default() -> Self {
        Self { hidden: vec![256, 256] }
    }
}

/// A network that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A size is out of range.
    #[error("network setting `{name}` is {value}: expected {least}..={most}")]
    Size {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: usize,
        /// The smallest that is allowed.
        least: usize,
        /// The largest that is allowed.
        most: usize,
    },
    /// The cells of the observation are not distinct cells of its planes; names the first wrong one.
    #[error("the observation lists {0}: expected distinct cells within its planes")]
    Cells(String),
    /// The network is larger than any that is written or read.
    #[error("the network has {0} weights: expected at most {MOST_WEIGHTS}")]
    Weights(usize),
    /// A network made for the spots of the GIPF board was asked for on another board.
    #[error("networks of the kinds `line` and `hex` read the GIPF board only: {0}; use the kind `mlp`")]
    NotGipf(String),
}

/// The most weights of a network. Networks of spots always have fewer; a perceptron on a huge board could have more.
pub(crate) const MOST_WEIGHTS: usize = 1 << 26;
/// The widest layer that a setting may ask for.
const MOST_WIDTH: usize = 1024;
/// The most features of a spot.
const MOST_FEATURES: usize = 256;
/// The most hidden layers or mixing steps.
const MOST_LAYERS: usize = 8;
/// The most blocks of the residual network.
const MOST_BLOCKS: usize = 64;
/// The most actions of a game.
const MOST_ACTIONS: usize = 4096;
/// The most planes of any group, and the most rows or columns.
const MOST_PLANES: usize = 64;
/// The most kinds of pieces that networks of spots distinguish: nine states of seven spots are 4.8 million patterns.
const MOST_PIECES: usize = 8;

impl NetConfig {
    /// Returns the network of this kind for the game of a position.
    ///
    /// # Errors
    /// If the network cannot be built for this game.
    pub fn of<P: Position>(net: NetKind, position: &P) -> Result<Self, ConfigError> {
        let actions = ActionSpace::of_size(position.num_actions());
        let config = Self { net, layout: position.observation_layout(), actions };
        config.validate()?;
        Ok(config)
    }

    /// Returns whether the network reads the observations of a position's game, and answers with its actions.
    pub fn fits<P: Position>(&self, position: &P) -> bool {
        self.layout == position.observation_layout() && self.actions.size() == position.num_actions()
    }

    /// Checks that the network can be built.
    ///
    /// # Errors
    /// Names the first setting that is wrong, and what was expected.
    pub fn validate(&self) -> Result<(), ConfigError> {
        within("num_actions", self.actions.size(), 1, MOST_ACTIONS)?;
        validate_layout(&self.layout)?;
        match &self.net {
            NetKind::Line(line) => validate_line(line).and_then(|()| self.validate_gipf())?,
            NetKind::Hex(hex) => {
                validate_hex(hex)?;
                within("layout.scalars", self.layout.scalars, 1, MOST_PLANES)?;
                self.validate_gipf()?;
            }
            NetKind::Mlp(mlp) => validate_widths("hidden", &mlp.hidden, 1)?,
        }
        let weights = self.num_weights();
        if weights <= MOST_WEIGHTS { Ok(()) } else { Err(ConfigError::Weights(weights)) }
    }

    /// Returns how the outputs of the heads of a network of spots are numbered.
    ///
    /// # Panics
    /// If the network is not valid.
    pub(crate) fn policy_layout(&self) -> PolicyLayout {
        assert!(self.actions.is_gipf(), "a network of spots has an action space of GIPF");
        let push_paths = matches!(&self.net, NetKind::Line(line) if line.push_paths);
        PolicyLayout { actions: self.actions, push_paths }
    }

    fn validate_gipf(&self) -> Result<(), ConfigError> {
        let refuse = |what: String| Err(ConfigError::NotGipf(what));
        let layout = &self.layout;
        if layout.cells.len() != SPOTS || !layout.cells.iter().copied().eq(Spot::all().map(Spot::cell)) {
            return refuse(format!("the observation has {} cells in another order", layout.cells.len()));
        }
        if !self.actions.is_gipf() {
            return refuse(format!("it knows no rule set with {} actions", self.actions.size()));
        }
        if self.actions.answers() > 0 && layout.marks == 0 {
            return refuse("no plane shows the piece in question".to_owned());
        }
        within("layout.marks and scalars", layout.marks + layout.scalars, 1, 2 * MOST_PLANES)?;
        within("layout.pieces", layout.pieces, 1, MOST_PIECES)
    }
}

fn validate_layout(layout: &ObservationLayout) -> Result<(), ConfigError> {
    for (name, value) in [("layout.rows", layout.rows), ("layout.columns", layout.columns)] {
        within(name, value, 1, MOST_PLANES)?;
    }
    for (name, value) in [("pieces", layout.pieces), ("marks", layout.marks), ("scalars", layout.scalars)] {
        within(name, value, 0, MOST_PLANES)?;
    }
    within("layout.planes", layout.planes(), 1, 3 * MOST_PLANES)?;
    validate_cells(layout)
}

fn validate_cells(layout: &ObservationLayout) -> Result<(), ConfigError> {
    let mut is_listed = vec![false; layout.rows * layout.columns];
    for &cell in &layout.cells {
        match is_listed.get_mut(cell) {
            Some(is_listed) if !*is_listed => *is_listed = true,
            Some(_) => return Err(ConfigError::Cells(format!("cell {cell} twice"))),
            None => return Err(ConfigError::Cells(format!("cell {cell}"))),
        }
    }
    if layout.cells.is_empty() { Err(ConfigError::Cells("no cells".to_owned())) } else { Ok(()) }
}

fn validate_line(line: &LineConfig) -> Result<(), ConfigError> {
    within("features", line.features, 1, MOST_FEATURES)?;
    within("hidden", line.hidden, 1, MOST_WIDTH)?;
    within("value_hidden", line.value_hidden, 1, MOST_WIDTH)?;
    validate_widths("mixing", &line.mixing, 0)
}

fn validate_hex(hex: &HexConfig) -> Result<(), ConfigError> {
    within("blocks", hex.blocks, 1, MOST_BLOCKS)?;
    within("channels", hex.channels, 1, MOST_FEATURES)?;
    within("value_hidden", hex.value_hidden, 1, MOST_WIDTH)
}

fn validate_widths(name: &'static str, widths: &[usize], least_layers: usize) -> Result<(), ConfigError> {
    within(name, widths.len(), least_layers, MOST_LAYERS)?;
    widths.iter().try_for_each(|&width| within(name, width, 1, MOST_WIDTH))
}

fn within(name: &'static str, value: usize, least: usize, most: usize) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(ConfigError::Size { name, value, least, most }) }
}

#[cfg(test)]
pub(crate) mod tests {
    use gipf_env::{GipfPosition, Variant};

    use super::*;

    /// Returns the layout of a GIPF observation with these numbers of planes.
    pub(crate) fn gipf_layout(pieces: usize, marks: usize, scalars: usize) -> ObservationLayout {
        ObservationLayout { pieces, marks, scalars, rows: 7, columns: 7, cells: Spot::all().map(Spot::cell).collect() }
    }

    /// Returns small networks of all kinds for all action spaces.
    pub(crate) fn small_configs() -> Vec<NetConfig> {
        let line = |features, mixing: Vec<_>| {
            let (global_pooling, push_paths) = (mixing.len() != 1, features != 16);
            NetKind::Line(LineConfig { features, hidden: 24, global_pooling, mixing, value_hidden: 20, push_paths })
        };
        let hex = |blocks, channels| NetKind::Hex(HexConfig { blocks, channels, value_hidden: 20 });
        let mlp = |hidden: &[usize]| NetKind::Mlp(MlpConfig { hidden: hidden.to_vec() });
        let config = |net, layout, actions| NetConfig { net, layout, actions: ActionSpace::of_size(actions) };
        let square =
            ObservationLayout { pieces: 2, marks: 0, scalars: 0, rows: 3, columns: 3, cells: (0..9).collect() };
        vec![
            config(line(16, vec![16]), gipf_layout(2, 1, 5), 63),
            config(line(20, vec![12, 40]), gipf_layout(4, 2, 5), 65),
            config(line(32, vec![]), gipf_layout(4, 2, 7), 107),
            config(line(8, vec![8]), gipf_layout(8, 2, 9), 371),
            config(mlp(&[40]), square, 9),
            config(mlp(&[48, 33]), gipf_layout(4, 2, 7), 107),
            config(hex(1, 16), gipf_layout(2, 1, 5), 63),
            config(hex(2, 64), gipf_layout(4, 2, 5), 65),
            config(hex(4, 32), gipf_layout(4, 2, 7), 107),
            config(hex(3, 20), gipf_layout(8, 2, 9), 371),
            config(hex(2, 7), gipf_layout(2, 1, 17), 373),
        ]
    }

    #[test]
    fn small_networks_are_valid_and_survive_json() {
        for config in small_configs() {
            assert_eq!(config.validate(), Ok(()));
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<NetConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn settings_left_out_take_their_defaults_and_unknown_ones_are_refused() {
        let kind = |text: &str| serde_json::from_str::<NetKind>(text);
        assert_eq!(kind(r#"{"kind":"line","features":32}"#).unwrap(), {
            NetKind::Line(LineConfig { features: 32, ..LineConfig::default() })
        });
        assert_eq!(kind(r#"{"kind":"mlp"}"#).unwrap(), NetKind::Mlp(MlpConfig::default()));
        assert_eq!(kind(r#"{"kind":"hex","blocks":6}"#).unwrap(), {
            NetKind::Hex(HexConfig { blocks: 6, ..HexConfig::default() })
        });
        for text in [r#"{"kind":"line","feature":16}"#, r#"{"kind":"hex","features":16}"#, r#"{"kind":"cnn"}"#, "{}"] {
            assert!(kind(text).is_err(), "{text}");
        }
    }

    #[test]
    fn networks_that_cannot_be_built_are_refused() {
        let good = &small_configs()[1];
        let refused = |change: fn(&mut NetConfig)| {
            let mut config = good.clone();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert!(refused(|config| config.actions = ActionSpace::of_size(0)).contains("`num_actions` is 0"));
        assert!(refused(|config| config.actions = ActionSpace::of_size(64)).contains("64 actions"));
        assert!(refused(|config| config.layout.cells.swap(0, 1)).contains("another order"));
        // However many cells are wrong, one is named.
        assert!(refused(|config| config.layout.cells = vec![49; 100_000]).contains("lists cell 49: expected distinct"));
        let repeated = refused(|config| config.layout.cells = [config.layout.cells.clone(), vec![3; 9]].concat());
        assert!(repeated.contains("lists cell 3 twice: expected distinct cells"), "{repeated}");
        assert!(refused(|config| config.layout.cells.clear()).contains("lists no cells"));
        assert!(refused(|config| config.layout.marks = 0).contains("in question"));
        assert!(refused(|config| config.layout.pieces = 9).contains("1..=8"));
        let small = |blocks, channels| NetKind::Hex(HexConfig { blocks, channels, ..HexConfig::default() });
        let without_scalars = gipf_layout(4, 2, 0);
        for (net, layout, message) in [
            (small(0, 32), &good.layout, "`blocks` is 0"),
            (small(4, 300), &good.layout, "`channels` is 300"),
            (small(4, 32), &without_scalars, "`layout.scalars` is 0"),
        ] {
            let config = NetConfig { net, layout: layout.clone(), actions: good.actions };
            let error = config.validate().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(refused(|config| config.net = NetKind::Mlp(MlpConfig { hidden: vec![] })).contains("`hidden` is 0"));
        assert!(refused(|config| config.net = NetKind::Mlp(MlpConfig { hidden: vec![5000] })).contains("5000"));
    }

    #[test]
    fn a_network_too_large_to_be_stored_is_refused() {
        let huge =
            ObservationLayout { pieces: 64, marks: 64, scalars: 1, rows: 64, columns: 64, cells: (0..4096).collect() };
        let of_width = |width: usize| NetConfig {
            net: NetKind::Mlp(MlpConfig { hidden: vec![width] }),
            layout: huge.clone(),
            actions: ActionSpace::of_size(9),
        };
        for config in [1, 100, 127, 128, 1024].map(of_width) {
            let weights = config.num_weights();
            let expected = if weights <= MOST_WEIGHTS { Ok(()) } else { Err(ConfigError::Weights(weights)) };
            assert_eq!(config.validate(), expected);
        }
        assert!(of_width(1).validate().is_ok() && of_width(1024).validate().is_err());
        let hex = HexConfig { blocks: MOST_BLOCKS, channels: MOST_FEATURES, value_hidden: MOST_WIDTH };
        let largest =
            NetConfig { net: NetKind::Hex(hex), layout: gipf_layout(8, 64, 64), actions: ActionSpace::STANDARD };
        assert_eq!(largest.validate(), Ok(()), "no setting for GIPF leads there");
    }

    #[test]
    fn a_network_fits_the_game_that_it_was_made_for_and_no_other() {
        let net = || NetKind::Mlp(MlpConfig { hidden: vec![4] });
        for (variant, other) in Variant::ALL.iter().flat_map(|one| Variant::ALL.map(|other| (*one, other))) {
            let [start, of_other] = [variant, other].map(GipfPosition::start);
            let config = NetConfig::of(net(), &start).unwrap();
            let is_alike = NetConfig::of(net(), &of_other).unwrap() == config;
            assert_eq!(config.fits(&of_other), is_alike, "{variant} and {other}");
        }
    }
}
