"""Runs the work of several threads in many orders of steps: the flag to stop, self-play, matches, a shared tree, UGI.

The code is the program's own, in a copy where shuttle replaces its threads, locks and atomics, and chooses at each of
them which thread goes on; deadlocks are found as well. A copy with planted races shows that each would be detected.
Rust itself excludes unsynchronised memory: all code that shares memory is safe code, and nothing unsafe is shared.
ThreadSanitizer would need a standard library built with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from common import HERE, Tally, part

ROOT = HERE.parent.parent
MODELS = HERE / "races"
# The dependencies, besides shuttle; this is its last complete release.
GIPF = "".join(f"{name}.workspace = true\n" for name in ("gipf-env", "gipf-play", "rand", "rand_chacha"))
PROGRAM = 'gipf-train = { workspace = true, features = ["program"] }\n'
SHUTTLE = 'shuttle = "=0.9.9"'
BUILD = {"CARGO_PROFILE_DEV_OPT_LEVEL": "1", "CARGO_PROFILE_DEV_DEBUG": "0"}
# The code for searches on several threads.
SEARCH = ["play/src/search/shared.rs"]
ENGINE = [f"src/cli/engine/{name}.rs" for name in ("mod", "screen", "session", "thinking")]
# The replacements, with the files that they apply to.
REPLACED = [
    (
        r"\bstd::(sync|thread)\b",
        r"shuttle::\1",
        ["play/src/stop.rs", "play/src/in_order.rs", "play/src/arena/pairs.rs", *SEARCH, *ENGINE],
    ),
    # Shuttle starts scoped threads only in this way.
    (r"thread::Builder::new\(\)\.spawn_scoped\(scope, work\)", "scope.spawn(work)", SEARCH),
    (r"\brayon::broadcast\b", "crate::parallel::broadcast", ["play/src/in_order.rs"]),
]
# The work that is run.
WORK = ("stop", "self-play", "agent-games", "match", "tree", "engine")
# The planted races, each with its file.
PLANTED = [
    (
        "play/src/stop.rs",
        r"\.swap\((true, Ordering::SeqCst)\)",
        r".fetch_or(false, Ordering::SeqCst); self.0.requested.store(\1)",
    ),
    (
        "play/src/in_order.rs",
        r"self\.next\.fetch_add\(1, (.*?)\)",
        r"{ let n = self.next.load(\1); self.next.store(n + 1, \1); n }",
    ),
    ("play/src/arena/pairs.rs", r"(let results = sum\.)", r"drop(sum); let sum = locked(tally); \1"),
    ("play/src/search/driver.rs", r"self\.simulations \+ self\.under_way >= ", "self.simulations >= "),
    ("src/cli/engine/thinking.rs", r"(self\.stop\.request\(\);)\s*(self\.hit\(\);)", r"\2 \1"),
]


def make_copy(place: Path, planted: bool) -> Path:
    """Creates a copy of the program with the threads of shuttle, builds the runner, and returns it."""
    for folder in ("env", "models", "train"):
        shutil.copytree(ROOT / folder, place / folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("python"))
    shutil.copytree(MODELS, place / "races/src", dirs_exist_ok=True)
    shutil.copytree(ROOT / ".cargo", place / ".cargo", dirs_exist_ok=True)
    shutil.copy(ROOT / "Cargo.lock", place)
    sources = place / "train"
    shutil.move(place / "races/src/parallel.rs", sources / "play/src/parallel.rs")
    for pattern, by, names in REPLACED:
        for name in names:
            replace(sources / name, pattern, by, name not in ENGINE + SEARCH)
    for name, pattern, by in PLANTED if planted else []:
        replace(sources / name, pattern, by, True)
    replace(sources / "play/src/lib.rs", r"\nmod checksum;", "\nmod checksum;\npub mod parallel;", True)
    make_manifests(place)
    words = ["cargo", "build", "--quiet", "-p", "races", "--target-dir", str(place.parent / "target")]
    subprocess.run(words, cwd=place, env=os.environ | BUILD, check=True)
    program = place / "races/program"
    shutil.copy(place.parent / "target/debug/races", program)
    return program


def replace(path: Path, pattern: str, by: str, must: bool) -> None:
    """Replaces text in a file; it must be there, or the copy is not as intended."""
    text, count = re.subn(pattern, by, path.read_text())
    if must and not count:
        raise SystemExit(f"{path.name} has no {pattern}")
    path.write_text(text)


def make_manifests(place: Path) -> None:
    """Creates the workspace of the copy: without burn, since nothing learns here."""
    root = re.sub(r"(?m)^(default-)?members = .*", "", (ROOT / "Cargo.toml").read_text())
    members = '[workspace]\nmembers = ["env", "models", "train/play", "train", "races"]'
    (place / "Cargo.toml").write_text(root.replace("[workspace]", members, 1))
    for package in ("train/play", "train"):
        replace(place / package / "Cargo.toml", r"\n\[dependencies\]", f"\n[dependencies]\n{SHUTTLE}", True)
    package = '[package]\nname = "races"\nedition.workspace = true\n\n[dependencies]\n'
    (place / "races/Cargo.toml").write_text(f"{package}{GIPF}{PROGRAM}{SHUTTLE}\n")


def attempt(program: Path, what: str, orders: int, seed: int) -> str | None:
    """Runs one kind of work in this many orders, and returns what went wrong."""
    done = subprocess.run([program, what, str(orders), str(seed)], capture_output=True, check=False, text=True)
    return None if done.returncode == 0 else f"ended with {done.returncode}: {done.stderr[-3000:]}"


def races(tally: Tally) -> None:
    """Runs all work in this many orders, then the copy with planted races."""
    options, place = tally.options, tally.scratch
    chosen = [what for what in WORK if what.startswith(options.only)]
    program = make_copy(place / "copy", planted=False)
    for what in chosen:
        wrong = attempt(program, what, options.tries, options.seed)
        how = f"races/program {what} {options.tries} {options.seed}"
        tally.note(f"races: {what}, {options.tries} orders", wrong, how, program.parent)
    program = make_copy(place / "planted", planted=True)
    for what in chosen:
        unseen = None if attempt(program, what, options.tries, options.seed) else "a race that was planted is not seen"
        tally.note("races: planted", unseen, what)


if __name__ == "__main__":
    part(__doc__, 200, races)
