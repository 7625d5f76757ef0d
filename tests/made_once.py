"""Folders that several tests need, made by the first process of the tests that asks for one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder `name`, filled by `make(folder)` if no other process has filled it."""
    place = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # of the processes together
    with FileLock(place / f"{name}.lock"):
        if not (place / name).exists():
            new = place / f"new-{name}"
            new.mkdir()
            make(new)
            new.rename(place / name)
    return place / name
