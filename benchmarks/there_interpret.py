"""DP-EBM of interpret, to be run in the environment of that library."""

from __future__ import annotations

import numpy as np
from interpret.privacy import DPExplainableBoostingClassifier


def decisions(
    file: str, epsilon: float, delta: float, rate: float, kinds: list[str], seed: int
) -> list[int]:
    """The decisions on other records of a model of the table, with numbers between 0 and 1.

    `kinds` says which columns are numbers ("continuous") and which are levels ("nominal").
    """
    ends = {f"{place}": (0.0, 1.0) for place, kind in enumerate(kinds) if kind == "continuous"}
    with np.load(file) as data:
        model = DPExplainableBoostingClassifier(
            feature_names=[str(place) for place in range(len(kinds))],
            feature_types=kinds,
            epsilon=epsilon,
            delta=delta,
            learning_rate=rate,
            privacy_bounds=ends,
            n_jobs=1,
            random_state=seed,
        )
        model.fit(data["table"], data["y"])
        return [int(one) for one in model.predict(data["test_table"])]
