"""Trainings as trials of Ray Tune."""

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from gipf import Training, TrainingError, play_shard


def trainable(config: dict[str, Any]) -> None:
    """Trains with settings that Ray Tune has drawn, reports each iteration, and resumes: a function trainable.

    * `config`: settings as for `gipf train`, such as {"learning.learning_rate": tune.loguniform(1e-3, 2e-2)}; "preset"
      names the preset and "threads" the number of threads, by default that of `tune.with_resources`.

    It reports "iteration", "games", "seconds", and for the last opponent in the settings "score", which is 1 once that
    opponent has lost so often that it no longer plays, and, if the score determines it, "elo"; neither if the settings
    ask for no games. Each report has the run as its checkpoint, so that a trial continues where it was, with the
    settings with which its run began: a scheduler that changes the settings of a running trial has no effect.
    """
    from ray import tune

    settings = dict(config)
    preset, threads = settings.pop("preset", "quick"), settings.pop("threads", None)
    context = tune.get_context()
    run = Path(context.get_trial_dir()) / "run"
    cores = int((context.get_trial_resources().required_resources or {}).get("CPU", 1))
    threads = threads or max(cores, 1)
    # Ray limits OMP only; what learns and measures would not observe that.
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    checkpoint = tune.get_checkpoint()
    if checkpoint:
        # A trial that takes over another one's checkpoint continues from there, not from its own run.
        with checkpoint.as_directory() as folder:
            shutil.rmtree(run, ignore_errors=True)
            shutil.copytree(folder, run)
    with closing(opened(run, preset, settings)) as training:
        opponent = training.opponents[-1] if training.opponents else None
        while training.begin():
            for iteration, first, _, spec in training.next_shards(1000):
                played = play_shard(training.checkpoint(iteration), spec, threads=threads)
                training.ingest(iteration, first, played)
            training.learn()
            training.measure()
            found = reported(training.save(), opponent, training.beaten())
            tune.report(found, checkpoint=tune.Checkpoint.from_directory(run))


def opened(run: Path, preset: str, settings: dict[str, Any]) -> Training:
    """Continues the run of a trial, or begins it."""
    if Training.exists(run):
        return Training.resume(run)
    return Training.create(run, preset=preset, settings=[f"{name}={toml(value)}" for name, value in settings.items()])


def toml(value: Any) -> Any:
    """Returns a setting in the form that `gipf train --set` reads."""
    return json.dumps(value) if isinstance(value, bool | list | tuple) else value


def reported(line: str, opponent: str | None, beaten: Sequence[str]) -> dict[str, Any]:
    """Returns the numbers of an iteration by which trials are compared.

    * `line`: its metrics, a line of JSON.
    * `opponent`: the name of the opponent whose score is compared.
    * `beaten`: the names of those that play no more.

    Raises `TrainingError` if others were played, but not this one, and it was not beaten.
    """
    metrics = json.loads(line)
    found = {
        "iteration": metrics["iteration"],
        "games": metrics["self_play"]["games"],
        "seconds": sum(metrics["seconds"].values()),
    }
    rating = next((rating for rating in metrics["ratings"] if rating["opponent"] == opponent), None)
    if rating:
        found["score"] = rating["score"]
        if rating["elo"] is not None:
            # The estimate, which comes before the ends of its interval.
            found["elo"] = rating["elo"][0]
    elif opponent in beaten:
        found["score"] = 1.0
    elif metrics["ratings"]:
        names = ", ".join(rating["opponent"] for rating in metrics["ratings"])
        raise TrainingError(f"games against {names}: expected some against {opponent}, which was not beaten before")
    return found
