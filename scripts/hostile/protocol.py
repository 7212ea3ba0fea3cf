"""Attacks `gipf engine` with random dialogues: valid and broken commands, at the right time and the wrong one.

Each `go` gets one `bestmove`, which can be played, except when the engine reports that a search is running; each
`isready` gets a `readyok`; nothing goes to standard error; the end of the input ends the engine. A long dialogue leaks
no memory, files or threads.
"""

import random
from itertools import pairwise
from pathlib import Path

from common import Tally, part
from dialogue import GIVING_BACK, PATIENCE, Engine, Fault, words
from speech import Speaker
from trial import answer

START = b"position startpos"
# The commands that reset the engine to its first state.
AFRESH = (
    b"setoption name Agent value greedy",
    b"setoption name Variant value standard",
    b"setoption name PlacementLimit value 0",
    b"setoption name Potentials value 3",
    b"uginewgame",
)
# What can be asked about a position.
QUESTIONS = ("p1turn", "gameover", "result", "legal", "position")
# The longest wait before an answer is demanded: longer thinking is stopped.
THINKING = 0.05
# The number of steps of a dialogue, and of cycles of the long one.
STEPS, CYCLES = 60, 40
# How much the memory of the long dialogue may grow, beyond what the allocator's pages add.
GROWTH, PAGES = 1.02, 512


class Dialogue:
    """A random dialogue in step: each answer is awaited, so that every line has to follow the protocol."""

    def __init__(self, engine: Engine, speaker: Speaker) -> None:
        """Begins at the start of a game."""
        self.engine, self.speaker, self.rng = engine, speaker, speaker.rng
        self.position = START

    def step(self) -> None:
        """Sends something, and checks the answers."""
        line = self.speaker.line(self.position)
        said = words(line)
        if said[:1] == ["quit"]:
            return
        if said[:1] == ["go"]:
            self.go(line)
        else:
            self.tell(line, said)

    def tell(self, line: bytes, said: list[str]) -> None:
        """Sends a line that is not a `go`."""
        self.engine.send(line)
        heard = self.until_ready(said)
        expected = {"isready": ["readyok"], "ugi": ["ugiok"]}.get(said[0] if said else "", [])
        if said[:1] == ["query"] and said[1:2] in ([word] for word in QUESTIONS):
            expected = ["response"]
        if [line.split()[0] for line in heard if not line.startswith(("info", "id", "option"))] != expected:
            raise Fault(f"{line[:200]!r}: expected {expected}, heard {heard[-5:]}")
        self.follow(line, said, heard)

    def follow(self, line: bytes, said: list[str], heard: list[str]) -> None:
        """Records the engine's current position."""
        if said[:1] == ["uginewgame"]:
            self.position = START
        elif said[:1] == ["position"]:
            if is_remarked(heard, "error: position: "):
                # After a refused position the engine has none, until another one is sent.
                self.engine.send(self.position)
            else:
                self.position = line
        elif said[:1] == ["setoption"] and not is_remarked(heard, "setoption: "):
            self.begin_again()

    def begin_again(self) -> None:
        """Sends the position again, since options apply from the next one on; or the start, if the position is no
        longer valid.
        """
        self.engine.send(self.position)
        if is_remarked(self.engine.ready(), "error: position: "):
            self.position = START
            self.engine.send(START)

    def until_ready(self, said: list[str]) -> list[str]:
        """Returns the answers to a line; one that asks for it gets its own `readyok`."""
        first = self.engine.ready()
        return [*first, "readyok", *self.engine.until("readyok")[:-1]] if said[:1] == ["isready"] else first

    def go(self, line: bytes) -> None:
        """Asks for a move, perhaps sends more while the engine thinks, and checks the one answer."""
        self.engine.send(line)
        heard: list[str] = []
        if "infinite" in words(line) and self.rng.random() < 0.7:
            heard += self.engine.ready()
            # An engine that has already answered is not thinking, and need not be disturbed.
            if not any(line.startswith("bestmove") for line in heard):
                heard += self.disturb()
        if not any(line.startswith("bestmove") for line in heard):
            heard += self.engine.until("bestmove") if is_limited(words(line)) else self.best_move()
        heard += self.engine.ready()
        moves = [line.split()[1] for line in heard if line.startswith("bestmove")]
        if len(moves) != 1:
            raise Fault(f"{line[:200]!r}: {len(moves)} answers in {heard[-5:]}")
        if moves[0] == "0000":
            self.check_silence(heard)
        else:
            self.check_move(moves[0])

    def best_move(self) -> list[str]:
        """Returns what is said up to the answer, which is demanded if it does not come by itself."""
        heard: list[str] = []
        while not heard or not heard[-1].startswith("bestmove"):
            line = self.engine.next(THINKING)
            if line is None:
                self.engine.send(b"stop")
                return heard + self.engine.until("bestmove")
            heard.append(line)
        return heard

    def disturb(self) -> list[str]:
        """Sends lines while a search is running, and returns the answers: what cannot be done must be reported."""
        heard: list[str] = []
        for _ in range(self.rng.randrange(4)):
            line = self.speaker.line(self.position)
            said = words(line)
            if said[:1] in (["quit"], ["stop"], ["isready"]):
                continue
            self.engine.send(line)
            new = self.engine.ready()
            if said[:1] in (["go"], ["position"], ["setoption"], ["uginewgame"]) and not is_remarked(new, ""):
                raise Fault(f"{line[:200]!r} during a search: no remark")
            heard += new
        return heard

    def check_silence(self, heard: list[str]) -> None:
        """Checks that there was a reason not to move: a remark, or the end of the game."""
        self.engine.send(b"query gameover")
        is_over = "response true" in self.engine.ready()
        if not is_over and not is_remarked(heard, ""):
            raise Fault(f"no move and no reason: {heard[-5:]}")
        # The position may have been refused during the search.
        self.engine.send(self.position)

    def check_move(self, move: str) -> None:
        """Checks that the move can be played, and perhaps plays it."""
        line = self.position + (b" " if "moves" in words(self.position) else b" moves ") + move.encode()
        self.engine.send(line)
        if is_remarked(told := self.engine.ready(), "error: position: "):
            raise Fault(f"the answer {move} cannot be played: {told}")
        if self.rng.random() < 0.6 and len(line) < 3000:
            self.position = line
        else:
            self.engine.send(self.position)


def is_limited(said: list[str]) -> bool:
    """Returns whether a `go` has a small limit that ends every search; a pondering one ends when it is told to."""
    limits = {name: value for name, value in pairwise(said) if name in ("movetime", "nodes")}
    small = [value for value in limits.values() if value.isascii() and value.isdigit() and int(value) <= 40]
    return not {"infinite", "ponder"} & set(said) and bool(small)


def is_remarked(heard: list[str], about: str) -> bool:
    """Returns whether there was a remark about something."""
    return any(line.startswith(f"info string {about}") for line in heard)


def in_step(tally: Tally, folder: Path, seed: str) -> None:
    """Runs a dialogue in step."""
    rng = random.Random(seed)
    engine = Engine(folder)
    dialogue = Dialogue(engine, Speaker(rng))
    try:
        for _ in range(STEPS):
            dialogue.step()
        if rng.random() < 0.5:
            engine.send(b"quit")
        engine.end()
        note(tally, "protocol: in step", engine, None)
    except Fault as fault:
        note(tally, "protocol: in step", engine, f"{seed}: {fault}")


def all_at_once(tally: Tally, folder: Path, seed: str) -> None:
    """Sends a whole dialogue without waiting; the end of the input ends the thinking."""
    rng = random.Random(seed)
    speaker, lines = Speaker(rng), []
    while len(lines) < 2 * STEPS:
        line = speaker.line(START)
        if words(line)[:1] != ["quit"]:
            lines.append(line)
    found = answer(["engine"], folder, b"\n".join(lines), most=4 * PATIENCE)
    heard = [line.split()[0] for line in found.out.decode(errors="replace").splitlines() if line.split()]
    firsts = [word for line in lines for word in words(line)[:1]]
    asked = {word: firsts.count(word) for word in ("go", "isready", "ugi")}
    refused = found.out.count(b"info string a search is running")
    what = None
    if found.code != 0 or found.err or found.late or found.is_mistake():
        what = f"it ended with {found.code} after {found.seconds:.1f} s: {found.err[-300:]!r}"
    elif (heard.count("readyok"), heard.count("ugiok")) != (asked["isready"], asked["ugi"]):
        what = f"{asked}, but {heard.count('readyok')} readyok and {heard.count('ugiok')} ugiok"
    elif not asked["go"] - refused <= heard.count("bestmove") <= asked["go"]:
        what = f"{asked['go']} go, {heard.count('bestmove')} bestmove, {refused} remarks that a search is running"
    tally.note("protocol: all at once", what, seed, keep(tally, b"\n".join(lines)))


def endurance(tally: Tally, folder: Path, cycles: int) -> None:
    """Repeats the same dialogue: memory, files and threads must not grow."""
    engine = Engine(folder, GIVING_BACK)
    costs = []
    try:
        for _ in range(cycles):
            dialogue = Dialogue(engine, Speaker(random.Random(tally.options.seed)))
            engine.send(*AFRESH)
            for _ in range(STEPS):
                dialogue.step()
            # Frees trees that grew with the time that was available.
            engine.send(*AFRESH)
            engine.ready()
            costs.append(engine.cost())
        engine.end()
        note(tally, "protocol: endurance", engine, growth(costs))
    except Fault as fault:
        note(tally, "protocol: endurance", engine, str(fault))


def growth(costs: list[tuple[int, int, int]]) -> str | None:
    """Returns what has grown between the second and the last quarter of a dialogue; in the first, caches fill."""
    quarter = max(1, len(costs) // 4)
    parts = costs[quarter : 2 * quarter], costs[-quarter:]
    first, last = (tuple(map(min, zip(*part, strict=True))) for part in parts)
    print(f"  memory {first[0]} to {last[0]} kB, files {first[1]} to {last[1]}, threads {first[2]} to {last[2]}")
    grown = last[0] > GROWTH * first[0] + PAGES or last[1:] != first[1:]
    return f"memory, files, threads: {first} to {last}" if grown else None


def note(tally: Tally, attack: str, engine: Engine, what: str | None) -> None:
    """Counts a dialogue, and keeps what was sent if it failed."""
    engine.process.kill()
    tally.note(attack, what, "gipf engine < input", keep(tally, b"\n".join(engine.sent) + b"\n"))


def keep(tally: Tally, said: bytes) -> Path:
    """Writes what was sent into its own folder."""
    folder = tally.scratch / "evidence"
    folder.mkdir(exist_ok=True)
    (folder / "input").write_bytes(said)
    return folder


def attack(tally: Tally) -> None:
    """Runs as many dialogues as asked for, half of them without waiting, and a long one."""
    folder = tally.scratch / "engine"
    folder.mkdir()
    if answer("train --preset smoke --run run --threads 1".split(), folder).code != 0:
        raise SystemExit("no network to play with")
    endurance(tally, folder, max(CYCLES, tally.options.tries))
    for number in range(tally.options.tries):
        hold = in_step if number % 2 else all_at_once
        hold(tally, folder, f"{tally.options.seed} {number}")


if __name__ == "__main__":
    part(__doc__, 40, attack)
