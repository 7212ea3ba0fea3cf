"""Changes rules and search in one small place at a time, and checks whether their tests notice.

cargo-mutants (`cargo install cargo-mutants`) lists the possible changes. A seeded sample of them is tried, each in a
copy that holds only the changed code and its tests, which takes only seconds. Results are kept in --keep, and the same
command resumes there. A change that does not compile does not count.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from common import HERE, Tally, part
from trial import limit_children

ROOT = HERE.parent.parent
# Seconds for the tests of a change, and for building it.
PATIENCE, BUILDING = 60, 300
# Optimised only enough to play many games.
BUILD = {"CARGO_PROFILE_DEV_OPT_LEVEL": "1", "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_TERM_COLOR": "never"}
TEST = {"GIPF_SLOW_DECISIONS": "2000", "RUST_BACKTRACE": "0"}
DEPENDENCIES = "flate2 gipf-env ndarray rand rand_chacha rayon serde serde_json"
# The tests of each subject by their folders, as far as they need nothing else.
RULES = {
    "": "allocations drawn random recorded slow",
    "environment": "canonical episodes observation",
    "notation": "gpn julio official record refused",
    "rules": "draws ends faq laws perft push_off push_off_rows removal sets turns zertz",
}
SEARCH = {"": "random", "environment": "small_gipf toys", "search": "answers exact tree"}


@dataclass(frozen=True)
class Subject:
    """What is changed, and which tests are run on it."""

    name: str
    files: str
    # The package whose own tests are run last, and where its sources are in the copy.
    package: str
    source: str
    tests: dict[str, str]


SUBJECTS = [
    Subject("rules", "env/src/rules", "gipf-env", "env/src/rules", RULES),
    Subject("search", "train/play/src/search", "gipf-play", "train/play/src/search", SEARCH),
]


@dataclass(frozen=True)
class Mutant:
    """A change: text that replaces the text between two places of a file, given by line and column from 1."""

    name: str
    subject: Subject
    path: str
    span: tuple[tuple[int, int], tuple[int, int]]
    text: str

    def apply(self, code: str) -> str:
        """Returns the code with the change."""
        starts = [0]
        for line in code.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        first, last = (starts[line - 1] + column - 1 for line, column in self.span)
        return code[:first] + self.text + code[last:]


def mutants() -> list[Mutant]:
    """Returns all possible changes."""
    files = [word for subject in SUBJECTS for word in ("-f", f"{subject.files}/**")]
    command = ["cargo", "mutants", "--list", "--json", *files]
    listed = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    return [mutant(entry) for entry in listed]


def mutant(entry: dict) -> Mutant:
    """Reads one change."""
    subject = next(subject for subject in SUBJECTS if entry["file"].startswith(subject.files))
    path = subject.source + entry["file"].removeprefix(subject.files)
    start, end = ((entry["span"][at]["line"], entry["span"][at]["column"]) for at in ("start", "end"))
    return Mutant(entry["name"], subject, path, (start, end), entry["replacement"])


def make_copy(place: Path) -> None:
    """Creates a small workspace: the environment, the search alone under the name of its package, and tests of each."""
    for folder in ("env", "tests"):
        shutil.copytree(ROOT / folder, place / folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("python"))
    shutil.copytree(ROOT / "train/play/src/search", place / "train/play/src/search", dirs_exist_ok=True)
    shutil.copytree(ROOT / ".cargo", place / ".cargo", dirs_exist_ok=True)
    shutil.copy(ROOT / "Cargo.lock", place)
    workspace = re.sub(r"(?m)^(default-)?members = .*", "", (ROOT / "Cargo.toml").read_text())
    members = '[workspace]\nmembers = ["env", "train/play", "rules", "search"]'
    (place / "Cargo.toml").write_text(workspace.replace("[workspace]", members, 1))
    search = "gipf-env rand rand_chacha rayon serde thiserror toml"
    (place / "train/play/Cargo.toml").write_text(manifest("gipf-play", "dependencies", search))
    (place / "train/play/src/lib.rs").write_text("pub mod search;\n")
    for subject in SUBJECTS:
        make_tests(place, subject)


def make_tests(place: Path, subject: Subject) -> None:
    """Creates a package of the tests of a subject."""
    target = f'[[test]]\nname = "{subject.name}"\npath = "../tests/src/{subject.name}_only.rs"\n'
    dependencies = DEPENDENCIES + (" gipf-play" if subject.name == "search" else "")
    (place / subject.name).mkdir(exist_ok=True)
    (place / subject.name / "Cargo.toml").write_text(manifest(subject.name, "dev-dependencies", dependencies) + target)
    modules = "".join(map(module, subject.tests.items()))
    (place / f"tests/src/{subject.name}_only.rs").write_text(f"#![allow(dead_code, unexpected_cfgs)]\n{modules}")


def module(item: tuple[str, str]) -> str:
    """Returns the declaration of a folder of tests."""
    folder, names = item
    listed = "".join(f"pub mod {name};\n" for name in names.split())
    return f"mod {folder} {{\n{listed}}}\n" if folder else listed


def manifest(name: str, kind: str, dependencies: str) -> str:
    """Returns a manifest of a package."""
    lines = [f"{dependency}.workspace = true" for dependency in dependencies.split()]
    package = [f'[package]\nname = "{name}"', "version.workspace = true", "edition.workspace = true"]
    return "\n".join([*package, "", f"[{kind}]", *lines]) + "\n\n"


def build(place: Path, words: list[str]) -> Path | None:
    """Builds tests, and returns the program; none if it cannot be built."""
    command = ["cargo", "test", "--offline", "--quiet", "--no-run", "--message-format=json", *words]
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(command, cwd=place, env=os.environ | BUILD, capture_output=True, timeout=BUILDING)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        programs = [line["executable"] for line in told if line.get("executable")]
        return Path(programs[-1]) if done.returncode == 0 else None
    return None


def passes(program: Path, words: list[str]) -> bool:
    """Runs tests until one fails or the time is up, and returns whether all passed."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen([program, *words], env=os.environ | TEST, preexec_fn=limit_children, **pipes)
    signal.signal(signal.SIGALRM, lambda *_: running.kill())
    signal.alarm(PATIENCE)
    assert running.stdout
    if any(line.endswith(b"FAILED\n") for line in running.stdout):
        running.kill()
    code = running.wait()
    signal.alarm(0)
    return code == 0


def questions(subject: Subject) -> list[tuple[list[str], list[str]]]:
    """Returns what is built and run, in order: the tests of the subject, then those in its package."""
    within = [["search::"], []][subject.name == "rules"]
    return [(["-p", subject.name, "--test", subject.name], []), (["-p", subject.package, "--lib"], within)]


def outcome(place: Path, subject: Subject) -> str:
    """Returns the result of the tests on the unchanged copy."""
    for words, tests in questions(subject):
        program = build(place, words)
        if program is None:
            return "does not compile"
        if not passes(program, tests):
            return "noticed"
    return "not noticed"


def attempt(place: Path, change: Mutant) -> str:
    """Makes a change, and returns the result of the tests."""
    path = place / change.path
    code = path.read_text()
    try:
        path.write_text(change.apply(code))
        return outcome(place, change.subject)
    finally:
        path.write_text(code)


def attack(tally: Tally) -> None:
    """Tries as many changes as asked for."""
    options, place = tally.options, tally.options.keep / "copy"
    place.mkdir(parents=True, exist_ok=True)
    make_copy(place)
    for subject in SUBJECTS:
        if (found := outcome(place, subject)) != "not noticed":
            raise SystemExit(f"the {subject.name} as they are: {found}")
    done_file = options.keep / "done.jsonl"
    done = dict(map(json.loads, done_file.read_text().splitlines())) if done_file.exists() else {}
    all_mutants = mutants()
    for change in options.random.sample(all_mutants, min(options.tries, len(all_mutants))):
        began = time.monotonic()
        if change.name not in done:
            done[change.name] = attempt(place, change)
            with done_file.open("a") as file:
                file.write(json.dumps([change.name, done[change.name]]) + "\n")
            print(f"  {change.name}: {done[change.name]}, {time.monotonic() - began:.0f} s", flush=True)
        if done[change.name] != "does not compile":
            what = "no test fails" if done[change.name] == "not noticed" else None
            tally.note(f"mutants: {change.subject.name}", what, change.name)


if __name__ == "__main__":
    part(__doc__, 20, attack)
