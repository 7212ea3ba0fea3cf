"""Gives every command places for its result that are hard to write to: devices, pipes, links, full disks, long names.

A place that takes no file is refused in one line, before or after the work, and is unchanged; nothing is left next to
it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from commands import COMMANDS, Command, Undisturbed, all_undisturbed, inputs_of
from common import GIPF, Done, Tally, difference, leftovers, on_all_cores, part, snapshot

NULL, FULL = os.makedev(1, 3), os.makedev(1, 7)


@dataclass
class Try:
    """A command with its result at a place."""

    command: Command
    peace: Undisturbed
    inputs: Path
    work: Path

    @property
    def place(self) -> Path:
        """The destination of the result."""
        return self.work / self.command.output

    @property
    def is_file(self) -> bool:
        """Whether the result is one file, written once."""
        return "." in self.command.output and not self.command.grows

    def run(self) -> Done:
        """Runs the command."""
        return self.command.run(self.inputs, self.work)

    def refused(self, done: Done) -> str | None:
        """Returns what is wrong, unless the command was refused in one line."""
        if self.command.text and "is not kept" in done.out:
            return None
        return "taken, expected to be refused" if done.code == 0 else done.complaint() or leftovers(snapshot(self.work))

    def whole(self, done: Done, found: Path) -> str | None:
        """Returns what is wrong, unless the result is there."""
        if done.code != 0:
            return f"refused: {done.err[-300:]}"
        expected = self.peace.result[self.command.output]
        (self.work / "found").mkdir()
        shutil.copy(found, self.work / "found" / self.command.output)
        got = snapshot(self.work / "found")[self.command.output]
        return None if got == expected else f"another result: {found.stat().st_size} bytes"


def device(one: Try) -> str | None:
    """A device that takes everything: files go there, folders are refused."""
    os.mknod(one.place, stat.S_IFCHR | 0o666, NULL)
    done = one.run()
    if not stat.S_ISCHR(one.place.lstat().st_mode):
        return "the device is gone"
    if one.is_file:
        return None if done.code == 0 else f"refused: {done.err[-300:]}"
    return one.refused(done)


def full_device(one: Try) -> str | None:
    """A device that is always full."""
    os.mknod(one.place, stat.S_IFCHR | 0o666, FULL)
    done = one.run()
    return one.refused(done) if stat.S_ISCHR(one.place.lstat().st_mode) else "the device is gone"


def pipe(one: Try) -> str | None:
    """A pipe with a reader: a file goes through it, anything else is refused."""
    os.mkfifo(one.place)
    through = one.work.parent / f"{one.work.name}.through"
    with through.open("wb") as taken:
        reader = subprocess.Popen(["cat", str(one.place)], stdout=taken)
        done = one.run()
        threading.Timer(0.2, reader.kill).start()
        reader.wait()
    if not one.place.is_fifo():
        return "the pipe is gone"
    if one.is_file:
        return one.whole(done, through)
    return one.refused(done)


def link(one: Try) -> str | None:
    """A link to a file in another folder, which is followed and stays."""
    (one.work / "far").mkdir()
    (one.work / "far/file").write_bytes(b"precious")
    one.place.symlink_to("far/file")
    done = one.run()
    if not one.place.is_symlink():
        return "the link is gone"
    if one.command.name == "force":
        return one.whole(done, one.work / "far/file") or leftovers(snapshot(one.work))
    kept = (one.work / "far/file").read_bytes() == b"precious"
    return one.refused(done) if kept else "the file behind the link has changed"


def loose_link(one: Try) -> str | None:
    """A dangling link: a file is created at its target; anything else is created there or refused."""
    (one.work / "far").mkdir()
    one.place.symlink_to("far/made")
    done = one.run()
    if not one.place.is_symlink():
        return "the link is gone"
    if "." not in one.command.output:
        return None if done.code == 0 and one.place.exists() else one.refused(done)
    return one.whole(done, one.work / "far/made") or leftovers(snapshot(one.work))


def mode(one: Try) -> str | None:
    """A file that only its owner may read: after it is replaced, that is still so."""
    one.place.write_bytes(b"old")
    one.place.chmod(0o600)
    done = one.run()
    kept = stat.S_IMODE(one.place.stat().st_mode) == 0o600
    return one.whole(done, one.place) if kept else "the mode has changed"


def read_only(one: Try) -> str | None:
    """A file that may not be written to: it is refused, except for root, who may write anywhere."""
    one.place.write_bytes(b"old")
    one.place.chmod(0o444)
    done = one.run()
    if os.geteuid() == 0 and one.command.name == "force":
        return one.whole(done, one.place)
    return one.refused(done) if one.place.read_bytes() == b"old" else "the file has changed"


def read_only_folder(one: Try) -> str | None:
    """A folder that may not be written to."""
    one.work.chmod(0o555)
    done = one.run()
    one.work.chmod(0o755)
    return one.refused(done) or difference(snapshot(one.work), {})


def folder(one: Try) -> str | None:
    """A folder with a file from elsewhere, in place of a file; for folders, such a file in place of one."""
    if "." in one.command.output:
        one.place.mkdir()
        (one.place / "thesis").write_text("mine")
    else:
        one.place.write_text("mine")
    before = snapshot(one.work)
    done = one.run()
    return one.refused(done) or difference(
        {name: found for name, found in snapshot(one.work).items() if not name.endswith(".lock")}, before
    )


def long_name(one: Try) -> str | None:
    """A name that is too long for a file."""
    name = "n" * 256
    words = one.command.words.replace(one.command.output, name)
    done = replace(one.command, words=words).run(one.inputs, one.work)
    return one.refused(done) or difference(snapshot(one.work), {})


def full_disk(one: Try) -> str | None:
    """A disk with space for a part of the result; then a larger one, on which the command resumes."""
    if one.command.begins_with or not mount(one.work, "size=32k"):
        return None
    try:
        done = one.run()
        wrong = one.refused(done) if done.code else None
        mount(one.work, "remount,size=64m")
        again = one.run()
        if again.code != 0 and " exists" not in again.err:
            wrong = wrong or f"refused again: {again.err[-300:]}"
        same = difference(snapshot(one.work), one.peace.result) if not one.command.text else None
        return wrong or leftovers(snapshot(one.work)) or same
    finally:
        subprocess.run(["umount", str(one.work)], check=True)


def mount(place: Path, options: str) -> bool:
    """Mounts a small disk in memory, if that is allowed."""
    words = ["mount", "-t", "tmpfs", "-o", options, "gipf-hostile", str(place)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


PLACES: list[Callable[[Try], str | None]] = [
    device,
    full_device,
    pipe,
    link,
    loose_link,
    mode,
    read_only,
    read_only_folder,
    folder,
    long_name,
    full_disk,
]


def may(place: Path) -> bool:
    """Returns whether devices and disks can be created here; otherwise these places are left out."""
    place.mkdir()
    try:
        os.mknod(place / "device", stat.S_IFCHR | 0o666, NULL)
        (place / "device").write_bytes(b"x")
    except OSError:
        return False
    mounted = mount(place, "size=32k")
    if mounted:
        subprocess.run(["umount", str(place)], check=True)
    return mounted


def places(tally: Tally) -> None:
    """Tries all commands at all places."""
    options, inputs = tally.options, inputs_of(tally)
    chosen = PLACES
    if not may(tally.scratch / "may"):
        print("no devices and disks can be made here: left out", flush=True)
        chosen = [place for place in PLACES if place not in (device, full_device, full_disk)]
    if os.geteuid() == 0:
        print("root may write to every folder: read_only_folder is left out", flush=True)
        chosen = [place for place in chosen if place is not read_only_folder]
    commands = [command for command in COMMANDS if command.name.startswith(options.only)]
    pairs = [(command, place) for command in commands for place in chosen if fits(command, place)]
    pairs = options.random.sample(pairs, min(len(pairs), options.tries))
    peace = all_undisturbed((command for command, _ in pairs), inputs, tally.scratch)

    def attempt(number: int) -> None:
        command, place = pairs[number]
        work = tally.scratch / str(number)
        replace(command, begins_with="").prepare(inputs, work)
        wrong = place(Try(command, peace[command.name], inputs, work))
        how = f"{command.name}: {place.__doc__}: {GIPF} {shlex.join(command.arguments(inputs))}"
        tally.note(f"places: {place.__name__.replace('_', ' ')}", wrong, how, work)
        shutil.rmtree(work)

    on_all_cores(attempt, len(pairs))


def fits(command: Command, place: Callable[[Try], str | None]) -> bool:
    """Returns whether a command can be tried with a place: a command that resumes needs its earlier state."""
    if command.begins_with and command.name != "force":
        return False
    return place is not mode or command.name == "force"


if __name__ == "__main__":
    part(__doc__, 60, places)
