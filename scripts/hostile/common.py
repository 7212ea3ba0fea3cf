"""The common part of the attacks: the program, scratch folders, what is left there, the table of tries and failures."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock
from typing import TypeVar

T = TypeVar("T")
HERE = Path(__file__).resolve().parent
GIPF = str(Path(os.environ.get("GIPF", HERE.parent.parent / "target/release/gipf")).resolve())
# Seconds after which a command counts as hanging.
PATIENCE = 60
# What a killed program may have left, and nothing else may.
LEFTOVER = re.compile(r"(^|/)\.gipf-[^/]*\.tmp$")
# Numbers that depend on time, and checksums of lines that contain them.
TIMES = {
    *("seconds", "core_seconds", "cpu_seconds", "wall_seconds", "judging_seconds"),
    *("evaluations_per_second", "samples_per_second", "check"),
}


@dataclass(frozen=True)
class Done:
    """How a command ended; `code` is negative after a signal."""

    code: int
    out: str
    err: str

    def complaint(self) -> str | None:
        """Returns what is wrong with its failure: a single line and its own exit code are expected."""
        errors = [line for line in self.err.splitlines() if line.startswith("error: ")]
        if "panicked" in self.err or self.code < 0:
            return f"ended by {self.code}: {self.err[-300:]}"
        if self.code not in (1, 2) or len(errors) != 1 or not self.err.rstrip().endswith(errors[0]):
            return f"code {self.code}, expected one line of error: {self.err[-300:]}"
        return None


def run(arguments: list[str], folder: Path, text: str = "", env: dict[str, str] | None = None) -> Done:
    """Runs the program in a folder, and returns how it ended."""
    environment = os.environ | {"NO_COLOR": "1"} | (env or {})
    try:
        done = subprocess.run(
            [GIPF, *arguments],
            cwd=folder,
            env=environment,
            input=text.encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Done(-99, "", "no end")
    return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


Snapshot = dict[str, str]


def snapshot(folder: Path) -> Snapshot:
    """Returns what is in a folder, recursively: each name with its content; times do not count."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.blake2b(timeless(path)).hexdigest()[:16]
        else:
            found[name] = "folder" if path.is_dir() else "special"
    return found


def timeless(path: Path) -> bytes:
    """Returns the bytes of a file, without those that depend on how long something took."""
    data = path.read_bytes()
    if path.name == "curve.svg":
        # A picture drawn over minutes.
        return re.sub(rb"[0-9.]+|<text[^/]*/text>|L", b"", data)
    if "tfevents" in path.name:
        # Its numbers have the same length, whatever they are.
        return str(len(data)).encode()
    if path.suffix not in (".json", ".jsonl"):
        return data
    try:
        values = [json.loads(data)] if path.suffix == ".json" else [json.loads(line) for line in data.splitlines()]
    except ValueError:
        return data
    ending = data[-1:]
    if path.match("state/manifest.json"):
        # The checksum of the line itself and that of the metrics, which contain times.
        values = [{**value, "blake3": "", "manifest": {**value["manifest"], "metrics": ""}} for value in values]
    return json.dumps(whole_rounds([without_times(value) for value in values])).encode() + ending


def whole_rounds(lines: list) -> list:
    """Returns the lines of a file; for a ladder with the parts of a stopped round as one, and openings in order."""
    whole = []
    for line in lines:
        if isinstance(line, dict) and "openings" in line and whole and whole[-1].get("left"):
            line = joined(whole.pop(), line)
        whole.append(line)
    for line in whole:
        if isinstance(line, dict) and "openings" in line:
            line["openings"].sort()
        if isinstance(line, dict) and set(line) == {"series"}:
            line["series"] = sum("openings" in other for other in whole)
    return whole


def joined(one: dict, rest: dict) -> dict:
    """Returns two series of a ladder as one; the second has the rest."""
    sums = {key: [a + b for a, b in zip(one[key], rest[key], strict=True)] for key in ("pairs", "turns", "nodes")}
    counts = {key: one[key] + rest[key] for key in ("openings", "draws", "white_wins")}
    return rest | sums | counts


def without_times(value: object) -> object:
    """Returns a JSON value without its times."""
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key not in TIMES}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def difference(found: Snapshot, expected: Snapshot) -> str | None:
    """Returns the differences between two snapshots."""
    names = [name for name in sorted(found.keys() | expected.keys()) if found.get(name) != expected.get(name)]
    told = [f"{name} ({found.get(name, 'missing')} for {expected.get(name, 'nothing')})" for name in names]
    return f"differs: {', '.join(told[:6])}" if names else None


def leftovers(found: Iterable[str]) -> str | None:
    """Returns the unfinished files that were left."""
    names = [name for name in found if LEFTOVER.search(name)]
    return f"left behind: {', '.join(names)}" if names else None


@dataclass
class Options:
    """The options of an attack."""

    tries: int
    seed: int
    keep: Path
    only: str
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)


@dataclass
class Tally:
    """The tries of an attack by kind, and the failures."""

    options: Options
    scratch: Path
    rows: dict[str, list[int]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def note(self, attack: str, what: str | None, how: str = "", evidence: Path | None = None, tries: int = 1) -> None:
        """Counts a try, or many at once; if something is wrong with one, it is kept, with how to reproduce it."""
        with self.lock:
            row = self.rows.setdefault(attack, [0, 0])
            row[0] += tries
            row[1] += what is not None
            number = row[1]
        if what is None:
            return
        print(f"{attack}: {how}: {what}", file=sys.stderr, flush=True)
        place = self.options.keep / f"{re.sub('[^a-z0-9]+', '-', attack.lower())}-{number}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "README").write_text(f"{how}\n{what}\n")
        if evidence and evidence.is_dir():
            # Devices and pipes cannot be copied.
            subprocess.run(["cp", "-a", str(evidence), str(place / "left")], check=False)

    def table(self) -> int:
        """Prints a line for each kind; returns the exit code, which is 1 also if nothing was tried."""
        for attack, (tries, failures) in self.rows.items():
            print(f"{attack} | {tries} | {failures}", flush=True)
        if not self.rows:
            print(f"nothing was tried: no name begins with {self.options.only!r}", file=sys.stderr)
        return int(not self.rows or any(failures for _, failures in self.rows.values()))


def part(doc: str, tries: int, attack: Callable[[Tally], None]) -> None:
    """Runs an attack of the campaign with the options of the command line."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--tries", type=int, default=tries, help="how much is tried at most (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "gipf-failures")
    parser.add_argument("--only", default="", help="only commands whose names begin so")
    options = Options(**vars(parser.parse_args()))
    with tempfile.TemporaryDirectory(prefix="gipf-hostile-") as folder:
        tally = Tally(options, Path(folder).resolve())
        try:
            attack(tally)
        finally:
            # What was found before a mistake of the attack itself counts, too.
            code = tally.table()
    sys.exit(code)


def on_all_cores(work: Callable[[int], T], count: int) -> list[T]:
    """Does `count` pieces of work, on all cores, and returns what each returned."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, range(count)))
