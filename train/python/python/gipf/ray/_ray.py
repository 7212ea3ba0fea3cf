"""Workers on Ray."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gipf
from gipf import AgentError, GipfError, play_shard, play_shard_with
from gipf._shared import whole
from gipf.ray._driver import Event, Failed, Played, Shard, Stalled

IN_FLIGHT = 2
"""Shards at each worker: one that is played, and one that waits, so that no core waits for the driver."""
MOST = 2**32 - 1
"""The most of anything that a call counts."""
LOOK_EVERY = 2.0
"""Seconds between two looks at the size of the cluster."""


class Player:
    """The actor: it plays shards, and keeps nothing."""

    def __init__(self, threads: int, plays: str):
        # Ray limits OMP; nothing else that a shard uses would hold to it.
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        self.threads, self.shard = threads, getattr(gipf, plays)

    def ready(self) -> tuple[None, float]:
        """Answers as soon as there is room for it; nothing is expected of it."""
        return None, 0.0

    def play(self, checkpoint: bytes, spec: bytes) -> tuple[bytes, float]:
        began = time.process_time()
        result = self.shard(checkpoint, spec, threads=self.threads)
        return result, time.process_time() - began


class Judging:
    """The actor for an evaluator: it makes one, and plays shards with it."""

    def __init__(self, threads: int, make: Callable[[], Any], parallel: int):
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        self.make, self.parallel = make, parallel
        self.evaluate: Any = None

    def ready(self) -> tuple[None, float]:
        """Makes the evaluator. Not in the constructor: whatever is raised there, Ray tells as a death."""
        self.evaluate = self.make()
        return None, 0.0

    def play(self, checkpoint: bytes, spec: bytes) -> tuple[bytes, float]:
        began = time.process_time()
        result = play_shard_with(self.evaluate, spec, parallel=self.parallel)
        return result, time.process_time() - began


class RayWorkers:
    """One actor for each `threads` cores of a cluster, as many as there is room for, as nodes come and go.

    * `threads`: of each actor.
    * `most`: the most actors; without a number, as many as there are cores for.
    * `probe`: a checkpoint and a specification that every new actor plays first; whoever answers other bytes than this
      process is refused, since its arithmetic differs.
    * `event`: called with a line for every actor that joins, is refused or is lost, with the cause.
    * `evaluator`: a function without arguments that makes an evaluator, for shards of an evaluator: each actor calls it
      once. Ray sends the function, so it must not hold what cannot be sent, such as a network on a GPU: it makes that.
      An actor whose evaluator has raised is replaced by a new one.
    * `num_gpus`: the GPUs of each actor, for Ray: 1, or less than 1 where several share one.
    * `parallel`: the games that an actor plays at once with an evaluator.
    * `plays`: the function of `gipf` that plays a shard: "play_shard", or "play_pairs" for ladders.

    `ray.init` must have been called. If nobody is left to play since all actors were refused, it raises `Stalled`.
    """

    def __init__(
        self,
        *,
        threads: int = 1,
        most: int | None = None,
        probe: tuple[bytes, bytes] | None = None,
        event: Event = lambda line: None,
        evaluator: Callable[[], Any] | None = None,
        num_gpus: float = 0,
        parallel: int = 256,
        plays: str = "play_shard",
    ):
        import ray

        self.ray, self.threads, self.most, self.event = ray, threads, most, event
        self.is_judging, self.num_gpus = evaluator is not None, num_gpus
        kind = Judging if evaluator else Player
        actor = ray.remote(num_cpus=threads, num_gpus=num_gpus, max_restarts=0, max_task_retries=0)(kind)
        # The function may be large: it is sent once.
        arguments = (threads, ray.put(evaluator), parallel) if evaluator else (threads, plays)
        self.actor = lambda: actor.remote(*arguments)
        self.probe = probe
        self.expected = play_shard(*probe) if probe else None
        self.idle: dict[Any, int] = {}
        """The shards at each actor that has joined."""
        self.joining: dict[Any, Any] = {}
        """The answers to the probe that are awaited, with their actors."""
        self.refused, self.unjoined, self.cause = 0, 0, ""
        """The actors that were refused, and those that died before they joined, since the nodes are these."""
        self.nodes: frozenset[str] = frozenset()
        self.out: dict[Any, tuple[Any, Shard]] = {}
        self.weights: dict[bytes, Any] = {}
        self.looked = float("-inf")
        self.is_cramped = False

    def wanted(self) -> int:
        """Returns how many actors there may be: as many as there are cores and GPUs for."""
        return places(self.ray, self.threads, self.num_gpus, self.most)

    def look(self) -> None:
        """Starts actors where there is room for more."""
        if time.monotonic() - self.looked < LOOK_EVERY:
            return
        self.looked = time.monotonic()
        nodes = frozenset(node["NodeID"] for node in self.ray.nodes() if node["Alive"])
        if nodes != self.nodes:
            # Where some could not play, others may.
            self.nodes, self.refused, self.unjoined = nodes, 0, 0
        self.stall()
        wanted = self.wanted()
        if wanted < 1 and not self.is_cramped:
            # More nodes may come; but whoever waits for them should know.
            line = f"no node has room for a worker of {self.threads} cores and {self.num_gpus:g} GPUs: waiting for one"
            self.event(line)
            print(line, file=sys.stderr)
        self.is_cramped = wanted < 1
        for _ in range(wanted - len(self.idle) - len(self.joining) - self.refused):
            # Only an actor that has answered gets shards: for one that Ray finds no room for they would wait forever.
            actor: Any = self.actor()
            answer = actor.play.remote(*self.probe) if self.probe else actor.ready.remote()
            self.joining[answer] = actor

    def joined(self, actor: Any) -> None:
        self.idle[actor], self.unjoined = 0, 0
        self.event(f"worker {actor._actor_id.hex()[:8]} joins: {len(self.idle)} work")

    def room(self) -> int:
        """Returns how many more shards may be handed in now."""
        self.look()
        return sum(max(IN_FLIGHT - shards, 0) for shards in self.idle.values())

    def submit(self, shard: Shard, checkpoint: bytes) -> None:
        """Hands in a shard; the checkpoint goes into the object store once."""
        if checkpoint not in self.weights:
            # The older ones are held by the shards that still need them.
            self.weights = {checkpoint: self.ray.put(checkpoint), **dict(list(self.weights.items())[:3])}
        actor = min(self.idle, key=self.idle.__getitem__)
        self.idle[actor] += 1
        self.out[actor.play.remote(self.weights[checkpoint], shard.spec)] = (actor, shard)

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        """Returns what has been done, waiting at most so many seconds for the first."""
        refs = [*self.out, *self.joining]
        if not refs:
            time.sleep(timeout)
            return
        ready, _ = self.ray.wait(refs, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = self.ray.wait(refs, num_returns=len(refs), timeout=0)
        for ref in ready:
            if ref in self.joining:
                self.answered(ref)
            elif ref in self.out:
                yield from self.done(ref)

    def answered(self, ref: Any) -> None:
        actor = self.joining.pop(ref)
        name = actor._actor_id.hex()[:8]
        try:
            result, _ = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            self.refuse(actor, one_line(error.cause if error.cause else error))
        except self.ray.exceptions.RayError as error:
            # As where the package is missing: Ray tells that as a death.
            self.unjoined += not is_node(error)
            self.cause = one_line(error)
            self.event(f"worker {name} did not join: {self.cause}")
        else:
            if result == self.expected:
                self.joined(actor)
            else:
                self.refuse(actor, "its arithmetic differs from that of the driver (other processor or build)")

    def refuse(self, actor: Any, cause: str) -> None:
        self.refused += 1
        self.cause = cause
        self.ray.kill(actor)
        self.event(f"worker {actor._actor_id.hex()[:8]} refused: {cause}")

    def stall(self) -> None:
        """Raises if nobody is left to play."""
        failed = self.refused + self.unjoined
        if failed and not self.idle and not self.joining and failed >= self.wanted():
            raise Stalled(f"nobody can play: {failed} workers were refused or died, the last one since {self.cause}")

    def done(self, ref: Any) -> Iterable[Played | Failed]:
        """Returns what became of a shard; if its actor is lost, of all that were there."""
        actor, shard = self.out.pop(ref)
        if actor in self.idle:
            self.idle[actor] -= 1
        try:
            result, seconds = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            cause = error.cause if error.cause else error
            if isinstance(cause, AgentError) and not self.is_judging and self.idle.pop(actor, None) is not None:
                # A player of a ladder is another one there: that is no fault of the shard.
                self.refuse(actor, one_line(cause))
                yield Failed(shard, one_line(cause), lost=True)
                yield from self.retired(actor, one_line(cause))
                return
            yield Failed(shard, one_line(cause))
            if self.is_judging and self.idle.pop(actor, None) is not None:
                # What it raised may have broken it for good, as a fault of a GPU does.
                yield from self.retired(actor, "its worker is replaced, since an evaluator has raised")
        except self.ray.exceptions.RayError as error:
            if self.idle.pop(actor, None) is not None:
                self.event(f"worker {actor._actor_id.hex()[:8]} lost: {one_line(error)}")
            # A node that is gone takes its shards along; a process that died alone may have died of the shard.
            yield Failed(shard, one_line(error), lost=is_node(error))
            yield from self.retired(actor, one_line(error))
        else:
            yield Played(shard, result, seconds)

    def retired(self, actor: Any, cause: str) -> Iterable[Failed]:
        """Ends an actor, and returns the shards that it has."""
        # If it is only out of reach, it must not keep its cores.
        self.ray.kill(actor)
        for other in [ref for ref, (owner, _) in self.out.items() if owner is actor]:
            yield Failed(self.out.pop(other)[1], cause, lost=True)

    def about(self) -> str:
        """Returns how many work."""
        return f"{len(self.idle)} workers"

    def close(self) -> None:
        """Ends all actors."""
        for actor in [*self.idle, *self.joining.values()]:
            self.ray.kill(actor)


def check_counts(**counts: int | None) -> None:
    """Refuses numbers that are none of anything; what is None has a number of its own later."""
    for name, number in counts.items():
        if number is not None:
            whole(name, number, 1, MOST)


def places(ray: Any, threads: int, num_gpus: float, most: int | None) -> int:
    """Returns for how many workers a cluster has room."""
    if threads < 1 or (most is not None and most < 1):
        raise GipfError(f"{threads} threads, {most} workers: expected at least one of each")
    # A worker is on one node: what is left over on two of them has no room for one.
    found = sum(places_on(node["Resources"], threads, num_gpus) for node in ray.nodes() if node["Alive"])
    return found if most is None else min(found, most)


def places_on(there: dict[str, float], threads: int, num_gpus: float) -> int:
    """Returns for how many workers a node has room."""
    found = int(there.get("CPU", 0)) // threads
    if num_gpus:
        gpus = int(there.get("GPU", 0))
        # Less than one is a share of one GPU: what is left over of it is of no use.
        found = min(found, gpus * int(1 / num_gpus + 1e-6) if num_gpus < 1 else gpus // int(num_gpus))
    return found


def is_node(error: Exception) -> bool:
    """Returns whether an actor died since its node did."""
    return any(word in str(error).lower() for word in ("node has died", "unavailable", "owner has died"))


def one_line(error: BaseException) -> str:
    """Returns what an exception says, in one line without colours: of a long one, which may be a trace, both ends."""
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    return f"{type(error).__name__}: {text if len(text) <= 400 else f'{text[:200]} … {text[-200:]}'}"


def nothing(line: str) -> None:
    """Does nothing with a line."""


class Log:
    """Lines with their time, in a file of the run and on the terminal."""

    def __init__(self, path: Path):
        self.path = path

    def __call__(self, line: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n")


def connected(address: str | None, options: dict[str, Any]) -> Any:
    """Connects to a cluster, or starts Ray on this machine alone, and returns Ray."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    alone = address is None and "RAY_ADDRESS" not in os.environ
    if alone and "ray" not in sys.modules:
        # Ray takes 127.0.0.1 for the address that others know this machine by, and then its workers listen to all of
        # them; but not where it has no clusters, which this says.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    import ray

    if not ray.is_initialized():
        # Of its own, and not one that happens to be there.
        here = {"address": "local", "_node_ip_address": "127.0.0.1"} if alone else {"address": address}
        ray.init(**{"include_dashboard": False, "log_to_driver": False, **here, **options})
    return ray


def told(line: str) -> None:
    """Shows a line of progress: over the last one on a terminal, and not at all elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


__all__ = ["RayWorkers"]
