//! The networks as ONNX graphs: the same as `net` in burn, without a table of patterns.

use gipf_env::geometry::{SPOTS, Spot};

use super::graph::{Attribute, Graph, Value};
use super::tables::Tables;
use crate::board::{LENGTHS, TAPS};
use crate::config::{HexConfig, LineConfig, MlpConfig, NetConfig, NetKind};
use crate::names::{LayerName, TensorName};
use crate::parameters::mlp_input_places;

/// The outputs of a network: the logits of the policy `[N, A]`, and those of win, draw and loss `[N, 3]`.
pub struct Heads {
    /// The logits of the policy, `[N, A]`.
    pub policy: Value,
    /// The logits of win, draw and loss, `[N, 3]`.
    pub wdl: Value,
}

/// Adds a network to a graph.
///
/// # Shapes
/// - planes: `[N, planes · rows · columns]`.
pub fn network(graph: &mut Graph<'_>, config: &NetConfig, planes: &Value) -> Heads {
    let tables = Tables::of(config);
    match (&config.net, &tables) {
        (NetKind::Line(sizes), Some(tables)) => Spots { graph, config, tables, planes }.line(sizes),
        (NetKind::Hex(sizes), Some(tables)) => Spots { graph, config, tables, planes }.hex(sizes),
        (NetKind::Mlp(sizes), _) => perceptron(graph, config, sizes, planes),
        _ => unreachable!("networks of spots have tables"),
    }
}

fn perceptron(graph: &mut Graph<'_>, config: &NetConfig, sizes: &MlpConfig, planes: &Value) -> Heads {
    let places = mlp_input_places(config);
    let places = graph.indices("inputs", &[places.len()], places);
    let mut x = graph.gather(planes, 1, &places);
    for layer in 0..sizes.hidden.len() {
        let hidden = graph.dense(&x, LayerName::Hidden(layer));
        x = graph.relu(&hidden);
    }
    Heads { policy: graph.dense(&x, LayerName::Policy), wdl: graph.dense(&x, LayerName::Value) }
}

/// A network of spots that is added to a graph.
struct Spots<'a, 'w> {
    graph: &'a mut Graph<'w>,
    config: &'a NetConfig,
    tables: &'a Tables,
    planes: &'a Value,
}

impl Spots<'_, '_> {
    /// The line network: perceptrons read each line from both ends.
    fn line(&mut self, sizes: &LineConfig) -> Heads {
        let layout = &self.config.layout;
        let (pieces, conditions) = (0..layout.pieces, layout.pieces..layout.planes());
        let states = self.states(pieces);
        let (spots, lines) = self.read(&states, sizes.features);
        let conditions = self.at_spots("conditions.places", conditions);
        let weight = self.graph.weight(TensorName::Conditions);
        let conditions = self.graph.op("MatMul", &[&conditions, &weight]);
        let x = self.features(&spots, &conditions);
        let x = if sizes.global_pooling { self.with_global(&x) } else { x };
        let x = self.mixed(x, sizes);
        self.heads(&x, Some(&lines))
    }

    /// The residual network: each layer sees a spot with its six neighbours.
    fn hex(&mut self, sizes: &HexConfig) -> Heads {
        let layout = &self.config.layout;
        let shaped = layout.pieces + layout.marks;
        let spots = self.at_spots("shaped.places", 0..shaped);
        let around = self.around(&spots, shaped);
        let weight = self.graph.weight(TensorName::Stem);
        let stem = self.graph.op("MatMul", &[&around, &weight]);
        let scalars = self.at_spots("conditions.places", shaped..layout.planes());
        let weight = self.graph.weight(TensorName::Conditions);
        let conditions = self.graph.op("MatMul", &[&scalars, &weight]);
        let mut x = self.features(&stem, &conditions);
        for block in 0..sizes.blocks {
            let around = self.around(&x, sizes.channels);
            let hidden = self.graph.dense(&around, LayerName::BlockFirst(block));
            let hidden = self.graph.relu(&hidden);
            let around = self.around(&hidden, sizes.channels);
            let more = self.graph.dense(&around, LayerName::BlockSecond(block));
            let sum = self.graph.op("Add", &[&x, &more]);
            x = self.graph.relu(&sum);
        }
        self.heads(&x, None)
    }

    /// Returns the values of planes at each spot, `[N, 37, planes]`; a plane with a single value is read at the first
    /// spot only.
    fn at_spots(&mut self, name: &str, planes: std::ops::Range<usize>) -> Value {
        let layout = &self.config.layout;
        let (area, shaped) = (layout.rows * layout.columns, layout.pieces + layout.marks);
        let shape = [SPOTS, planes.len()];
        let place = |spot: Spot, plane| plane * area + layout.cells[if plane < shaped { spot.index() } else { 0 }];
        let places = Spot::all().flat_map(|spot| planes.clone().map(move |plane| place(spot, plane)));
        let places = self.graph.indices(name, &shape, places);
        self.graph.gather(self.planes, 1, &places)
    }

    /// Returns the state of each spot, one-hot: vacant, or the kind of its piece; `[N, 37, 1 + pieces]`.
    fn states(&mut self, pieces: std::ops::Range<usize>) -> Value {
        let pieces = self.at_spots("pieces.places", pieces);
        let count = self.graph.sum(&pieces, 2, true);
        let one = self.graph.floats("one", &[], &[1.0]);
        let vacant = self.graph.op("Sub", &[&one, &count]);
        self.graph.concat(&[&vacant, &pieces], 2)
    }

    /// Reads all lines from both ends: the sums over the six readings of each spot `[N, 37, F]`, and the outputs of all
    /// readings `[N, 42, kinds + 1]`.
    fn read(&mut self, states: &Value, features: usize) -> (Value, Value) {
        let width = 1 + self.config.layout.pieces;
        let (mut spots, mut lines) = (Vec::new(), Vec::new());
        for (encoder, (readings, length)) in self.tables.readings.iter().zip(LENGTHS).enumerate() {
            let places = readings.iter().flatten().copied();
            let places = self.graph.indices(&format!("readers.{encoder}.places"), &[readings.len(), length], places);
            let patterns = self.graph.gather(states, 1, &places);
            let patterns = self.graph.reshape(&patterns, &[-1, readings.len() as i64, (length * width) as i64]);
            let x = self.graph.dense(&patterns, LayerName::EncoderInput(encoder));
            let x = self.graph.relu(&x);
            let x = self.graph.dense(&x, LayerName::EncoderHidden(encoder));
            let x = self.graph.relu(&x);
            let at_spots = self.graph.dense(&x, LayerName::EncoderSpots(encoder));
            spots.push(self.graph.reshape(&at_spots, &[-1, (readings.len() * length) as i64, features as i64]));
            lines.push(self.graph.dense(&x, LayerName::EncoderLine(encoder)));
        }
        let [spots, lines] = [spots, lines].map(|parts| self.graph.concat(&parts.iter().collect::<Vec<_>>(), 1));
        let through = self.tables.through.iter().flatten().copied();
        let through = self.graph.indices("through", &[SPOTS, 6], through);
        let six = self.graph.gather(&spots, 1, &through);
        (self.graph.sum(&six, 2, false), lines)
    }

    /// Returns, for each spot, the rectified sum of two terms and the bias of its place.
    fn features(&mut self, x: &Value, conditions: &Value) -> Value {
        let bias = self.graph.weight(TensorName::SpotBias);
        let sum = self.graph.op("Add", &[x, conditions]);
        let sum = self.graph.op("Add", &[&sum, &bias]);
        self.graph.relu(&sum)
    }

    /// Lets each spot see the mean and the maximum of the features over the board; `[N, 37, F]` in and out.
    fn with_global(&mut self, x: &Value) -> Value {
        let pooled = self.graph.pooled(x, 1);
        let outputs = self.graph.dense(&pooled, LayerName::Global);
        let axes = self.graph.list(&[1]);
        let everywhere = self.graph.op("Unsqueeze", &[&outputs, &axes]);
        let sum = self.graph.op("Add", &[x, &everywhere]);
        self.graph.relu(&sum)
    }

    /// Mixes each spot with its six neighbours, step by step, with a rectifier between steps.
    fn mixed(&mut self, mut x: Value, sizes: &LineConfig) -> Value {
        for step in 0..sizes.mixing.len() {
            if step > 0 {
                x = self.graph.relu(&x);
            }
            let around = self.around(&x, sizes.features);
            let hidden = self.graph.dense(&around, LayerName::Gather(step));
            let hidden = self.graph.relu(&hidden);
            let more = self.graph.dense(&hidden, LayerName::Spread(step));
            x = self.graph.op("Add", &[&x, &more]);
        }
        x
    }

    /// Returns each spot with its six neighbours: `[N, 37, F]` becomes `[N, 37, 7 · F]`, with zeros beyond the board.
    fn around(&mut self, x: &Value, features: usize) -> Value {
        let neighbours = self.tables.neighbours.iter().flatten().copied();
        let neighbours = self.graph.indices("neighbours", &[SPOTS, TAPS], neighbours);
        let padded = self.graph.with_zero(x, 3);
        let around = self.graph.gather(&padded, 1, &neighbours);
        self.graph.reshape(&around, &[-1, SPOTS as i64, (TAPS * features) as i64])
    }

    /// Returns the outputs from the features of the spots `[N, 37, F]` and the outputs of the readings.
    fn heads(&mut self, x: &Value, lines: Option<&Value>) -> Heads {
        let outputs = self.graph.dense(x, LayerName::SpotHeads);
        let policy = self.config.policy_layout();
        let mut parts = vec![self.graph.reshape(&outputs, &[-1, (SPOTS * policy.spot_outputs()) as i64])];
        if let Some(lines) = lines {
            let width = self.tables.readings.iter().flatten().count() * policy.reading_outputs();
            parts.push(self.graph.reshape(lines, &[-1, width as i64]));
        }
        parts.extend(self.asked(&outputs));
        let parts = self.graph.concat(&parts.iter().collect::<Vec<_>>(), 1);
        let parts = self.graph.with_zero(&parts, 2);
        let shape = [self.tables.logits.len(), self.tables.logits[0].len()];
        let terms = self.graph.indices("logits.terms", &shape, self.tables.logits.iter().flatten().copied());
        let terms = self.graph.gather(&parts, 1, &terms);
        Heads { policy: self.graph.sum(&terms, 2, false), wdl: self.value(x) }
    }

    /// Returns the outputs that answer questions, added up over the spots in question; `None` if the game asks no questions.
    fn asked(&mut self, outputs: &Value) -> Option<Value> {
        let (first, count) = self.tables.questions;
        let layout = &self.config.layout;
        let shaped = layout.pieces + layout.marks;
        if count == 0 {
            return None;
        }
        let mark = self.at_spots("question.places", shaped - 1..shaped);
        let one = self.graph.floats("one", &[], &[1.0]);
        let in_question = self.graph.op("Equal", &[&mark, &one]);
        let to_float = [("to", Attribute::Int(super::proto::FLOAT.into()))];
        let in_question = self.graph.op_with("Cast", &[&in_question], &to_float);
        let answers = self.graph.indices("answers", &[count], first..first + count);
        let answers = self.graph.gather(outputs, 2, &answers);
        let asked = self.graph.op("Mul", &[&answers, &in_question]);
        Some(self.graph.sum(&asked, 1, false))
    }

    /// Returns the logits of win, draw and loss.
    fn value(&mut self, x: &Value) -> Value {
        let layout = &self.config.layout;
        let area = layout.rows * layout.columns;
        let mut x = self.graph.pooled(x, 1);
        if layout.scalars > 0 {
            let planes = layout.pieces + layout.marks..layout.planes();
            let places = planes.map(|plane| plane * area + layout.cells[0]);
            let places = self.graph.indices("scalars.places", &[layout.scalars], places);
            let scalars = self.graph.gather(self.planes, 1, &places);
            x = self.graph.concat(&[&x, &scalars], 1);
        }
        let hidden = self.graph.dense(&x, LayerName::ValueHidden);
        let hidden = self.graph.relu(&hidden);
        self.graph.dense(&hidden, LayerName::ValueOutput)
    }
}
