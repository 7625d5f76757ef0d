"""A regression fitted to a stored synthetic table; its rounded predictions are decisions.

Source: pujol2023, functions LR_test and RF_test of the authors' notebooks.
Differs: The random forest has the seed of the run; that of the notebooks has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import dpfair_cli.plugin as dp

from ..models.stored_tables import ADMISSIBLE, LEVELS, Admissible, StoredTables, Synthesiser

TREES = 200  # of the forest
Learner = Literal["linear regression", "random forest"]


@dataclass(frozen=True, eq=False)
class RoundedRegression(dp.NotSaved):
    """A fitted regression, and the list of attributes within whose cells it is scored."""

    regression: Any
    conditions: tuple[int, ...]  # columns

    def decide(self, features: dp.Ints) -> dp.Ints:
        """The rounded prediction for each record, (n,)."""
        return np.asarray(self.regression.predict(features).round(), dtype=np.int64)


@dp.checked
def fit(
    tables: StoredTables,
    *,
    synthesiser: Synthesiser = "MST",
    admissible: Admissible = "seven",
    conditions: Admissible = "seven",
    learner: Learner = "linear regression",
    rng: np.random.Generator,
) -> RoundedRegression:
    """The regression of the label on all other columns of a stored synthetic table.

    Args:
        tables: The stored tables.
        synthesiser: The synthesiser that the authors ran.
        admissible: The list of admissible attributes for which the table was made.
        conditions: The list of admissible attributes of the conditional scores.
        learner: The regression.
        rng: The source of randomness of the random forest.
    """
    codes = tables.synthetic(synthesiser, admissible)
    names = [*LEVELS]
    columns = tuple(names.index(name) for name in ADMISSIBLE[conditions])
    fitted = _regression(learner, rng).fit(codes[:, :-1], codes[:, -1])
    return RoundedRegression(fitted, columns)


def _regression(learner: Learner, rng: np.random.Generator) -> Any:
    """The regression of scikit-learn, not yet fitted."""
    if learner == "linear regression":
        from sklearn.linear_model import LinearRegression

        return LinearRegression()
    from sklearn.ensemble import RandomForestRegressor

    # scikit-learn takes no generator of NumPy, but a seed below 2^32
    return RandomForestRegressor(n_estimators=TREES, random_state=int(rng.integers(2**32)))


ALGORITHM = dp.Algorithm(
    fit, source="pujol2023, functions LR_test and RF_test of the authors' notebooks"
)
