"""Ladders on Ray."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from gipf import Ladder, TrainingError
from gipf.ray._driver import drive
from gipf.ray._ray import Log, RayWorkers, check_counts, connected, nothing, places

TRIES = 3
"""How often a shard may fail."""


@dataclass
class _Part:
    """Some pairs of a round."""

    pairs: int
    spec: bytes
    state: str = "waiting"
    failed: int = 0
    result: bytes = b""


class Rounds:
    """A ladder as `drive` takes it: a round is an iteration, and some of its pairs are a shard."""

    length = None
    """Nobody knows how many rounds there will be."""

    def __init__(self, ladder: Ladder):
        self.ladder = ladder
        self.path = ladder.path.with_name(ladder.path.name + ".ray")
        self.iterations = self.shard_pairs = 0
        self.parts: dict[int, _Part] = {}
        self.reasked = self.repeated = 0

    def set_shard_pairs(self, pairs: int) -> None:
        """Sets the most pairs of a shard."""
        self.shard_pairs = pairs

    def begin(self) -> bool:
        """Lets the round be played that is due; returns False when there is none."""
        due = self.ladder.next_round()
        if due and not self.parts:
            firsts = range(0, due[2], self.shard_pairs)
            sizes = [min(self.shard_pairs, due[2] - first) for first in firsts]
            self.parts = {
                first: _Part(size, self.ladder.spec(first, size)) for first, size in zip(firsts, sizes, strict=True)
            }
        return due is not None

    def next_shards(self, most: int) -> list[tuple[int, int, int, bytes]]:
        """Hands out at most so many shards."""
        waiting = [(first, part) for first, part in self.parts.items() if part.state == "waiting"][:most]
        for _, part in waiting:
            part.state = "out"
        return [(self.iterations + 1, first, 2 * part.pairs, part.spec) for first, part in waiting]

    def checkpoint(self, iteration: int) -> bytes:
        """Returns the players of the round."""
        return self.ladder.players()

    def ingest(self, iteration: int, first: int, result: bytes, *, core_seconds: float = 0.0) -> bool:
        """Takes a result after checking it; returns whether it counts."""
        part = self.parts.get(first) if iteration == self.iterations + 1 else None
        if part is None or part.state == "done":
            self.repeated += 1
            return False
        try:
            self.ladder.check(first, part.pairs, result)
        except TrainingError:
            self.fail(iteration, first)
            raise
        part.state, part.result = "done", result
        return True

    def reask(self, iteration: int, first: int) -> None:
        """Lets a shard be handed out again."""
        part = self.parts.get(first) if iteration == self.iterations + 1 else None
        if part and part.state == "out":
            part.state = "waiting"
            self.reasked += 1

    def fail(self, iteration: int, first: int) -> bool:
        """Counts a failure; returns whether the shard is given up."""
        part = self.parts.get(first) if iteration == self.iterations + 1 else None
        if part is None or part.state not in ("out", "waiting"):
            return False
        part.failed += 1
        part.state = "waiting" if part.failed < TRIES else "quarantined"
        self.reasked += part.state == "waiting"
        return part.state == "quarantined"

    def quarantined(self) -> list[tuple[int, int, int, bytes]]:
        """Returns the shards that were given up."""
        given_up = [(first, part) for first, part in self.parts.items() if part.state == "quarantined"]
        return [(self.iterations + 1, first, 2 * part.pairs, part.spec) for first, part in given_up]

    def is_complete(self, iteration: int) -> bool:
        """Returns whether all pairs of the round are there."""
        return all(part.state in ("done", "quarantined") for part in self.parts.values())

    def counts(self) -> dict[str, int]:
        """Returns how many shards are in each state, and how many were re-asked and came again."""
        states = [part.state for part in self.parts.values()]
        found = {state: states.count(state) for state in ("waiting", "out", "done", "quarantined")}
        return {**found, "reasked": self.reasked, "repeated": self.repeated}

    def save(self) -> str:
        """Keeps the round, and returns a line about it."""
        line = self.ladder.keep([(first, part.result) for first, part in sorted(self.parts.items())])
        self.iterations += 1
        self.parts = {}
        return line


def ladder(
    players: Sequence[str] = (),
    *,
    store: str | PathLike[str] | None = None,
    address: str | None = None,
    threads: int = 1,
    workers: int | None = None,
    shard_pairs: int | None = None,
    patience: float = 600.0,
    progress: Callable[[str], object] = nothing,
    kept: Callable[[str], object] = nothing,
    ray_init: dict[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Plays the games of a ladder on a Ray cluster, and returns its table, as `gipf ladder --json` prints it.

    Each round of at most 16 pairs follows from the results of all before, so that the file is that of `gipf ladder`
    with the same arguments, but for the seconds that players thought and the version of the program. More workers than
    there are pairs in a round have nothing to do. The same call goes on with a ladder that was stopped, after the last
    round that was kept.

    * `players`, `store` and `settings`: as for `gipf.Ladder`. Players that think for a time or on several threads are
      refused, since their games depend on the machine.
    * `address`, `threads`, `workers`, `patience`, `progress`, `ray_init`: as for `train`.
    * `shard_pairs`: pairs that are handed out together; without a number, two shards of a round for each worker.
    * `kept`: called with a line about each round as it is kept.

    Networks travel with the players' settings. A worker that chooses otherwise with them in a few positions is refused.
    What happened to workers and shards is appended to a file beside the ladder, STORE.ray.log.
    """
    check_counts(threads=threads, workers=workers, shard_pairs=shard_pairs)
    rounds = Rounds(Ladder(players, store=store, **settings))
    event = Log(rounds.path.with_name(rounds.path.name + ".log"))
    for note in rounds.ladder.notes:
        event(note)
    ray = connected(address, ray_init or {})
    crew = RayWorkers(threads=threads, most=workers, event=event, plays="play_pairs")
    fitting = max(-(-MOST_PAIRS // (2 * max(places(ray, threads, 0, workers), 1))), 1)
    rounds.set_shard_pairs(fitting if shard_pairs is None else shard_pairs)
    try:
        drive(rounds, crew, patience=patience, event=event, progress=progress, kept=kept)
    finally:
        crew.close()
    return json.loads(rounds.ladder.table())


MOST_PAIRS = 16
"""Of a round."""
