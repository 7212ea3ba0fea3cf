"""An object store on 127.0.0.1, and what a run copies there."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def object_store() -> Iterator[str]:
    """Runs a server that speaks S3, and yields the URL of a bucket in it."""
    import s3fs
    from moto.server import ThreadedMotoServer

    # It would log a line for each request.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"AWS_ACCESS_KEY_ID": "check", "AWS_SECRET_ACCESS_KEY": "check", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ |= {**keys, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}
    try:
        s3fs.S3FileSystem().mkdir("runs")
        yield "s3://runs/copy"
    finally:
        server.stop()


def assert_copied(run: Path, url: str) -> None:
    """Exits unless the finished files of a run are there, whole, and nothing else."""
    import fsspec

    files, root = fsspec.core.url_to_fs(url)
    files.invalidate_cache()
    found = {name.removeprefix(root).lstrip("/") for name in files.find(root)}
    expected = {"config.toml", "metrics.jsonl", "ratings.json", "curve.svg"}
    expected |= {f"checkpoints/{path.name}" for path in run.glob("checkpoints/*.safetensors")}
    expected |= {path.name for path in run.glob("student.safetensors")}
    if found != expected or any(files.cat_file(f"{root}/{name}") != (run / name).read_bytes() for name in found):
        raise SystemExit(f"{url} is no copy of {run}: it holds {sorted(found)}, not {sorted(expected)}")
    print(f"  {url}: the {len(found)} finished files of {run.name}", flush=True)
