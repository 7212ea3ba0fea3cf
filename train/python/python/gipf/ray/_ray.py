"""Workers on Ray."""

import os
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gipf
from gipf import AgentError, GipfError, play_shard, play_shard_with
from gipf._shared import naming, one_line, whole
from gipf.ray._driver import Event, Failed, Played, Shard, Stalled

IN_FLIGHT = 2
"""Shards at each worker: one that is played, and one that waits, so that no core waits for the driver."""
MOST = 2**32 - 1
"""The largest value of any count in a call."""
LOOK_EVERY = 2.0
"""Seconds between two checks of the cluster's size."""
LONGEST_PAUSE = 300.0
"""The longest pause in seconds before actors that die during creation are created again."""
SILENT = 2 * IN_FLIGHT
"""An actor is ended if it returns nothing for this many times the patience with a shard. By then its shards are
elsewhere.
"""


class Player:
    """The actor: it plays shards, and keeps no state."""

    def __init__(self, threads: int, plays: str):
        # Ray limits OMP only; the threads that play a shard would not observe that.
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        self.threads, self.shard = threads, getattr(gipf, plays)

    def ready(self) -> tuple[None, float]:
        """Answers as soon as there is room for the actor; the answer itself does not matter."""
        return None, 0.0

    def play(self, checkpoint: bytes, spec: bytes) -> tuple[bytes, float]:
        began = time.process_time()
        result = self.shard(checkpoint, spec, threads=self.threads)
        return result, time.process_time() - began


class Judging:
    """The actor for an evaluator: it creates one, and plays shards with it."""

    def __init__(self, threads: int, make: Callable[[], Any], parallel: int):
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        self.make, self.parallel = make, parallel
        self.evaluate: Any = None

    def ready(self) -> tuple[None, float]:
        """Creates the evaluator, once. Not in the constructor: Ray reports any exception there as a death."""
        if self.evaluate is None:
            self.evaluate = self.make()
        return None, 0.0

    def play(self, checkpoint: bytes, spec: bytes) -> tuple[bytes, float]:
        began = time.process_time()
        result = play_shard_with(self.evaluate, spec, parallel=self.parallel)
        return result, time.process_time() - began


class RayWorkers:
    """One actor for each `threads` cores of a cluster, as many as there is room for, as nodes come and go.

    * `threads`: the number of threads of each actor.
    * `most`: the largest number of actors; by default as many as there are cores for.
    * `probe`: a checkpoint and a specification that every new actor plays first; an actor whose answer differs from
      that of this process is refused, since its arithmetic differs. It keeps its cores until the nodes change, so that
      the next actor starts elsewhere.
    * `patience`: the seconds that a shard may take. An actor that returns nothing for four times as long is replaced;
      by default no actor is.
    * `event`: called with a line for every actor that joins, is refused or is lost, with the cause.
    * `evaluator`: a function without arguments that creates an evaluator, for shards of an evaluator: each actor calls
      it once. Ray sends the function, so it must not hold anything that cannot be sent, such as a network on a GPU: it
      has to create that. An actor whose evaluator has raised an exception is replaced by a new one.
    * `num_gpus`: the GPUs of each actor, for Ray: 1, or less than 1 if several share one.
    * `parallel`: the number of games that an actor plays at once with an evaluator.
    * `plays`: the function of `gipf` that plays a shard: "play_shard", or "play_pairs" for ladders.

    `ray.init` must have been called. If all actors were refused and nobody is left to play, `Stalled` is raised.
    """

    def __init__(
        self,
        *,
        threads: int = 1,
        most: int | None = None,
        probe: tuple[bytes, bytes] | None = None,
        patience: float = float("inf"),
        event: Event = lambda line: None,
        evaluator: Callable[[], Any] | None = None,
        num_gpus: float = 0,
        parallel: int = 256,
        plays: str = "play_shard",
    ):
        import ray

        self.ray, self.threads, self.most, self.patience, self.event = ray, threads, most, patience, event
        self.is_judging, self.num_gpus = evaluator is not None, num_gpus
        kind = Judging if evaluator else Player
        actor = ray.remote(num_cpus=threads, num_gpus=num_gpus, max_restarts=0, max_task_retries=0)(kind)
        # The function may be large, so it is sent only once.
        arguments = (threads, ray.put(evaluator), parallel) if evaluator else (threads, plays)
        self.actor = lambda: actor.remote(*arguments)
        self.probe = probe
        self.expected = play_shard(*probe) if probe else None
        self.idle: dict[Any, int] = {}
        """The shards at each actor that has joined."""
        self.heard: dict[Any, float] = {}
        """When each actor last returned something, or was given a shard while it had none."""
        self.asked: dict[Any, Any] = {}
        """The pending answers of actors without shards that may be gone, with these actors."""
        self.joining: dict[Any, Any] = {}
        """The pending answers to the probe, with their actors."""
        self.barred: list[Any] = []
        """The actors that were refused since the nodes last changed."""
        self.unjoined, self.cause = 0, ""
        """The actors that died before they joined, since a working one was lost or the nodes last changed."""
        self.nodes: frozenset[str] = frozenset()
        self.out: dict[Any, tuple[Any, Shard]] = {}
        self.weights: dict[bytes, Any] = {}
        self.looked = self.made = float("-inf")
        self.pause = LOOK_EVERY
        self.is_cramped = False

    @property
    def refused(self) -> int:
        """The number of actors that are refused, until the nodes change."""
        return len(self.barred)

    def wanted(self) -> int:
        """Returns how many actors may work: as many as there are cores and GPUs for, without those kept by refused
        actors.
        """
        free = places(self.ray, self.threads, self.num_gpus, None) - self.refused
        return min(free, places(self.ray, self.threads, self.num_gpus, self.most))

    def look(self) -> None:
        """Starts actors where there is room for more."""
        if time.monotonic() - self.looked < LOOK_EVERY:
            return
        self.looked = time.monotonic()
        self.end_silent()
        nodes = frozenset(node["NodeID"] for node in self.ray.nodes() if node["Alive"])
        if self.nodes - nodes:
            self.ask()
        if nodes != self.nodes:
            # Where the refused actors could not play, others may be able to.
            for actor in self.barred:
                self.ray.kill(actor)
            self.nodes, self.barred, self.unjoined = nodes, [], 0
        wanted = self.wanted()
        self.stall(wanted)
        if wanted < 1 and not self.is_cramped:
            # More nodes may come, but the user who waits for them should know.
            line = f"no node has room for a worker of {self.threads} cores and {self.num_gpus:g} GPUs: waiting for one"
            self.event(line)
            told("")
            print(line, file=sys.stderr)
        self.is_cramped = wanted < 1
        self.make(wanted - len(self.idle) - len(self.joining))

    def make(self, missing: int) -> None:
        """Starts this many actors; if some died before they joined, after longer and longer pauses."""
        if missing < 1 or (self.unjoined and self.looked - self.made < self.pause):
            return
        self.pause = min(2 * self.pause, LONGEST_PAUSE) if self.unjoined else LOOK_EVERY
        self.made = self.looked
        for _ in range(missing):
            # Only an actor that has answered gets shards: if Ray finds no room for an actor, its shards would wait
            # forever.
            actor: Any = self.actor()
            answer = actor.play.remote(*self.probe) if self.probe else actor.ready.remote()
            self.joining[answer] = actor

    def joined(self, actor: Any) -> None:
        self.idle[actor], self.heard[actor], self.unjoined = 0, time.monotonic(), 0
        self.event(f"worker {short(actor)} joins: {len(self.idle)} work")

    def ask(self) -> None:
        """Asks actors without shards whether they are alive: nothing else would show that they went with a node."""
        for actor, shards in self.idle.items():
            if not shards:
                # Until it has answered, it has no room.
                self.idle[actor] = IN_FLIGHT
                self.asked[actor.ready.remote()] = actor

    def end_silent(self) -> None:
        """Ends actors that have returned nothing for very long; their shards are handed to others in any case."""
        longest = SILENT * self.patience
        for actor in {actor for actor, _ in self.out.values() if self.looked - self.heard[actor] > longest}:
            self.event(f"worker {short(actor)} ended: nothing came from it in {longest:.0f} s")
            self.end(actor)

    def room(self) -> int:
        """Returns how many more shards may be handed in now."""
        self.look()
        return sum(max(IN_FLIGHT - shards, 0) for shards in self.idle.values())

    def submit(self, shard: Shard, checkpoint: bytes) -> None:
        """Hands in a shard; the checkpoint goes into the object store once."""
        if checkpoint not in self.weights:
            # Older checkpoints are held by the shards that still need them.
            self.weights = {checkpoint: self.ray.put(checkpoint), **dict(list(self.weights.items())[:3])}
        # An actor that already has the shard would only play it again later.
        owners = {owner for owner, other in self.out.values() if other.id == shard.id}
        actor = min(self.idle, key=lambda actor: (self.idle[actor] >= IN_FLIGHT, actor in owners, self.idle[actor]))
        if not self.idle[actor]:
            self.heard[actor] = time.monotonic()
        self.idle[actor] += 1
        self.out[actor.play.remote(self.weights[checkpoint], shard.spec)] = (actor, shard)

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        """Returns what has been done, waiting at most this many seconds for the first result."""
        refs = [*self.out, *self.joining, *self.asked]
        if not refs:
            time.sleep(timeout)
            return
        ready, _ = self.ray.wait(refs, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = self.ray.wait(refs, num_returns=len(refs), timeout=0)
        for ref in ready:
            if ref in self.joining:
                self.answered(ref)
            elif ref in self.asked:
                self.found(ref)
            elif ref in self.out:
                yield from self.done(ref)

    def answered(self, ref: Any) -> None:
        actor = self.joining.pop(ref)
        try:
            result, _ = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            is_raised = isinstance(error, self.ray.exceptions.RayTaskError)
            self.cause = one_line(getattr(error, "cause", None) or error)
            if is_raised and not self.is_judging:
                self.refuse(actor, self.cause)
                return
            # For example if an evaluator cannot be created, or the package is missing: Ray reports that as a death.
            self.unjoined += is_raised or not is_node(error)
            self.event(f"worker {short(actor)} did not join: {self.cause}")
            self.ray.kill(actor)
        else:
            if result == self.expected:
                self.joined(actor)
            else:
                self.refuse(actor, "its arithmetic differs from that of the driver (other processor or build)")

    def found(self, ref: Any) -> None:
        """Takes the answer of an actor that was asked whether it is alive."""
        actor = self.asked.pop(ref)
        try:
            self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            self.lost(actor, error)
        else:
            self.idle[actor] = 0

    def refuse(self, actor: Any, cause: str) -> None:
        """Refuses an actor, which gets nothing to play. It stays, so that no other actor is created in its place."""
        self.barred.append(actor)
        self.cause = cause
        # The next one may start where it can play.
        self.looked = float("-inf")
        self.event(f"worker {short(actor)} refused: {cause}")

    def stall(self, wanted: int) -> None:
        """Raises if nobody is left to play."""
        failed = self.refused + self.unjoined
        if failed and not self.idle and not self.joining and self.unjoined >= wanted:
            raise Stalled(f"nobody can play: {failed} workers were refused or died, the last one since {self.cause}")

    def done(self, ref: Any) -> Iterable[Played | Failed]:
        """Returns what became of a shard and, if its actor is no longer usable, of all shards that the actor had."""
        actor, shard = self.out.pop(ref)
        self.idle[actor] -= 1
        self.heard[actor] = time.monotonic()
        try:
            result, seconds = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            cause = error.cause if error.cause else error
            if self.is_judging:
                # The exception may have broken the evaluator for good, as a GPU fault does.
                others = self.end(actor)
                yield Failed(shard, one_line(cause))
                yield from unbegun(others, "its worker is replaced, since an evaluator has raised")
            elif isinstance(cause, AgentError):
                # A player of a ladder plays differently there, which is found before anything is played.
                self.refuse(actor, one_line(cause))
                yield from unbegun([shard, *self.forget(actor)], one_line(cause))
            else:
                yield Failed(shard, one_line(cause))
        except self.ray.exceptions.RayError as error:
            others = self.lost(actor, error)
            # A lost node takes its shards along; a process that died alone may have died because of the shard.
            yield Failed(shard, one_line(error), lost=is_node(error))
            yield from unbegun(others, one_line(error))
        else:
            yield Played(shard, result, seconds)

    def lost(self, actor: Any, error: Exception) -> list[Shard]:
        """Drops an actor that is gone, and returns the shards that it had."""
        self.event(f"worker {short(actor)} lost: {one_line(error)}")
        shards = self.end(actor)
        # The cause may have ended others too.
        self.ask()
        return shards

    def end(self, actor: Any) -> list[Shard]:
        """Ends an actor, and returns the shards that it had."""
        # If it is only unreachable, it must not keep its cores.
        self.ray.kill(actor)
        return self.forget(actor)

    def forget(self, actor: Any) -> list[Shard]:
        """No longer counts an actor as playing, and returns the shards that it had."""
        del self.idle[actor], self.heard[actor]
        # Its place may be a good one, even if others could not join meanwhile.
        self.unjoined = 0
        return [self.out.pop(ref)[1] for ref, (owner, _) in list(self.out.items()) if owner is actor]

    def about(self) -> str:
        """Returns the number of workers as text."""
        return f"{len(self.idle)} workers"

    def close(self) -> None:
        """Ends all actors."""
        for actor in [*self.idle, *self.joining.values(), *self.barred]:
            self.ray.kill(actor)


def check_counts(**counts: int | None) -> None:
    """Refuses numbers that are not counts; None is allowed, since it stands for a default."""
    for name, number in counts.items():
        if number is not None:
            whole(name, number, 1, MOST)


def places(ray: Any, threads: int, num_gpus: float, most: int | None) -> int:
    """Returns the number of workers for which a cluster has room."""
    if threads < 1 or (most is not None and most < 1):
        raise GipfError(f"{threads} threads, {most} workers: expected at least one of each")
    # A worker is on one node: leftover cores on two nodes make no room for one.
    found = sum(places_on(node["Resources"], threads, num_gpus) for node in ray.nodes() if node["Alive"])
    return found if most is None else min(found, most)


def places_on(there: dict[str, float], threads: int, num_gpus: float) -> int:
    """Returns the number of workers for which a node has room."""
    found = int(there.get("CPU", 0)) // threads
    if num_gpus:
        gpus = int(there.get("GPU", 0))
        # Less than 1 is a share of one GPU: the rest of that GPU cannot be used.
        found = min(found, gpus * int(1 / num_gpus + 1e-6) if num_gpus < 1 else gpus // int(num_gpus))
    return found


def is_node(error: Exception) -> bool:
    """Returns whether an actor died because its node did."""
    return any(word in str(error).lower() for word in ("node has died", "unavailable", "owner has died"))


def short(actor: Any) -> str:
    """Returns a short name for an actor."""
    return actor._actor_id.hex()[:8]


def unbegun(shards: Iterable[Shard], cause: str) -> list[Failed]:
    """Returns shards that nobody has begun to play, since their actor is no longer usable."""
    return [Failed(shard, cause, begun=False) for shard in shards]


def nothing(line: str) -> None:
    """Does nothing with a line."""


class Log:
    """Lines with their time, in a file of the run."""

    def __init__(self, path: Path):
        self.path = path

    def __call__(self, line: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n")


def is_alone(address: str | None) -> bool:
    """Returns whether Ray is to work on this machine alone."""
    return address is None and "RAY_ADDRESS" not in os.environ


def imported(address: str | None) -> Any:
    """Returns the module `ray`, with what it has to find in the environment when it is imported."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if is_alone(address) and "ray" not in sys.modules:
        # Ray takes 127.0.0.1 for the address by which other machines know this one, and its workers then listen on
        # all interfaces, except where Ray does not support clusters: this setting makes it believe that.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError as error:
        raise GipfError(f"Ray is missing: expected the package with it, gipf[ray] ({one_line(error)})") from error
    return ray


def connected(address: str | None, options: dict[str, Any]) -> Any:
    """Connects to a cluster, or starts Ray on this machine alone, and returns the module `ray`."""
    ray = imported(address)
    if ray.is_initialized():
        check_connection(ray, address, options)
    else:
        # A Ray of its own, not one that happens to be running.
        here = {"address": "local", "_node_ip_address": "127.0.0.1"} if is_alone(address) else {"address": address}
        if not is_alone(address):
            # Ray would wait for a cluster that is not there for a quarter of an hour: a second each time is most of a
            # minute.
            os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
        named = address or os.environ.get("RAY_ADDRESS", "local")
        with naming("address", named, "a Ray cluster that answers", ray.exceptions.RayError):
            ray.init(**{"include_dashboard": False, "log_to_driver": False, **here, **options})
        connections[place(ray)] = address, options
    return ray


connections: dict[str, tuple[str | None, dict[str, Any]]] = {}
"""The address and the options with which Ray was connected here, by the place of the cluster."""


def place(ray: Any) -> str:
    """Returns where the cluster is that Ray is connected to."""
    # A client of a cluster does not know.
    return getattr(ray.get_runtime_context(), "gcs_address", "a cluster")


def check_connection(ray: Any, address: str | None, options: dict[str, Any]) -> None:
    """Raises an error if Ray is connected, but not to this address or not with these options."""
    here = place(ray)
    named, given = connections.get(here, (None, {}))
    wanted = "or ray.shutdown() before"
    if address not in (None, here, named):
        raise GipfError(f"address {address!r}: Ray is connected to {here}: expected no address, {wanted}")
    if options and options != given:
        raise GipfError(f"ray_init {options}: Ray is connected to {here} already: expected no options, {wanted}")


def check_reachable(address: str | None, options: dict[str, Any]) -> None:
    """Raises an error if Ray is missing, or there is no cluster at this address: to be called before anything is begun.

    Ray on this machine alone takes seconds to start, so that is left for later.
    """
    if imported(address).is_initialized() or not is_alone(address):
        connected(address, options)


def told(line: str) -> None:
    """Shows a line of progress: over the previous one on a terminal, and not at all elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


__all__ = ["RayWorkers"]
