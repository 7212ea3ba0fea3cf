"""How many positions of the standard game residual networks evaluate per second on a GPU, alone and in self-play.

    python benchmarks/gpu.py [--seconds 5]

Needs PyTorch with CUDA. Half precision, untrained networks; 64 simulations a turn; the games are in two halves that
take turns at walking trees and evaluating, as in `examples/teacher.py`. Prints a line for each network and number of
games at once.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import torch

import gipf

sys.path.append(str(Path(__file__).parents[1] / "examples"))
from teacher import HALVES, Replayed, large

VARIANT = "standard"
ROUNDS = 5
NETWORKS = [(6, 64), (10, 128), (20, 256)]
ROWS = [256, 1024, 4096]


def board(rows: int) -> np.ndarray:
    """Returns observations of random games."""
    rng, envs = np.random.default_rng(0), gipf.VecEnv(VARIANT, rows)
    for _ in range(20):
        envs.step((envs.action_masks * rng.random(envs.action_masks.shape, dtype=np.float32)).argmax(1))
    return envs.observations.copy()


def rate(work: Callable[[], object], rows: int) -> float:
    """Returns the rows per second, as the median of rounds of a tenth of a second."""
    rates = []
    for _ in range(ROUNDS):
        began, calls = time.perf_counter(), 0
        while time.perf_counter() - began < 0.1:
            work()
            torch.cuda.synchronize()
            calls += 1
        rates.append(calls * rows / (time.perf_counter() - began))
    return statistics.median(rates)


def self_play(evaluators: list[Replayed], rows: int, seconds: float) -> float:
    """Returns the leaves per second that the games of all halves ask about; the first second is left out."""
    asked = [0] * len(evaluators)

    class Over(Exception):
        pass

    def half(number: int) -> None:
        opened = None

        def evaluate(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            nonlocal opened
            opened = opened or time.perf_counter()
            if time.perf_counter() - opened > seconds + 1:
                raise Over
            if time.perf_counter() - opened > 1:
                asked[number] += len(observations)
            return evaluators[number](observations)

        settings = {"full_simulations": 64, "full_share": 1.0, "parallel": rows}
        try:
            for _ in gipf.self_play(evaluate, 1_000_000, variant=VARIANT, seed=number, **settings):
                pass
        except Over:
            pass

    with ThreadPoolExecutor() as pool:
        for part in [pool.submit(half, number) for number in range(len(evaluators))]:
            part.result()
    return sum(asked) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5, help="of self-play for each network and number of games")
    seconds = parser.parse_args().seconds
    print(f"{torch.cuda.get_device_name()}; positions a second: on the device, with transfers, in self-play")
    for blocks, channels in NETWORKS:
        network = large(VARIANT, channels, blocks)
        for rows in ROWS:
            observations = board(rows)
            evaluators = [Replayed(network, VARIANT, rows) for _ in range(HALVES)]
            alone = rate(evaluators[0].graph.replay, rows)
            whole = rate(partial(evaluators[0], observations), rows)
            played = self_play(evaluators, rows, seconds)
            games = f"{blocks:2} blocks of {channels:3}, {HALVES} x {rows:5} games"
            print(f"{games}: {alone:11,.0f} {whole:11,.0f} {played:11,.0f}", flush=True)


if __name__ == "__main__":
    main()
