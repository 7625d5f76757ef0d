"""A wheel built from the files that git has or would take, without a network."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def build(folder: Path) -> Path:
    """The wheel, built in `folder` from a copy, which keeps `build` out of the checkout; skips
    where it cannot be.
    """
    if importlib.util.find_spec("setuptools") is None or importlib.util.find_spec("pip") is None:
        pytest.skip("pip or setuptools is not here to build a wheel with: make dev")
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip(f"git does not say which files are the project's: {listed.stderr.strip()}")
    for name in filter(None, listed.stdout.split("\0")):
        # pictures are not in the wheel
        if (ROOT / name).is_file() and not name.endswith(".png"):
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / "source" / name)
    words = ["wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    command = [
        sys.executable,
        "-m",
        "pip",
        *words,
        "--wheel-dir",
        str(folder),
        str(folder / "source"),
    ]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
