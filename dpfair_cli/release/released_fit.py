"""Fits whose models are released: one seed gives the same bytes on every number of threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpfair_cli.contracts.declarations import BoundFit


@dataclass(frozen=True, eq=False)
class ReleasedFit(BoundFit):
    """A fit with its own random generator, which is used for nothing else.

    The generator that a study passes is ignored.
    """

    noise: np.random.Generator = field(kw_only=True)

    def __call__(self, data: Any, *, rng: np.random.Generator, **changed: Any) -> Any:
        """The algorithm fitted to `data`; the argument `rng` is ignored."""
        # as in a run: sums of several threads differ in the last digits
        with threadpool_limits(1, user_api="blas"):
            return super().__call__(data, rng=self.noise, **changed)
