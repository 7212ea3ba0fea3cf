"""Simulates trainings on clusters of 10, 100 and 1 000 cores, event by event, from measured times.

simulate.py MEASURED.json PICTURE.svg: MEASURED.json is the output of measure.py; prints a table in Markdown.
"""

import heapq
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

ITERATIONS = 10
"""In each simulation; the first two are not counted."""
SKIPPED = 2
LINK = 1e9 / 8
"""Bytes per second to and from the driver: one gigabit."""
CORES_A_NODE = 32
CALL = 0.004
"""The seconds that Ray and the driver spend on each shard, as measured by overhead.py."""
FEWEST_GAMES, SHARDS_A_WORKER = 16, 2
WANTED = 0.8


@dataclass
class Outcome:
    """The result of a simulation."""

    seconds: float
    """Of an iteration."""
    efficiency: float
    """The share of the workers' time in which they play."""
    busy: dict[str, float]
    """For each single resource, the share of the time in which it is busy."""

    def limit(self) -> str:
        """Returns what the workers wait for."""
        if self.efficiency >= WANTED:
            return "-"
        name, share = max(self.busy.items(), key=lambda item: item[1])
        return name if share > 0.25 else "the last games"


def simulate(costs: dict[str, float], cores: int, games: int, lag: int, learner: int, seed: int = 1) -> Outcome:
    """Plays iterations of this many games, with this many cores for the learner."""
    draw = random.Random(seed)
    size = max(-(-games // (cores * SHARDS_A_WORKER)), FEWEST_GAMES)
    shards = [size] * (games // size) + ([games % size] if games % size else [])
    learning = (costs["learn_core_seconds"] * games + costs["measure_core_seconds"]) / learner
    weights = costs["network_bytes"] * -(-cores // CORES_A_NODE) / LINK
    waiting: list[tuple[int, int]] = []
    left = dict.fromkeys(range(1, ITERATIONS + 1), 0)
    events: list[tuple[float, int, str, tuple[int, int]]] = []
    idle, number, kept, link, driver, learner_free = cores, 0, 0, 0.0, 0.0, 0.0
    busy = {"learner": 0.0, "checking": 0.0, "link": 0.0}
    ended: list[float] = []
    played: list[float] = []

    def after(when: float, what: str, about: tuple[int, int]) -> None:
        nonlocal number
        number += 1
        heapq.heappush(events, (when, number, what, about))

    def release(iteration: int, now: float) -> None:
        nonlocal link
        if iteration > ITERATIONS:
            return
        link = max(link, now) + weights
        busy["link"] += weights
        left[iteration] = len(shards)
        after(link, "released", (iteration, 0))

    def start(now: float) -> None:
        nonlocal idle
        while idle and waiting:
            iteration, count = waiting.pop(0)
            idle -= 1
            mean, spread = costs["game_seconds"] * count, costs["game_spread"] / count**0.5
            seconds = mean * max(draw.gauss(1.0, spread), 0.3)
            played.append(seconds)
            after(now + seconds, "played", (iteration, count))

    def learn(now: float) -> None:
        nonlocal learner_free
        if kept + 1 <= ITERATIONS and left[kept + 1] == 0 and kept + 1 in open_:
            open_.discard(kept + 1)
            learner_free = max(learner_free, now) + learning
            busy["learner"] += learning
            after(learner_free, "kept", (kept + 1, 0))

    open_: set[int] = set()
    for iteration in range(1, 2 + lag):
        release(iteration, 0.0)
        open_.add(iteration)
    while events:
        now, _, what, (iteration, count) = heapq.heappop(events)
        if what == "released":
            waiting += [(iteration, count) for count in shards]
        elif what == "played":
            idle += 1
            sent = costs["result_bytes"] * count / LINK
            link = max(link, now) + sent
            checking = CALL + costs["ingest_seconds"] * count
            driver = max(driver, link) + checking
            busy["link"] += sent
            busy["checking"] += checking
            after(driver, "checked", (iteration, count))
        elif what == "checked":
            left[iteration] -= 1
            learn(now)
        else:
            kept = iteration
            ended.append(now)
            if kept + 1 + lag <= ITERATIONS:
                open_.add(kept + 1 + lag)
                release(kept + 1 + lag, now)
            learn(now)
        start(now)
    counted = ended[-1] - ended[SKIPPED - 1]
    seconds = counted / (ITERATIONS - SKIPPED)
    share = sum(played) / ITERATIONS / (seconds * cores)
    return Outcome(seconds, min(share, 1.0), {name: value / ended[-1] for name, value in busy.items()})


def cheapest(costs: dict[str, float], cores: int, lag: int) -> tuple[int, int, int] | None:
    """Returns the cores of the learner, the factor of simulations and the games per iteration with which workers play
    for 80 % of the time: the fewest simulations, then cores, then games.
    """
    for factor in (1, 2, 4, 8, 16, 32):
        for learner in (2, 8, 32):
            for games in (5000, 20_000, 80_000):
                if simulate(deeper(costs, factor), cores, games, lag, learner).efficiency >= WANTED:
                    return learner, factor, games
    return None


def deeper(costs: dict[str, float], factor: int) -> dict[str, float]:
    """Returns the costs with this many times the simulations."""
    return {**costs, "game_seconds": costs["game_seconds"] * factor}


def picture(lines: dict[str, list[tuple[int, float]]]) -> str:
    """Draws the efficiency over the number of cores as SVG."""
    colours = ["#3b6ea5", "#c0504d", "#5b8f3e", "#8064a2"]
    width, height, left, top = 720, 360, 60, 20
    across, down = width - left - 250, height - top - 50

    def at(cores: int, share: float) -> tuple[float, float]:
        from math import log10

        return left + across * (log10(cores) - 0.3) / 2.7, top + down * (1 - share)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        _, y = at(10, share)
        parts.append(f'<line x1="{left}" x2="{left + across}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for cores in (2, 10, 100, 1000):
        x, y = at(cores, 0)
        parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{cores}</text>')
    middle = left + across / 2
    parts.append(f'<text x="{middle}" y="{height - 8}" text-anchor="middle">cores that play</text>')
    for number, (name, points) in enumerate(lines.items()):
        colour = colours[number % len(colours)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = top + 16 + 20 * number
        parts.append(f'<text x="{left + across + 12}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def row(costs: dict[str, float], cores: int, lag: int, chosen: tuple[int, int, int]) -> str:
    """Simulates one choice of settings."""
    learner, factor, games = chosen
    found = simulate(deeper(costs, factor), cores, games, lag, learner)
    cells = [cores, lag, games, f"{192 * factor}", learner, f"{found.seconds:.0f} s", f"{found.efficiency:.0%}"]
    texts = [f"{cell:,}".replace(",", " ") if isinstance(cell, int) else cell for cell in cells]
    return f"| {' | '.join(texts)} | {found.limit()} |"


def main() -> None:
    """Prints the table, and writes the picture."""
    costs = json.loads(Path(sys.argv[1]).read_text())
    print(
        "| cores that play | lag | games | simulations | learner's cores | an iteration | they play | they wait for |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for cores in (10, 100, 1000):
        for lag in (0, 1):
            print(row(costs, cores, lag, (2, 1, 5000)))
            enough = cheapest(costs, cores, lag)
            if enough and enough != (2, 1, 5000):
                print(row(costs, cores, lag, enough))
    counts = [2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000]
    lines = {}
    for learner, factor in ((2, 1), (8, 4)):
        for lag in (0, 1):
            name = f"{192 * factor} simulations, {learner} learn, lag {lag}"
            shares = (simulate(deeper(costs, factor), cores, 5000, lag, learner).efficiency for cores in counts)
            lines[name] = list(zip(counts, shares, strict=True))
    Path(sys.argv[2]).write_text(picture(lines))


if __name__ == "__main__":
    main()
