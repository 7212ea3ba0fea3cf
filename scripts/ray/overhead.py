"""Measures what Ray costs: self-play beside that of `gipf self-play`, and the driver's time for a shard.

overhead.py GIPF FOLDER [GAMES [SHARD [PAIRS]]]: GIPF is the program. Both play in turn, in pairs of runs. Prints the
seconds and the core seconds of each, those of all processes of Ray together, and a line of JSON with the medians of
the ratios. On a machine that does other work, core seconds are what can be compared.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import ray
from processes import processes, stat

from gipf import SelfPlayRun
from gipf.ray import RayWorkers, drive

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
GAMES, SHARD, PAIRS = [int(number) for number in sys.argv[3:]] + [1000, 100, 3][len(sys.argv) - 3 :]
CORES, SIMULATIONS = 2, 64
TICKS = os.sysconf("SC_CLK_TCK")


def by_program(name: str) -> tuple[float, float]:
    """Returns the seconds of `gipf self-play`, and those of its cores."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    options = ["--checkpoint", "pretrained", "--games", str(GAMES), "--simulations", str(SIMULATIONS)]
    subprocess.run([PROGRAM, "self-play", *options, "--out", FOLDER / name], check=True, capture_output=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spent() -> float:
    """Returns the core seconds of this process and of all that it has started and that is still there."""
    return sum(sum(map(int, stat(process)[11:13])) for process in processes()) / TICKS


def on_ray(name: str, games: int, simulations: int, shard: int) -> tuple[float, float, float]:
    """Returns the seconds on Ray, those of all its cores, and those of the driver's.

    Workers have joined by then.
    """
    run = SelfPlayRun("pretrained", games, FOLDER / name, simulations=simulations, portion=games)
    run.set_shard_games(shard)
    run.begin()
    joined: list[str] = []
    workers = RayWorkers(probe=(run.checkpoint(1), run.probe(1)), event=joined.append)
    while len(joined) < CORES:
        workers.room()
        list(workers.collect(0.2))
    began, driver, cores = time.perf_counter(), time.process_time(), spent()
    drive(run, workers)
    took = time.perf_counter() - began, spent() - cores, time.process_time() - driver
    workers.close()
    return took


def main() -> None:
    """Measures both in turn."""
    where = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False, "log_to_driver": False}
    ray.init(num_cpus=CORES, object_store_memory=100_000_000, **where)
    rows = []
    for pair in range(PAIRS):
        rows.append((by_program(f"program-{pair}"), on_ray(f"ray-{pair}", GAMES, SIMULATIONS, SHARD)))
        print([[round(number, 2) for number in row] for row in rows[-1]], flush=True)
    tiny = 60
    _, _, core = on_ray("tiny", tiny, 1, 1)
    found = {
        "shard": SHARD,
        "shard_core_seconds": statistics.median(program[1] for program, _ in rows) / GAMES * SHARD,
        "games_a_second": statistics.median(program[0] / other[0] for program, other in rows),
        "games_a_core_second": statistics.median(program[1] / other[1] for program, other in rows),
        "driver_seconds_a_shard": core / tiny,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
