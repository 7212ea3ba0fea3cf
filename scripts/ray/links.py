"""Trains on three nodes in network namespaces, cuts a link and restores it, and compares with `gipf train`.

links.py small|full FOLDER SETTING...: as for check.py; FOLDER/local-1 is the run with lag. Needs root and `ip`. The
driver and the head node are in one namespace, each worker is in another, and a bridge in a fourth joins them: none of
it reaches the networks of this machine. A node that ends is started anew, as services do.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HEAD, WORKERS, SWITCH = "gipf-ray-head", ("gipf-ray-a", "gipf-ray-b"), "gipf-ray-switch"
ADDRESSES = {name: f"10.213.77.{number}" for number, name in enumerate((HEAD, *WORKERS), 1)}
PORT = 6379
INSIDE = "GIPF_RAY_INSIDE"
"""A variable in the environment of the driver."""
STORE = 80 * 1024 * 1024
SHORT = 1.0
"""Seconds of a cut so short that nobody has to notice it."""


def ip(*arguments: str) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *arguments], check=True)


def set_link(name: str, state: str) -> None:
    """Cuts the link of a namespace, "down", or restores it, "up"."""
    ip("-n", name, "link", "set", "eth0", state)


class Networks:
    """The namespaces, as long as the value is entered."""

    def __enter__(self) -> "Networks":
        self.remove()
        ip("netns", "add", SWITCH)
        ip("-n", SWITCH, "link", "add", "bridge", "type", "bridge")
        ip("-n", SWITCH, "link", "set", "bridge", "up")
        for number, (name, address) in enumerate(ADDRESSES.items()):
            ip("netns", "add", name)
            port = f"port{number}"
            ip("-n", SWITCH, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("-n", SWITCH, "link", "set", port, "master", "bridge", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "address", "add", f"{address}/24", "dev", "eth0")
            set_link(name, "up")
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        for name in (*ADDRESSES, SWITCH):
            if Path("/run/netns", name).exists():
                ip("netns", "delete", name)


class Node:
    """A node of Ray in a namespace, which is started anew whenever it ends."""

    def __init__(self, name: str, options: list[str], log: Path):
        ray = str(Path(sys.executable).with_name("ray"))
        own = [f"--node-ip-address={ADDRESSES[name]}", f"--object-store-memory={STORE}", "--block"]
        self.command = ["ip", "netns", "exec", name, ray, "start", *own, *options]
        self.log, self.starts, self.is_over = log.open("ab"), 0, False
        self.process: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self.keep)
        self.thread.start()

    def keep(self) -> None:
        while not self.is_over:
            self.starts += 1
            self.process = subprocess.Popen(self.command, start_new_session=True, stdout=self.log, stderr=self.log)
            self.process.wait()
            self.end()
            time.sleep(1)

    def end(self) -> None:
        """Ends all processes that the node has started: they are one session, and some outlive the first of them."""
        members = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if self.process and int(fields[3]) == self.process.pid:
                members.append(int(folder.name))
        for member in members:
            try:
                os.kill(member, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def close(self) -> None:
        self.is_over = True
        self.end()
        self.thread.join()


def is_open(name: str) -> bool:
    """Returns whether the head node answers."""
    attempt = f"import socket; socket.create_connection(('{ADDRESSES[HEAD]}', {PORT}), 1)"
    command = ["ip", "netns", "exec", name, sys.executable, "-c", attempt]
    return subprocess.run(command, capture_output=True).returncode == 0


def outside() -> None:
    """Creates the networks, starts the nodes, and lets the driver work in the namespace of the head."""
    folder = Path(sys.argv[2])
    # Ray has to use the addresses of the namespaces, and a token as the documentation advises.
    os.environ.pop("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", None)
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(folder / "token")}
    (folder / "token").write_text(os.urandom(32).hex())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    nodes: list[Node] = []
    with Networks():
        try:
            head = [f"--port={PORT}", "--head", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={folder}/ray"]
            nodes.append(Node(HEAD, head, folder / "head.log"))
            while not is_open(WORKERS[0]):
                time.sleep(0.5)
            for name in WORKERS:
                options = [f"--address={ADDRESSES[HEAD]}:{PORT}", "--num-cpus=1"]
                nodes.append(Node(name, options, folder / f"{name}.log"))
            driver = ["ip", "netns", "exec", HEAD, sys.executable, *sys.argv]
            subprocess.run(driver, check=True, env={**os.environ, INSIDE: "1"})
            assert nodes[2].starts >= 2, "the node behind the cut link ends itself, and is started anew"
        finally:
            for node in nodes:
                node.close()


def inside() -> None:
    """Trains, and cuts links meanwhile."""
    import ray

    import check
    from gipf.ray import RayWorkers, drive

    class Cutting(check.Around):
        """Workers one of which is cut off for a moment in the first iteration, and for long in the second."""

        def __init__(self, workers: RayWorkers):
            super().__init__(workers)
            self.cuts, self.lost = 0, False

        def room(self) -> int:
            room = self.workers.room()
            # Both workers have to be playing when a link is cut.
            return room if len(self.workers.idle) == 2 or self.cuts == 2 else 0

        def collect(self, timeout: float):
            playing = {shard.iteration for actor, shard in self.workers.out.values()}
            if self.cuts < 2 and self.cuts + 1 in playing and len(self.workers.out) > 2:
                self.cuts += 1
                set_link(WORKERS[1], "down")
                check.step(f"a link cut in iteration {self.cuts}")
                if self.cuts == 1:
                    time.sleep(SHORT)
                    set_link(WORKERS[1], "up")
            if self.cuts == 2 and not self.lost and any("lost" in event for event in events):
                self.lost = True
                set_link(WORKERS[1], "up")
                check.step("the link restored")
            return self.workers.collect(timeout)

    check.step("three networks: a link cut for a moment, and another time until its node is given up")
    ray.init(address=f"{ADDRESSES[HEAD]}:{PORT}", log_to_driver=False, _node_ip_address=ADDRESSES[HEAD])
    training, events = check.new("links-1", 1), []
    workers = RayWorkers(event=events.append)
    cutting = Cutting(workers)
    drive(training, cutting, event=events.append)
    began = time.monotonic()
    while len(workers.idle) < 2 and time.monotonic() - began < 120:
        # The run may be over before the node is back.
        workers.room()
        list(workers.collect(0.5))
    workers.close()
    print("\n".join(events))
    assert cutting.cuts == 2 and cutting.lost, events
    assert sum("joins" in event for event in events) >= 3, "the node is back"
    assert sum("lost" in event for event in events) == 1, "a short cut is not noticed"
    check.assert_same(check.FOLDER / "local-1", check.FOLDER / "links-1")


if __name__ == "__main__":
    inside() if INSIDE in os.environ else outside()
