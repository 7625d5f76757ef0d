"""Freed memory stays in the process."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

# a large array again and again, whose pages come from the system each time unless they are kept
COUNT_FAULTS = """
import resource
from dpfair_cli.models.training.memory import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        b"x" * 64_000_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

before = faults()
keep_freed_memory()
b"x" * 64_000_000
print(before, faults())
"""


def test_freed_memory_is_not_asked_for_again() -> None:
    if sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"):
        pytest.skip("glibc does not hand out the memory here")
    shown = subprocess.run(
        [sys.executable, "-c", COUNT_FAULTS], capture_output=True, text=True, check=True
    )
    before, after = map(int, shown.stdout.split())
    assert after < before / 10
