"""A copy of the package and its tests in which one mistake at a time is planted."""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutants.catalogue import ROOT, Mutant

OUT_OF_TIME = 124  # the exit code of timeout(1)
KILLED = (-signal.SIGXCPU, -signal.SIGKILL)  # by the limit of ulimit(1)


class Copy:
    """The package, its tests and the replicas in `folder`; it has no real data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("dpfair_cli", "experiments", "tests"):
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in ("pyproject.toml", "conftest.py"):
            shutil.copy(ROOT / name, folder)
        (folder / "data").mkdir()
        (folder / "data/replicas").symlink_to(ROOT / "data/replicas")
        compileall.compile_dir(folder / "dpfair_cli", quiet=1)
        code, found = self.run("-c", "import dpfair_cli; print(dpfair_cli.__file__)", seconds=60)
        if code or not Path(found.strip()).is_relative_to(folder):
            raise RuntimeError(f"the copy is not what Python imports, but {found}")

    @contextmanager
    def planted(self, mutant: Mutant) -> Iterator[None]:
        """The copy with one mistake, inside the block."""
        path = self.folder / mutant.changed
        before = path.read_text()
        self._write(path, mutant.planted_in(before))
        try:
            yield
        finally:
            self._write(path, before)

    def _write(self, path: Path, text: str) -> None:
        """Writes a module without its compiled file, which could be taken for that of the text."""
        Path(cache_from_source(str(path))).unlink(missing_ok=True)
        path.write_text(text)

    def run(self, *arguments: str, seconds: int) -> tuple[int, str]:
        """The exit code and the output of Python in the copy.

        The code is OUT_OF_TIME after `seconds` of processor time.
        """
        settings = {
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "DPFAIR_DATA": str(self.folder / "data"),
            "COLUMNS": "400",  # a line that pytest does not cut
        }
        script = f'ulimit -t {seconds} && exec "$0" "$@"'
        limited = ["bash", "-c", script, sys.executable, *arguments]
        ended = subprocess.run(
            limited, cwd=self.folder, env=os.environ | settings, capture_output=True, text=True
        )
        code = OUT_OF_TIME if ended.returncode in KILLED else ended.returncode
        return code, ended.stdout + ended.stderr
