"""Opens a dataset with every library that its description names, and asks each library the same questions.

Usage: open.py DATASET PARTED NPZ HOSTILE: the directory of a dataset, that of the same games split in two, its arrays,
and a dataset whose source has a name with special characters of YAML and Markdown.
"""

import json
import pathlib
import shutil
import sys
import tempfile

import datasets
import duckdb
import numpy
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet
import yaml

SPOTS = 37


def answers(rows: list[dict]) -> dict:
    """Returns what every library must find: sums over columns of each kind."""
    return {
        "rows": len(rows),
        "games": len({row["game_id"] for row in rows}),
        "pieces": sum(sum(byte > 0 for byte in row["board"]) for row in rows),
        "policy": sum(sum(int(units) for units in row["policy"]) for row in rows),
        "actions": sum(sum(int(action) for action in row["policy_actions"]) for row in rows),
        "white": sum(row["to_move"] == "white" for row in rows),
        "unvalued": sum(row["root_value"] is None or row["root_value"] != row["root_value"] for row in rows),
    }


def main() -> None:
    """Compares the answers of all libraries, and the arrays with the rows."""
    played, parted, arrays, hostile = (pathlib.Path(path) for path in sys.argv[1:])
    pattern = str(played / "games-*.parquet")
    files = sorted(played.glob("games-*.parquet"))
    rows = pyarrow.concat_tables(pyarrow.parquet.read_table(path) for path in files).to_pylist()
    expected = answers(rows)
    assert all(len(row["board"]) == SPOTS for row in rows)
    assert all(sum(row["policy"]) in (0, 255) for row in rows)
    with tempfile.TemporaryDirectory() as cache:
        by_name = datasets.load_dataset(str(played), cache_dir=cache, split="train")
        streamed = datasets.load_dataset("parquet", data_files=pattern, split="train", streaming=True, cache_dir=cache)
        halves = datasets.load_dataset(str(parted), cache_dir=cache)
        by_head = datasets.load_dataset(str(as_on_a_hub(played, pathlib.Path(cache))), cache_dir=cache, split="train")
        relation = duckdb.sql(f"SELECT * FROM '{pattern}'")
        found = {
            "polars": polars.read_parquet(pattern).to_dicts(),
            "pandas, directory": pandas.read_parquet(played).to_dict("records"),
            "pandas, both parts": pandas.read_parquet(parted).to_dict("records"),
            "pyarrow, directory": pyarrow.dataset.dataset(played).to_table().to_pylist(),
            "duckdb": [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()],
            "datasets": list(by_name),
            "datasets, as on a hub": list(by_head),
            "datasets, streaming": list(streamed),
            "datasets, both parts": [row for part in ("train", "validation") for row in halves[part]],
        }
    for name, rows_found in found.items():
        assert answers(rows_found) == expected, (name, answers(rows_found), expected)
        print(f"{name}: the same as pyarrow")
    check_cards(played, hostile)
    compare_arrays(numpy.load(arrays), rows)
    metadata = pyarrow.parquet.read_metadata(files[0]).metadata
    assert metadata[b"gipf.schema"] == b"2" and metadata[b"gipf.licence"] == b"CC0-1.0"
    print(expected)


def as_on_a_hub(folder: pathlib.Path, place: pathlib.Path) -> pathlib.Path:
    """Copies a dataset in the way in which its description says to upload it."""
    copy = place / "hub"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("_lock", "_README.md"))
    shutil.copy(folder / "_README.md", copy / "README.md")
    return copy


def check_cards(played: pathlib.Path, hostile: pathlib.Path) -> None:
    """Checks that the head of a description is the same whatever names others have given, and that the rest has them as
    JSON.

    Only our own games have a stated licence; the games of a file have none.
    """
    heads, texts = [], []
    for folder in (played, hostile):
        _, head, text = (folder / "_README.md").read_text().split("---\n", 2)
        heads.append(yaml.safe_load(head) | {"size_categories": None})
        texts.append(text)
    licences = [head.pop("license") for head in heads]
    assert heads[0] == heads[1] and licences == ["cc0-1.0", "unknown"], (licences, heads)
    before, _, rest = texts[1].partition("````json\n")
    source = json.loads(rest.partition("\n````\n")[0])["settings"]["source"]
    assert "\n---\n```\n<script>" in source and "<script>" not in before, source
    print("descriptions: the same head whatever is named")


def compare_arrays(arrays: numpy.lib.npyio.NpzFile, rows: list[dict]) -> None:
    """Checks the exported arrays against the rows."""
    policy = arrays["policy"]
    legal = numpy.unpackbits(arrays["legal"], axis=1)[:, : policy.shape[1]]
    assert arrays["observations"].shape[0] == len(rows) and arrays["observations"].shape[2:] == (7, 7)
    assert numpy.array_equal(legal.sum(axis=1), [row["legal_count"] for row in rows])
    assert not (policy[legal == 0] != 0).any()
    assert numpy.allclose(policy.sum(axis=1), [float(len(row["policy"]) > 0) for row in rows])
    assert numpy.array_equal(arrays["action"], [row["action"] for row in rows])
    sign = numpy.array([1 if row["to_move"] == "white" else -1 for row in rows])
    assert numpy.array_equal(arrays["result"] * sign, [row["result"] for row in rows])
    assert numpy.array_equal(numpy.isnan(arrays["root_value"]), [row["root_value"] is None for row in rows])
    own = arrays["observations"][:, [0, 2]].sum(axis=(1, 2, 3))
    white = [sum(0 < byte < 5 for byte in row["board"]) for row in rows]
    black = [sum(byte > 4 for byte in row["board"]) for row in rows]
    assert numpy.array_equal(own, numpy.where(sign > 0, white, black))
    print(f"numpy: {arrays['observations'].shape}, the same as the rows")


if __name__ == "__main__":
    main()
