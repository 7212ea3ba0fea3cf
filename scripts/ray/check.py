"""Trains on Ray clusters of this machine in several ways, and compares each run with that of `gipf train`.

check.py small|full FOLDER SETTING...: FOLDER/local-0 and FOLDER/local-1 are the runs without and with lag, and
FOLDER/games is a dataset of `gipf self-play`.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import ray
from ray import tune

import listening
from faults import Careless, Killing, Nodes
from gipf import Training
from gipf.ray import RayWorkers, Stalled, drive, ladder, self_play, train
from same import assert_same, assert_same_dataset, assert_same_ladder
from stores import assert_copied, object_store

SIZE, FOLDER, SETTINGS = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]


SHARD_GAMES = 6


def step(title: str) -> None:
    """Announces the next step."""
    print(f"{time.monotonic() - BEGAN:5.0f} s  {title}", flush=True)


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
    """Kills the driver, and continues with the same command."""
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
    """Lets workers answer the probe with other bits than expected."""
    training, events = new(name, 0), []
    training.begin()
    workers = RayWorkers(probe=(training.checkpoint(1), training.probe(1)), event=events.append)
    workers.expected += b"of another processor"
    while workers.refused < 2:
        assert workers.room() == 0 and not list(workers.collect(0.2))
    assert len(events) == 2 and all("arithmetic differs" in event for event in events), events
    workers.close()


def dead_at_once() -> None:
    """Lets workers die during creation, as if the package were missing: nobody waits for them forever."""
    events: list[str] = []
    workers = RayWorkers(plays="no_such_function", event=events.append)
    try:
        while len(events) < 100:
            assert workers.room() == 0 and not list(workers.collect(0.2))
        raise AssertionError(f"nobody joins, and nobody says so: {events[:3]}")
    except Stalled as error:
        assert "no_such_function" in str(error), error
    workers.close()


def evaluator():
    """Creates an evaluator that holds something that cannot be sent, as networks on a GPU do."""
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
    """Creates an evaluator that raises an exception."""

    def evaluate(observations):
        raise MemoryError("no room on the GPU")

    return evaluate


def by_evaluator(name: str) -> None:
    """Plays a dataset with an evaluator on a GPU; then with evaluators that raise exceptions, or cannot be created."""
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
    """A trial that loses its run after the first report, and then continues from what it has reported."""
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
    """Runs all checks."""
    full = SIZE == "full"
    step("one node")
    # Whether the GPU exists is not checked: Ray only counts it.
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
    dead_at_once()
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
