"""The parts of two runs that must be the same: checkpoints, samples, the learner's state, and metrics without times."""

import hashlib
import json
from pathlib import Path

TIMES = {"seconds", "core_seconds", "evaluations_per_second", "samples_per_second"}


def timeless(value):
    """Returns metrics without the parts that depend on the clock."""
    if isinstance(value, dict):
        return {name: timeless(inner) for name, inner in value.items() if name not in TIMES}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def outcome(run: Path) -> dict[str, str]:
    """Returns the checksums of all parts by name."""
    patterns = ["checkpoints/*", "state/samples-*", "state/learner-*", "state/student-*"]
    files = [file for pattern in patterns for file in run.glob(pattern)]
    found = {str(file.relative_to(run)): file.read_bytes() for file in files}
    lines = (run / "metrics.jsonl").read_text().splitlines()
    found["metrics"] = json.dumps([timeless(json.loads(line)) for line in lines]).encode()
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(found.items())}


def assert_same(one: Path, other: Path) -> None:
    """Exits with the names of the parts that differ."""
    first, second = outcome(one), outcome(other)
    wrong = [name for name in first | second if first.get(name) != second.get(name)]
    if wrong:
        raise SystemExit(f"{other.name} differs from {one.name} in {', '.join(wrong)}")
    print(f"  {other.name}: the same {len(first)} things as {one.name}", flush=True)


def assert_same_ladder(one: Path, other: Path) -> None:
    """Exits unless two ladders have the same lines, apart from the seconds that players thought and the program's
    version.
    """
    first, second = ([timeless_line(line) for line in path.read_text().splitlines()] for path in (one, other))
    if first != second or len(first) < 4:
        raise SystemExit(f"{other.name} differs from {one.name}: {first} {second}")
    print(f"  {other.name}: the same {len(first) - 2} rounds as {one.name}", flush=True)


def timeless_line(line: str) -> dict[str, object]:
    """Returns a line of a ladder without the parts that depend on the clock or the program."""
    return {name: value for name, value in json.loads(line).items() if name not in ("seconds", "program", "check")}


def assert_same_dataset(one: Path, other: Path) -> None:
    """Exits with the names of files of games that differ."""
    first, second = (
        {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.rglob("*.parquet")}
        for folder in (one, other)
    )
    if first != second or not first:
        raise SystemExit(f"{other.name} differs from {one.name}: {first} {second}")
    print(f"  {other.name}: the same {len(first)} files as {one.name}", flush=True)
