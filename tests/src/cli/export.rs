//! `gipf export`: files and folders for other programs; files of others are never replaced.

use std::fs;
use std::path::Path;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{
    Checkpoint, Engine, FILES, HexConfig, LayerName, LineConfig, Metadata, MlpConfig, NetConfig, NetKind, TensorName,
    Weights,
};
use gipf_train::cli::Exit;

use super::{gipf, refused, write};

/// Writes a checkpoint, and returns its path.
fn checkpoint(folder: &Path, variant: Variant, net: NetKind) -> String {
    let path = folder.join(format!("{variant}.safetensors"));
    let config = NetConfig::of(net, &GipfPosition::start(variant)).unwrap();
    let metadata = Metadata { game: variant.to_string(), step: 12, seed: 3, commit: None };
    Checkpoint { weights: Weights::initial(&config, 1), config, metadata }.save(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

fn small() -> NetKind {
    NetKind::Mlp(MlpConfig { hidden: vec![8] })
}

fn nets() -> [NetKind; 3] {
    [
        NetKind::Line(LineConfig { features: 8, hidden: 16, push_paths: true, ..LineConfig::default() }),
        NetKind::Hex(HexConfig { blocks: 1, channels: 8, value_hidden: 8 }),
        small(),
    ]
}

#[test]
fn networks_of_every_kind_and_rule_set_are_exported() {
    let place = tempfile::tempdir().unwrap();
    for (number, variant) in Variant::ALL.into_iter().enumerate() {
        let net = checkpoint(place.path(), variant, nets()[number % 3].clone());
        let file = place.path().join(format!("{variant}.onnx"));
        let answer = gipf(&["export", &net, "--to", "onnx", "--out", file.to_str().unwrap()]);
        assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""));
        assert!(answer.out.starts_with("done: ") && answer.out.contains(&variant.to_string()), "{}", answer.out);
        let model = fs::read(&file).unwrap();
        // Names of inputs, outputs and metadata appear in a model verbatim.
        for name in ["observation", "logits", "value", "wdl", "gipf.variant", "gipf.actions"] {
            assert!(model.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{variant}: {name}");
        }
        let folder = place.path().join(variant.to_string());
        let words = ["export", &net, "--to", "safetensors", "--out", folder.to_str().unwrap(), "--json"];
        let told: serde_json::Value = serde_json::from_str(&gipf(&words).out).unwrap();
        assert_eq!((&told["format"], &told["variant"]), (&"safetensors".into(), &variant.to_string().into()));
        assert_eq!(fs::read(folder.join(FILES[0])).unwrap(), fs::read(&net).unwrap(), "the tensors are the checkpoint");
        let sizes = FILES.map(|name| fs::metadata(folder.join(name)).unwrap().len());
        assert_eq!(told["bytes"], sizes.iter().sum::<u64>());
        let over = ["export", &net, "--to", "onnx", "--out", &net, "--force"];
        refused(&over, Exit::WrongUse, &["is read: expected another file to write"]);
    }
}

#[test]
fn the_card_states_what_is_known_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let net = checkpoint(place.path(), Variant::BASIC, small());
    let card = |network: &str, more: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("card");
        let words = ["export", network, "--to", "safetensors", "--out", out.to_str().unwrap()];
        assert_eq!(gipf(&[&words[..], more].concat()).exit, Exit::Success);
        let config: serde_json::Value = serde_json::from_slice(&fs::read(out.join("config.json")).unwrap()).unwrap();
        (fs::read_to_string(out.join("README.md")).unwrap(), config)
    };
    let (own, config) = card(&net, &[]);
    assert!(own.starts_with("---\nlibrary_name: pytorch\n") && !own.contains("license:"), "{own}");
    assert!(
        own.contains("rule set `basic`") && own.contains("| 12 steps since it began, ") && own.contains("; seed 3 |"),
        "{own}"
    );
    assert_eq!((&config["variant"], &config["num_actions"]), (&"basic".into(), &63.into()));
    assert_eq!(config["tables"], serde_json::Value::Null);
    assert!(card(&net, &["--license", "cc-by-4.0"]).0.starts_with("---\nlicense: cc-by-4.0\n"));
    let (shipped, config) = card("pretrained", &["--variant", "tournament"]);
    assert!(shipped.starts_with("---\nlicense: mit\n") && shipped.contains("`tournament`"), "{shipped}");
    assert_eq!(config["tables"]["logits"].as_array().unwrap().len(), 107);
}

#[test]
fn nothing_is_replaced_unasked_and_the_same_network_gives_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let net = checkpoint(place.path(), Variant::STANDARD, small());
    let mine = write(place.path(), "mine.onnx", "mine");
    let words = ["export", &net, "--to", "onnx", "--out", &mine];
    refused(&words, Exit::Failure, &["mine.onnx exists", "--force"]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    let other = place.path().join("other.onnx");
    assert_eq!(gipf(&[&words[..4], &["--out", other.to_str().unwrap()]].concat()).exit, Exit::Success);
    assert_eq!(gipf(&[&words[..], &["--force"]].concat()).exit, Exit::Success);
    assert_eq!(fs::read(&mine).unwrap(), fs::read(&other).unwrap());

    let folder = place.path().join("folder");
    let words = ["export", &net, "--to", "safetensors", "--out", folder.to_str().unwrap()];
    assert_eq!(gipf(&words).exit, Exit::Success);
    let contents = || FILES.map(|name| fs::read(folder.join(name)).unwrap());
    let first = contents();
    refused(&words, Exit::Failure, &["config.json exists", "--force"]);
    fs::write(folder.join(FILES[2]), "mine").unwrap();
    assert_eq!(gipf(&[&words[..], &["--force"]].concat()).exit, Exit::Success);
    assert_eq!(contents(), first);
    // What a killed export has left is completed; a card written by the user is kept.
    fs::remove_file(folder.join(FILES[3])).unwrap();
    assert_eq!(gipf(&words).exit, Exit::Success);
    assert_eq!(contents(), first);
    fs::remove_file(folder.join(FILES[3])).unwrap();
    fs::write(folder.join(FILES[2]), "mine").unwrap();
    refused(&words, Exit::Failure, &["README.md exists"]);
}

#[test]
fn wrong_use_and_hostile_checkpoints_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let net = checkpoint(place.path(), Variant::STANDARD, small());
    let out = place.path().join("out");
    let export = |network: &str, more: &[&str], exit: Exit, texts: &[&str]| {
        let words = ["export", network, "--out", out.to_str().unwrap()];
        refused(&[&words[..], more].concat(), exit, texts);
        assert!(!out.exists());
    };
    export(&net, &[], Exit::WrongUse, &["--to"]);
    export(&net, &["--to", "pickle"], Exit::WrongUse, &["'pickle'", "onnx", "safetensors"]);
    export(&net, &["--to", "onnx", "--licence", "mit"], Exit::WrongUse, &["--licence", "--to safetensors"]);
    export(&net, &["--to", "safetensors", "--licence", "my: own"], Exit::WrongUse, &["`my: own`", "mit"]);
    export(&net, &["--to", "onnx", "--variant", "basic"], Exit::Failure, &["standard", "expected basic"]);
    export("pretrained", &["--to", "onnx", "--variant", "push-off"], Exit::WrongUse, &["push-off"]);
    export("nowhere.safetensors", &["--to", "onnx"], Exit::Failure, &["cannot read nowhere.safetensors"]);
    let sound = fs::read(&net).unwrap();
    for place in (0..sound.len()).step_by(sound.len() / 40) {
        let mut altered = sound.clone();
        altered[place] ^= 0x11;
        fs::write(&net, altered).unwrap();
        export(&net, &["--to", "onnx"], Exit::Failure, &["standard.safetensors"]);
        export(&net, &["--to", "safetensors"], Exit::Failure, &["standard.safetensors"]);
    }
}

/// When rounded to integers, NaN becomes 0: such a network plays here, and nowhere else.
#[test]
fn a_network_too_large_for_floats_alone_is_neither_exported_nor_averaged() {
    let place = tempfile::tempdir().unwrap();
    let net = checkpoint(place.path(), Variant::BASIC, NetKind::Mlp(MlpConfig { hidden: vec![8; 3] }));
    let mut large = Checkpoint::load(Path::new(&net)).unwrap();
    for (layer, value) in [(1, f32::MAX), (2, 1e-6)] {
        let name = TensorName::Weight(LayerName::Hidden(layer)).to_string();
        large.weights.0.get_mut(&name).unwrap().values.fill(value);
    }
    large.save(Path::new(&net)).unwrap();
    assert!(Engine::new(&large.weights, &large.config).is_ok());
    let out = place.path().join("out");
    let texts = ["basic.safetensors: its weights are too large to compute with", "in f32"];
    for words in [&["export", &net, "--to", "onnx"][..], &["average", &net, &net]] {
        refused(&[words, &["--out", out.to_str().unwrap()]].concat(), Exit::Failure, &texts);
        assert!(!out.exists());
    }
}
