//! The student of a run: the smaller network that goes on learning once the network has grown.

use std::fs;
use std::path::Path;

use gipf_models::{Checkpoint, NetKind};
use gipf_play::Stop;
use gipf_train::training::trainer::{Ended, Stage, Trainer};
use gipf_train::training::{Config, NewRun, Remark};

use crate::training::trainer::{NoEval, Watcher, file, smoke, start, train};

const STUDENT: &str = "student.safetensors";

/// A run of five iterations whose network grows after the second, with a student.
fn config() -> Config {
    taught([0.004, 0.001])
}

/// The same with a student that has these rates.
fn taught([first, last]: [f64; 2]) -> Config {
    let student = format!("student={{learning_rate={first},final_learning_rate={last}}}");
    let phase = format!("phases=[{{after_games=16,network={{push_paths=true}},learning={{{student}}}}}]");
    plain().with(&phase).unwrap()
}

/// The same run without growth.
fn plain() -> Config {
    let settings = ["run.iterations=5", "phases=[]", "learning.warmup_steps=0"];
    settings.iter().fold(smoke(), |config, setting| config.with(setting).unwrap())
}

fn checkpoint(run: &Path, iteration: u32) -> Checkpoint {
    Checkpoint::load(&run.join(format!("checkpoints/{iteration:06}.safetensors"))).unwrap()
}

fn has_push_paths(checkpoint: &Checkpoint) -> bool {
    let NetKind::Line(line) = &checkpoint.config.net else { panic!("a line network") };
    line.push_paths
}

/// A network answers as before when it has just grown, so the first games are those of a run without growth: then the
/// student is what the network of that run is.
#[test]
fn a_student_begins_as_the_network_was_and_learns_from_the_same_batches() {
    let folder = tempfile::tempdir().unwrap();
    let [path, alone] = ["taught", "alone"].map(|name| folder.path().join(name));
    train(&alone, &plain());
    let learning = plain().learning;
    let config = taught([learning.learning_rate, learning.final_learning_rate]);
    let mut trainer = Trainer::create(&NewRun::new(&path, &config), start(&config)).unwrap();
    let stop = Stop::default();
    let mut watcher = Watcher::stopping(4, Stage::SelfPlay, stop.clone());
    assert_eq!(trainer.train(&NoEval, &mut watcher, &stop).unwrap(), Ended::Stopped);
    let student = Checkpoint::load(&path.join(STUDENT)).unwrap();
    assert!(!has_push_paths(&student) && has_push_paths(&checkpoint(&path, 3)));
    assert!(student.weights == checkpoint(&alone, 3).weights);
    assert_eq!(student.metadata.step, checkpoint(&alone, 3).metadata.step, "its steps go on");
    let lines = trainer.run().metrics().unwrap();
    let [before, with] = [1, 2].map(|place| (lines[place].learning.unwrap().student, lines[place].work));
    assert!(before.0.is_none() && before.1.student_samples == 0);
    assert!(with.1.samples > 0 && with.1.student_samples == with.1.samples);
    let losses = with.0.unwrap();
    assert!(losses.policy_loss > 0.0 && losses.value_loss > 0.0, "{losses:?}");
}

#[test]
fn a_student_learns_at_rates_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let [fast, slow] = ["fast", "slow"].map(|name| folder.path().join(name));
    let found = [(&fast, 0.004), (&slow, 0.002)].map(|(run, rate)| {
        let lines = train(run, &taught([rate, rate]));
        lines[4].learning.unwrap().student.unwrap().learning_rate
    });
    assert_eq!(found, [0.004, 0.002]);
    assert!(file(&fast, STUDENT) != file(&slow, STUDENT));
    let last = "checkpoints/000005.safetensors";
    assert!(file(&fast, last) == file(&slow, last), "the network does not depend on its student");
}

#[test]
fn a_run_with_a_student_is_stopped_anywhere_and_ends_with_the_same_one() {
    for lag in [0, 1] {
        is_stopped_anywhere(&config().with(&format!("run.lag={lag}")).unwrap());
    }
}

fn is_stopped_anywhere(config: &Config) {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    train(&whole, config);
    let places = [(3, Stage::SelfPlay), (3, Stage::Evaluation), (5, Stage::Learning), (5, Stage::Evaluation)];
    for (number, (iteration, stage)) in places.into_iter().enumerate() {
        let path = folder.path().join(format!("stopped-{number}"));
        let mut trainer = Trainer::create(&NewRun::new(&path, config), start(config)).unwrap();
        let stop = Stop::default();
        let mut watcher = Watcher::stopping(iteration, stage, stop.clone());
        assert_eq!(trainer.train(&NoEval, &mut watcher, &stop).unwrap(), Ended::Stopped);
        drop(trainer);
        let before = fs::read(path.join(STUDENT)).ok();
        assert_eq!(before.is_some(), iteration > 3, "the network has not grown before");
        // A kill before the manifest leaves files of the iteration that does not count.
        fs::write(path.join(STUDENT), b"half a fi").unwrap();
        fs::write(path.join(format!("state/student-00000{iteration}.safetensors")), b"half a fi").unwrap();
        let mut trainer = Trainer::resume(&path, start).unwrap();
        if before.is_some() {
            assert!(fs::read(path.join(STUDENT)).ok() == before);
        }
        assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
        for name in [STUDENT, "checkpoints/000005.safetensors", "state/student-000005.safetensors"] {
            assert!(file(&whole, name) == file(&path, name), "{name}, stopped in {iteration}, {stage:?}");
        }
        assert_eq!(trainer.run().metrics().unwrap().len(), 5);
        let states = fs::read_dir(path.join("state")).unwrap();
        let names = states.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.starts_with("student")).count(), 1, "earlier states are removed");
    }
}

#[test]
fn a_fork_has_the_student_of_the_other_run_until_its_settings_want_none() {
    let folder = tempfile::tempdir().unwrap();
    let [base, fork, off] = ["base", "fork", "off"].map(|name| folder.path().join(name));
    train(&base, &config());
    let longer = config().with("run.iterations=6").unwrap();
    let mut trainer = Trainer::fork(&base, &NewRun::new(&fork, &longer), start(&longer)).unwrap();
    assert!(file(&base, STUDENT) == file(&fork, STUDENT));
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    let [before, after] = [&base, &fork].map(|run| Checkpoint::load(&run.join(STUDENT)).unwrap());
    assert!(after.metadata.step > before.metadata.step && after.weights != before.weights);

    let without = longer.with("learning.student.learning_rate=0").unwrap();
    let mut trainer = Trainer::fork(&base, &NewRun::new(&off, &without), start(&without)).unwrap();
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    assert!(trainer.student().is_none() && trainer.run().metrics().unwrap()[5].learning.unwrap().student.is_none());
    assert!(!off.join(STUDENT).exists(), "it would be taken for one that has learned");
    // A state that is missing is told, not forgotten.
    let state = base.join("state/student-000005.safetensors");
    fs::remove_file(&state).unwrap();
    let told = Trainer::resume(&base, start).err().unwrap().to_string();
    assert!(told.contains("student-000005.safetensors"), "{told}");
}

#[test]
fn a_network_that_is_given_becomes_the_student_of_the_one_that_it_grows_to() {
    let folder = tempfile::tempdir().unwrap();
    let [base, run] = ["base", "run"].map(|name| folder.path().join(name));
    train(&base, &plain());
    let given = checkpoint(&base, 5);
    let mut settings = config();
    settings.skip_to_last_phase();
    let new = NewRun::new(&run, &settings);
    let trainer = Trainer::create_with(&new, start(&settings), Path::new("given.safetensors"), &given).unwrap();
    let student = trainer.student().unwrap();
    assert!(student.weights == given.weights && has_push_paths(&trainer.checkpoint()));
    assert!(!run.join(STUDENT).exists(), "nothing was learned yet");
    drop(trainer);
    assert!(Trainer::resume(&run, start).unwrap().student().unwrap().weights == given.weights);
}

/// A run that would end without the student that its settings ask for says so when it begins.
#[test]
fn a_student_that_will_never_be_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let remarks = |name: &str, config: &Config| {
        let path = folder.path().join(name);
        let created = Trainer::create(&NewRun::new(&path, config), start(config)).unwrap();
        let found = created.run().remarks().to_vec();
        drop(created);
        assert_eq!(Trainer::resume(&path, start).unwrap().run().remarks(), found);
        found
    };
    assert_eq!(remarks("grows", &config()), []);
    assert_eq!(remarks("alone", &plain()), []);
    let vain = plain().with("learning.student.learning_rate=0.001").unwrap();
    assert_eq!(remarks("vain", &vain), [Remark::NoStudent]);
    let large = config().with("network.push_paths=true").unwrap();
    assert_eq!(remarks("large", &large), [Remark::NoStudent], "it has grown before it has learned");
    assert!(Remark::NoStudent.to_string().starts_with("learning.student has no effect: expected a network"));
}

/// Otherwise a longer run would be another one from its first step on.
#[test]
fn rates_that_fall_between_numbers_of_games_do_not_depend_on_the_length_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let [short, long, other] = ["short", "long", "other"].map(|name| folder.path().join(name));
    let falling = plain().with("learning.rate_falls=[8, 24]").unwrap();
    let lines = train(&long, &falling);
    let rates = [0, 4].map(|place: usize| lines[place].learning.unwrap().learning_rate);
    assert_eq!(rates[1], falling.learning.final_learning_rate);
    assert!(rates[0] > rates[1], "{rates:?}");
    train(&short, &falling.with("run.iterations=3").unwrap());
    train(&other, &plain());
    let third = "checkpoints/000003.safetensors";
    assert!(file(&short, third) == file(&long, third) && file(&short, third) != file(&other, third));
}
