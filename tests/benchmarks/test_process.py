"""The memory of a process in the benchmarks is that of this process alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = "from benchmarks.process import peak_memory; print(peak_memory())"
LARGE = (
    "import subprocess, sys; kept = bytearray(400_000_000); "
    f"sys.exit(subprocess.run([sys.executable, '-c', {SMALL!r}]).returncode)"
)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc/self/status")
def test_the_memory_of_the_process_that_starts_another_does_not_count():
    done = subprocess.run(
        [sys.executable, "-c", LARGE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert 0.005 < float(done.stdout) < 0.3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc/self/status")
def test_the_peak_counts_memory_that_is_free_again():
    code = SMALL.replace("print", "bytearray(400_000_000); print")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) > 0.4
