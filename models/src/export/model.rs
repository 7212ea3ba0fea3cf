//! An ONNX model around a network's graph.

use gipf_env::Variant;
use prost::Message;

use super::graph::{Attribute, Graph};
use super::proto::{
    DimensionProto, FLOAT, ModelProto, OperatorSetIdProto, StringStringEntryProto, TensorShapeProto, TensorTypeProto,
    TypeProto, ValueInfoProto,
};
use super::{Export, description, nets};

/// The version of the operators: every runtime of recent years reads it.
const OPSET: i64 = 17;
/// The version of the file format that came with them.
const IR_VERSION: i64 = 8;

/// Returns the content of the file.
pub fn encoded(export: &Export<'_>) -> Vec<u8> {
    model(export).encode_to_vec()
}

fn model(export: &Export<'_>) -> ModelProto {
    let config = &export.checkpoint.config;
    let mut graph = Graph::new(&export.checkpoint.weights);
    let planes = graph.reshape(&"observation".to_owned(), &[-1, config.layout.size() as i64]);
    let heads = nets::network(&mut graph, config, &planes);
    let wdl = graph.op_with("Softmax", &[&heads.wdl], &[("axis", Attribute::Int(1))]);
    let results = graph.floats("results", &[3], &[1.0, 0.0, -1.0]);
    let value = graph.op("MatMul", &[&wdl, &results]);
    for (output, name) in [(&heads.policy, "logits"), (&value, "value"), (&wdl, "wdl")] {
        graph.name(output, name);
    }
    let [input, outputs @ ..] = values(export);
    ModelProto {
        ir_version: IR_VERSION,
        producer_name: "gipf".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        doc_string: summary(export.variant),
        graph: Some(graph.finish("gipf", vec![input], outputs.to_vec())),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPSET }],
        metadata_props: metadata(export),
    }
}

fn summary(variant: Variant) -> String {
    format!(
        "A policy-value network for GIPF, rule set {variant}. It sees a position from the view of the player to move, and \
         has no search: which actions are legal and what follows from them is the caller's to know."
    )
}

/// Returns the input, then the outputs.
fn values(export: &Export<'_>) -> [ValueInfoProto; 4] {
    let (config, [planes, rows, columns]) = (&export.checkpoint.config, export.checkpoint.config.layout.shape());
    let actions = config.actions.size();
    [
        value(
            "observation",
            &[planes, rows, columns],
            "Planes of the board from the view of the player to move; the metadata `gipf.planes` says what stands in each.",
        ),
        value(
            "logits",
            &[actions],
            "A logit for each action, legal or not: mask those that are not legal before a softmax. The metadata \
             `gipf.actions` says what each is.",
        ),
        value("value", &[], "The result to expect for the player to move, from -1, lost, to 1, won: win minus loss."),
        value("wdl", &[3], "The probabilities of win, draw and loss for the player to move."),
    ]
}

/// Describes a value of this shape for each position of a batch.
fn value(name: &str, shape: &[usize], doc: &str) -> ValueInfoProto {
    let batch = DimensionProto { dim_value: None, dim_param: Some("batch".to_owned()) };
    let sizes = shape.iter().map(|&size| DimensionProto { dim_value: Some(size as i64), dim_param: None });
    let shape = TensorShapeProto { dim: std::iter::once(batch).chain(sizes).collect() };
    let tensor_type = Some(TensorTypeProto { elem_type: FLOAT, shape: Some(shape) });
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type }), doc_string: doc.to_owned() }
}

fn metadata(export: &Export<'_>) -> Vec<StringStringEntryProto> {
    let entries = [
        ("gipf.variant", export.variant.to_string()),
        ("gipf.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("gipf.checkpoint.blake3", export.hash()),
        ("gipf.checkpoint.step", export.checkpoint.metadata.step.to_string()),
        ("gipf.net", json(&export.checkpoint.config.net)),
        ("gipf.planes", json(&description::planes(export.variant))),
        ("gipf.actions", json(&description::actions(export.variant))),
    ];
    entries.into_iter().map(|(key, value)| StringStringEntryProto { key: key.to_owned(), value }).collect()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("lists and settings are plain values")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use gipf_env::GipfPosition;

    use super::*;
    use crate::config::{HexConfig, LineConfig, MlpConfig, NetConfig, NetKind};
    use crate::export::ExportError;
    use crate::{Checkpoint, Metadata, Weights};

    fn nets() -> Vec<NetKind> {
        let wide = LineConfig { global_pooling: true, push_paths: true, mixing: vec![8, 12], ..LineConfig::default() };
        vec![
            NetKind::Line(LineConfig { mixing: vec![], ..LineConfig::default() }),
            NetKind::Line(wide),
            NetKind::Hex(HexConfig { blocks: 2, channels: 8, value_hidden: 8 }),
            NetKind::Mlp(MlpConfig { hidden: vec![16, 8] }),
        ]
    }

    fn checkpoints() -> impl Iterator<Item = Checkpoint> {
        let all = Variant::ALL.into_iter().flat_map(|variant| nets().into_iter().map(move |net| (variant, net)));
        all.map(|(variant, net)| {
            let config = NetConfig::of(net, &GipfPosition::start(variant)).unwrap();
            let metadata = Metadata { game: variant.to_string(), step: 7, seed: 1, commit: None };
            Checkpoint { weights: Weights::initial(&config, 1), config, metadata }
        })
    }

    #[test]
    fn models_are_read_back_and_every_value_is_given_before_it_is_used() {
        for checkpoint in checkpoints() {
            let export = Export::of(&checkpoint).unwrap();
            let decoded = ModelProto::decode(&export.onnx()[..]).unwrap();
            assert_eq!(decoded, model(&export));
            let graph = decoded.graph.unwrap();
            let mut known: BTreeSet<_> = graph.initializer.iter().map(|tensor| tensor.name.clone()).collect();
            assert_eq!(known.len(), graph.initializer.len(), "each constant is there once");
            known.extend(graph.input.iter().map(|input| input.name.clone()));
            for node in &graph.node {
                assert!(node.input.iter().all(|input| known.contains(input)), "{node:?}");
                assert!(known.insert(node.output[0].clone()), "{} is given twice", node.output[0]);
            }
            assert!(graph.output.iter().all(|output| known.contains(&output.name)));
            let used: BTreeSet<_> = graph.node.iter().flat_map(|node| &node.input).collect();
            assert!(graph.initializer.iter().all(|tensor| used.contains(&tensor.name)));
        }
    }

    #[test]
    fn the_constants_are_the_weights_and_little_else() {
        for checkpoint in checkpoints() {
            let export = Export::of(&checkpoint).unwrap();
            let graph = model(&export).graph.unwrap();
            for (name, array) in &checkpoint.weights.0 {
                let tensor = graph.initializer.iter().find(|tensor| tensor.name == *name).unwrap();
                let dims: Vec<_> = array.shape.iter().map(|&size| size as i64).collect();
                assert_eq!((tensor.data_type, &tensor.dims), (FLOAT, &dims), "{name}");
                assert!(
                    tensor
                        .raw_data
                        .chunks_exact(4)
                        .zip(&array.values)
                        .all(|(bytes, value)| value.to_le_bytes() == bytes)
                );
            }
            let others = graph.initializer.iter().filter(|tensor| !checkpoint.weights.0.contains_key(&tensor.name));
            assert!(others.map(|tensor| tensor.raw_data.len()).sum::<usize>() < 64 << 10);
        }
    }

    #[test]
    fn inputs_and_outputs_have_names_shapes_and_words() {
        for checkpoint in checkpoints() {
            let export = Export::of(&checkpoint).unwrap();
            let [planes, rows, columns] = checkpoint.config.layout.shape().map(|size| size as i64);
            let actions = checkpoint.config.actions.size() as i64;
            let expected = [
                ("observation", vec![planes, rows, columns]),
                ("logits", vec![actions]),
                ("value", vec![]),
                ("wdl", vec![3]),
            ];
            for (value, (name, sizes)) in values(&export).into_iter().zip(expected) {
                let shape = value.r#type.unwrap().tensor_type.unwrap().shape.unwrap();
                assert_eq!(value.name, name);
                assert_eq!(shape.dim[0].dim_param.as_deref(), Some("batch"));
                assert!(shape.dim[1..].iter().map(|dim| dim.dim_value.unwrap()).eq(sizes), "{name}");
                assert!(value.doc_string.len() > 40);
            }
            let entries = metadata(&export);
            let entry = |key: &str| &entries.iter().find(|entry| entry.key == key).unwrap().value;
            assert_eq!(serde_json::from_str::<Vec<String>>(entry("gipf.planes")).unwrap().len() as i64, planes);
            assert_eq!(serde_json::from_str::<Vec<String>>(entry("gipf.actions")).unwrap().len() as i64, actions);
            assert_eq!(*entry("gipf.checkpoint.blake3"), blake3::hash(export.checkpoint_bytes()).to_hex().to_string());
            assert_eq!(serde_json::from_str::<NetKind>(entry("gipf.net")).unwrap(), checkpoint.config.net);
        }
    }

    #[test]
    fn networks_of_other_games_and_other_weights_are_refused() {
        let mut checkpoint = checkpoints().next().unwrap();
        checkpoint.metadata.game = "\u{1b}[31mchess".to_owned();
        let told = Export::of(&checkpoint).unwrap_err().to_string();
        assert!(told.starts_with("a network for another game") && !told.contains('\u{1b}'), "{told}");
        checkpoint.metadata.game = "tournament".to_owned();
        assert!(matches!(Export::of(&checkpoint), Err(ExportError::Shape(Variant::TOURNAMENT))));
        let mut checkpoint = checkpoints().next().unwrap();
        checkpoint.weights.0.pop_first();
        assert!(matches!(Export::of(&checkpoint), Err(ExportError::Checkpoint(_))));
        assert!(checkpoint.save(Path::new("nowhere")).is_err());
    }
}
