"""Datasets of `gipf self-play` become Minari datasets that Minari reads again.

The sample in `data` was written by `gipf self-play --agent alpha-beta:1 --games 8 --placement-limit 60 --seed 3`; half
of its games end at the limit.
"""

import shutil
from itertools import groupby
from pathlib import Path

import minari
import numpy as np
import pyarrow.parquet as parquet
import pytest

import gipf
import gipf.minari

# Minari asks for an author and other descriptions, which the user has to give, and for an environment of one player.
pytestmark = pytest.mark.filterwarnings("ignore:.* is (set to )?None:UserWarning")

SAMPLE = Path(__file__).with_name("data")


@pytest.fixture
def games():
    rows = parquet.read_table(SAMPLE / "games-00000.parquet").to_pylist()
    return [list(game) for _, game in groupby(rows, key=lambda row: row["game_id"])]


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    gipf.minari.export(SAMPLE, "gipf/sample-v0")
    return minari.load_dataset("gipf/sample-v0")


def test_every_game_is_an_episode_with_all_its_decisions(dataset, games):
    assert dataset.total_episodes == len(games) == 8
    assert dataset.total_steps == sum(len(game) for game in games)
    for episode, game in zip(dataset.iterate_episodes(), games, strict=True):
        np.testing.assert_array_equal(episode.actions, [row["action"] for row in game])
        assert len(episode.observations) == len(game) + 1
        assert episode.infos["to_move"][:-1].tolist() == [("white", "black").index(row["to_move"]) for row in game]


def test_observations_and_masks_are_those_of_the_rules(dataset):
    for episode in dataset.iterate_episodes():
        masks = episode.infos["action_mask"]
        assert all(mask[action] for mask, action in zip(masks, episode.actions, strict=False))
    state = gipf.State("standard", limit=60)
    episode = next(iter(dataset.iterate_episodes()))
    seen = zip(episode.observations, episode.infos["action_mask"], episode.actions, strict=False)
    for observation, mask, action in seen:
        np.testing.assert_array_equal(observation, state.observation())
        np.testing.assert_array_equal(mask, state.action_mask())
        state.apply(int(action))


def test_games_end_as_they_did(dataset, games):
    limited = 0
    for episode, game in zip(dataset.iterate_episodes(), games, strict=True):
        last = game[-1]
        assert not episode.terminations[:-1].any() and not episode.truncations[:-1].any()
        assert episode.truncations[-1] == last["truncated"] != episode.terminations[-1]
        sign = 1 if last["to_move"] == "white" else -1
        assert episode.rewards[-1] == sign * last["result"] and not episode.rewards[:-1].any()
        limited += last["truncated"]
    assert limited == 4


def test_what_is_partial_damaged_or_mixed_is_refused(tmp_path):
    def refused(match, change):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(SAMPLE, folder)
        change(folder)
        with pytest.raises(gipf.GipfError, match=match):
            gipf.minari.export(folder, "gipf/nothing-v0")

    def partial(folder):
        manifest = folder / "_manifest.json"
        manifest.write_text(manifest.read_text().replace('"complete": true', '"complete": false'))

    refused("not complete", partial)
    refused("with _manifest.json", lambda folder: (folder / "_manifest.json").unlink())
    refused("only files", lambda folder: shutil.copy(folder / "games-00000.parquet", folder / "games-00001.parquet"))
    for text in ["{}", "[]", "{", '{"complete": true, "files": [{}]}']:

        def unlike(folder, text=text):
            (folder / "_manifest.json").write_text(text)

        refused("expected the manifest of a dataset", unlike)
    refused("11116 bytes", lambda folder: (folder / "games-00000.parquet").write_bytes(b"PAR1"))


@pytest.mark.parametrize(("name", "told"), [("gipf/new", "with a version"), ("gipf/sample-v0", "exists")])
def test_a_name_without_a_version_or_of_another_dataset_is_refused_first(dataset, tmp_path, name, told):
    with pytest.raises(gipf.GipfError, match=told):
        gipf.minari.export(tmp_path / "nothing", name)
    assert list(minari.list_local_datasets()) == ["gipf/sample-v0"]


def test_nothing_stays_of_a_dataset_that_could_not_be_made(dataset):
    with pytest.raises(Exception, match="NoSuch"):
        gipf.minari.export(SAMPLE, "gipf/other-v0", eval_env="NoSuch-v0")
    assert list(minari.list_local_datasets()) == ["gipf/sample-v0"]
    gipf.minari.export(SAMPLE, "gipf/other-v0")
    assert len(minari.load_dataset("gipf/other-v0")) == 8


def test_a_directory_without_games_is_named(tmp_path):
    with pytest.raises(gipf.GipfError, match="games-"):
        gipf.minari.export(tmp_path, "gipf/nothing-v0")


def test_files_that_a_system_hides_are_no_games(tmp_path, dataset):
    folder = tmp_path / "copied"
    shutil.copytree(SAMPLE, folder)
    for name in ("._games-00000.parquet", "_games.parquet"):
        (folder / name).write_bytes(b"Mac OS X")
    assert len(list(gipf.minari.episodes(folder))) == dataset.total_episodes


@pytest.mark.parametrize(("result", "rewards"), [(1, [0, -1]), (-1, [0, 1])])
def test_a_game_that_was_given_up_has_its_result(result, rewards):
    state, rows = gipf.State("basic"), []
    start = state.gpn()
    for _ in range(2):
        action = int(np.flatnonzero(state.action_mask())[0])
        rows.append({"game_id": 0, "start": start, "limit": None, "action": action, "result": result})
        state.apply(action)
    episode = gipf.minari._episode(0, rows)
    assert list(episode.rewards) == rewards and list(episode.terminations) == [False, True]
