"""The speed of the package beside the same kind of games in other libraries, in one process on one core.

    RAYON_NUM_THREADS=1 python benchmarks/speed.py

Random play throughout; each figure is the median of five rounds. Libraries that are not installed are left out.

    RAYON_NUM_THREADS=2 python benchmarks/speed.py own

measures work with a Python evaluator, in wall-clock time: self-play beside the same in Rust, in turns, and the samples
of a dataset.
"""

from __future__ import annotations

import importlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import gipf
import gipf.data
from gipf._gipf import _native_seconds

ROUNDS = 5


def rate(work: Callable[[float], int], seconds: float = 1.0) -> float:
    """Returns the units of work per second, as the median of the rounds; a unit is what `work` counts."""
    rates = []
    for _ in range(ROUNDS):
        began = time.process_time()
        done = work(seconds)
        rates.append(done / (time.process_time() - began))
    return statistics.median(rates)


def state_steps(seconds: float) -> int:
    done, end, rng = 0, time.process_time() + seconds, random.Random(0)
    while time.process_time() < end:
        state = gipf.State()
        while not state.is_over:
            state.apply(rng.choice(state.legal_actions()))
            done += 1
    return done


def vec_env_steps(n: int, form: str) -> Callable[[float], int]:
    envs, rng = gipf.VecEnv("standard", n, observations=form), np.random.default_rng(0)
    action_space = gipf.action_space("standard")

    def work(seconds: float) -> int:
        done, spent = 0, 0.0
        while spent < seconds:
            masks = envs.action_masks
            if form == "bits":
                masks = np.unpackbits(masks, axis=-1, count=action_space, bitorder="little")
            actions = (masks * rng.random(masks.shape, dtype=np.float32)).argmax(1)
            began = time.process_time()
            envs.step(actions)
            spent += time.process_time() - began
            done += n
        work.spent = spent
        return done

    return work


def vec_env_rate(n: int, form: str = "f32") -> float:
    """Returns the steps per second, without the time in which numpy draws the actions."""
    work, rates = vec_env_steps(n, form), []
    for _ in range(ROUNDS):
        rates.append(work(1.0) / work.spent)
    return statistics.median(rates)


def pettingzoo_turns(module: str) -> Callable[[float], int]:
    env = importlib.import_module(module).env()

    def work(seconds: float) -> int:
        done, end = 0, time.process_time() + seconds
        while time.process_time() < end:
            env.reset(seed=done)
            for agent in env.agent_iter():
                observation, _, termination, truncation, info = env.last()
                over = termination or truncation
                mask = observation["action_mask"] if "action_mask" in observation else info["action_mask"]
                env.step(None if over else env.action_space(agent).sample(mask))
                done += not over
        return done

    return work


def open_spiel_steps(name: str) -> Callable[[float], int]:
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(0)

    def work(seconds: float) -> int:
        done, end = 0, time.process_time() + seconds
        while time.process_time() < end:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                done += 1
        return done

    return work


def show(name: str, figure: float) -> None:
    print(f"{name:<52}{figure:>14,.0f}", flush=True)


class Enough(Exception):
    """Ends self-play."""


def python_seconds(parallel: int, simulations: int, leaves: int) -> float:
    """Returns the seconds that self-play takes to have this many leaves evaluated by a function that costs nothing."""
    logits = np.zeros((parallel, gipf.action_space("standard")), np.float32)
    values, left = np.zeros(parallel, np.float32), leaves

    def nothing(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal left
        if left <= 0:
            raise Enough
        left -= len(observations)
        return logits[: len(observations)], values[: len(observations)]

    settings = {"full_simulations": simulations, "cheap_simulations": simulations, "parallel": parallel}
    games, began = gipf.self_play(nothing, 10**9, **settings), time.perf_counter()
    try:
        for _ in games:
            pass
    except Enough:
        return time.perf_counter() - began
    raise AssertionError("there are more games")


def self_play(parallel: int, simulations: int = 64, leaves: int = 400_000) -> None:
    """Measures self-play with and without Python, in turns."""
    seconds: dict[str, list[float]] = {"python": [], "batches": [], "trainer": []}
    for _ in range(ROUNDS):
        for driver, found in seconds.items():
            if driver == "python":
                found.append(python_seconds(parallel, simulations, leaves))
            else:
                found.append(_native_seconds(driver, "standard", parallel, simulations, leaves))
    for driver, found in seconds.items():
        show(f"self-play, {parallel} games, {driver}, simulations/s", leaves / statistics.median(found))
    for driver in ("batches", "trainer"):
        shares = [ours / own for own, ours in zip(seconds["python"], seconds[driver], strict=True)]
        show(f"  % of the speed of {driver}", 100 * statistics.median(shares))


def samples(folder: str, **options: bool) -> float:
    """Returns the samples per second of a dataset that the system holds in memory."""
    rates = []
    for _ in range(ROUNDS):
        began, found = time.perf_counter(), 0
        for batch in gipf.data.batches(folder, 1024, **options):
            found += len(batch["values"])
        rates.append(found / (time.perf_counter() - began))
    return statistics.median(rates)


def own() -> None:
    for parallel in (64, 1024):
        self_play(parallel)
    with tempfile.TemporaryDirectory() as folder:

        def nothing(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            n = len(observations)
            return np.zeros((n, gipf.action_space("standard")), np.float32), np.zeros(n, np.float32)

        settings = {"full_simulations": 8, "full_share": 1.0, "parallel": 1024}
        gipf.self_play(nothing, 8000, out=f"{folder}/games", **settings)
        for shuffle in (False, True):
            for symmetries in (False, True):
                name = f"samples/s, shuffle={shuffle}, symmetries={symmetries}"
                show(name, samples(f"{folder}/games", shuffle=shuffle, symmetries=symmetries))


def main() -> None:
    if sys.argv[1:] == ["own"]:
        own()
        return
    show("gipf.State, decisions/s", rate(state_steps))
    for n in (1, 64, 1024, 4096):
        show(f"gipf.VecEnv, n = {n}, steps/s", vec_env_rate(n))
    for form in ("u8", "bits"):
        show(f"gipf.VecEnv, n = 4096, {form}, steps/s", vec_env_rate(4096, form))
    for module in ("gipf.pettingzoo", *(f"pettingzoo.classic.{game}_v{v}" for game, v in CLASSIC)):
        try:
            show(f"{module}, turns/s", rate(pettingzoo_turns(module)))
        except ImportError as error:
            print(f"{module}: left out, {error}")
    try:
        import gipf.open_spiel  # noqa: F401
    except ImportError as error:
        print(f"OpenSpiel: left out, {error}")
        return
    for game in ("python_gipf", "tic_tac_toe", "connect_four", "hex(board_size=7)", "breakthrough", "hive"):
        show(f"OpenSpiel {game}, steps/s", rate(open_spiel_steps(game)))


CLASSIC = (("connect_four", 3), ("tictactoe", 3), ("chess", 6))

if __name__ == "__main__":
    main()
