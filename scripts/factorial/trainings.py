"""Trains networks with settings combined by a plan, lets them all play each other, and fits the worth of each setting.

Usage: trainings.py PROGRAM DIRECTORY RUNS GAMES SIMULATIONS SETTING=VALUE,OTHER... [-- OPTIONS OF TRAIN...]
"""

import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from fit import ONE_THREAD, play, worths

# Each setting as +1 in half of the runs and -1 in the others.
Plan = list[list[int]]

# The degrees of freedom that the errors need: with fewer the errors themselves mean little.
LEFT_OVER = 3


def planned(runs: int, settings: int) -> Plan:
    """Returns a plan of a two-level fractional factorial design: one row per run, one column per setting.

    Any two columns agree in half of the rows, so that settings are not confounded (Hadamard matrix of Sylvester's
    kind). Columns with an odd number of bits come first: their effects are not confounded with those of two others
    together either.
    """
    masks = sorted(range(1, runs), key=lambda mask: mask.bit_count() % 2 == 0)[:settings]
    return [[-1 if (run & mask).bit_count() % 2 else 1 for mask in masks] for run in range(runs)]


def train(program: str, directory: pathlib.Path, settings: list[str], options: list[str]) -> pathlib.Path:
    """Trains one network on one thread, or resumes it; returns its checkpoint."""
    done, spent = directory / "done", directory.with_suffix(".seconds")
    if not done.exists():
        command = [program, "train", "--run", str(directory), "--json"]
        if not (directory / "config.toml").exists():
            command += [*options, *(word for setting in settings for word in ("--set", setting))]
        with (directory.with_suffix(".log")).open("a") as log:
            child = subprocess.Popen(command, env=ONE_THREAD, stdout=log, stderr=log)
            _, status, usage = os.wait4(child.pid, 0)
        with spent.open("a") as lines:
            lines.write(f"{usage.ru_utime + usage.ru_stime}\n")
        if status != 0:
            said = pathlib.Path(log.name).read_text().splitlines()[-1:]
            told = f"the training stopped with status {os.waitstatus_to_exitcode(status)}"
            sys.exit(": ".join([log.name, told, *said]))
        done.touch()
        print(f"{directory.name} trained", file=sys.stderr)
    return max((directory / "checkpoints").glob("*.safetensors"))


def core_seconds(directory: pathlib.Path) -> float:
    """Returns the time that a training has had on all cores, including its parts that were stopped."""
    return sum(map(float, directory.with_suffix(".seconds").read_text().split()))


def effects(plan: Plan, of_runs: list[float]) -> list[tuple[float, float]]:
    """Returns the effect of each setting at +1 against -1, and its standard error, from the residuals of the fit."""
    runs, settings = len(plan), len(plan[0])
    mean = sum(of_runs) / runs
    halves = [sum(row[at] * found for row, found in zip(plan, of_runs, strict=True)) / runs for at in range(settings)]
    expected = [mean + sum(map(float.__mul__, halves, map(float, row))) for row in plan]
    left = sum((found - value) ** 2 for found, value in zip(of_runs, expected, strict=True))
    error = 2 * math.sqrt(left / (runs - 1 - settings) / runs)
    return [(2 * half, error) for half in halves]


def meet(program: str, file: pathlib.Path, networks: list[pathlib.Path], games: int, simulations: str) -> list[float]:
    """Lets all pairs of networks play whose games are not in the file yet; returns the ratings of all in Elo."""
    known = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    met = {(match["a"], match["b"]) for match in known}

    def one(pair: tuple[int, int]) -> None:
        agents = [f"mcts:{networks[at]},sims={simulations}" for at in pair]
        points = play(program, agents, games, "--seed", str(pair[0] * len(networks) + pair[1]))
        with file.open("a") as lines:
            lines.write(json.dumps({"a": pair[0], "b": pair[1], "games": games, "points": points}) + "\n")

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        list(workers.map(one, (pair for pair in itertools.combinations(range(len(networks)), 2) if pair not in met)))
    matches = [json.loads(line) for line in file.read_text().splitlines()]
    differences = [[float(at == m["a"]) - float(at == m["b"]) for at in range(len(networks))] for m in matches]
    return [rating for rating, _ in worths(differences, [match["points"] for match in matches], games)]


def keep(file: pathlib.Path, plan: dict) -> None:
    """Stores what is compared, or checks that a directory was made for the same comparison; runs that never began may
    change.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or not any(file.parent.glob("*/config.toml")):
        if not file.exists() and any(file.parent.iterdir()):
            sys.exit(f"{file.parent}: expected a new directory, or one with a {file.name}")
        file.write_text(json.dumps(plan, indent=1))
    if (old := json.loads(file.read_text())) != plan:
        changed = ", ".join(f"{key} {old.get(key)}" for key in plan if old.get(key) != plan[key])
        sys.exit(f"{file}: made for other {changed}; expected the same, or a new directory")


def main() -> None:
    """Trains, plays, and prints what each setting is worth in Elo and what it costs in time."""
    words, options = sys.argv[1:], []
    if "--" in words:
        words, options = words[: words.index("--")], words[words.index("--") + 1 :]
    program, place, runs, games, simulations, *settings = words
    levels = {name: values.split(",") for name, _, values in (text.partition("=") for text in settings)}
    for name, values in levels.items():
        if len(values) != 2:
            sys.exit(f"{name}={','.join(values)}: expected a setting with two values, as in {name}=1,2")
    needed = len(levels) + 1 + LEFT_OVER
    if int(runs).bit_count() != 1 or int(runs) < needed:
        sys.exit(f"{runs} runs: expected a power of two, {needed} at least for {len(levels)} settings")
    plan = planned(int(runs), len(levels))
    directory = pathlib.Path(place)
    asked = {"runs": runs, "games": games, "simulations": simulations, "settings": levels, "options": options}
    keep(directory / "plan.json", asked)

    def one(run: int) -> pathlib.Path:
        chosen = [f"{name}={values[sign > 0]}" for (name, values), sign in zip(levels.items(), plan[run], strict=True)]
        return train(program, directory / f"{run:02}", [*chosen, f"run.seed={run + 1}"], options)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        networks = list(workers.map(one, range(len(plan))))
    ratings = meet(program, directory / "games.jsonl", networks, int(games), simulations)
    seconds = [core_seconds(directory / f"{run:02}") for run in range(len(plan))]
    for run, (rating, time) in enumerate(zip(ratings, seconds, strict=True)):
        print(f"{run:02} {rating:+5.0f} Elo {time:6.0f} s of a core")
    costs = effects(plan, [math.log(time) for time in seconds])
    for (name, values), (worth, error), (cost, _) in zip(levels.items(), effects(plan, ratings), costs, strict=True):
        print(f"{name}={values[1]} instead of {values[0]}: {worth:+.0f} ± {error:.0f} Elo, time × {math.exp(cost):.2f}")


if __name__ == "__main__":
    main()
