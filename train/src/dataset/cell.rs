//! One value of one row, between the typed row and the columns of the file.

/// A value of a row, of any column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Number(i64),
    Flag(bool),
    Text(String),
    Bytes(Vec<u8>),
    Numbers(Vec<i64>),
}

impl Cell {
    pub fn numbers<T: Into<i64>>(numbers: impl IntoIterator<Item = T>) -> Self {
        Self::Numbers(numbers.into_iter().map(Into::into).collect())
    }

    pub fn optional(value: Option<Self>) -> Self {
        value.unwrap_or(Self::Null)
    }

    /// Returns the number, if the cell is a number that fits the type.
    pub fn number<T: TryFrom<i64>>(&self) -> Option<T> {
        if let Self::Number(number) = self { T::try_from(*number).ok() } else { None }
    }

    /// Returns the items with these numbers, if all numbers are below `count`.
    pub fn items<T>(&self, count: usize, item: impl Fn(usize) -> T) -> Option<Vec<T>> {
        let Self::Numbers(numbers) = self else { return None };
        let index = |number| usize::try_from(number).ok().filter(|&index| index < count);
        numbers.iter().map(|&number| index(number).map(&item)).collect()
    }

    /// Returns the number of an item, if it is below `count`.
    pub fn index(&self, count: usize) -> Option<usize> {
        self.number().filter(|&index| index < count)
    }

    /// Returns the bytes, if there are `LENGTH` of them and each is below `count`.
    pub fn bytes<const LENGTH: usize>(&self, count: u8) -> Option<[u8; LENGTH]> {
        let Self::Bytes(bytes) = self else { return None };
        bytes.as_slice().try_into().ok().filter(|bytes: &[u8; LENGTH]| bytes.iter().all(|&byte| byte < count))
    }

    pub fn flag(&self) -> Option<bool> {
        if let Self::Flag(flag) = self { Some(*flag) } else { None }
    }

    pub fn text(&self) -> Option<String> {
        if let Self::Text(text) = self { Some(text.clone()) } else { None }
    }

    /// Returns the item that has this word.
    pub fn word<T: Copy>(&self, all: &[T], word: impl Fn(T) -> &'static str) -> Option<T> {
        let Self::Text(text) = self else { return None };
        all.iter().copied().find(|&one| word(one) == text)
    }
}
