"""Writes requirements/*.txt: the versions of constraints.txt with the hashes of their files.

    python -m tests.hashed_requirements

asks the package index for all files of each version, those for other platforms and Pythons too, and
writes a file for each target of `make`. Pip refuses a file with another hash. All files but
setup.txt leave out what setup.txt has. torch.txt has the torch of the index with what it needs for
NVIDIA's processors, and torch-cpu.txt the one for CPUs alone, which `make deep` prefers.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
EXTRAS = {
    "setup": (),
    "dev": ("boosting", "cluster", "dev", "parquet", "receipts"),
    "deep": ("boosting", "deep", "trees", "parquet"),
    "docs": ("docs",),
}
TORCH = re.compile(r"torch==|nvidia-|cuda-|triton==")
# the build for CPython 3.11 on x86-64 Linux; it is not in the index, but in folders that pip's own
# configuration can name
TORCH_CPU = """torch==2.13.0+cpu \\
    --hash=sha256:6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b
"""
HEADER = "# Written by `make hashes` from pyproject.toml and constraints.txt.\n"
COMPILE = (
    *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-config", "--no-header"),
    *("--no-annotate", "--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--constraints", "constraints.txt", "pyproject.toml", "-"),  # "-": what stdin names
)


def main() -> None:
    """Write all files."""
    found = {name: _entries(extras) for name, extras in EXTRAS.items()}
    base = found["setup"]
    more = {name: [entry for entry in found[name] if entry not in base] for name in found}
    files = {
        **more,
        "setup": base,
        "deep": [entry for entry in more["deep"] if not TORCH.match(entry)],
        "torch": [entry for entry in more["deep"] if TORCH.match(entry)],
        "torch-cpu": [TORCH_CPU],
    }
    FOLDER.mkdir(exist_ok=True)
    for name, entries in files.items():
        (FOLDER / f"{name}.txt").write_text(HEADER + "".join(entries), encoding="utf-8")


def _entries(extras: tuple[str, ...]) -> list[str]:
    """A requirement with its hashes for each package that dpfair, its build and `extras` need."""
    words = [word for extra in extras for word in ("--extra", extra)]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    run = subprocess.run(
        [*COMPILE, *words],
        input="\n".join(build["requires"]),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [entry for entry in re.split(r"(?m)^(?=\S)", run.stdout) if entry]


if __name__ == "__main__":
    main()
