"""Long training runs on disk at the end of an epoch, so that a kill costs one epoch and changes no byte of the results.

They lie beside the artefacts of a paper, which git does not see, and stay: a run that one artefact has ended serves the
others. What makes a training run this one is in its name: the data (here) and all settings (by the loop that trains).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from dpfair_cli.kinds import Data
from dpfair_cli.models.training.descent import Course, State

FOLDER = "checkpoints"
LONG_SECONDS = 2.0  # a run is kept at the first end of an epoch after this long, and at its own; shorter ones are not
ARRAYS = ("parameters", "velocity", "bounds", "mean_bounds")


class Checkpoints:
    """The training runs on `data`, which are from `source`, in files of `folder`."""

    def __init__(self, folder: Path, source: str, data: Data) -> None:
        self.folder, self.source, self.data = folder, source, data

    def find(self, name: str, course: Course) -> tuple[State, list[Any]] | None:
        """The last state of the run `name` and what was seen of its epochs; a file that cannot be read is no state."""
        self.began = self.kept_at = time.monotonic()
        self.epochs = course.epochs
        try:
            with np.load(self._path(name)) as file:
                about = json.loads(str(file["about"]))
                arrays = {key: file[key] for key in ARRAYS}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None
        return State(about["epoch"], about["step"], **arrays, noise=about["noise"]), about["seen"]

    def keep(self, name: str, state: State, seen: list[Any]) -> None:
        """Write the state of the run `name`, whole or not at all, if it has taken long, at its end since it began."""
        if time.monotonic() - (self.began if state.epoch == self.epochs else self.kept_at) < LONG_SECONDS:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        about = {"epoch": state.epoch, "step": state.step, "noise": state.noise, "seen": seen}
        draft = self._path(name).with_suffix(f".{os.getpid()}.draft.npz")  # another process may be at the same run
        np.savez(draft, about=json.dumps(about), **{key: getattr(state, key) for key in ARRAYS})
        draft.replace(self._path(name))
        self.kept_at = time.monotonic()

    def _path(self, name: str) -> Path:
        words = f"{self.source} {self.data.fingerprint()} {name}"
        return self.folder / (hashlib.sha256(words.encode()).hexdigest()[:24] + ".npz")


def put_aside(folder: Path) -> None:
    """Rename the checkpoints of a paper: they do not serve a run that is made again."""
    if (folder / FOLDER).is_dir():
        shutil.rmtree(folder / f"{FOLDER}.old", ignore_errors=True)
        (folder / FOLDER).rename(folder / f"{FOLDER}.old")
