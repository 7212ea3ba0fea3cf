//! Why a game cannot be read.

use std::fmt::Display;

use gipf_env::notation::record::RecordError;

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Why {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("tag {tag}: {why}")]
    Tag { tag: String, why: String },
    #[error("the tags {} and {} disagree about where the game starts: expected one of them", .tags[0], .tags[1])]
    Differ { tags: [String; 2] },
}

impl Why {
    pub fn tag(tag: &str, why: impl Display) -> Self {
        Self::Tag { tag: tag.to_owned(), why: why.to_string() }
    }

    pub fn differ(tags: [&str; 2]) -> Self {
        Self::Differ { tags: tags.map(str::to_owned) }
    }
}
