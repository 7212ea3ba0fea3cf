//! Ladders whose games are played by others.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gipf_env::Variant;
use gipf_play::Stop;
use gipf_play::arena::ladder::{
    Anchor, Begun, Climb, ClimbProgress, DuePair, Envoys, Flaw, Invited, Meeting, PairsSpec, Pool, Series, Store,
    Table, ordered, shipped,
};
use gipf_play::arena::{Book, Pair};
use gipf_play::players::AgentSpec;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::argument::{Items, Real, Text, Whole, seed};
use crate::error::{GipfError, MatchError, OrRaise, TrainingError, detached, variant};
use crate::held::Held;
use crate::waiting::interruptible;
use crate::workers::{divided, on_threads, thread_count};

/// The most games between two players.
const MOST_GAMES: u64 = 1_000_000;
/// The name of the results that are shipped with the package.
const OWN: &str = "the ladder that comes with the package";

/// A ladder whose games are played by others: `gipf ladder` in parts.
///
/// While `next_round` returns a round, hand out specifications of its pairs, let `play_pairs` play them anywhere, `check`
/// the results, and `keep` all of them. Which round is due depends on the results alone, so the file is the same as that of
/// `gipf ladder` with the same arguments, except for the seconds that players thought and the version of the program.
///
/// * `players`: who may play, as for `gipf ladder`; without any, all players of the file that can play here, and for
///   a new file random, greedy and the levels of alpha-beta.
/// * `add`: players that join: in a file with results, only their games are played.
/// * `store`: the file; by default ladder/VARIANT.jsonl, which begins with the results that are shipped with the package.
/// * `variant`: the rule set; by default that of the players' networks.
/// * `margin`: play until the distance of a player to its neighbours is known to within this, 1 to 10 000 Elo.
/// * `games`: the most games between two players, 2 to 1 000 000.
/// * `anchor`: the player whose rating is given, and the rating.
/// * `book`: a file of openings; by default those that are shipped with the package.
/// * `seed`: of all randomness in the games of a new file, by default 0; an existing file has its own.
///
/// Raises `AgentError` if a player cannot be built, or thinks for a time or on several threads, since its games would depend
/// on the machine. Raises `MatchError` if the file or the book cannot be used, `GipfError` if a number is out of range.
#[pyclass(module = "gipf", frozen)]
pub struct Ladder {
    path: PathBuf,
    notes: Vec<String>,
    anchor: Anchor,
    pool: Pool,
    book: Book,
    state: Held<State>,
}

struct State {
    store: Store,
    progress: ClimbProgress,
    open: Option<Open>,
}

/// A round that is being played.
struct Open {
    /// The places of the players among the members, in the order of the round.
    players: [usize; 2],
    due: Vec<DuePair>,
}

#[pymethods]
impl Ladder {
    #[new]
    #[pyo3(signature = (players = Items::default(), *, add = Items::default(), store = None, variant = None,
        margin = Real(40.0), games = Whole::of(400), anchor = Text::from("alpha-beta:1=1000"), book = None,
        seed = None))]
    #[pyo3(text_signature = "(players=(), *, add=(), store=None, variant=None, margin=40.0, games=400, \
        anchor='alpha-beta:1=1000', book=None, seed=None)")]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        players: Items<Text>,
        add: Items<Text>,
        store: Option<PathBuf>,
        variant: Option<Text>,
        margin: Real,
        games: Whole,
        anchor: Text,
        book: Option<PathBuf>,
        seed: Option<Whole>,
    ) -> PyResult<Self> {
        let margin = margin.checked("margin", 1.0..=1e4)?;
        let games = games.checked("games", 2..=MOST_GAMES)?;
        let seed = seed.map(self::seed).transpose()?;
        divided(py, || {
            let (players, add) = (specs(&players)?, specs(&add)?);
            let anchor: Anchor = anchor.parse().or_raise()?;
            let asked = variant.map(|name| self::variant(&name)).transpose()?;
            let variant = rules(asked, players.iter().chain(&add))?;
            let book = opened(book.as_deref(), variant)?;
            let path = store.clone().unwrap_or_else(|| format!("ladder/{variant}.jsonl").into());
            // Before the file, so that a player that cannot be built leaves nothing behind.
            let invited = Invited::new([&players, &add], &anchor, variant).or_raise()?;
            let own = shipped(variant).filter(|_| store.is_none()).map(|text| (Path::new(OWN), text));
            let (store, begun) = Store::open_or_begin(&path, (&book, seed), own).or_raise()?;
            let mut notes: Vec<_> = store.flaws().iter().map(Flaw::to_string).collect();
            if begun == Begun::Without {
                notes.push(format!("begun without the games of {OWN}, which has another seed or another book"));
            }
            let pool = Pool::gather(invited, &store, &mut |line| notes.push(line)).or_raise()?;
            // All are checked now, so that none of them fails in the middle.
            pool.members.iter().try_for_each(|member| Envoys::sendable(member).map(drop)).or_raise()?;
            let climb = Climb {
                members: &pool.members,
                movers: &pool.movers,
                anchor: &anchor,
                anchor_place: pool.anchor,
                margin,
                games,
                book: &book,
                program: env!("CARGO_PKG_VERSION"),
            };
            let progress = climb.begin(&store);
            let state = Held::new(State { store, progress, open: None }, ["ladder", "open it again"]);
            Ok(Self { path, notes, anchor, pool, book, state })
        })
    }

    /// The file with the results.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Notes about the file: its flaws, and its players that cannot play here.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Begins the round that is due, unless one has begun. Returns the names of its two players and its number of
    /// pairs of games, or None when everything asked for is known.
    fn next_round(&self, py: Python<'_>) -> PyResult<Option<(String, String, usize)>> {
        detached(py, || {
            let state = &mut *self.state.get()?;
            if state.open.is_none() {
                let Some(round) = state.progress.next() else { return Ok(None) };
                let members = ordered(state.progress.places(&round).map(|place| &self.pool.members[place]));
                let due = self.meeting(&state.store).due(members, &state.progress.results, round.pairs);
                let place = |member| self.pool.members.iter().position(|other| std::ptr::eq(other, member));
                let players = members.map(|member| place(member).expect("they are members"));
                state.open = Some(Open { players, due });
            }
            Ok(state.open.as_ref().map(|open| {
                let [a, b] = open.players.map(|place| self.pool.members[place].id.name.clone());
                (a, b, open.due.len())
            }))
        })
    }

    /// Returns the two players of the round, with their networks, as bytes.
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || {
            let state = self.state.get()?;
            let open = state.open()?;
            Envoys::pack(open.players.map(|place| &self.pool.members[place]), state.store.head().variant).or_raise()
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the specification of some pairs of the round: this many, starting from pair `first`, counted from 0.
    ///
    /// Raises `GipfError` if the round has no such pairs.
    fn spec<'py>(&self, py: Python<'py>, first: Whole, pairs: Whole) -> PyResult<Bound<'py, PyBytes>> {
        let spec = self.state.get()?.open()?.asked(first, pairs)?;
        Ok(PyBytes::new(py, &spec.to_bytes()))
    }

    /// Checks the result of some pairs of the round: its checksum, that it belongs to them, and every game by the rules.
    ///
    /// Raises `TrainingError` if the result is wrong.
    fn check(&self, py: Python<'_>, first: Whole, pairs: Whole, result: &[u8]) -> PyResult<()> {
        let spec = self.state.get()?.open()?.asked(first, pairs)?;
        detached(py, || spec.played(result).or_raise().map(drop))
    }

    /// Keeps the round, given the results of all its pairs in their order, and returns a line about it.
    ///
    /// * `results`: tuples of the number of the first pair and the bytes.
    ///
    /// Raises `TrainingError` if pairs are missing or wrong, `MatchError` if the file cannot be written.
    fn keep(&self, py: Python<'_>, results: Items<(Whole, PyBackedBytes)>) -> PyResult<String> {
        let named = |(first, bytes): (Whole, _)| Ok((first.checked("first", 0..=usize::MAX)?, bytes));
        let results = results.0.into_iter().map(named).collect::<PyResult<Vec<_>>>()?;
        detached(py, || {
            let mut state = self.state.get()?;
            let played = state.open()?.played(&results)?;
            let members = state.open()?.players.map(|place| &self.pool.members[place]);
            let series = self.meeting(&state.store).series(members, &played);
            let series = series.ok_or_else(|| TrainingError::new_err("a round without pairs"))?;
            let State { store, progress, open } = &mut *state;
            let kept = told(progress.keep(series, store).or_raise()?);
            *open = None;
            Ok(format!("{kept}; {} games in all", progress.results.games()))
        })
    }

    /// Returns the table as JSON, as `gipf ladder --json` does; it has no players while there are no games.
    fn table(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let State { store, progress, .. } = &*self.state.get()?;
            let results = &progress.results;
            let anchor = results.find(&self.pool.members[self.pool.anchor].id);
            let table = Table::new(store.head(), results, &self.anchor, anchor);
            let table = table.ok_or_else(|| {
                MatchError::new_err(format!("anchor {}: expected a player that the ladder has games of", self.anchor))
            })?;
            serde_json::to_string(&table).map_err(|error| GipfError::new_err(error.to_string()))
        })
    }

    /// Ends the work on the file, as soon as no other call is at work: it is then free for other programs, and for other
    /// objects of this one. A round that was not kept is played again by the object that continues the ladder.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.state.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Ladder {}>", self.path.display())
    }
}

impl Ladder {
    fn meeting<'a>(&'a self, store: &'a Store) -> Meeting<'a> {
        static NEVER: std::sync::LazyLock<Stop> = std::sync::LazyLock::new(Stop::default);
        Meeting { head: store.head(), book: &self.book, program: env!("CARGO_PKG_VERSION"), tick: &|| (), stop: &NEVER }
    }
}

impl State {
    fn open(&self) -> PyResult<&Open> {
        self.open.as_ref().ok_or_else(|| GipfError::new_err("no round has begun: expected next_round first"))
    }
}

impl Open {
    /// Returns the specification of the pairs that a caller names.
    fn asked(&self, first: Whole, pairs: Whole) -> PyResult<PairsSpec> {
        self.spec(first.checked("first", 0..=usize::MAX)?, pairs.checked("pairs", 0..=usize::MAX)?)
    }

    fn spec(&self, first: usize, pairs: usize) -> PyResult<PairsSpec> {
        let due = first.checked_add(pairs).and_then(|end| self.due.get(first..end)).filter(|due| !due.is_empty());
        let told = || GipfError::new_err(format!("pairs {pairs} from {first}: the round has {}", self.due.len()));
        Ok(PairsSpec { due: due.ok_or_else(told)?.into() })
    }

    fn played(&self, results: &[(usize, PyBackedBytes)]) -> PyResult<Vec<Pair>> {
        let mut all = Vec::new();
        for (place, (first, bytes)) in results.iter().enumerate() {
            let end = results.get(place + 1).map_or(self.due.len(), |(next, _)| *next);
            if *first != all.len() {
                return Err(TrainingError::new_err(format!("the round lacks its pairs from {} on", all.len())));
            }
            all.extend(self.spec(*first, end.saturating_sub(*first))?.played(bytes).or_raise()?);
        }
        Ok(all)
    }
}

/// Plays pairs of games of a ladder: a function of bytes, on any machine.
///
/// * `players`: two players, as `Ladder.players` returns them.
/// * `spec`: a specification, as `Ladder.spec` returns it.
/// * `threads`: the number of threads that play; by default one for each core.
///
/// Returns the games, which `Ladder.keep` takes: the same ones wherever they are played, apart from the times.
///
/// Raises `TrainingError` if the bytes are damaged, `AgentError` if a player plays differently here than where it was
/// asked for.
#[pyfunction]
#[pyo3(signature = (players, spec, *, threads = None))]
pub fn play_pairs<'py>(
    py: Python<'py>,
    players: &[u8],
    spec: &[u8],
    threads: Option<Whole>,
) -> PyResult<Bound<'py, PyBytes>> {
    let threads = thread_count(threads)?;
    let stop = Stop::default();
    let bytes = interruptible(py, &stop, || on_threads(threads, || envoys(players)?.play(spec, &stop).or_raise())?)?;
    Ok(PyBytes::new(py, &bytes))
}

type Known = ([u8; blake3::OUT_LEN], Arc<Envoys>);

/// Returns two players. The last two are kept, since they play several specifications, and building a network takes time.
fn envoys(bytes: &[u8]) -> PyResult<Arc<Envoys>> {
    static LAST: Mutex<Option<Known>> = Mutex::new(None);
    let hash = *blake3::hash(bytes).as_bytes();
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, envoys)) = last.filter(|(known, _)| *known == hash) {
        return Ok(envoys);
    }
    let envoys = Arc::new(Envoys::unpack(bytes).or_raise()?);
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((hash, Arc::clone(&envoys)));
    Ok(envoys)
}

fn specs(Items(names): &Items<Text>) -> PyResult<Vec<AgentSpec>> {
    names.iter().map(|name| name.parse().or_raise()).collect()
}

/// Returns the rule set asked for, or else that of the first player that has one.
fn rules<'a>(asked: Option<Variant>, mut players: impl Iterator<Item = &'a AgentSpec>) -> PyResult<Variant> {
    let found = players.find_map(|player| player.variant().transpose()).transpose().or_raise()?;
    Ok(asked.or(found).unwrap_or(Variant::STANDARD))
}

fn opened(book: Option<&Path>, variant: Variant) -> PyResult<Book> {
    book.map_or_else(|| Ok(Book::of(variant)), |path| Book::read(path, variant)).or_raise()
}

/// Returns a line about a round.
fn told(series: &Series) -> String {
    let [a, b] = &series.players;
    format!("{a} against {b}: {} games, {:.1} %", 2 * series.pairs.pairs(), 100.0 * series.pairs.score())
}
