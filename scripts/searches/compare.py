"""Plays pairs of games between settings of the search drawn at random, and fits what each value is worth.

Usage: compare.py PROGRAM VARIANTS NETWORK FILE SIMULATIONS PAIRS SETTING=VALUE,VALUE...
"""

import json
import math
import os
import pathlib
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# What a PUCT root does without.
OF_GUMBEL = {"considered", "c_scale"}
# Pulls what few games have compared towards nothing (the inverse variance of a normal prior, in logits).
PRIOR = 0.3
ELO = 400 / math.log(10)


def drawn(levels: dict[str, list[str]], rng: random.Random) -> dict[str, str]:
    """Returns one value of each setting that applies."""
    values = {setting: rng.choice(choices) for setting, choices in levels.items()}
    gumbel = values.get("root") != "puct"
    return {setting: value for setting, value in values.items() if gumbel or setting not in OF_GUMBEL}


def agent(network: str, simulations: str, values: dict[str, str]) -> str:
    """Returns the name of the agent with these settings."""
    return ",".join([f"{network}:sims={simulations}", *(f"{setting}={value}" for setting, value in values.items())])


def play(program: str, variant: str, seed: int, agents: list[str]) -> int:
    """Plays a pair of games on one thread; returns the half points of the first agent, 0 to 4."""
    command = [program, "eval", agents[0], "--against", agents[1], "--games", "2", "--book", "--json"]
    command += ["--variant", variant, "--seed", str(seed)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    report = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    report = json.loads(report)
    return 2 * report["wins"] + report["draws"]


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solves a system of linear equations whose matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        for row in rows[at + 1 :]:
            factor = row[at] / pivot[at]
            row[:] = [value - factor * other for value, other in zip(row, pivot, strict=True)]
    solution = [0.0] * len(rows)
    for at in reversed(range(len(rows))):
        known = sum(rows[at][other] * solution[other] for other in range(at + 1, len(rows)))
        solution[at] = (rows[at][-1] - known) / rows[at][at]
    return solution


def fitted(pairs: list[dict], values: list[tuple[str, str]]) -> list[tuple[float, float]]:
    """Returns for each value its worth in Elo and the standard error, by logistic regression on the points of pairs."""
    inputs = [[float(p["a"].get(s) == v) - float(p["b"].get(s) == v) for s, v in values] for p in pairs]
    size, worth = len(values), [0.0] * len(values)
    for _ in range(30):
        slope = [-PRIOR * weight for weight in worth]
        curve = [[PRIOR * (one == other) for other in range(size)] for one in range(size)]
        for row, pair in zip(inputs, pairs, strict=True):
            expected = 1 / (1 + math.exp(-sum(map(float.__mul__, row, worth))))
            for one in filter(row.__getitem__, range(size)):
                slope[one] += row[one] * (pair["points"] / 2 - 2 * expected)
                for other in range(size):
                    curve[one][other] += 2 * expected * (1 - expected) * row[one] * row[other]
        worth = [old + step for old, step in zip(worth, solved(curve, slope), strict=True)]
    unit = [[float(one == other) for other in range(size)] for one in range(size)]
    errors = [math.sqrt(solved(curve, unit[one])[one]) for one in range(size)]
    return [(weight * ELO, error * ELO) for weight, error in zip(worth, errors, strict=True)]


def main() -> None:
    """Plays the pairs, adds them to the file, and prints the fit of all that it holds."""
    program, variants, network, file, simulations, wanted, *settings = sys.argv[1:]
    levels = {setting: values.split(",") for setting, values in (text.split("=") for text in settings)}
    path = pathlib.Path(file)
    seed = path.stat().st_size if path.exists() else 0
    rng = random.Random(seed)

    def one(number: int) -> None:
        variant = rng.choice(variants.split())
        a, b = drawn(levels, rng), drawn(levels, rng)
        agents = [agent(network, simulations, values) for values in (a, b)]
        points = play(program, variant, seed + number, agents)
        pair = {"variant": variant, "simulations": simulations, "a": a, "b": b, "points": points}
        with path.open("a") as lines:
            lines.write(json.dumps(pair) + "\n")
        if (number + 1) % 10 == 0:
            print(f"{number + 1} pairs", file=sys.stderr)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        list(workers.map(one, range(int(wanted))))
    pairs = [json.loads(line) for line in path.read_text().splitlines()]
    others = {(s, v) for pair in pairs for side in "ab" for s, v in pair[side].items()}
    first = {(setting, values[0]) for setting, values in levels.items()}
    values = sorted(others - first)
    print(f"{len(pairs)} pairs; Elo against " + ", ".join("=".join(value) for value in sorted(first)))
    for (setting, value), (worth, error) in zip(values, fitted(pairs, values), strict=True):
        print(f"{setting}={value:<8} {worth:+5.0f} ± {error:.0f}")


if __name__ == "__main__":
    main()
