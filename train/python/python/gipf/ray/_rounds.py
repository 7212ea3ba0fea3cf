"""The rounds of a ladder whose games are played by others."""

from dataclasses import dataclass

from gipf import Ladder, TrainingError

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
    """A ladder in the form that `drive` takes: a round is an iteration, and some of its pairs are a shard."""

    length = None
    """The number of rounds is not known in advance."""

    def __init__(self, ladder: Ladder):
        self.ladder = ladder
        self.path = ladder.path.with_name(ladder.path.name + ".ray")
        self.iterations = self.shard_pairs = 0
        self.parts: dict[int, _Part] = {}
        self.reasked = self.repeated = 0

    def set_shard_pairs(self, pairs: int) -> None:
        """Sets the largest number of pairs in a shard."""
        self.shard_pairs = pairs

    def begin(self) -> bool:
        """Releases the round that is due; returns False when there is none."""
        due = self.ladder.next_round()
        if due and not self.parts:
            firsts = range(0, due[2], self.shard_pairs)
            sizes = [min(self.shard_pairs, due[2] - first) for first in firsts]
            self.parts = {
                first: _Part(size, self.ladder.spec(first, size)) for first, size in zip(firsts, sizes, strict=True)
            }
        return due is not None

    def next_shards(self, most: int) -> list[tuple[int, int, int, bytes]]:
        """Hands out at most this many shards."""
        waiting = [(first, part) for first, part in self.parts.items() if part.state == "waiting"][:most]
        for _, part in waiting:
            part.state = "out"
        return [(self.iterations + 1, first, 2 * part.pairs, part.spec) for first, part in waiting]

    def checkpoint(self, iteration: int) -> bytes:
        """Returns the players of the round."""
        return self.ladder.players()

    def ingest(self, iteration: int, first: int, result: bytes, *, core_seconds: float = 0.0) -> bool:
        """Takes in a result after checking it; returns whether it counts."""
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
        """Returns whether no pair of the round is still to be played."""
        return all(part.state in ("done", "quarantined") for part in self.parts.values())

    def counts(self) -> dict[str, int]:
        """Returns how many shards are in each state, and how many were handed out again or came twice."""
        states = [part.state for part in self.parts.values()]
        found = {state: states.count(state) for state in ("waiting", "out", "done", "quarantined")}
        return {**found, "reasked": self.reasked, "repeated": self.repeated}

    def save(self) -> str:
        """Keeps the round, and returns a line about it."""
        line = self.ladder.keep([(first, part.result) for first, part in sorted(self.parts.items())])
        self.iterations += 1
        self.parts = {}
        return line
