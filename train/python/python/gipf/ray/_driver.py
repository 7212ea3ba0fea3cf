"""The loop of a run whose games are played by others. It does not depend on Ray."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gipf import GipfError, SelfPlayRun, Training, TrainingError
from gipf.ray._rounds import Rounds

Run = Training | SelfPlayRun | Rounds
Event = Callable[[str], object]


@dataclass(frozen=True)
class Shard:
    """Some games of an iteration, to be played by somebody: `play_shard(checkpoint, spec)`."""

    iteration: int
    """The iteration, from 1."""
    first: int
    """The number of its first game in the run."""
    games: int
    """The number of games."""
    spec: bytes = field(repr=False)
    """The specification."""

    @property
    def id(self) -> tuple[int, int]:
        """The name of the shard within its run."""
        return self.iteration, self.first


@dataclass(frozen=True)
class Played:
    """The result of a worker."""

    shard: Shard
    result: bytes = field(repr=False)
    core_seconds: float = 0.0


@dataclass(frozen=True)
class Failed:
    """A shard that was not played."""

    shard: Shard
    cause: str
    """The cause, in one line."""
    lost: bool = False
    """Whether that is nobody's fault, because the node has gone. Otherwise it counts against the shard."""
    begun: bool = True
    """Whether a worker may have begun to play it; if not, it does not count against the shard."""


class Workers(Protocol):
    """The players of shards. All methods are called from one thread."""

    def room(self) -> int:
        """Returns how many more shards may be handed in now."""

    def submit(self, shard: Shard, checkpoint: bytes) -> None:
        """Hands in a shard, with the checkpoint of its iteration; returns at once."""

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        """Returns what has been done, waiting at most this many seconds for the first result, even if nothing was
        handed in.

        While the driver learns, it is called again and again.
        """

    def about(self) -> str:
        """Returns how many workers there are, for the line of progress."""


class Stalled(GipfError, RuntimeError):
    """A shard was given up after three failures; the message names the last cause. Its specification is in the
    directory `quarantine` of the run, or `_quarantine` of the dataset.
    """


@dataclass
class _Out:
    shard: Shard
    since: float


LOSSES = 3
"""How often the worker of a shard may vanish or not answer before the shard itself is suspected."""


class _Drive:
    def __init__(self, training: Run, workers: Workers, *, patience: float, go_on: bool, event: Event):
        self.training, self.workers = training, workers
        self.patience, self.go_on, self.event = patience, go_on, event
        self.out: dict[tuple[int, int], _Out] = {}
        self.checkpoints: dict[int, bytes] = {}
        self.quarantined: set[tuple[int, int]] = set()
        self.games = 0
        self.losses: Counter[tuple[int, int]] = Counter()
        self.causes: dict[tuple[int, int], str] = {}
        """The last cause of each shard that failed."""

    def hand_out(self) -> None:
        room = self.workers.room()
        for iteration, first, games, spec in self.training.next_shards(room) if room > 0 else ():
            shard = Shard(iteration, first, games, spec)
            if iteration not in self.checkpoints:
                self.checkpoints[iteration] = self.training.checkpoint(iteration)
            self.out[shard.id] = _Out(shard, time.monotonic())
            self.workers.submit(shard, self.checkpoints[iteration])

    def take_in(self, timeout: float) -> None:
        for done in self.workers.collect(timeout):
            shard = done.shard
            self.out.pop(shard.id, None)
            if isinstance(done, Failed):
                self.failed(shard, done.cause)
                if not done.begun:
                    self.training.reask(*shard.id)
                elif done.lost:
                    self.lost(shard)
                elif self.training.fail(*shard.id):
                    self.give_up()
                continue
            try:
                taken = self.training.ingest(*shard.id, done.result, core_seconds=done.core_seconds)
            except TrainingError as error:
                self.failed(shard, f"refused: {error}")
                self.give_up()
                continue
            self.games += shard.games if taken else 0
            if not taken:
                self.event(f"shard {shard.id}: it was there already")

    def failed(self, shard: Shard, cause: str) -> None:
        self.causes[shard.id] = cause
        self.event(f"shard {shard.id}: {cause}")

    def lost(self, shard: Shard) -> None:
        """Lets a shard be played by others; if it was lost too often, that counts as a failure."""
        self.losses[shard.id] += 1
        if self.losses[shard.id] <= LOSSES:
            self.training.reask(*shard.id)
        elif self.training.fail(*shard.id):
            self.give_up()

    def ask_again(self) -> None:
        """Lets shards that have been out for too long be played by others."""
        now = time.monotonic()
        for out in [out for out in self.out.values() if now - out.since > self.patience]:
            del self.out[out.shard.id]
            self.failed(out.shard, f"no answer in {self.patience:.0f} s")
            self.lost(out.shard)

    def give_up(self) -> None:
        """Stores the specifications of shards that were given up."""
        for iteration, first, games, spec in self.training.quarantined():
            if (iteration, first) in self.quarantined:
                continue
            self.quarantined.add((iteration, first))
            # Readers of datasets ignore names that begin with an underscore.
            is_dataset = isinstance(self.training, SelfPlayRun)
            folder = Path(self.training.path) / ("_quarantine" if is_dataset else "quarantine")
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{iteration:06}-{first}.spec"
            path.write_bytes(spec)
            told = f"shard {(iteration, first)} of {games} games failed three times: its specification is {path}"
            self.event(told)
            if not self.go_on:
                # Datasets and ladders are useless without all of their games.
                others = ", or go on without its games" if isinstance(self.training, Training) else ""
                cause = self.causes.get((iteration, first), "unknown")
                raise Stalled(f"{told}; the same call tries again{others}; the last cause: {cause}")

    def pump(self, timeout: float) -> None:
        self.hand_out()
        self.take_in(timeout)
        self.ask_again()

    def finish(self, kept: Callable[[str], object]) -> None:
        """Learns, measures and saves the iteration, while games of later ones are played; reports its metrics."""
        lines: list[str] = []
        stopped: list[BaseException] = []
        raised: list[BaseException] = []

        def work() -> None:
            try:
                if isinstance(self.training, Training):
                    self.training.learn()
                    self.training.measure()
                lines.append(self.training.save())
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=work, name="gipf-learner")
        thread.start()
        try:
            while thread.is_alive():
                self.pump(0.05)
        except BaseException as error:
            stopped.append(error)
            if isinstance(error, KeyboardInterrupt):
                print("\nstopping as soon as this iteration is kept", file=sys.stderr, flush=True)
        thread.join()
        # Saved iterations are reported first, whatever has happened to later games meanwhile.
        for line in lines:
            kept(line)
        if stopped and raised:
            raise stopped[0] from raised[0]
        for first in (*stopped, *raised):
            raise first


def drive(
    training: Run,
    workers: Workers,
    *,
    patience: float = 600.0,
    go_on: bool = False,
    begins: Callable[[], object] = lambda: None,
    event: Event = lambda line: None,
    progress: Callable[[str], object] = lambda line: None,
    kept: Callable[[str], object] = lambda line: None,
) -> None:
    """Trains until the run is complete, or plays until the dataset or the ladder is complete.

    * `training`: begun or resumed.
    * `workers`: the players of shards.
    * `patience`: the seconds after which a shard is handed to another worker too; the first answer counts. If nobody
      answers again and again, that counts as failures of the shard.
    * `go_on`: whether an iteration may go on without the games of a shard that failed three times. The result then
      depends on what failed.
    * `begins`: called before each iteration begins, for example to set the number of games of a shard.
    * `event`: called with a line whenever something goes wrong, with its cause.
    * `progress`: called with a line several times a second.
    * `kept`: called with the metrics of each iteration when it is saved, a line of JSON.

    Raises `Stalled` if a shard was given up, `TrainingError` if the run cannot go on. If Ctrl-C is pressed while the
    network learns, it takes effect once the iteration is saved; a message on stderr says so.
    """
    loop = _Drive(training, workers, patience=patience, go_on=go_on, event=event)
    line = _Line(training, loop)

    def begun() -> bool:
        begins()
        return training.begin()

    while begun():
        iteration = training.iterations + 1
        while not training.is_complete(iteration):
            loop.pump(0.2)
            line.tell(progress)
        loop.finish(kept)
        loop.checkpoints = {key: value for key, value in loop.checkpoints.items() if key > iteration}


class _Line:
    """The line of progress, with the rate since the beginning and, as soon as it is known, the time left."""

    def __init__(self, training: Run, loop: _Drive):
        self.training, self.loop = training, loop
        self.began, self.told, self.done_before = time.monotonic(), 0.0, training.iterations

    def tell(self, progress: Callable[[str], object]) -> None:
        now = time.monotonic()
        if now - self.told < TELL_EVERY:
            return
        self.told, counts, passed = now, self.training.counts(), max(now - self.began, 1e-9)
        done, length = self.training.iterations, self.training.length
        each = passed / (done - self.done_before) if done > self.done_before else None
        left = f", about {clock(each * (length - done))} left" if each and length else ""
        number = f"{done + 1}/{length}" if length else f"{done + 1}"
        progress(
            f"{number}: {self.loop.games} games, {self.loop.games / passed:.1f} games/s, "
            f"{self.loop.workers.about()}, shards: {counts['waiting']} waiting, {counts['out']} out, "
            f"{counts['reasked']} re-asked, {counts['quarantined']} given up{left}"
        )


TELL_EVERY = 0.5
"""Seconds between two lines of progress."""


def clock(seconds: float) -> str:
    """Returns a duration for people to read."""
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min" if minutes else "1 min"
