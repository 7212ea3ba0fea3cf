"""Who listens to other machines."""

import os
from pathlib import Path

LISTENS = "0A"
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


def of_us() -> set[str]:
    """Returns the open files of this process and of all that it has started."""
    parents, files = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The command ends at the last parenthesis; the second field after it is the parent.
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            files[int(folder.name)] = {os.readlink(place) for place in (folder / "fd").iterdir()}
        except OSError:
            continue
    ours = {os.getpid()}
    while found := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= found
    return set().union(*(files.get(process, set()) for process in ours))


def addresses() -> tuple[list[str], list[str]]:
    """Returns the ports on which we listen to this machine alone, and those that others can reach."""
    ours, here, elsewhere = of_us(), [], []
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in ours:
                address, port = fields[1].split(":")
                (here if address in LOOPBACK else elsewhere).append(f"{address} port {int(port, 16)}")
    return here, elsewhere
