"""Plays pairs of games between settings of the search drawn at random, and fits what each value is worth.

Usage: searches.py PROGRAM VARIANTS NETWORK FILE SIMULATIONS PAIRS SETTING=VALUE,VALUE...
"""

import json
import os
import pathlib
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from fit import play, worths

# Settings that a PUCT root does not have.
OF_GUMBEL = {"considered", "c_scale"}


def drawn(levels: dict[str, list[str]], rng: random.Random) -> dict[str, str]:
    """Returns one value of each setting that applies."""
    values = {setting: rng.choice(choices) for setting, choices in levels.items()}
    gumbel = values.get("root") != "puct"
    return {setting: value for setting, value in values.items() if gumbel or setting not in OF_GUMBEL}


def agent(network: str, simulations: str, values: dict[str, str]) -> str:
    """Returns the name of the agent with these settings."""
    settings = [f"sims={simulations}", *(f"{setting}={value}" for setting, value in values.items())]
    # A path may hold colons and commas: its settings follow after a comma.
    return f"{network},{','.join(settings)}" if network.startswith("mcts:") else f"{network}:{','.join(settings)}"


def read(file: pathlib.Path) -> list[dict]:
    """Returns the pairs of a file; none if there is no file yet."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def main() -> None:
    """Plays the pairs, adds them to the file, and prints the fit of everything in it."""
    program, variants, network, file, simulations, wanted, *settings = sys.argv[1:]
    levels = {setting: values.split(",") for setting, values in (text.split("=") for text in settings)}
    path = pathlib.Path(file)
    played = read(path)
    for pair in played:
        if (found := (pair["simulations"], pair["network"])) != (simulations, network):
            sys.exit(f"{file}: holds games of {found}, expected the simulations and the network of this call")
    seed = path.stat().st_size if path.exists() else 0
    rng = random.Random(seed)

    def one(number: int) -> None:
        variant = rng.choice(variants.split())
        a, b = drawn(levels, rng), drawn(levels, rng)
        agents = [agent(network, simulations, values) for values in (a, b)]
        points = play(program, agents, 2, "--variant", variant, "--seed", str(seed + number))
        pair = {"variant": variant, "network": network, "simulations": simulations, "a": a, "b": b, "points": points}
        with path.open("a") as lines:
            lines.write(json.dumps(pair) + "\n")
        if (number + 1) % 10 == 0:
            print(f"{number + 1} pairs", file=sys.stderr)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        list(workers.map(one, range(int(wanted))))
    pairs = read(path)
    others = {(s, v) for pair in pairs for side in "ab" for s, v in pair[side].items()}
    first = {(setting, values[0]) for setting, values in levels.items()}
    values = sorted(others - first)
    print(f"{len(pairs)} pairs; Elo against " + ", ".join("=".join(value) for value in sorted(first)))
    differences = [[float(p["a"].get(s) == v) - float(p["b"].get(s) == v) for s, v in values] for p in pairs]
    found = worths(differences, [pair["points"] for pair in pairs], games=2)
    for (setting, value), (worth, error) in zip(values, found, strict=True):
        print(f"{setting}={value:<8} {worth:+5.0f} ± {error:.0f}")


if __name__ == "__main__":
    main()
