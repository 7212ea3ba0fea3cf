"""A forked process, such as those of other libraries' vectorised environments, has its own threads."""

import multiprocessing
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gipf
import gipf.data

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process is forked there")

SMALL = {"variant": "basic", "full_simulations": 4, "cheap_simulations": 2, "full_share": 1.0, "limit": 20}


def nothing(observations):
    return np.zeros((len(observations), 63), np.float32), np.zeros(len(observations), np.float32)


def step(folder):
    envs = gipf.VecEnv("standard", 500)
    envs.step(envs.action_masks.argmax(1))


def search(folder):
    for n in (10, 100):
        searches = gipf.Searches("basic", n, simulations=2)
        while searches.gather():
            searches.apply(*nothing(searches.leaves()[0]))
        searches.results()


def evaluate(folder):
    gipf.Network(variant="tournament").evaluate(gipf.State("tournament").observation()[None])


def initial(folder):
    gipf.Network.initial("line", features=8).to_checkpoint()


def choose(folder):
    gipf.Player("pretrained").choose(gipf.State(), simulations=2)
    gipf.Player("level:5").analyse([gipf.State()] * 4, simulations=2)


def match(folder):
    gipf.play_match("pretrained:sims=2", "greedy", 2, limit=6)


def samples(folder):
    for game in gipf.self_play(nothing, 60, **SMALL | {"limit": 100}):
        game.samples()


def dataset(folder):
    gipf.self_play(nothing, 200, out=folder / "games", **SMALL)
    assert len(list(gipf.data.batches(folder / "games"))) > 0


def portions(folder):
    run = gipf.SelfPlayRun("pretrained", 4, folder / "portions", simulations=2, limit=6)
    while run.begin():
        for iteration, first, _, spec in run.next_shards(10):
            run.ingest(iteration, first, gipf.play_shard(run.checkpoint(iteration), spec))
        run.save()


def training(folder):
    training = gipf.Training.create(folder / "run", preset="smoke", settings=["run.iterations=1", "run.games=2"])
    while training.begin():
        for iteration, first, _, spec in training.next_shards(10):
            training.ingest(iteration, first, gipf.play_shard(training.checkpoint(iteration), spec))
        training.learn()
        training.measure()
        training.save()
    del training
    gipf.Training.resume(folder / "run")


def rate(folder):
    gipf.rate("pretrained:sims=2", variant="basic", games=2, margin=1e4)


def record(folder):
    gipf.analyse_record("1.Ge2/Gd1-f2", simulations=2)


WORK = [step, search, evaluate, initial, choose, match, samples, dataset, portions, training, rate, record]


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_a_forked_process_has_threads_of_its_own(work, tmp_path):
    # The shared threads, and rayon's own.
    step(tmp_path)
    gipf.VecEnv("standard", 2).step([0, 0])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply_async(work, [tmp_path]).get(timeout=120)


def test_vectorised_environments_of_gymnasium_have_networks_as_opponents():
    pytest.importorskip("gymnasium")
    program = """
    import gipf.gymnasium
    import gymnasium

    gipf.Player("pretrained").choose(gipf.State())
    options = {"opponent": "pretrained", "vectorization_mode": "async", "vector_kwargs": {"context": "fork"}}
    envs = gymnasium.make_vec("gipf/standard-v1", num_envs=2, **options)
    print(len(envs.reset(seed=1)[0]))
    envs.close()
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120)
    assert run.stdout == "2\n", run.stderr
