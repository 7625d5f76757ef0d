"""Methods that have the same scores as another method in every run: one of them changes nothing."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import repeat_along_axes, shown_scores, with_columns


def describe_equal_methods(rows: pd.DataFrame, spec: Spec) -> str:
    """A sentence that names methods with equal scores in every run; empty if there are none.

    Runs are compared at the same data set, point and seed. `rows` has a row for each run.
    """
    whole = repeat_along_axes(with_columns(rows, spec, shown_scores(spec)), spec)
    scores = [score for score in shown_scores(spec) if score in whole]
    places = ["dataset", "seed", *spec.layout.axes]
    by_method = {
        str(method): own.set_index(places)[scores].sort_index()
        for method, own in whole.groupby("method", sort=False)
    }
    pairs = [
        f"{one} and {other}"
        for one, other in combinations(by_method, 2)
        if by_method[one].equals(by_method[other])
    ]
    return f"The same scores in every run: {'; '.join(pairs)}." if pairs else ""
