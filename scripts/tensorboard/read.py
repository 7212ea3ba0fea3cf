"""Reads the events of a run as TensorBoard does, and compares them with its metrics."""

import json
import sys
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.io_wrapper import IsSummaryEventsFile

# The tags, and where the metrics have the same number.
NUMBERS = {
    "policy_loss/network": ("learning", "policy_loss"),
    "value_loss/network": ("learning", "value_loss"),
    "entropy/network": ("learning", "policy_entropy"),
    "correlation/search": ("self_play", "value_correlation"),
    "length/mean": ("self_play", "length"),
    "seconds/self-play": ("seconds", "self_play"),
}


def main(run: Path) -> None:
    """Compares every number of every iteration."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    files = [str(path) for path in run.rglob("*") if path.is_file() and IsSummaryEventsFile(str(path))]
    assert len(files) == 1, files
    events = EventAccumulator(files[0])
    events.Reload()
    tags = events.Tags()["scalars"]
    for tag, (group, name) in NUMBERS.items():
        found = events.Scalars(tag)
        assert [event.step for event in found] == [line["iteration"] for line in lines], (tag, found)
        for event, line in zip(found, lines, strict=True):
            assert abs(event.value - line[group][name]) <= 1e-5 * max(1, abs(line[group][name])), (tag, event, line)
        times = [event.wall_time for event in found]
        assert times == sorted(times) and times[0] > 1.7e9, times
    scores = [tag for tag in tags if tag.startswith("score/")]
    assert scores and any(tag.startswith("endings/") for tag in tags), tags
    print(f"{len(tags)} curves of {len(lines)} iterations, each once")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
