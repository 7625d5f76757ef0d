"""Decisions for the records of a file or of a data set, by a saved model that knows how its own
were read.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import locate
from dpfair_cli.formats.table_in_model import from_json, read_others
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.secure import SecureGenerator
from dpfair_cli.release import restoring

TASK = "classification"
FINE = 2**53  # steps of a drawn number between 0 and 1


def predictions(model_file: Path, source: str, *, data_dir: Path, seed: int | None) -> pd.DataFrame:
    """A line for each person of a file, or of a data set by its name: the decision, and its
    probability.

    A randomised rule is drawn, with the operating system's randomness or, given a seed, so that it
    can be repeated: its fairness is that of drawn decisions. Any other rule decides, with the
    probability 0 or 1.

    Raises:
        DpfairError: the model is none that decides about records, the file or the data set is not
            here, or it lacks a column.
    """
    model: Classifier = restoring.load(model_file)
    content = json.loads(model_file.read_text(encoding="utf-8"))
    if not callable(getattr(model, "predict", None)):
        raise DpfairError(f"{model_file} holds a {type(model).__name__}, which decides nothing")
    of_file = "table" in content
    asked = (
        _of_file(model_file, content, source, model)
        if of_file
        else _of_data_set(content, source, data_dir)
    )
    if list(asked.records.columns) != content.get("columns"):
        why = (
            "is damaged: its columns are not those of its table"
            if of_file
            else f"has other columns than {source}"
        )
        raise DpfairError(f"{model_file} {why}")
    probability = np.asarray(model.predict(asked.records), dtype=float)
    drawn = (SecureGenerator() if seed is None else np.random.default_rng(seed)).integers(
        FINE, size=len(asked.records)
    )
    decision = np.array(asked.labels)[(drawn < probability * FINE).astype(int)]
    return pd.DataFrame({asked.name: decision, f"probability of {asked.labels[1]}": probability})


class _Asked(NamedTuple):
    """The records, and what a decision and its two values are called."""

    records: Records
    name: str
    labels: tuple[Any, Any]


def _of_file(
    model_file: Path, content: Mapping[str, Any], source: str, model: Classifier
) -> _Asked:
    """The records of a file with the columns of the table that the model was trained on."""
    try:
        known, encoding = from_json(content["table"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DpfairError(f"{model_file} is damaged: {error!r} of its table") from error
    records = read_others(source, known, encoding, with_groups=model.reads_group)
    return _Asked(records, known.schema.label, (known.schema.labels[0], known.schema.positive))


def _of_data_set(content: Mapping[str, Any], source: str, data_dir: Path) -> _Asked:
    """The records of a data set, with the options that the model's own was loaded with."""
    trained_on, options = str(content.get("dataset")), content.get("options") or {}
    if source not in catalog.names("datasets"):
        way_out = f"give the name of a data set with its columns, such as {trained_on}, or train on a file of your own"
        raise DpfairError(f"the model was trained on {trained_on} and reads no files: {way_out}")
    if not catalog.is_data_for(source, task=TASK):
        raise DpfairError(f"{source} holds no records to decide about")
    known = catalog.parameters("datasets", source)
    given = catalog.complete(
        "datasets", source, {name: value for name, value in options.items() if name in known}
    )
    located = locate(source, given, data_dir=data_dir, replica_ok=True)
    if located.replica:
        warnings.warn(f"{source}: REPLICA: not the real data", DataWarning, 2)
    return _Asked(load(located, given), "decision", (0, 1))
