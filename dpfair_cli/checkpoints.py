"""Long training runs on disk at the end of an epoch, so that a kill costs one epoch and changes no byte of the results.

They lie beside the journal of an artefact, which git does not see, and go when every run is in the journal. What makes
a training run this one is in its name: the split (by the runner) and all settings (by the loop that trains).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from dpfair_cli.models.descent import State

FOLDER = "checkpoints"
LONG_SECONDS = 5.0  # a run is kept at the first end of an epoch after this long; shorter ones start again
ARRAYS = ("parameters", "velocity", "bounds", "mean_bounds")


class Checkpoints:
    """The runs on one split, in files of `folder`."""

    def __init__(self, folder: Path, split: str) -> None:
        self.folder, self.split, self.kept_at = folder, split, time.monotonic()

    def find(self, name: str) -> tuple[State, list[Any]] | None:
        """The last state of the run `name` and what was seen of its epochs; a file that cannot be read is no state."""
        self.kept_at = time.monotonic()
        try:
            with np.load(self._path(name)) as file:
                about = json.loads(str(file["about"]))
                arrays = {key: file[key] for key in ARRAYS}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None
        return State(about["epoch"], about["step"], **arrays, noise=about["noise"]), about["seen"]

    def keep(self, name: str, state: State, seen: list[Any]) -> None:
        """Write the state of the run `name`, whole or not at all, if it has taken long since the last time."""
        if time.monotonic() - self.kept_at < LONG_SECONDS:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        about = {"epoch": state.epoch, "step": state.step, "noise": state.noise, "seen": seen}
        draft = self._path(name).with_suffix(".draft.npz")
        np.savez(draft, about=json.dumps(about), **{key: getattr(state, key) for key in ARRAYS})
        draft.replace(self._path(name))
        self.kept_at = time.monotonic()

    def _path(self, name: str) -> Path:
        return self.folder / (hashlib.sha256(f"{self.split} {name}".encode()).hexdigest()[:24] + ".npz")


def clear(folder: Path) -> None:
    """Remove the checkpoints of an artefact."""
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
