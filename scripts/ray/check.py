"""Trains on Ray clusters of this machine in several ways, and compares each run with that of `gipf train`.

check.py small|full FOLDER SETTING...: FOLDER/local-0 and FOLDER/local-1 are the runs without and with lag.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import ray
from ray.cluster_utils import Cluster
from same import assert_same

from gipf import Training
from gipf.ray import RayWorkers, drive, train
from gipf.ray._driver import Failed, Played, Shard

SIZE, FOLDER, SETTINGS = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
MEMORY = 80 * 1024 * 1024


def cluster(nodes: list[int]) -> Cluster:
    """Starts a node of so many cores after the other: raylets that start together time out on a small machine."""
    made = Cluster()
    for cores in nodes:
        made.add_node(num_cpus=cores, object_store_memory=MEMORY, node_ip_address="127.0.0.1", include_dashboard=False)
    # The cluster names itself by the machine's own address, on which nothing listens.
    address = f"127.0.0.1:{made.address.rsplit(':', 1)[1]}"
    ray.init(address=address, log_to_driver=False, _node_ip_address="127.0.0.1")
    return made


def ended(made: Cluster | None) -> None:
    ray.shutdown()
    if made:
        made.shutdown()


def new(name: str, lag: int) -> Path:
    run = FOLDER / name
    Training.create(run, preset="smoke", settings=[*SETTINGS, f"run.lag={lag}"])
    return run


def on_nodes(name: str, nodes: list[int], lag: int, during: Callable[[Cluster], object] | None = None) -> None:
    """Trains on a cluster; `during` is called on it in another thread."""
    made = cluster(nodes)
    try:
        run = new(name, lag)
        if during:
            threading.Thread(target=during, args=(made,), daemon=True).start()
        train(run, shard_games=3, patience=60)
    finally:
        ended(made)
    assert_same(FOLDER / f"local-{lag}", run)


def kill_a_node_an_iteration(run: Path, kills: int) -> Callable[[Cluster], None]:
    """Returns what removes a node without warning in each iteration, and adds another one."""

    def during(made: Cluster) -> None:
        for iteration in range(kills):
            while len(list(run.glob("checkpoints/*"))) < iteration:
                time.sleep(0.05)
            time.sleep(0.5)
            workers = list(made.worker_nodes)
            made.remove_node(random.choice(workers), allow_graceful=False)
            made.add_node(num_cpus=1, object_store_memory=MEMORY, node_ip_address="127.0.0.1")

    return during


def driver_killed(name: str, lag: int, kills: int) -> None:
    """Kills the driver with all of Ray, and goes on by the same command."""
    run = FOLDER / name
    settings = [part for setting in [*SETTINGS, f"run.lag={lag}"] for part in ("--set", setting)]
    options = ["--run", str(run), "--preset", "smoke", *settings, "--shard-games", "3"]
    command = [sys.executable, "-m", "gipf.ray", "train", *options]
    for iteration in range(1, kills + 1):
        driver = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
        while driver.poll() is None and len(list(run.glob("checkpoints/*"))) < iteration:
            time.sleep(0.05)
        if driver.poll() is None:
            time.sleep(0.3)
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        subprocess.run([Path(sys.executable).with_name("ray"), "stop", "--force"], capture_output=True, check=False)
    subprocess.run([*command, "--resume"], check=True, stdout=subprocess.DEVNULL)
    assert_same(FOLDER / f"local-{lag}", run)


class Careless:
    """Workers whose results come late, twice and damaged."""

    def __init__(self, workers: RayWorkers):
        self.workers, self.random, self.late = workers, random.Random(1), []
        self.damaged: set[tuple[int, int]] = set()

    def room(self) -> int:
        return self.workers.room()

    def submit(self, shard: Shard, checkpoint: bytes) -> None:
        self.workers.submit(shard, checkpoint)

    def about(self) -> str:
        return self.workers.about()

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
                self.late.append((time.monotonic() + 4, done))
            else:
                yield done
                if kind == 2:
                    yield done


def carelessly(name: str, lag: int) -> None:
    made = cluster([2])
    try:
        run = new(name, lag)
        training = Training.resume(run)
        training.set_shard_games(3)
        workers = RayWorkers()
        drive(training, Careless(workers), patience=2)
        workers.close()
        counts = training.counts()
        assert counts["reasked"] > 0 and counts["repeated"] > 0, counts
    finally:
        ended(made)
    assert_same(FOLDER / f"local-{lag}", run)


def main() -> None:
    """Runs all of it."""
    kills = 3 if SIZE == "full" else 1
    for lag in (0, 1) if SIZE == "full" else (1,):
        on_nodes(f"nodes-1-{lag}", [2], lag)
        on_nodes(f"nodes-3-{lag}", [0, 1, 1], lag)
        killed = f"node-killed-{lag}"
        on_nodes(killed, [0, 1, 1], lag, kill_a_node_an_iteration(FOLDER / killed, kills))
        driver_killed(f"driver-killed-{lag}", lag, kills)
        carelessly(f"careless-{lag}", lag)
    if SIZE != "full":
        on_nodes("nodes-1-0", [2], 0)


if __name__ == "__main__":
    main()
