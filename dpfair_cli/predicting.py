"""Decisions for the people of a file, by a saved model that knows how its table was read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from dpfair_cli import estimator
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.formats.table_in_model import from_json, read_others
from dpfair_cli.mechanisms.secure import SecureGenerator

FINE = 2**53  # steps of a drawn number between 0 and 1


def predictions(model_file: Path, people_file: str, *, seed: int | None) -> pd.DataFrame:
    """A line for each person of the file: the decision, and the probability of the favourable one.

    A randomised rule is drawn, with the operating system's randomness or, given a seed, so that it can be repeated: its
    fairness is that of drawn decisions. Any other rule decides, with the probability 0 or 1.

    Raises:
        DpfairError: the model is none that decides about rows of a table, or the file lacks a column.
    """
    model: Classifier = estimator.load(model_file)
    content = json.loads(model_file.read_text(encoding="utf-8"))
    if "table" not in content:
        raise DpfairError(f"{model_file} knows no table, but {content.get('dataset')}: train on your own csv file")
    try:
        known, encoding = from_json(content["table"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DpfairError(f"{model_file} is damaged: {error!r} of its table") from error
    if not callable(getattr(model, "predict", None)):
        raise DpfairError(f"{model_file} holds a {type(model).__name__}, which decides nothing")
    people = read_others(people_file, known, encoding, with_groups=model.reads_group)
    if list(people.columns) != content.get("columns"):
        raise DpfairError(f"{model_file} is damaged: its columns are not those of its table")
    probability = np.asarray(model.predict(people), dtype=float)
    drawn = (SecureGenerator() if seed is None else np.random.default_rng(seed)).integers(FINE, size=len(people))
    decision = np.array(known.schema.labels)[(drawn < probability * FINE).astype(int)]
    return pd.DataFrame({known.schema.label: decision, f"probability of {known.schema.positive}": probability})
