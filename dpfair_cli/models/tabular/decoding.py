"""Decoding of records with the encoding "binned" to a table with the original columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.kinds.records import Records

GRID = 2**32  # a number is drawn from this many equally spaced numbers of a bin


def decode(records: Records, *, rng: np.random.Generator) -> pd.DataFrame:
    """The table of the original columns: levels as text, numbers drawn uniformly from their bins.

    The numbers of a column are integers if both ends of all bins of the column are integers.

    Raises:
        ValueError: the records do not have the encoding "binned".
    """
    domain = records.domain
    if not domain.values:
        raise ValueError(
            "records can be turned into a table only if all their columns are levels or bins: load "
            "the data set with encoding=binned"
        )
    attributes = domain.attributes.values()
    places = [records.X[:, list(columns)].argmax(axis=1) for columns in attributes]
    places += [records.protected, records.y]
    chosen = zip(domain.values.items(), places, strict=True)
    return pd.DataFrame({name: _decoded(place, known, rng) for (name, known), place in chosen})


def _decoded(places: Ints, known: Sequence[Any], rng: np.random.Generator) -> NDArray[Any]:
    """The level, or a random number from the bin, at each of the `places` in `known`, (n,)."""
    if isinstance(known[0], str):
        return np.asarray(known)[places]
    firsts, lasts = np.array(known, dtype=float)[places].T
    if np.all(np.array(known) % 1 == 0):
        return np.asarray(rng.integers(firsts.astype(np.int64), lasts.astype(np.int64) + 1))
    return np.asarray(firsts + (lasts - firsts) * (rng.integers(GRID, size=len(places)) / GRID))
