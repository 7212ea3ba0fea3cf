//! A network's tensors as one long vector: the optimiser's view.

use std::collections::{BTreeMap, BTreeSet};

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor};

use super::{Body, Net};
use crate::parameters::parameters;
use crate::weights::{Array, Weights};

impl Net {
    /// Returns all tensors one after the other, in the order in which the module names them, without tracking.
    ///
    /// # Shapes
    /// - output: `[N]`, the number of weights.
    pub fn to_vector(&self) -> Tensor<1> {
        let mut collect = Collect(Vec::new());
        self.visit(&mut collect);
        Tensor::cat(collect.0, 0)
    }

    /// Returns the network with other weights.
    ///
    /// # Shapes
    /// - vector: `[N]`, in the order of [`Self::to_vector`].
    pub fn with_vector(self, vector: &Tensor<1>) -> Self {
        let mut replace = Replace { vector, start: 0 };
        let body = match self.body {
            Body::Line(net) => Body::Line(net.map(&mut replace)),
            Body::Hex(net) => Body::Hex(net.map(&mut replace)),
            Body::Mlp(net) => Body::Mlp(net.map(&mut replace)),
        };
        Self { body, ..self }
    }

    /// Returns the gradients of all tensors one after the other; zeros for one that took no part in the loss.
    ///
    /// # Shapes
    /// - output: `[N]`, in the order of [`Self::to_vector`].
    pub fn gradient_vector(&self, gradients: &Gradients) -> Tensor<1> {
        let mut collect = CollectGradients { parts: Vec::new(), gradients };
        self.visit(&mut collect);
        Tensor::cat(collect.parts, 0)
    }

    /// Returns the weights as plain numbers.
    pub fn weights(&self) -> Weights {
        let mut arrays = Arrays(BTreeMap::new());
        self.visit(&mut arrays);
        let names: BTreeSet<_> = parameters(&self.config).iter().map(|parameter| parameter.name.to_string()).collect();
        Weights(names.into_iter().zip(arrays.0.into_values()).collect())
    }

    fn visit(&self, visitor: &mut impl ModuleVisitor) {
        match &self.body {
            Body::Line(net) => net.visit(visitor),
            Body::Hex(net) => net.visit(visitor),
            Body::Mlp(net) => net.visit(visitor),
        }
    }
}

struct Collect(Vec<Tensor<1>>);

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(flat(param.val().inner()));
    }
}

struct CollectGradients<'a> {
    parts: Vec<Tensor<1>>,
    gradients: &'a Gradients,
}

impl ModuleVisitor for CollectGradients<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let gradient = tensor.grad(self.gradients).unwrap_or_else(|| tensor.inner().zeros_like());
        self.parts.push(flat(gradient));
    }
}

struct Replace<'a> {
    vector: &'a Tensor<1>,
    start: usize,
}

impl ModuleMapper for Replace<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, tensor, mapper) = param.consume();
        let (shape, tracked) = (tensor.shape(), tensor.is_require_grad());
        let count = shape.num_elements();
        let part = self.vector.clone().narrow(0, self.start, count).reshape(shape);
        self.start += count;
        let part = if tracked { Tensor::from_inner(part).require_grad() } else { part };
        Param::from_mapped_value(id, part, mapper)
    }
}

/// The tensors by their numbers.
struct Arrays(BTreeMap<u64, Array>);

impl ModuleVisitor for Arrays {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let data = param.val().inner().into_data();
        let array = Array { shape: data.shape().to_vec(), values: data.try_to_vec().expect("networks hold f32") };
        self.0.insert(param.id.val(), array);
    }
}

fn flat<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    let count = tensor.shape().num_elements();
    tensor.reshape([count])
}
