//! The numbers of a run as TensorBoard reads them: an event file beside the metrics.
//!
//! A file of events is a sequence of records: a length, its checksum, a message in the format of protocol buffers,
//! its checksum.
//! <https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto>

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gipf_models::{check_regular, open_own, write_whole};
use prost::Message;

use crate::training::metrics::IterationMetrics;
use crate::training::scalars;

/// TensorBoard looks for files with `tfevents` in their names.
pub(super) const EVENTS: &str = "events.out.tfevents.gipf";
/// More bytes than the first event of a file takes.
const FIRST: u64 = 64;
/// The version that the first event of a file states.
const VERSION: &str = "brain.Event:2";

#[derive(Clone, PartialEq, Message)]
struct Event {
    /// Seconds since 1970.
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(string, optional, tag = "3")]
    file_version: Option<String>,
    #[prost(message, optional, tag = "5")]
    summary: Option<Summary>,
}

#[derive(Clone, PartialEq, Message)]
struct Summary {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Value>,
}

#[derive(Clone, PartialEq, Message)]
struct Value {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(float, optional, tag = "2")]
    simple_value: Option<f32>,
}

/// Brings the events of a run up to date with its metrics. Events already written stay, so that TensorBoard can read
/// meanwhile; a file that is torn, or belongs to other iterations, is written anew.
///
/// # Errors
/// If the file cannot be read or written.
pub(super) fn follow(run: &Path, metrics: &[IterationMetrics]) -> io::Result<()> {
    let path = run.join(EVENTS);
    if metrics.is_empty() && !path.exists() {
        return Ok(());
    }
    let bytes = events(began(&first_bytes(&path, FIRST)?).unwrap_or_else(|| now() - seconds(metrics)), metrics);
    // A longer file is another one, whatever its size.
    let known = first_bytes(&path, bytes.len() as u64 + 1)?;
    match bytes.strip_prefix(&*known) {
        Some(rest) if !known.is_empty() => open_own(&path, OpenOptions::new().append(true))?.write_all(rest),
        _ => write_whole(&path, &bytes),
    }
}

/// Returns the first bytes of a file, at most this many; none if there is no file.
fn first_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path.exists() {
        check_regular(path, u64::MAX)?;
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Returns the events of a run that began at this time. The times of later events follow from the seconds that the
/// iterations took, without the pauses between them, so that the same metrics give the same bytes.
fn events(began: f64, metrics: &[IterationMetrics]) -> Vec<u8> {
    let first = Event { wall_time: began, file_version: Some(VERSION.to_owned()), ..Event::default() };
    let mut bytes = record(&first.encode_to_vec());
    let mut at = began;
    for line in metrics {
        at += line.seconds.total();
        let values = scalars(line).into_iter().map(|scalar| Value {
            tag: format!("{}/{}", scalar.chart, scalar.curve.replace(' ', "_")),
            simple_value: Some(scalar.value as f32),
        });
        let summary = Some(Summary { values: values.collect() });
        let event = Event { wall_time: at, step: i64::from(line.iteration), summary, ..Event::default() };
        bytes.extend(record(&event.encode_to_vec()));
    }
    bytes
}

/// Returns the time at which the run of an event file began, if the file has a first event.
fn began(bytes: &[u8]) -> Option<f64> {
    let (length, rest) = bytes.split_first_chunk()?;
    let data = rest.get(4..)?.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let event = Event::decode(data).ok()?;
    (event.file_version.as_deref() == Some(VERSION) && event.wall_time.is_finite()).then_some(event.wall_time)
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn seconds(metrics: &[IterationMetrics]) -> f64 {
    metrics.iter().map(|line| line.seconds.total()).sum()
}

fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    [&length[..], &masked(&length), data, &masked(data)].concat()
}

/// Returns the checksum of a part of a record, masked since a checksum of data that contains checksums is weak.
fn masked(bytes: &[u8]) -> [u8; 4] {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

/// Returns the cyclic redundancy check with Castagnoli's polynomial (RFC 3720, appendix B.4).
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(iteration: u32) -> IterationMetrics {
        let mut line = IterationMetrics { iteration, ..IterationMetrics::default() };
        line.seconds.learning = 0.7 * f64::from(iteration);
        line
    }

    /// Returns the steps of a file, whose records must be whole.
    fn steps(mut bytes: &[u8]) -> Vec<i64> {
        let mut steps = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<8>() {
            let (check, rest) = rest.split_at(4);
            let (data, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
            assert_eq!((check, &rest[..4]), (&masked(length)[..], &masked(data)[..]));
            steps.push(Event::decode(data).unwrap().step);
            bytes = &rest[4..];
        }
        steps
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, appendix B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&(0..32).collect::<Vec<_>>()), 0x46dd_794e);
    }

    #[test]
    fn every_iteration_has_one_event_however_often_the_run_was_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (run, path) = (folder.path(), folder.path().join(EVENTS));
        let metrics: Vec<_> = (1..=5).map(line).collect();
        follow(run, &[]).unwrap();
        assert!(!path.exists(), "nothing to tell");
        follow(run, &metrics[..2]).unwrap();
        let two = fs::read(&path).unwrap();
        follow(run, &metrics).unwrap();
        let five = fs::read(&path).unwrap();
        assert!(five.starts_with(&two) && steps(&five) == [0, 1, 2, 3, 4, 5]);
        // Killed during the write, and gone back to an earlier iteration.
        fs::write(&path, &five[..five.len() - 3]).unwrap();
        follow(run, &metrics).unwrap();
        assert_eq!(fs::read(&path).unwrap(), five);
        follow(run, &metrics[..2]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), two);
        fs::write(&path, "something else").unwrap();
        follow(run, &metrics[..1]).unwrap();
        assert_eq!(steps(&fs::read(&path).unwrap()), [0, 1]);
    }
}
