//! Runs that begin from the state of others.

use std::path::Path;

use gipf_models::{Checkpoint, NetConfig, NetKind};
use gipf_play::Stop;
use gipf_train::training::trainer::{Ended, Stage, Trainer};
use gipf_train::training::{Config, NewRun, RunDirectory};

use crate::training::trainer::{NoEval, Watcher, file, smoke, start, train};

#[test]
fn a_fork_goes_on_as_the_run_would_have_and_leaves_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, base, fork] = ["whole", "base", "fork"].map(|name| folder.path().join(name));
    train(&whole, &smoke());
    let first = start(&smoke());
    let mut trainer = Trainer::create(&NewRun::new(&base, &smoke()), first).unwrap();
    let stop = Stop::default();
    let mut watcher = Watcher::stopping(3, Stage::SelfPlay, stop.clone());
    trainer.train(&NoEval, &mut watcher, &stop).unwrap();
    let before = file(&base, "state/manifest.json");
    RunDirectory::fork(&base, &NewRun::new(&fork, &smoke())).unwrap();
    let mut trainer = Trainer::resume(&fork, start).unwrap();
    assert_eq!(trainer.iterations(), 2);
    trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    assert_eq!(file(&base, "state/manifest.json"), before);
    // A lag begins with the fork, which does not have the networks from before it.
    let lagging = folder.path().join("lagging");
    RunDirectory::fork(&base, &NewRun::new(&lagging, &smoke())).unwrap();
    let text = String::from_utf8(file(&lagging, "config.toml")).unwrap();
    std::fs::write(lagging.join("config.toml"), text.replace("lag = 0", "lag = 2")).unwrap();
    let mut trainer = Trainer::resume(&lagging, start).unwrap();
    assert_eq!(trainer.config().run.lag, 2);
    trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
    let last = "checkpoints/000003.safetensors";
    assert!(file(&whole, last) == file(&fork, last));
    let error = RunDirectory::fork(&base, &NewRun::new(&fork, &smoke())).unwrap_err().to_string();
    assert!(error.contains("not empty"), "{error}");
    let error =
        RunDirectory::fork(folder.path(), &NewRun::new(&folder.path().join("new"), &smoke())).unwrap_err().to_string();
    assert!(error.contains("there is no run here"), "{error}");
}

/// A fork that was stopped halfway must not go on with random weights.
#[test]
fn a_fork_is_no_run_before_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let [base, fork] = ["base", "fork"].map(|name| folder.path().join(name));
    train(&base, &smoke());
    let samples = base.join("state/samples-000003.bin");
    std::fs::remove_file(&samples).unwrap();
    RunDirectory::fork(&base, &NewRun::new(&fork, &smoke())).unwrap_err();
    assert!(!fork.exists(), "nothing is begun that would miss a file");
    std::fs::create_dir(&samples).unwrap();
    RunDirectory::fork(&base, &NewRun::new(&fork, &smoke())).unwrap_err();
    assert!(fork.join("checkpoints/000003.safetensors").exists() && !RunDirectory::is_run(&fork));
}

#[test]
fn a_run_that_cannot_go_on_is_refused_by_its_own_files_and_not_forked() {
    type Damage = fn(&mut Vec<u8>);
    let folder = tempfile::tempdir().unwrap();
    let [base, fork] = ["base", "fork"].map(|name| folder.path().join(name));
    train(&base, &smoke());
    let longer = smoke().with("run.iterations=4").unwrap();
    let refused = |config: &Config, told: &str| {
        let error = Trainer::fork(&base, &NewRun::new(&fork, config), start(config)).err().unwrap().to_string();
        assert!(error.contains(told) && !error.contains(fork.to_str().unwrap()), "{error}");
        assert!(!fork.exists(), "{error}");
    };
    refused(&longer.with("learning.optimizer.device=cuda").unwrap(), "without the device `cuda`");
    let damages: [(&str, Damage); 3] = [
        ("state/samples-000003.bin", |bytes| bytes[100] ^= 1),
        ("state/learner-000003.safetensors", |bytes| bytes.truncate(100)),
        ("metrics.jsonl", |bytes| bytes[0] = b'x'),
    ];
    for (name, damage) in damages {
        let sound = file(&base, name);
        let mut bytes = sound.clone();
        damage(&mut bytes);
        std::fs::write(base.join(name), bytes).unwrap();
        refused(&longer, base.join(name).to_str().unwrap());
        std::fs::write(base.join(name), sound).unwrap();
    }
    let mut trainer = Trainer::fork(&base, &NewRun::new(&fork, &longer), start(&longer)).unwrap();
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
}

#[test]
fn a_fork_with_a_larger_network_begins_with_what_the_smaller_one_has_learned() {
    let folder = tempfile::tempdir().unwrap();
    let [base, fork, begun] = ["base", "fork", "begun"].map(|name| folder.path().join(name));
    train(&base, &smoke());
    let small = Checkpoint::load(&base.join("checkpoints/000003.safetensors")).unwrap();
    let mut config = smoke();
    config.run.iterations = 4;
    let NetKind::Line(line) = &mut config.network.0 else { panic!("the smoke preset has a line network") };
    (line.global_pooling, line.push_paths) = (true, true);
    line.mixing.insert(0, 8);
    let first = start(&config);
    let larger = NetConfig::of(config.network.0.clone(), &first.position).unwrap();
    let grown = small.weights.grown(&small.config, &larger, config.run.seed).unwrap();

    let mut trainer = Trainer::fork(&base, &NewRun::new(&fork, &config), first.clone()).unwrap();
    assert_eq!(trainer.checkpoint().weights, small.weights, "it grows when an iteration begins");
    assert!(trainer.begin().unwrap());
    assert_eq!(trainer.checkpoint().weights, grown);
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    assert_ne!(trainer.checkpoint().weights, grown);

    let file = Path::new("base.safetensors");
    let trainer = Trainer::create_with(&NewRun::new(&begun, &config), first.clone(), file, &small).unwrap();
    assert_eq!(trainer.checkpoint().weights, grown);
    drop(trainer);
    assert_eq!(Trainer::resume(&begun, start).unwrap().checkpoint().weights, grown);

    let back = folder.path().join("back");
    let smaller = Config { network: smoke().network, ..config.clone() };
    let smaller = smaller.with("run.iterations=5").unwrap();
    let error = Trainer::fork(&fork, &NewRun::new(&back, &smaller), first).err().unwrap().to_string();
    let file = fork.join("checkpoints/000004.safetensors");
    let told = "has global_pooling=true, mixing=[8,8], push_paths=true: expected global_pooling=false, mixing=[8], \
                push_paths=false, or a network that grows to it";
    assert_eq!(error, format!("{} {told}", file.display()));
    assert!(!back.exists(), "a network that does not fit leaves nothing behind");
}

#[test]
fn a_run_that_has_grown_is_forked_as_it_is_and_only_where_iterations_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let [base, fork] = ["base", "fork"].map(|name| folder.path().join(name));
    let config = smoke().with("phases=[{after_games=16,network={push_paths=true}}]").unwrap();
    train(&base, &config);
    let begun = |config: &Config| Trainer::fork(&base, &NewRun::new(&fork, config), start(config));
    for iterations in [2, 3] {
        let error = begun(&config.with(&format!("run.iterations={iterations}")).unwrap()).err().unwrap().to_string();
        assert!(error.ends_with("has 3 iterations: expected the new run to have more than 3 in all"), "{error}");
        assert!(!fork.exists());
    }
    let mut trainer = begun(&config.with("run.iterations=4").unwrap()).unwrap();
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    assert_eq!(trainer.run().metrics().unwrap().len(), 4);
}
