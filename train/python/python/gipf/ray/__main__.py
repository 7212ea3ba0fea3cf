"""`python -m gipf.ray train`: the command line."""

import argparse
import json
import sys

from gipf import GipfError, Training
from gipf.ray._ray import told
from gipf.ray._runs import train

EXAMPLES = """examples:
  python -m gipf.ray train --run runs/standard
  python -m gipf.ray train --run runs/standard                    resumes after a stop
  python -m gipf.ray train --run runs/standard --iterations 40    makes it longer
  python -m gipf.ray train --run runs/tuned --from pretrained --variant tournament
  python -m gipf.ray train --run runs/wide --address auto --set run.games=20000 --set run.lag=1

Options of `gipf train` mean the same here. Not here: --print-config, which `gipf train` has; --threads are those of a
worker; a run always needs --run.
"""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments."""
    main = argparse.ArgumentParser(prog="python -m gipf.ray", description="Trains on a Ray cluster.")
    commands = main.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "train",
        help="the run of `gipf train`, with its games played on a cluster",
        description="Trains on a Ray cluster: the run of `gipf train`, bit for bit. Repeated, it resumes the run.",
        epilog=EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_beginning(command)
    command.add_argument(
        "--address", help="the cluster, as for ray.init; without it RAY_ADDRESS, or this machine alone"
    )
    command.add_argument("--threads", type=int, default=1, metavar="N", help="threads of each worker (default: 1)")
    command.add_argument("--workers", type=int, metavar="N", help="the most workers; all cores without it")
    command.add_argument("--shard-games", type=int, metavar="N", help="games that are handed out together")
    command.add_argument("--patience", type=float, default=600.0, metavar="SECONDS", help="that a shard may take")
    command.add_argument("--go-on", action="store_true", help="go on without a shard that failed three times")
    command.add_argument("--copy-to", metavar="URL", help="where finished files are copied, as fsspec names places")
    command.add_argument("--resume", action="store_true", help="only go on with a run that is there")
    command.add_argument("--json", action="store_true", help="print the metrics of each iteration as a line of JSON")
    return main


def add_beginning(command: argparse.ArgumentParser) -> None:
    """Adds the options shared with `gipf train`; they mean the same."""
    command.add_argument("--run", metavar="DIR", required=True, help="the directory of the run, new or to go on with")
    first = command.add_mutually_exclusive_group()
    first.add_argument("--preset", help="the settings to begin with: quick (the default), hour, overnight or smoke")
    first.add_argument("--config", metavar="FILE", help="a file of settings instead of a preset")
    command.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="a setting of a new run; may be given often"
    )
    command.add_argument("--variant", metavar="NAME", help="the rule set of a new run")
    command.add_argument(
        "--allow-push-off", action="store_true", help="begin a run of push-off, which cannot be learned"
    )
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--from", dest="from_", metavar="DIR|FILE|pretrained", help="begin from the state of a run, or with a network"
    )
    source.add_argument(
        "--from-data",
        metavar="DIR",
        action="append",
        default=[],
        help="begin with a network fitted to datasets, on this machine; may be given often",
    )
    command.add_argument("--partial", action="store_true", help="read datasets that are not complete too")
    command.add_argument("--iterations", type=int, metavar="N", help="iterations in all, to make a run longer")


def text(line: str) -> str:
    """Returns the metrics of an iteration in one line for people, and another line for each fault found in it."""
    metrics = json.loads(line)
    games, seconds = metrics["self_play"], metrics["seconds"]
    ratings = ", ".join(f"{rating['opponent']} {100 * rating['score']:.1f} %" for rating in metrics["ratings"])
    total = seconds["self_play"] + seconds["learning"] + seconds["evaluation"]
    gating = metrics.get("gating")
    if gating:
        best = "now the best" if gating["verdict"] == "accepted" else "not the best"
        ratings += f"  |  {100 * gating['score']:.1f} % against iteration {gating['best']}: {best}"
    shown = (
        f"{metrics['iteration']:>3}  {games['games']} games, {games['samples']} samples  |  {ratings}  |  {total:.0f} s"
    )
    for found in metrics.get("findings", []):
        shown += f"\n    watch: {found['fault']}: {found['found']}, expected {found['expected']} (docs/not-learning.md)"
    return shown


def main() -> int:
    """Runs the command, and returns its exit status."""
    args = parser().parse_args()

    def kept(line: str) -> None:
        told("")
        print(line if args.json else text(line), flush=True)

    try:
        if args.resume and not Training.exists(args.run):
            raise GipfError(f"--resume: {args.run} holds no run: expected its directory")
        path = train(
            args.run,
            preset=args.preset,
            config=args.config,
            settings=args.set,
            variant=args.variant,
            from_=args.from_,
            from_data=args.from_data,
            partial=args.partial,
            iterations=args.iterations,
            allow_push_off=args.allow_push_off,
            address=args.address,
            threads=args.threads,
            workers=args.workers,
            shard_games=args.shard_games,
            patience=args.patience,
            go_on=args.go_on,
            progress=told,
            kept=kept,
            copy_to=args.copy_to,
        )
    except GipfError as error:
        told("")
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        told("")
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    told("")
    if not args.json:
        print(f"done: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
