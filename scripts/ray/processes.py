"""This process and all processes that it has started."""

import os
from pathlib import Path


def stat(process: int) -> list[str]:
    """Returns the fields of a process in /proc after its name, or zeros if it has ended."""
    try:
        # The name ends at the last parenthesis.
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return ["0"] * 50


def processes() -> set[int]:
    """Returns this process and all that it has started, directly or indirectly."""
    parents = {int(folder.name): int(stat(int(folder.name))[1]) for folder in Path("/proc").glob("[0-9]*")}
    ours = {os.getpid()}
    while found := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= found
    return ours
