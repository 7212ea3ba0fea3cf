//! A graph of ONNX operations that is built from its inputs to its outputs.

use std::collections::BTreeSet;

use super::proto::{
    ATTRIBUTE_INT, ATTRIBUTE_INTS, AttributeProto, FLOAT, GraphProto, INT64, NodeProto, TensorProto, ValueInfoProto,
};
use crate::names::{LayerName, TensorName};
use crate::weights::Weights;

/// The name of a value: an input, a constant, or the result of an operation.
pub type Value = String;

/// A constant of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// One integer.
    Int(i64),
    /// Several integers.
    Ints(&'a [i64]),
}

/// A graph under construction. Weights keep the names that they have in checkpoints, and each appears once.
#[derive(Debug)]
pub struct Graph<'a> {
    weights: &'a Weights,
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    names: BTreeSet<String>,
}

impl<'a> Graph<'a> {
    /// Returns an empty graph of a network with these weights.
    pub fn new(weights: &'a Weights) -> Self {
        Self { weights, nodes: Vec::new(), constants: Vec::new(), names: BTreeSet::new() }
    }

    /// Returns the graph with its inputs and outputs.
    pub fn finish(self, name: &str, input: Vec<ValueInfoProto>, output: Vec<ValueInfoProto>) -> GraphProto {
        GraphProto { node: self.nodes, name: name.to_owned(), initializer: self.constants, input, output }
    }

    /// Returns a tensor of the network.
    pub fn weight(&mut self, name: TensorName) -> Value {
        let array = self.weights.get(name);
        let bytes = array.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(&name.to_string(), &array.shape, (FLOAT, bytes))
    }

    /// Returns constant numbers of this shape.
    pub fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> Value {
        self.constant(name, shape, (FLOAT, values.iter().flat_map(|value| value.to_le_bytes()).collect()))
    }

    /// Returns constant indices of this shape.
    pub fn indices(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = usize>) -> Value {
        let bytes = values.into_iter().flat_map(|value| (value as i64).to_le_bytes()).collect();
        self.constant(name, shape, (INT64, bytes))
    }

    /// Returns a constant list of sizes or axes; each list appears once.
    pub fn list(&mut self, values: &[i64]) -> Value {
        let words: Vec<_> = values.iter().map(i64::to_string).collect();
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(&format!("list.{}", words.join(".")), &[values.len()], (INT64, bytes))
    }

    fn constant(&mut self, name: &str, shape: &[usize], (data_type, raw_data): (i32, Vec<u8>)) -> Value {
        if self.names.insert(name.to_owned()) {
            let dims = shape.iter().map(|&size| size as i64).collect();
            self.constants.push(TensorProto { dims, data_type, name: name.to_owned(), raw_data });
        }
        name.to_owned()
    }

    /// Adds an operation, and returns its result.
    pub fn op(&mut self, operator: &str, inputs: &[&Value]) -> Value {
        self.op_with(operator, inputs, &[])
    }

    /// Adds an operation with attributes, and returns its result.
    pub fn op_with(&mut self, operator: &str, inputs: &[&Value], attributes: &[(&str, Attribute<'_>)]) -> Value {
        let output = format!("{operator}.{}", self.nodes.len());
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|&input| input.clone()).collect(),
            output: vec![output.clone()],
            name: output.clone(),
            op_type: operator.to_owned(),
            attribute: attributes.iter().map(|&(name, value)| attribute(name, value)).collect(),
        });
        output
    }

    /// Renames a value, to the name of an output.
    pub fn name(&mut self, value: &Value, name: &str) {
        let node = self.nodes.iter_mut().find(|node| node.output[0] == *value).expect("an operation gives the value");
        name.clone_into(&mut node.output[0]);
        let inputs = self.nodes.iter_mut().flat_map(|node| &mut node.input);
        inputs.filter(|input| *input == value).for_each(|input| name.clone_into(input));
    }

    /// Returns the elements at constant places of an axis; the places may be a matrix.
    pub fn gather(&mut self, x: &Value, axis: i64, places: &Value) -> Value {
        self.op_with("Gather", &[x, places], &[("axis", Attribute::Int(axis))])
    }

    /// Returns the same numbers in another shape; -1 stands for the batch.
    pub fn reshape(&mut self, x: &Value, shape: &[i64]) -> Value {
        let shape = self.list(shape);
        self.op("Reshape", &[x, &shape])
    }

    /// Returns values concatenated along an axis.
    pub fn concat(&mut self, parts: &[&Value], axis: i64) -> Value {
        if let [only] = parts {
            (*only).clone()
        } else {
            self.op_with("Concat", parts, &[("axis", Attribute::Int(axis))])
        }
    }

    /// Returns the sum over an axis.
    pub fn sum(&mut self, x: &Value, axis: i64, keep: bool) -> Value {
        let axes = self.list(&[axis]);
        self.op_with("ReduceSum", &[x, &axes], &[("keepdims", Attribute::Int(keep.into()))])
    }

    /// Returns the mean and the maximum over an axis, side by side.
    pub fn pooled(&mut self, x: &Value, axis: i64) -> Value {
        let attributes = [("axes", Attribute::Ints(&[axis])), ("keepdims", Attribute::Int(0))];
        let both = ["ReduceMean", "ReduceMax"].map(|operator| self.op_with(operator, &[x], &attributes));
        self.concat(&both.each_ref(), 1)
    }

    /// Returns values padded with zeros: one more element on the second of this many axes.
    pub fn with_zero(&mut self, x: &Value, axes: usize) -> Value {
        let mut pads = vec![0; 2 * axes];
        pads[axes + 1] = 1;
        let pads = self.list(&pads);
        self.op("Pad", &[x, &pads])
    }

    /// Returns the output of a dense layer for the last axis.
    pub fn dense(&mut self, x: &Value, layer: LayerName) -> Value {
        let [weight, bias] = [TensorName::Weight(layer), TensorName::Bias(layer)].map(|name| self.weight(name));
        let product = self.op("MatMul", &[x, &weight]);
        self.op("Add", &[&product, &bias])
    }

    /// Returns the positive values, and zero for all others.
    pub fn relu(&mut self, x: &Value) -> Value {
        self.op("Relu", &[x])
    }
}

fn attribute(name: &str, value: Attribute<'_>) -> AttributeProto {
    let (i, ints, r#type) = match value {
        Attribute::Int(value) => (Some(value), Vec::new(), ATTRIBUTE_INT),
        Attribute::Ints(values) => (None, values.to_vec(), ATTRIBUTE_INTS),
    };
    AttributeProto { name: name.to_owned(), i, ints, r#type }
}
