"""Trains on Ray clusters of this machine in several ways, and compares each run with that of `gipf train`.

check.py small|full FOLDER SETTING...: FOLDER/local-0 and FOLDER/local-1 are the runs without and with lag, and
FOLDER/games is a dataset of `gipf self-play`.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import listening
import ray
from ray import tune
from ray.cluster_utils import Cluster
from same import assert_same, assert_same_dataset, assert_same_ladder
from stores import assert_copied, object_store

from gipf import Training
from gipf.ray import Failed, Played, RayWorkers, Shard, Stalled, drive, ladder, self_play, train

SIZE, FOLDER, SETTINGS = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
NODE = {"object_store_memory": 80 * 1024 * 1024, "node_ip_address": "127.0.0.1", "include_dashboard": False}


SHARD_GAMES = 6


def step(title: str) -> None:
    """Says what comes next."""
    print(f"{time.monotonic() - BEGAN:5.0f} s  {title}", flush=True)


class Nodes:
    """Three nodes on the loopback device: one for the driver, and two that play.

    They start one after the other: raylets that start together time out on a small machine.
    """

    def __init__(self) -> None:
        self.cluster = Cluster()
        for cores in (0, 1, 1):
            self.add(cores)
        self.address = self.cluster.address

    def add(self, cores: int) -> None:
        self.cluster.add_node(num_cpus=cores, **NODE)

    def connect(self) -> None:
        ray.init(address=self.address, log_to_driver=False, _node_ip_address="127.0.0.1")

    def kill_one(self) -> None:
        """Ends one that plays without warning, with all its workers, and adds another."""
        node = random.Random(1).choice(sorted(self.cluster.worker_nodes, key=lambda node: node.unique_id))
        self.cluster.remove_node(node, allow_graceful=False)
        self.add(1)


class Around:
    """Workers that do as others do, for those that do not."""

    def __init__(self, workers: RayWorkers):
        self.workers = workers

    def room(self) -> int:
        return self.workers.room()

    def submit(self, shard: Shard, checkpoint: bytes) -> None:
        self.workers.submit(shard, checkpoint)

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        return self.workers.collect(timeout)

    def about(self) -> str:
        return self.workers.about()


class Killing(Around):
    """Workers of which a node is killed in each iteration, with shards on it."""

    def __init__(self, workers: RayWorkers, nodes: Nodes, kills: int):
        super().__init__(workers)
        self.nodes, self.left = nodes, set(range(1, kills + 1))

    def room(self) -> int:
        room = self.workers.room()
        # Both have to play when one is killed.
        return room if len(self.workers.idle) == 2 or not self.left else 0

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        playing = {shard.iteration for actor, shard in self.workers.out.values()}
        if self.left & playing and len(self.workers.idle) == 2 and len(self.workers.out) > 2:
            self.left -= {min(self.left & playing)}
            self.nodes.kill_one()
        return self.workers.collect(timeout)


class Careless(Around):
    """Workers whose results come late, twice and damaged."""

    def __init__(self, workers: RayWorkers):
        super().__init__(workers)
        self.random, self.late = random.Random(1), []
        self.damaged: set[tuple[int, int]] = set()

    def collect(self, timeout: float) -> Iterable[Played | Failed]:
        due = [done for when, done in self.late if when < time.monotonic()]
        self.late = [(when, done) for when, done in self.late if when >= time.monotonic()]
        yield from due
        for done in self.workers.collect(min(timeout, 0.1)):
            if isinstance(done, Failed):
                yield done
                continue
            kind = self.random.randrange(4)
            if kind == 0 and done.shard.id not in self.damaged:
                self.damaged.add(done.shard.id)
                bytes_ = bytearray(done.result)
                bytes_[self.random.randrange(len(bytes_))] ^= 1
                yield Played(done.shard, bytes(bytes_))
            elif kind == 1:
                # Later than the patience of the driver.
                self.late.append((time.monotonic() + 3, done))
            else:
                yield done
                if kind == 2:
                    yield done


def new(name: str, lag: int) -> Training:
    """Begins a run like that of `gipf train`."""
    training = Training.create(FOLDER / name, preset="smoke", settings=[*SETTINGS, f"run.lag={lag}"])
    training.set_shard_games(SHARD_GAMES)
    return training


def plainly(name: str, lag: int, **options: str) -> None:
    settings = [*SETTINGS, f"run.lag={lag}"]
    train(FOLDER / name, preset="smoke", settings=settings, shard_games=SHARD_GAMES, **options)
    assert_same(FOLDER / f"local-{lag}", FOLDER / name)


def with_kills(name: str, lag: int, nodes: Nodes) -> None:
    training, events = new(name, lag), []
    workers = RayWorkers(event=events.append)
    killing = Killing(workers, nodes, kills=3)
    drive(training, killing, event=events.append)
    workers.close()
    print("\n".join(events))
    assert not killing.left, f"no node was killed in iterations {killing.left}"
    assert sum("lost" in event for event in events) >= 3, events
    assert_same(FOLDER / f"local-{lag}", FOLDER / name)


def carelessly(name: str, lag: int) -> None:
    training = new(name, lag)
    workers = RayWorkers()
    drive(training, Careless(workers), patience=1.5)
    workers.close()
    counts = training.counts()
    assert counts["reasked"] > 0 and counts["repeated"] > 0, counts
    assert_same(FOLDER / f"local-{lag}", FOLDER / name)


def driver_killed(name: str, lag: int, kills: int, address: str) -> None:
    """Kills the driver, and goes on by the same command."""
    run = FOLDER / name
    settings = [part for setting in [*SETTINGS, f"run.lag={lag}"] for part in ("--set", setting)]
    options = ["--preset", "smoke", *settings, "--shard-games", str(SHARD_GAMES), "--address", address]
    command = [sys.executable, "-m", "gipf.ray", "train", "--run", str(run), *options]
    for iteration in range(1, kills + 1):
        driver = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
        while driver.poll() is None and len(list(run.glob("checkpoints/*"))) < iteration:
            time.sleep(0.02)
        assert driver.poll() is None, "the driver ended before it was killed"
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    subprocess.run([*command, "--resume"], check=True, stdout=subprocess.DEVNULL)
    assert_same(FOLDER / f"local-{lag}", run)


def refused(name: str) -> None:
    """Lets workers answer the probe with other bits than are expected."""
    training, events = new(name, 0), []
    training.begin()
    workers = RayWorkers(probe=(training.checkpoint(1), training.probe(1)), event=events.append)
    workers.expected += b"of another processor"
    while workers.refused < 2:
        assert workers.room() == 0 and not list(workers.collect(0.2))
    assert len(events) == 2 and all("arithmetic differs" in event for event in events), events
    workers.close()


def evaluator():
    """Makes an evaluator that holds what cannot be sent, as networks on a GPU do."""
    import threading

    import numpy as np

    lock = threading.Lock()
    assert len(os.environ["CUDA_VISIBLE_DEVICES"].split(",")) == 1

    def evaluate(observations):
        with lock:
            rows = observations.reshape(len(observations), -1)
            values = np.tanh(rows[:, :98].sum(1) / 9).astype(np.float32)
            return np.tile(rows[:, :63], 1) + 0 * values[:, None], values

    return evaluate


def raising():
    """Makes an evaluator that raises."""

    def evaluate(observations):
        raise MemoryError("no room on the GPU")

    return evaluate


def by_evaluator(name: str) -> None:
    """Plays a dataset with an evaluator on a GPU; then with such as raise, or cannot be made."""
    options = {"num_gpus": 1, "variant": "basic", "simulations": 4, "shard_games": 3}
    report = self_play(evaluator, 12, FOLDER / name, **options)
    rows = ray.data.read_parquet(str(FOLDER / name), file_extensions=["parquet"]).count() if SIZE == "full" else None
    assert report["games"] == 12 and rows in (None, report["rows"]), report
    log = (FOLDER / f"{name}.ray.log").read_text()
    assert log.count("joins") == 1, f"two cores, but one GPU: {log}"
    for make, told in ((raising, "failed three times"), (lambda: 1 / 0, "nobody can play: .*ZeroDivisionError")):
        out = FOLDER / f"{name}-{make.__name__.strip('<>')}"
        try:
            self_play(make, 4, out, **options)
        except Stalled as error:
            assert re.search(told, str(error)), error
        else:
            raise SystemExit(f"{out.name} ended as if nothing had been raised")
    log = (FOLDER / f"{name}-raising.ray.log").read_text()
    assert log.count("MemoryError: no room on the GPU") >= 3, log


def fails_once(config: dict[str, object]) -> None:
    """A trial that loses its run after the first report, and then goes on from what it has reported."""
    import shutil

    from ray import tune

    from gipf.ray import trainable

    if tune.get_checkpoint() is None:
        report = tune.report

        def report_and_fail(metrics: dict[str, object], **more: object) -> None:
            report(metrics, **more)
            shutil.rmtree(Path(tune.get_context().get_trial_dir()) / "run")
            raise RuntimeError("as the check wants it")

        tune.report = report_and_fail
    trainable(config)


def tuned() -> None:
    """Runs a trial of Ray Tune, and compares it with the run of the same settings."""
    space = {"preset": "smoke", "run.lag": 0, **dict(setting.split("=", 1) for setting in SETTINGS)}
    how = tune.RunConfig(
        name="trials", storage_path=str(FOLDER), verbose=0, failure_config=tune.FailureConfig(max_failures=1)
    )
    trial = tune.with_resources(fails_once, {"cpu": 1})
    (result,) = tune.Tuner(trial, param_space=space, run_config=how).fit()
    assert result.metrics["iteration"] == 3 and 0 <= result.metrics["score"] <= 1, result.metrics
    with result.checkpoint.as_directory() as folder:
        assert_same(FOLDER / "local-0", Path(folder))


def main() -> None:
    """Runs all of it."""
    full = SIZE == "full"
    step("one node")
    # Nothing asks whether the GPU is there: it is Ray that counts them.
    ray.init(
        address="local",
        num_cpus=2,
        num_gpus=1,
        log_to_driver=False,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
    )
    with object_store() as url:
        plainly("one-node-0", 0, copy_to=url)
        assert_copied(FOLDER / "one-node-0", url)
    here, elsewhere = listening.addresses()
    assert len(here) >= 3 and not elsewhere, f"on 127.0.0.1: {here}; elsewhere: {elsewhere}"
    step("one node: results late, twice and damaged")
    carelessly("careless-1", 1)
    step("one node: a dataset of self-play")
    self_play("pretrained", 40, FOLDER / "games-ray", simulations=16, shard_games=7, portion=20)
    assert_same_dataset(FOLDER / "games", FOLDER / "games-ray")
    step("one node: a dataset by an evaluator of ours on the one GPU, one that raises, and one that cannot be made")
    by_evaluator("judged")
    step("one node: a ladder")
    players = ["greedy", "alpha-beta:1", "pretrained:sims=4"]
    ladder(players, store=FOLDER / "ladder-ray.jsonl", variant="basic", games=16, margin=200)
    assert_same_ladder(FOLDER / "ladder.jsonl", FOLDER / "ladder-ray.jsonl")
    step("one node: workers whose arithmetic differs")
    refused("refused")
    step("one node: a trial of Ray Tune that fails once")
    tuned()
    ray.shutdown()
    step("three nodes")
    nodes = Nodes()
    nodes.connect()
    for lag in (0, 1) if full else (1,):
        plainly(f"three-nodes-{lag}", lag)
        step(f"three nodes: one killed in each of three iterations, lag {lag}")
        with_kills(f"node-killed-{lag}", lag, nodes)
        if full:
            carelessly(f"careless-three-{lag}", lag)
    ray.shutdown()
    for lag in (0, 1) if full else (1,):
        step(f"three nodes: the driver killed, lag {lag}")
        driver_killed(f"driver-killed-{lag}", lag, 2 if full else 1, nodes.address)
    nodes.cluster.shutdown()
    step("done")


BEGAN = time.monotonic()
if __name__ == "__main__":
    main()
