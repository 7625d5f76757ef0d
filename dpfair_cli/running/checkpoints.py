"""Long training runs on disk at the end of an epoch, so that a kill costs one epoch and changes no
byte of the results.

They lie beside the artefacts of a paper, which git does not see, and stay: a run that one artefact
has ended serves the others. What makes a training run this one is in its name: the data (here), the
fit, what is measured and the generator.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from dpfair_cli.contracts.training_context import Json, TrainingState
from dpfair_cli.kinds import Data

FOLDER = "checkpoints"
LONG_SECONDS = 2.0  # a run is kept at the first end of an epoch after this long, and at its own; shorter ones are not
ARRAY = "array."  # begins the name of each array in a file


class Checkpoints:
    """The training runs on `data`, which are from `source`, in files of `folder`."""

    def __init__(self, folder: Path, source: str, data: Data) -> None:
        self.folder, self.source, self.data = folder, source, data

    def find(self, name: str, *, epochs: int) -> tuple[TrainingState, list[Json]] | None:
        """The last state of the run `name` and the measurements of its epochs; a file that cannot
        be read is no state.

        The run is one of so many `epochs` and begins now.
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
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def keep(self, name: str, state: TrainingState, measurements: list[Json]) -> None:
        """Write the state of the run `name`, whole or not at all, if it has taken long, at its end
        since it began.
        """
        if (
            time.monotonic() - (self.began if state.epoch == self.epochs else self.kept_at)
            < LONG_SECONDS
        ):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {ARRAY + key: array for key, array in state.arrays.items()}
        kept = json.dumps(
            {"epoch": state.epoch, "facts": dict(state.facts), "measurements": measurements}
        )
        draft = self._path(name).with_suffix(
            f".{os.getpid()}.draft.npz"
        )  # another process may be at the same run
        np.savez(draft, json=kept, **arrays)
        draft.replace(self._path(name))
        self.kept_at = time.monotonic()

    @cached_property
    def _fingerprint(self) -> str:
        return self.data.fingerprint()

    def _path(self, name: str) -> Path:
        words = f"{self.source} {self._fingerprint} {name}"
        return self.folder / (hashlib.sha256(words.encode()).hexdigest()[:24] + ".npz")


def put_aside(folder: Path) -> None:
    """Rename the checkpoints of a paper: they do not serve a run that is made again."""
    if (folder / FOLDER).is_dir():
        shutil.rmtree(folder / f"{FOLDER}.old", ignore_errors=True)
        (folder / FOLDER).rename(folder / f"{FOLDER}.old")
