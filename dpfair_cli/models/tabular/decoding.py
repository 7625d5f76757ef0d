"""Records of levels and bins become the table again that they were encoded from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.kinds.records import Records

FINE = 2**32  # a number of a bin without whole ends is one of so many


def decode(records: Records, *, rng: np.random.Generator) -> pd.DataFrame:
    """The original columns: a level as text, a number drawn uniformly from its bin, whole where the
    bin's ends are.

    Raises:
        ValueError: the records were not encoded as levels and bins.
    """
    domain = records.domain
    if not domain.values:
        raise ValueError("only levels and bins can be decoded: load the data with encoding=binned")
    places = [
        records.X[:, columns].argmax(axis=1) for columns in map(list, domain.attributes.values())
    ]
    chosen = zip(domain.values.items(), [*places, records.protected, records.y], strict=True)
    return pd.DataFrame({name: _decoded(place, known, rng) for (name, known), place in chosen})


def _decoded(places: Ints, known: Sequence[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A level or a number of the bin for each place, (n,)."""
    if isinstance(known[0], str):
        return np.asarray(known)[places]
    firsts, lasts = np.array(known, dtype=float)[places].T
    if np.all(np.array(known) % 1 == 0):
        return np.asarray(rng.integers(firsts.astype(np.int64), lasts.astype(np.int64) + 1))
    return np.asarray(firsts + (lasts - firsts) * (rng.integers(FINE, size=len(places)) / FINE))
