//! `gipf ladder`: ratings of many players.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::arena::Book;
use gipf_play::arena::ladder::{
    Anchor, Begun, Climb, Contents, Flaw, Invited, Listener, Pool, PoolError, Results, Round, Series, Store,
    StoreError, Table, Tick, anchor_number, climb, shipped,
};
use gipf_play::players::AgentSpec;
use indicatif::ProgressBar;

use super::opening_book::read_book;
use super::threads::with_tasks_of;
use super::values::{number, whole};
use super::{Console, Exit, WrongUse, agent, progress};
use crate::output::{check_named, check_outside_runs};

/// Rates players by one fit over all their games, and lets neighbours play until the distances between them are known.
///
/// Results are kept in a file, so that a new player joins by playing those near it. Games are played in pairs, with
/// colours exchanged, from the openings of a book; two players never meet twice in one. Ctrl-C keeps what was played,
/// and the same command resumes.
///
/// Each line of the file has a checksum. A line that does not match is refused by its number; an incomplete last line is
/// left out with a warning. A file of an older program has no checksums; any use but `--show` adds them.
///
/// A player is identified by its behaviour: the bytes of its network, its settings, and its choices in a few positions.
/// If a new version of the program plays differently, its players count as new, and old results stay with the old ones.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The players: random, greedy, alpha-beta:1 to alpha-beta:8 or with limits, baseline:1 to baseline:8, a checkpoint or a
    /// run as its path or mcts:PATH,sims=64 [default: all players of the file that can play here; for a new file random,
    /// greedy and alpha-beta:1 to alpha-beta:8]
    #[arg(value_name = "PLAYER")]
    players: Vec<AgentSpec>,
    /// A player that joins: in a file that has results, only its games are played, against players near it; may be repeated
    #[arg(long, value_name = "PLAYER", conflicts_with = "show")]
    add: Vec<AgentSpec>,
    /// Print the table without playing
    #[arg(long, conflicts_with = "players")]
    show: bool,
    /// The file of the results [default: ladder/VARIANT.jsonl; if it does not exist, the results that come with the
    /// program for basic, standard and tournament are shown, and copied there before games are added]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// The rule set: basic, standard or tournament, each also with +zertz, or push-off; by default that of the file of
    /// --store, otherwise standard unless the checkpoint is for another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Play until the distance of each player to the next ones above and below is known this exactly, in Elo: half the 95 %
    /// interval, as printed under `over the next`
    #[arg(long, value_name = "ELO", default_value_t = 40.0, value_parser = margin(), conflicts_with = "show")]
    margin: f64,
    /// The maximum number of games between two players, including those in the file: an even number, since they are played
    /// in pairs, and at most two for each opening of the book
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole::<u64>(2..=1_000_000))]
    #[arg(conflicts_with = "show")]
    games: u64,
    /// The player whose rating is fixed, since ratings are only differences
    #[arg(long, value_name = "PLAYER=ELO", default_value = "alpha-beta:1=1000")]
    anchor: Anchor,
    /// The book of openings, as `gipf book` writes it [default: the rule set's own, which comes with the program]
    #[arg(long, value_name = "FILE", conflicts_with = "show")]
    book: Option<PathBuf>,
    /// The seed of all randomness in the games of a new file [default: 0; an existing file keeps its own]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..), conflicts_with = "show")]
    seed: Option<u64>,
    /// Print the table as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf ladder   # all players of the file, until all distances are known
  gipf ladder --add mcts:best.safetensors,sims=64   # plays those near it
  gipf ladder --show
  gipf ladder random greedy alpha-beta:1 --variant basic --margin 80 \\
      --store small.jsonl
  gipf ladder --add mcts:best.safetensors,time=50ms \\
      --add alpha-beta:time=50ms --games 512 --json

Players that think for a time (time=50ms) are comparable on one machine with
one load only.";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    agent::pairs(args.games)?;
    let variant = args.rule_set()?;
    let path = args.store.clone().unwrap_or_else(|| format!("ladder/{variant}.jsonl").into());
    if args.show {
        return show(args, variant, &path, console);
    }
    let book = read_book(args.book.as_deref(), variant, console)?;
    // Before the file, so that errors come at once and leave nothing behind.
    let invited = Invited::new([&args.players, &args.add], &args.anchor, variant).map_err(told)?;
    let mut store = open(args, &path, &book, console)?;
    if args.players.is_empty() {
        console.note("preparing the players");
    }
    let pool = gather(invited, &store, console)?;
    // Before this there is nothing to save.
    let _watch = console.stop.watch();
    // Earlier games are reported all the same.
    if pool.members.len() < 2 && store.series().is_empty() {
        return Err(WrongUse("expected two different players or more".to_owned()).into());
    }
    let bar = progress::bar("ladder".to_owned(), "pairs", 0);
    let program = super::VERSION.as_str();
    let work = Climb {
        members: &pool.members,
        movers: &pool.movers,
        anchor: &args.anchor,
        anchor_place: pool.anchor,
        margin: args.margin,
        games: args.games,
        book: &book,
        program,
    };
    let stop = console.stop.clone();
    let mut lines = Lines { bar: bar.clone(), err: console.err };
    let threads = pool.members.iter().filter_map(|member| member.spec.as_ref()).map(AgentSpec::threads).max();
    let results = with_tasks_of(threads.unwrap_or(1), || Ok(climb(&mut store, &work, &mut lines, &stop)?));
    bar.finish_and_clear();
    let results = results?;
    let anchor = results.find(&pool.members[pool.anchor].id);
    let is_empty = results.games() == 0;
    // A table of no games would look like a result.
    if !(is_empty && console.stop.requested()) {
        print(args, Table::new(store.head(), &results, &args.anchor, anchor), console)?;
    }
    if !console.stop.requested() {
        return Ok(Exit::Success);
    }
    let kept = if is_empty { "before there was a result" } else { "what was played is kept" };
    console.note(format_args!("stopped: {kept}; the same command goes on"));
    Ok(Exit::Interrupted)
}

impl Args {
    /// Returns the rule set that is asked for: that of the file if there is one and no rule set is given.
    fn rule_set(&self) -> Result<Variant> {
        match self.store.as_deref().filter(|path| path.is_file() && self.variant.is_none()) {
            Some(path) => Ok(Store::read(path)?.head.variant),
            None => agent::variant(self.variant, &self.players.iter().chain(&self.add).collect::<Vec<_>>()),
        }
    }
}

fn show(args: &Args, variant: Variant, path: &Path, console: &mut Console<'_>) -> Result<Exit> {
    let found = if path.exists() || args.store.is_some() { Store::read(path)? } else { come_with(variant, path)? };
    if args.variant.is_some_and(|asked| asked != found.head.variant) {
        return Err(StoreError::other_rule_set(path, found.head.variant).into());
    }
    tell(&found.flaws, path, console);
    let results = Results::of(&found.series);
    let anchor = anchor_number(&args.anchor, &results, found.head.variant);
    print(args, Table::new(&found.head, &results, &args.anchor, anchor), console)?;
    Ok(Exit::Success)
}

/// Opens the file of the results; the default file begins with those that come with the program.
fn open(args: &Args, path: &Path, book: &Book, console: &mut Console<'_>) -> Result<Store> {
    check_named(path)?;
    check_outside_runs(path)?;
    let own = shipped(book.variant()).filter(|_| args.store.is_none()).map(|text| (Path::new(OWN), text));
    let (store, begun) = Store::open_or_begin(path, (book, args.seed), own)?;
    match begun {
        Begun::Alone => {}
        Begun::With => {
            let games = Results::of(store.series()).games();
            console.note(format_args!("{}: begun with the {games} games of {OWN}", path.display()));
        }
        Begun::Without => {
            let why = "which has another seed or another book";
            console.warn(&format!("{}: begun without the games of {OWN}, {why}", path.display()));
        }
    }
    tell(store.flaws(), path, console);
    Ok(store)
}

/// The name of the results that come with the program.
const OWN: &str = "the ladder that comes with the program";

/// Returns the results that come with the program, which are shown if the user has no file.
fn come_with(variant: Variant, path: &Path) -> Result<Contents> {
    let missing = || {
        let told = "there is no such file, and no ladder of this rule set comes with the program";
        WrongUse(format!("{}: {told}: expected games played by `gipf ladder --variant {variant}`", path.display()))
    };
    Ok(Store::parse(Path::new(OWN), shipped(variant).ok_or_else(missing)?)?)
}

/// Warns if results may be missing.
fn tell(flaws: &[Flaw], path: &Path, console: &mut Console<'_>) {
    for flaw in flaws {
        console.warn(&format!("{}: {flaw}", path.display()));
    }
}

/// Prints the table, which exists if the ladder has games of the anchor.
fn print(args: &Args, table: Option<Table>, console: &mut Console<'_>) -> Result<()> {
    let table = table
        .ok_or_else(|| WrongUse(format!("--anchor {}: expected a player that the ladder has games of", args.anchor)))?;
    if args.json {
        console.tell_json(&table)?;
    } else {
        console.tell(table);
    }
    Ok(())
}

/// Finds the players.
fn gather(invited: Invited, store: &Store, console: &mut Console<'_>) -> Result<Pool> {
    let mut notes = Vec::new();
    let pool = Pool::gather(invited, store, &mut |line| notes.push(line));
    for line in notes {
        console.note(line);
    }
    pool.map_err(told)
}

/// Distinguishes wrong use from failure.
fn told(error: PoolError) -> anyhow::Error {
    match error {
        PoolError::Anchor(_) => WrongUse(format!("--{error}")).into(),
        PoolError::Agent(error) => error.into(),
        PoolError::Name(_) => WrongUse(error.to_string()).into(),
    }
}

/// Reports each round in a line, with a progress bar in between.
struct Lines<'a> {
    bar: ProgressBar,
    err: &'a mut (dyn std::io::Write + Send),
}

impl Listener for Lines<'_> {
    fn begin(&mut self, round: &Round, results: &Results) -> Tick {
        let [a, b] = round.players.map(|player| &results.players()[player].name);
        self.bar.set_length(round.pairs as u64);
        self.bar.set_position(0);
        self.bar.set_prefix(format!("{} against {}", short(a), short(b)));
        let bar = self.bar.clone();
        Box::new(move || bar.inc(1))
    }

    fn kept(&mut self, series: &Series, results: &Results) {
        let [a, b] = &series.players;
        let (games, score) = (2 * series.pairs.pairs(), 100.0 * series.pairs.score());
        // A closed stream ends the reports, not the games.
        let _ = self.bar.suspend(|| {
            writeln!(self.err, "{a} against {b}: {games} games, {score:.1} %; {} games in all", results.games())
        });
    }
}

/// Returns the end of a long name: the part that distinguishes files.
fn short(name: &str) -> String {
    let skipped = name.chars().count().saturating_sub(40);
    if skipped == 0 { name.to_owned() } else { format!("…{}", name.chars().skip(skipped).collect::<String>()) }
}

/// Returns a parser of half the width of an interval, in Elo.
pub(super) fn margin() -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    number(1.0..=1e4)
}
