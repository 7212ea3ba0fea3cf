"""Trainings and datasets on Ray."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any

from gipf import GipfError, SelfPlayRun, Training
from gipf._shared import whole
from gipf.ray._driver import drive
from gipf.ray._mirror import Mirror, opened
from gipf.ray._ray import IN_FLIGHT, Log, RayWorkers, check_counts, check_reachable, connected, nothing, places

Evaluator = Callable[[Any], tuple[Any, Any]]
"""A function from observations to logits and values: see `gipf.self_play`."""
SHARDS_A_WORKER = 2
"""Shards of an iteration for each worker: with fewer, a core plays many games in parallel for longer; with more, less
time is lost waiting for the last shards.
"""
FEWEST_GAMES = 16
"""The fewest games of a shard, unless a number is given."""
MOST_AT_ONCE = 100_000
"""The most games that a worker plays at once with an evaluator, as for `gipf.play_shard_with`."""


def on_ray(
    run: Training | SelfPlayRun,
    games: int,
    *,
    log: Path,
    cluster: dict[str, Any],
    shard_games: int | None,
    patience: float,
    **how: Any,
) -> None:
    """Lets a cluster play the games of a run, this many at once."""
    ray = connected(cluster["address"], cluster["ray_init"] or {})
    threads, most, event = cluster["threads"], cluster["workers"], Log(log)
    own = cluster.get("own", {})

    def fit() -> None:
        there = max(places(ray, threads, own.get("num_gpus", 0), most), 1)
        fitting = max(-(-games // (there * SHARDS_A_WORKER)), FEWEST_GAMES)
        run.set_shard_games(fitting if shard_games is None else shard_games)

    fit()
    if not run.begin():
        return
    iteration = run.iterations + 1
    # Games with external evaluators do not have the same bytes everywhere.
    probe = None if own else (run.checkpoint(iteration), run.probe(iteration))
    crew = RayWorkers(threads=threads, most=most, probe=probe, patience=patience, event=event, **own)
    try:
        # A shard may have to wait for the one before it.
        drive(run, crew, patience=IN_FLIGHT * patience, begins=fit, event=event, **how)
    finally:
        crew.close()


def log_beside(path: Path) -> Path:
    """Returns the log beside a directory, whose path may lack its name, as in ".."."""
    whole = Path(os.path.abspath(path))
    return whole.with_name(whole.name + ".ray.log")


def train(
    run: str | PathLike[str],
    *,
    preset: str | None = None,
    settings: Sequence[str] = (),
    variant: str | None = None,
    address: str | None = None,
    threads: int = 1,
    workers: int | None = None,
    shard_games: int | None = None,
    patience: float = 600.0,
    go_on: bool = False,
    progress: Callable[[str], object] = nothing,
    kept: Callable[[str], object] = nothing,
    copy_to: str | None = None,
    ray_init: dict[str, Any] | None = None,
    **beginning: Any,
) -> Path:
    """Trains on a Ray cluster, and returns the directory of the run.

    An existing run is resumed, by the call that began it or by one that changes no settings. Checkpoints, samples and
    metrics are those of `gipf train`, except for the times.

    * `run`: the directory, on the calling machine.
    * `preset`, `settings`, `variant`, and `beginning` (`config`, `from_`, `from_data`, `partial`, `iterations` and
      `allow_push_off`): as for `gipf.Training.open`.
    * `address`: of the cluster, as for `ray.init`; by default that of `RAY_ADDRESS`, or else this machine alone. If
      Ray is already connected, that is the cluster, and another address is refused.
    * `threads`: of each worker; `workers`: their largest number, by default as many as there are cores for.
    * `shard_games`: the number of games that are handed out together; by default two shards of an iteration for each
      worker.
    * `patience`: the seconds that a shard may take: after twice as many, since a worker has two shards, it is handed to
      another worker too; a worker that returns nothing for four times as many is replaced.
    * `go_on`: whether to go on without the games of a shard that failed three times.
    * `progress`, `kept`: called with a line of text several times a second, and with the metrics of each iteration.
    * `copy_to`: where finished files are copied after each iteration, and missing ones at the end, also for a run that
      was already complete: any URL that `fsspec` knows, such as "s3://bucket/run"; the directory itself has to be local
      or shared.
    * `ray_init`: further arguments of `ray.init`.

    Events of workers and shards, with their causes, are appended to `ray.log` in the directory of the run. Raises
    `GipfError` before a run is begun if Ray is missing, no cluster answers at the address, or `copy_to` cannot be
    written to.
    """
    path = Path(run)
    # Checked first: a run begun by a faulty call would refuse the corrected one.
    check_counts(threads=threads, workers=workers, shard_games=shard_games)
    if copy_to:
        opened(copy_to)
    if not Training.exists(path):
        check_reachable(address, ray_init or {})
    # Closed in any case: the traceback of an exception, which notebooks keep, would hold the run.
    with closing(Training.open(path, preset=preset, settings=settings, variant=variant, **beginning)) as training:
        for remark in training.remarks:
            Log(path / "ray.log")(remark)
            print(f"{path}: {remark}", file=sys.stderr)
        mirror = Mirror(path, copy_to) if copy_to else None

        def copying(line: str) -> None:
            if mirror:
                mirror.update()
            kept(line)

        if training.iterations < training.length:
            on_ray(
                training,
                training.games,
                log=path / "ray.log",
                cluster={"address": address, "ray_init": ray_init, "threads": threads, "workers": workers},
                shard_games=shard_games,
                patience=patience,
                go_on=go_on,
                progress=progress,
                kept=copying,
            )
        if mirror:
            # After the last iteration was saved, the program may have been killed, or copying may have failed.
            mirror.update()
    return path


def self_play(
    player: str | PathLike[str] | Callable[[], Evaluator],
    games: int,
    out: str | PathLike[str],
    *,
    name: str | None = None,
    num_gpus: float = 0,
    parallel: int = 256,
    portion: int = 1000,
    address: str | None = None,
    threads: int = 1,
    workers: int | None = None,
    shard_games: int | None = None,
    patience: float = 600.0,
    progress: Callable[[str], object] = nothing,
    ray_init: dict[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Lets a network play against itself on a Ray cluster, and returns a dict of "games", "rows" and "files".

    With a checkpoint the dataset is that of `gipf self-play`, byte for byte. With your own evaluator every game is
    checked by the rules, and there are as many as were asked for; but networks of other libraries do not compute the
    same bits in every batch, so the games may differ the next time. The same call resumes a dataset that was stopped.

    * `player`: a checkpoint (a file, a run, or "pretrained"); or a function without arguments that creates an
      evaluator, as for `gipf.self_play`. Every worker calls it once: Ray sends the function, not the network.
    * `name`: of the evaluator in the dataset; by default the name of the function. If you have changed the network,
      give it another name.
    * `num_gpus`: of each worker, for evaluators: 1, or less if several share one. Such a worker sees only its own GPU.
    * `parallel`: the number of games that a worker plays at once with an evaluator, 1 to 100 000, which are the rows of
      its batches. It is at most the games of a shard, which are few unless `shard_games` and `portion` say otherwise.
    * `games`, `out`, `portion` and `settings`: as for `gipf.SelfPlayRun`.
    * `address`, `threads`, `workers`, `shard_games`, `patience`, `progress`, `ray_init`: as for `train`.

    Events of workers and shards are appended to a file beside the directory, OUT.ray.log. Raises `Stalled` with the
    cause if a shard failed three times, for example because the evaluator raised an exception, or if no worker could
    create an evaluator.
    """
    path = Path(out)
    check_counts(threads=threads, workers=workers, shard_games=shard_games)
    whole("parallel", parallel, 1, MOST_AT_ONCE)
    if not num_gpus >= 0:
        raise GipfError(f"num_gpus {num_gpus}: expected at least 0")
    check_reachable(address, ray_init or {})
    own: dict[str, Any] = {}
    if callable(player):
        own = {"evaluator": player, "num_gpus": num_gpus, "parallel": parallel}
        name = name or getattr(player, "__name__", type(player).__name__)
        run = SelfPlayRun(None, games, path, portion=portion, evaluator=name, **settings)
    elif name is not None or num_gpus:
        raise GipfError("name, num_gpus: expected them with an evaluator; a checkpoint plays on processors")
    else:
        run = SelfPlayRun(player, games, path, portion=portion, **settings)
    try:
        on_ray(
            run,
            min(games, portion),
            log=log_beside(path),
            cluster={"address": address, "ray_init": ray_init, "threads": threads, "workers": workers, "own": own},
            shard_games=shard_games,
            patience=patience,
            progress=progress,
        )
    finally:
        run.keep()
    report = run.report()
    assert report is not None, "whoever comes here has all games"
    return report
