"""Ctrl-C immediately reaches a caller that waits for the package."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has other signals")

PRELUDE = """
import signal
import tempfile
import time
import numpy as np
import gipf

# A process started in the background of a shell ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupted(work):
    print("ready", flush=True)
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", flush=True)

def for_ever(state):
    while True:
        pass

def nothing(observations):
    return np.zeros((len(observations), 65), np.float32), np.zeros(len(observations), np.float32)

def within(state):
    return gipf.play_match("alpha-beta:time=9s", "random", 2)

state, player = gipf.State(), gipf.Player()
"""

LONG = {
    "analyse with a time": "player.analyse(state, time=20)",
    "choose with simulations": "player.choose(state, simulations=10_000_000)",
    "a player with a time": "gipf.Player('pretrained:time=20s').policy(state)",
    "alpha-beta with a time": "gipf.Player('alpha-beta:1').value(state, time=20)",
    "alpha-beta with a depth": "gipf.Player('alpha-beta:depth=40').choose(state)",
    "evaluate": "gipf.Network().evaluate(np.zeros((1_500_000, 11, 7, 7), np.float32))",
    "many games": "gipf.play_match('greedy', 'random', 1_000_000)",
    "long decisions": "gipf.play_match('alpha-beta:time=20s', 'pretrained:time=20s', 2)",
    "openings that are not there": "gipf.play_match('random', 'random', 1_000_000, opening=1)",
    "a function that computes": "gipf.play_match(for_ever, 'random', 2)",
    "a function that sleeps": "gipf.play_match(lambda state: time.sleep(20), 'random', 2)",
    "a function that searches": "gipf.play_match(lambda state: player.choose(state, time=20), 'random', 2)",
    "a match within a match": "gipf.play_match(within, 'random', 2)",
    "self-play": "list(gipf.self_play(nothing, 10**6))",
    "self-play with two games at once": "list(gipf.self_play(nothing, 10**6, parallel=2, full_simulations=10**6))",
    "a dataset of self-play": "gipf.self_play(nothing, 10**6, out=tempfile.mkdtemp() + '/games')",
    "judges that are built": "gipf.rate('random')",
    "progress": "gipf.play_match('random', 'random', 100, progress=lambda done, all: time.sleep(20))",
}


def seconds_to_interrupt(work: str) -> float:
    """Returns how long it takes from the signal until the exception is raised."""
    program = textwrap.dedent(PRELUDE) + f"interrupted(lambda: {work})"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        began = time.perf_counter()
        child.send_signal(signal.SIGINT)
        # A process that does not react is killed silently.
        deadline = threading.Timer(10, child.kill)
        deadline.start()
        said = child.stdout.readline()
        taken = time.perf_counter() - began
        deadline.cancel()
    assert said == "interrupted\n", f"{work}: not interrupted, or over before"
    return taken


@pytest.mark.parametrize("work", LONG.values(), ids=LONG)
def test_ctrl_c_arrives_at_once(work):
    # A fifth of a second on an idle machine; a process that waits for a core takes longer.
    assert any(seconds_to_interrupt(work) < 0.2 * (1 + os.getloadavg()[0]) for _ in range(5))


def test_no_work_goes_on_after_an_interrupt():
    program = textwrap.dedent(PRELUDE) + textwrap.dedent("""
        interrupted(lambda: gipf.rate("random"))
        before = time.process_time()
        time.sleep(1)
        print(time.process_time() - before)
        """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert float(child.stdout.readline()) < 0.1, "the judges are still being built"


def test_another_signal_ends_a_search_as_well():
    program = """
    import signal, gipf

    def ring(*_):
        raise TimeoutError("enough")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        gipf.Player().analyse(gipf.State(), time=20)
    except TimeoutError:
        analysis = gipf.Player().analyse(gipf.State(), simulations=10)
        print(analysis.nodes)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=15)
    assert run.stdout == "10\n", run.stderr
