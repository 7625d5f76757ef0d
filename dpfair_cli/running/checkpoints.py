"""Checkpoints of long training runs, so that an interrupted run continues from its last epoch.

An interruption changes no byte of the results. Checkpoints are kept in the folder of a paper's
results, where git ignores them, so that other artefacts of the paper can use finished runs. A
training run is identified by the data, the fit, the measured scores and the state of the generator.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from dpfair_cli.contracts.files import replacing
from dpfair_cli.contracts.training_context import Json, TrainingState
from dpfair_cli.kinds import Data

FOLDER = "checkpoints"
LONG_SECONDS = 2.0  # least time between two checkpoints; shorter runs leave none
ARRAY = "array."  # beginning of the name of each array in a file


class Checkpoints:
    """Checkpoints in `folder` of training runs on `data` from the data source named `source`."""

    def __init__(self, folder: Path, source: str, data: Data) -> None:
        self.folder, self.source, self.data = folder, source, data

    def find(self, name: str, *, epochs: int) -> tuple[TrainingState, list[Json]] | None:
        """The last checkpoint of the training run `name`: state, and measurements of its epochs.

        The result is None without a checkpoint.

        `epochs` is the total number of epochs of the run. A checkpoint that cannot be read is
        ignored.
        """
        self.began = self.kept_at = time.monotonic()
        self.epochs = epochs
        try:
            with np.load(self._path(name)) as file:
                arrays = {
                    key.removeprefix(ARRAY): file[key]
                    for key in file.files
                    if key.startswith(ARRAY)
                }
                kept = json.loads(str(file["json"]))
            return TrainingState(kept["epoch"], arrays, kept["facts"]), kept["measurements"]
        # of another version, or damaged: the run begins anew
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def keep(self, name: str, state: TrainingState, measurements: list[Json]) -> None:
        """Writes a checkpoint of the training run `name` atomically, at most once in LONG_SECONDS.

        The time counts from the last checkpoint. For the final state, the time counts from the
        beginning of the run.
        """
        since = self.began if state.epoch == self.epochs else self.kept_at
        if time.monotonic() - since < LONG_SECONDS:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {ARRAY + key: array for key, array in state.arrays.items()}
        facts = dict(state.facts)
        kept = json.dumps({"epoch": state.epoch, "facts": facts, "measurements": measurements})
        with replacing(self._path(name)) as draft:  # a killed process leaves the earlier checkpoint
            np.savez(draft, json=kept, **arrays)
        self.kept_at = time.monotonic()

    @cached_property
    def _fingerprint(self) -> str:
        """The digest of the training data."""
        return self.data.fingerprint()

    def _path(self, name: str) -> Path:
        """The file of a training run, whose `name` has the fit, the scores and the generator."""
        # equal fits of other artefacts have the same file
        words = f"{self.source} {self._fingerprint} {name}"
        return self.folder / (hashlib.sha256(words.encode()).hexdigest()[:24] + ".npz")


def put_aside(folder: Path) -> None:
    """Renames the checkpoints of a paper, so that a fresh run does not resume from them."""
    if (folder / FOLDER).is_dir():
        shutil.rmtree(folder / f"{FOLDER}.old", ignore_errors=True)
        (folder / FOLDER).rename(folder / f"{FOLDER}.old")
