"""Parses the manifests and scripts of docs/ray.md.

manifests.py PAGE: fails if there is no manifest, one does not parse, or one lacks what makes a cluster safe.
"""

import re
import subprocess
import sys
from pathlib import Path

import yaml


def blocks(page: str, language: str) -> list[str]:
    """Returns the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def main() -> None:
    """Parses all manifests and scripts."""
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    manifests = [document for block in blocks(page, "yaml") for document in yaml.safe_load_all(block)]
    jobs = [manifest for manifest in manifests if manifest["kind"] == "RayJob"]
    assert jobs, "expected a RayJob"
    for job in jobs:
        cluster = job["spec"]["rayClusterSpec"]
        assert job["apiVersion"] == "ray.io/v1"
        assert cluster["authOptions"]["mode"] == "token", "token authentication is on"
        for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
            (container,) = group["template"]["spec"]["containers"]
            assert container["image"] and container["resources"]["limits"]["cpu"]
    scripts = blocks(page, "sh")
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert any("RAY_AUTH_MODE=token" in script for script in scripts)
    print(f"  {len(manifests)} manifests and {len(scripts)} scripts of {sys.argv[1]} parse")


if __name__ == "__main__":
    main()
