"""Decoding of records with the encoding "binned": the table that they were encoded from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.kinds.records import Records

GRID = 2**32  # equally spaced numbers of a bin whose ends are not integers, one of which is drawn


def decode(records: Records, *, rng: np.random.Generator) -> pd.DataFrame:
    """The original columns: each level as text, each number drawn uniformly from its bin.

    A number is an integer where both ends of all bins of its column are integers.

    Raises:
        ValueError: the records do not have the encoding "binned".
    """
    domain = records.domain
    if not domain.values:
        raise ValueError(
            "every column must be a level or a bin to be decoded: load the data set with "
            "encoding=binned"
        )
    attributes = domain.attributes.values()
    places = [records.X[:, list(columns)].argmax(axis=1) for columns in attributes]
    places += [records.protected, records.y]
    chosen = zip(domain.values.items(), places, strict=True)
    return pd.DataFrame({name: _decoded(place, known, rng) for (name, known), place in chosen})


def _decoded(places: Ints, known: Sequence[Any], rng: np.random.Generator) -> NDArray[Any]:
    """The level at each place, or a number from the bin at each place, (n,)."""
    if isinstance(known[0], str):
        return np.asarray(known)[places]
    firsts, lasts = np.array(known, dtype=float)[places].T
    if np.all(np.array(known) % 1 == 0):
        return np.asarray(rng.integers(firsts.astype(np.int64), lasts.astype(np.int64) + 1))
    return np.asarray(firsts + (lasts - firsts) * (rng.integers(GRID, size=len(places)) / GRID))
