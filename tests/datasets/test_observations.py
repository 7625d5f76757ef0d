"""Observations refuse values that are none of their variables."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.kinds.variables import Observations


@pytest.mark.parametrize(
    ("values", "levels", "message"),
    [
        (np.array([[0.0, np.nan]]), (), "fill in missing values"),
        (np.array([[0, 3]]), (2, 3), "every code of variable 'b' must be from 0 to 2"),
        (np.array([[0.5, 1.0]]), (2, 3), "must be integers"),
        (np.array([[0, 1, 2]]), (2, 2, 2), r"must be an \(n, 2\) array"),
    ],
)
def test_observations_that_do_not_fit_are_refused(values, levels, message) -> None:
    with pytest.raises(ValueError, match=message):
        Observations(values, ("a", "b"), levels)
