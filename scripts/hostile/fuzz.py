"""Attacks every reader of bytes that anybody may have written: its law in `tests/src/readers` must always hold.

Up to 100 000 tries are random changes of the inputs in `tests/fuzz/corpus`, made by the tests of the project, so almost
nothing has to be built. Beyond that, libFuzzer makes inputs that reach new code: the given number for each reader of
texts, a tenth for files that only programs write, a hundredth for whole commands. Building it takes minutes, a C++
compiler, and cargo-fuzz. An input that takes 5 seconds or 1 GB is also a failure.
"""

import os
import re
import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common import HERE, Tally, part

ROOT = HERE.parent.parent
FUZZ = ROOT / "tests/fuzz"
# The most tries that need no instrumented program.
MOST_CHANGES = 100_000
BUILD = "cargo fuzz build --release --debug-assertions --sanitizer none".split()
SECONDS, MEGABYTES = 5, 1024
MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Target:
    """A reader: the largest size of its inputs, the divisor of the number of tries, and the most time for one."""

    name: str
    longest: int
    part: int = 1
    seconds: int = SECONDS


TARGETS = (
    Target("official", 256),
    Target("julio", 256),
    Target("records", 512),
    Target("analyses", 512),
    Target("puzzles", 512),
    Target("positions", 128),
    Target("protocol", 512),
    Target("settings", 1024),
    Target("agents", 256),
    Target("tags", 512),
    Target("ladders", 2048),
    Target("books", 1024),
    Target("decisions", 4096),
    Target("check", 512, 100),
    Target("engine", 512, 100),
    Target("checkpoints", 8192, 10),
    # The library skips one by one over booleans that take no bytes, as many as a damaged file claims.
    Target("datasets", 6000, 10, 120),
    Target("shards", 12000, 10),
    Target("specifications", 6000, 10),
    Target("pairs", 12000, 10),
)


def attack(tally: Tally) -> None:
    """Attacks all readers, or those whose names begin as given."""
    if tally.options.tries <= MOST_CHANGES:
        change(tally)
        return
    build()
    for target in TARGETS:
        if target.name.startswith(tally.options.only):
            search(target, tally)


def change(tally: Tally) -> None:
    """Lets the tests change good inputs at random."""
    command = "cargo test --quiet -p gipf-tests --no-default-features fuzz:: -- --nocapture".split()
    chosen = {"GIPF_FUZZ_INPUTS": str(tally.options.tries), "GIPF_FUZZ_SEED": str(tally.options.seed)}
    done = subprocess.run(command, cwd=ROOT, env=os.environ | chosen, capture_output=True, text=True, check=False)
    for name, tries in re.findall(r"(\w+): (\d+) inputs", done.stdout):
        tally.note(f"fuzz: {name}", None, tries=int(tries))
    print("  random changes; Parquet files are changed by the part mutate", flush=True)
    if done.returncode != 0:
        how = " ".join([*(f"{name}={value}" for name, value in chosen.items()), *command])
        tally.note("fuzz: tests", done.stderr[-2000:] or done.stdout[-2000:], how)


def build() -> None:
    """Builds all targets."""
    if not shutil.which("cargo-fuzz"):
        raise SystemExit("cargo-fuzz is missing: cargo install cargo-fuzz")
    subprocess.run(BUILD, cwd=FUZZ, check=True)


def program(target: Target) -> Path:
    """Returns the program of a target."""
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = next(line.split()[1] for line in told.splitlines() if line.startswith("host"))
    return ROOT / "target/fuzz" / host / "release" / target.name


def search(target: Target, tally: Tally) -> None:
    """Lets libFuzzer search for inputs; GIPF_FUZZ_CORPUS names a folder that keeps those that reach new code."""
    kept = Path(os.environ.get("GIPF_FUZZ_CORPUS", tally.scratch / "corpus")) / target.name
    found = tally.scratch / "found" / target.name
    for folder in (kept, found):
        folder.mkdir(parents=True, exist_ok=True)
    known = [str(FUZZ / place / target.name) for place in ("corpus", "regressions")]
    options = {
        "runs": tally.options.tries // target.part,
        "seed": tally.options.seed,
        "max_len": target.longest,
        "timeout": target.seconds,
        "rss_limit_mb": MEGABYTES,
        "artifact_prefix": f"{found}/",
        "print_final_stats": 1,
    }
    dictionary = FUZZ / "dictionaries" / target.name
    if dictionary.exists():
        options["dict"] = dictionary
    command = [str(program(target)), *(f"-{name}={value}" for name, value in options.items()), str(kept)]
    command += [folder for folder in known if Path(folder).is_dir()]
    report(target, run(command, found), found, tally)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Runs a target in a folder; files that it writes for itself are in memory, if that is available as a folder."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        environment = os.environ | {"TMPDIR": scratch}
        return subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            preexec_fn=limit,
            check=False,
        )


def limit() -> None:
    """Takes memory beyond the limit from a target: libFuzzer itself checks only once a second."""
    resource.setrlimit(resource.RLIMIT_AS, (2 * MEGABYTES << 20, 2 * MEGABYTES << 20))


def report(target: Target, done: subprocess.CompletedProcess, found: Path, tally: Tally) -> None:
    """Counts the tries of a target, and keeps what it failed on."""
    number = {name: int(value) for name, value in re.findall(r"stat::(\w+):\s+(\d+)", done.stderr)}
    tries, speed = number.get("number_of_executed_units", 0), number.get("average_exec_per_sec", 0)
    print(f"  {target.name}: {tries} inputs, {speed} a second, {number.get('new_units_added', 0)} kept", flush=True)
    what, how = None, ""
    if done.returncode != 0:
        what = f"exit {done.returncode}: {done.stderr[-2000:]}"
        how = f"cd tests/fuzz && cargo fuzz run --sanitizer none {target.name} FILE"
    tally.note(f"fuzz: {target.name}", what, how, found, tries=max(1, tries))


if __name__ == "__main__":
    part(__doc__, 10_000, attack)
