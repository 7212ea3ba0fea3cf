"""Finds the processes that listen to other machines."""

import os
from pathlib import Path

from processes import processes

LISTENS = "0A"
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


def of_us() -> set[str]:
    """Returns the open files of this process and of all that it has started."""
    files: set[str] = set()
    for process in processes():
        try:
            files |= {os.readlink(place) for place in Path(f"/proc/{process}/fd").iterdir()}
        except OSError:
            continue
    return files


def addresses() -> tuple[list[str], list[str]]:
    """Returns the ports that listen to this machine alone, and those that others can reach."""
    ours, here, elsewhere = of_us(), [], []
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in ours:
                address, port = fields[1].split(":")
                (here if address in LOOPBACK else elsewhere).append(f"{address} port {int(port, 16)}")
    return here, elsewhere
