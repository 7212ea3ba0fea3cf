//! The content of an opened tensor file: its checksum is right, and nothing is copied yet.
//!
//! Whoever made the file may have sealed anything, so its header is bounded before it is read, and names, types and
//! shapes can be checked before numbers are copied.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::Path;

use gipf_env::text::truncate_escaped;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::tensor_file::{KEY, MIDDLE, OPENING, TensorFileError, checksum};
use crate::weights::Array;

/// The largest header that is read, in bytes. That of the network with the most tensors takes a tenth of it.
pub(crate) const MOST_HEADER: u64 = 1 << 20;
/// The most tensors of a file; the network with the most has about 270.
const MOST_TENSORS: usize = 1024;
/// The number of characters of foreign text that an error quotes.
const SHOWN: usize = 200;
const HEX: usize = 2 * blake3::OUT_LEN;

/// The content of a file, whose checksum is right.
pub(crate) struct Sealed<'a> {
    path: &'a Path,
    body: String,
    tensors: BTreeMap<String, TensorView<'a>>,
}

impl<'a> Sealed<'a> {
    /// Opens the content of a file; errors name the file by its path.
    ///
    /// # Errors
    /// If it is cut short, altered, or not of this format.
    pub fn open(path: &'a Path, bytes: &'a [u8]) -> Result<Self, TensorFileError> {
        if is_foreign(bytes) {
            return Err(TensorFileError::Foreign { path: path.to_owned() });
        }
        let (entry, tensors) = parse(bytes).map_err(|reason| malformed(path, &reason))?;
        let (expected, body) =
            unsealed(&entry).ok_or_else(|| malformed(path, &format!("its entry `{KEY}` is not sealed")))?;
        let found = checksum(body, tensors.iter().map(|(name, view)| (&**name, view.shape(), view.data())));
        if found != expected {
            let expected = truncate_escaped(expected, HEX);
            return Err(TensorFileError::Altered { path: path.to_owned(), found, expected });
        }
        Ok(Self { path, body: body.to_owned(), tensors })
    }

    /// Returns what the file says about its tensors.
    ///
    /// # Errors
    /// If it is another kind of body.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, TensorFileError> {
        let read = serde_json::from_str(&self.body).and_then(|Unrepeated { .. }| serde_json::from_str(&self.body));
        read.map_err(|error| malformed(self.path, &error.to_string()))
    }

    /// Iterates over the names and shapes of the tensors.
    pub fn shapes(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.tensors.iter().map(|(name, view)| (&**name, view.shape()))
    }

    /// Copies the tensors.
    pub fn into_tensors(self) -> BTreeMap<String, Array> {
        let array = |view: TensorView<'_>| Array { shape: view.shape().to_vec(), values: from_le_bytes(view.data()) };
        self.tensors.into_iter().map(|(name, view)| (name, array(view))).collect()
    }
}

fn malformed(path: &Path, reason: &str) -> TensorFileError {
    TensorFileError::Malformed { path: path.to_owned(), reason: truncate_escaped(reason, SHOWN) }
}

/// Returns the checksum and the body of the metadata entry.
fn unsealed(entry: &str) -> Option<(&str, &str)> {
    let (checksum, rest) = entry.strip_prefix(OPENING)?.split_at_checked(HEX)?;
    Some((checksum, rest.strip_prefix(MIDDLE)?.strip_suffix('}')?))
}

/// Returns whether a file is clearly not of this format, by more than one altered byte: it does not begin with the
/// length of a header, and no header follows.
fn is_foreign(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk() else { return false };
    u64::from_le_bytes(*length) > MOST_HEADER && rest.first() != Some(&b'{')
}

/// Returns the metadata entry and the tensors.
fn parse(bytes: &[u8]) -> Result<(String, BTreeMap<String, TensorView<'_>>), String> {
    check_header(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let entry = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let entry = entry.ok_or_else(|| format!("its header has no entry `{KEY}`"))?.clone();
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let views = file.tensors().into_iter().map(|(name, view)| match view.dtype() {
        Dtype::F32 => Ok((name, view)),
        other => Err(format!("tensor `{name}` is of type {other:?}, expected F32")),
    });
    Ok((entry, views.collect::<Result<_, _>>()?))
}

/// Checks that the header of a file can be accepted: not too long, with not too many tensors, no name twice.
pub(crate) fn check_header(bytes: &[u8]) -> Result<(), String> {
    check_names(header_of(bytes)?)
}

/// Returns the header, a text in JSON whose length is at the start of the file.
fn header_of(bytes: &[u8]) -> Result<&[u8], String> {
    let (length, rest) = bytes.split_first_chunk().ok_or("it is shorter than a header")?;
    let length = u64::from_le_bytes(*length);
    if length > MOST_HEADER {
        return Err(format!("its header has {length} bytes, expected at most {MOST_HEADER}"));
    }
    rest.get(..length as usize).ok_or_else(|| "its header is cut short".to_owned())
}

/// Checks that there are not too many tensors, and that no name occurs twice: other readers might pick the other one.
fn check_names(header: &[u8]) -> Result<(), String> {
    let Unrepeated { names } = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    if names > 1 + MOST_TENSORS {
        return Err(format!("it has {} tensors, expected at most {MOST_TENSORS}", names - 1));
    }
    Ok(())
}

/// Any JSON in which no object contains a name twice.
struct Unrepeated {
    /// The number of names, if it is an object.
    names: usize,
}

impl<'de> Deserialize<'de> for Unrepeated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UnrepeatedVisitor)
    }
}

struct UnrepeatedVisitor;

impl UnrepeatedVisitor {
    #[expect(clippy::unnecessary_wraps, reason = "what visitors return")]
    const fn plain<E>() -> Result<Unrepeated, E> {
        Ok(Unrepeated { names: 0 })
    }
}

impl<'de> Visitor<'de> for UnrepeatedVisitor {
    type Value = Unrepeated;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unrepeated, A::Error> {
        let mut names = HashSet::new();
        while let Some((name, Unrepeated { .. })) = map.next_entry::<String, _>()? {
            if let Some(name) = names.replace(name) {
                return Err(A::Error::custom(format!("`{}` occurs twice", truncate_escaped(&name, SHOWN))));
            }
        }
        Ok(Unrepeated { names: names.len() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unrepeated, A::Error> {
        while let Some(Unrepeated { .. }) = seq.next_element()? {}
        Self::plain()
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unrepeated, E> {
        Self::plain()
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unrepeated, E> {
        Self::plain()
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unrepeated, E> {
        Self::plain()
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unrepeated, E> {
        Self::plain()
    }

    fn visit_str<E>(self, _: &str) -> Result<Unrepeated, E> {
        Self::plain()
    }

    fn visit_unit<E>(self) -> Result<Unrepeated, E> {
        Self::plain()
    }
}

fn from_le_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Returns why a file with this header and this many bytes of numbers is refused.
    fn refused(header: &str, data: usize) -> String {
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; data][..]].concat();
        let began = Instant::now();
        let told = Sealed::open(Path::new("net"), &bytes).err().expect("it is refused").to_string();
        assert!(began.elapsed() < Duration::from_secs(1), "{told} after {:?}", began.elapsed());
        assert!(told.starts_with("net ") && told.len() < 400 && !told.contains(char::is_control), "{told}");
        told
    }

    /// Returns the header of a file with these tensors, sealed with any checksum.
    fn header(tensors: &str) -> String {
        let entry = format!("{OPENING}{}{MIDDLE}{{}}}}", "0".repeat(HEX)).replace('"', "\\\"");
        format!(r#"{{"__metadata__":{{"{KEY}":"{entry}"}}{tensors}}}"#)
    }

    fn tensor(name: &str, shape: &str, end: usize) -> String {
        format!(r#","{name}":{{"dtype":"F32","shape":{shape},"data_offsets":[0,{end}]}}"#)
    }

    #[test]
    fn of_other_files_only_that_is_told() {
        for other in
            [&b"standard/1: opening book\n"[..], b"\x08\x08\x12\x07pytorch\x1a\x052.1", b"PK\x03\x04\x14\0\0\0\x08\0"]
        {
            let told = Sealed::open(Path::new("b.txt"), other).err().expect("it is refused").to_string();
            assert_eq!(told, "b.txt is not a network of this program");
        }
    }

    #[test]
    fn too_many_tensors_are_refused_at_once() {
        let many = |count: usize| (0..count).map(|number| tensor(&number.to_string(), "[0]", 0)).collect::<String>();
        assert!(refused(&header(&many(1024)), 0).contains("checksum"), "so many are read");
        assert!(refused(&header(&many(1025)), 0).contains("it has 1025 tensors, expected at most 1024"));
        assert!(refused(&header(&many(1_000_000)), 0).contains("expected at most 1048576"));
    }

    #[test]
    fn tensors_that_cannot_be_are_refused() {
        assert!(refused(&header(&tensor("a", "[1]", 4)), 4).contains("checksum"), "a sound one is read");
        let twice = [tensor("a", "[1]", 4), tensor("a", "[1]", 4)].concat();
        assert!(refused(&header(&twice), 4).contains("`a` occurs twice"));
        let huge = tensor("a", "[4294967296,4294967296,4294967296]", 4);
        assert!(refused(&header(&huge), 4).contains("overflow"));
        assert!(refused(&header(&tensor("a", "[2]", 4)), 4).contains("shape"));
        let odd = tensor("\\u001b[31m", "[1]", 4).replace("F32", "U32");
        assert!(refused(&header(&odd), 4).contains("tensor `\\u{1b}[31m` is of type U32"));
        assert!(refused(&header(&tensor(&"x".repeat(1 << 19), "[1]", 4).replace("F32", "U32")), 4).contains("xxx…"));
        assert!(refused(&"[".repeat(100_000), 0).contains("recursion limit"));
        assert!(refused("[]", 0).starts_with("net "));
        let inside = header(&tensor("a", "[1]", 4)).replacen('{', "{\"x\":{\"b\":[{\"c\":1,\"c\":null}]},", 1);
        assert!(refused(&inside, 4).contains("`c` occurs twice"));
        assert!(refused("", 0).contains("EOF"));
    }
}
