"""Fits the worth of each of many values in which two sides differ, from their games."""

import json
import math
import os
import subprocess
import sys

# Pulls values that few games have compared towards zero (the inverse variance of a normal prior, in logits).
PRIOR = 0.3
ELO = 400 / math.log(10)
ONE_THREAD = os.environ | {"RAYON_NUM_THREADS": "1"}


def play(program: str, agents: list[str], games: int, *options: str) -> int:
    """Plays pairs of games from the book on one thread; returns the half points of the first agent, 0 to 2 per game."""
    command = [program, "eval", agents[0], "--against", agents[1], "--games", str(games), "--book", "--json", *options]
    done = subprocess.run(command, env=ONE_THREAD, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: ended with status {done.returncode}")
    report = json.loads(done.stdout)
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


def worths(differences: list[list[float]], points: list[int], games: int) -> list[tuple[float, float]]:
    """Fits by logistic regression what each value is worth, in Elo, with its standard error.

    `differences` holds for each match how often the first side has each value, minus how often the second has it;
    `points` the half points of the first side in `games` games.
    """
    size = len(differences[0])
    worth = [0.0] * size
    for _ in range(30):
        slope = [-PRIOR * weight for weight in worth]
        curve = [[PRIOR * (one == other) for other in range(size)] for one in range(size)]
        for row, half_points in zip(differences, points, strict=True):
            expected = 1 / (1 + math.exp(-sum(map(float.__mul__, row, worth))))
            for one in filter(row.__getitem__, range(size)):
                slope[one] += row[one] * (half_points / 2 - games * expected)
                for other in range(size):
                    curve[one][other] += games * expected * (1 - expected) * row[one] * row[other]
        worth = [old + step for old, step in zip(worth, solved(curve, slope), strict=True)]
    unit = [[float(one == other) for other in range(size)] for one in range(size)]
    errors = [math.sqrt(solved(curve, unit[one])[one]) for one in range(size)]
    return [(weight * ELO, error * ELO) for weight, error in zip(worth, errors, strict=True)]
