"""Measures the cost of Ray: self-play beside that of `gipf self-play`, and the driver's time per shard.

overhead.py GIPF FOLDER [GAMES [SHARD [PAIRS]]]: GIPF is the program. Both play at the same time, each on one core, so
that anything else on the machine slows both. Prints the wall-clock seconds and core-seconds of each, those of all
processes of Ray together, and a line of JSON with the medians of the ratios: the program's share of what Ray takes.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import ray

from gipf import SelfPlayRun
from gipf.ray import RayWorkers, drive
from processes import processes, stat

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
GAMES, SHARD, PAIRS = [int(number) for number in sys.argv[3:]] + [1000, 100, 3][len(sys.argv) - 3 :]
SIMULATIONS = 64
TICKS = os.sysconf("SC_CLK_TCK")


class Program:
    """The program, playing on one core."""

    def __init__(self, name: str):
        options = ["--checkpoint", "pretrained", "--games", str(GAMES), "--simulations", str(SIMULATIONS)]
        command = [PROGRAM, "self-play", "--threads", "1", *options, "--out", FOLDER / name]
        self.began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.took = (0.0, 0.0)
        self.thread = threading.Thread(target=self.wait)
        self.thread.start()

    def wait(self) -> None:
        _, status, usage = os.wait4(self.process.pid, 0)
        assert status == 0, f"the program ended with {status}"
        self.took = time.perf_counter() - self.began, usage.ru_utime + usage.ru_stime


def spent(program: Program | None) -> float:
    """Returns the core-seconds of this process and of all that it has started, except the program."""
    ours = processes() - ({program.process.pid} if program else set())
    return sum(sum(map(int, stat(process)[11:13])) for process in ours) / TICKS


def on_ray(name: str, games: int, simulations: int, shard: int, beside: bool) -> tuple[tuple[float, ...], ...]:
    """Returns the seconds of the program, if it plays at the same time, and on Ray; those of all cores; and of the
    driver's core.

    The worker has joined before.
    """
    run = SelfPlayRun("pretrained", games, FOLDER / name, simulations=simulations, portion=games)
    run.set_shard_games(shard)
    run.begin()
    joined: list[str] = []
    workers = RayWorkers(probe=(run.checkpoint(1), run.probe(1)), event=joined.append)
    while not joined:
        workers.room()
        list(workers.collect(0.2))
    program = Program(f"{name}-program") if beside else None
    began, driver, cores = time.perf_counter(), time.process_time(), spent(program)
    drive(run, workers)
    took = time.perf_counter() - began, spent(program) - cores, time.process_time() - driver
    workers.close()
    if program:
        program.thread.join()
    return (program.took if program else ()), took


def main() -> None:
    """Measures both, one after the other."""
    where = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False, "log_to_driver": False}
    ray.init(num_cpus=1, object_store_memory=100_000_000, **where)
    rows = []
    for pair in range(PAIRS):
        rows.append(on_ray(f"ray-{pair}", GAMES, SIMULATIONS, SHARD, beside=True))
        print([[round(number, 2) for number in row] for row in rows[-1]], flush=True)
    tiny = 60
    _, (_, _, core) = on_ray("tiny", tiny, 1, 1, beside=False)
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
