"""Trainings and datasets on Ray."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from gipf import SelfPlayRun, Training
from gipf.ray._driver import drive
from gipf.ray._mirror import Mirror
from gipf.ray._ray import Log, RayWorkers, connected

SHARDS_A_WORKER = 2
"""Shards of an iteration for each worker: the fewer, the longer a core plays many games side by side; the more, the
less the last ones make the others wait."""
FEWEST_GAMES = 16
"""The fewest games of a shard, unless it is told otherwise."""


def nothing(line: str) -> None:
    """Does nothing with a line."""


def on_ray(
    run: Training | SelfPlayRun,
    games: int,
    *,
    log: Path,
    cluster: dict[str, Any],
    shard_games: int | None,
    **how: Any,
) -> None:
    """Lets a cluster play the games of a run, so many at once."""
    ray = connected(cluster["address"], cluster["ray_init"] or {})
    threads, most, event = cluster["threads"], cluster["workers"], Log(log)
    there = max(int(ray.cluster_resources().get("CPU", 1)) // threads, 1)
    there = there if most is None else min(there, most)
    run.set_shard_games(shard_games or max(-(-games // (there * SHARDS_A_WORKER)), FEWEST_GAMES))
    if not run.begin():
        return
    iteration = run.iterations + 1
    probe = run.checkpoint(iteration), run.probe(iteration)
    crew = RayWorkers(threads=threads, most=most, probe=probe, event=event)
    try:
        drive(run, crew, event=event, **how)
    finally:
        crew.close()


def train(
    run: str | PathLike[str],
    *,
    preset: str = "quick",
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
) -> Path:
    """Trains on a Ray cluster, and returns the directory of the run.

    A run that is there already is resumed with the settings that it has; `preset`, `settings` and `variant` are those
    of a new one, as for `gipf train`. Checkpoints, samples and metrics are those of `gipf train`, but for the times.

    * `run`: the directory, on the machine that calls.
    * `address`: of the cluster, as for `ray.init`; without one, that of `RAY_ADDRESS`, or else this machine alone.
    * `threads`: of each worker; `workers`: the most of them, without a number as many as there are cores for.
    * `shard_games`: games that are handed out together; without a number, two shards of an iteration for each worker.
    * `patience`: the seconds after which a shard is handed to another worker too.
    * `go_on`: whether to go on without the games of a shard that failed three times.
    * `progress`, `kept`: called with a line of text several times a second, and with the metrics of each iteration.
    * `copy_to`: where finished files are copied after each iteration: any URL that `fsspec` knows, such as
      "s3://bucket/run"; the directory itself has to be a local one, or shared.
    * `ray_init`: further arguments of `ray.init`.

    What happened to workers and shards, with causes, is appended to `ray.log` in the directory of the run.
    """
    path = Path(run)
    if Training.exists(path):
        training = Training.resume(path)
    else:
        training = Training.create(path, preset=preset, settings=list(settings), variant=variant)
    mirror = Mirror(path, copy_to) if copy_to else None

    def copying(line: str) -> None:
        if mirror:
            mirror.update()
        kept(line)

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
    return path


def self_play(
    checkpoint: str | PathLike[str],
    games: int,
    out: str | PathLike[str],
    *,
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

    The dataset is that of `gipf self-play`, byte for byte; the same call resumes one that was stopped.

    * `checkpoint`, `games`, `out`, `portion` and `settings`: as for `gipf.SelfPlayRun`.
    * `address`, `threads`, `workers`, `shard_games`, `patience`, `progress`, `ray_init`: as for `train`.

    What happened to workers and shards is appended to a file beside the directory, OUT.ray.log.
    """
    path = Path(out)
    run = SelfPlayRun(checkpoint, games, path, portion=portion, **settings)
    try:
        on_ray(
            run,
            min(games, portion),
            log=path.with_name(path.name + ".ray.log"),
            cluster={"address": address, "ray_init": ray_init, "threads": threads, "workers": workers},
            shard_games=shard_games,
            patience=patience,
            progress=progress,
        )
    finally:
        run.keep()
    return run.report()
