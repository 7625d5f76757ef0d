"""Gradient boosted decision trees of LightGBM, for decisions between two labels.

LightGBM computes with one thread and a fixed layout, so that equal data give equal trees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.contracts.errors import how_to_install

MODULE = "lightgbm"
DEEPEST = 1000
LEARNED = ("leaf_value", "threshold", "split_feature")  # lines of the text of a tree
FIXED = {  # the defaults of LightGBM's classifier are kept in all other settings
    "objective": "binary",
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 0,  # nothing is drawn with these settings
    "verbosity": -1,
}


@dataclass(frozen=True)
class TreeSettings:
    """The size and the number of boosted trees.

    Raises:
        ValueError: a value is outside its range.
    """

    trees: dp.Count = 100
    """The number of trees."""
    learning_rate: dp.PositiveFinite = 0.1
    """The factor of the output of each tree."""
    depth: Annotated[dp.Count, dp.AtMost(DEEPEST)] = 30
    """The largest number of splits between the root and a leaf; a tree has at most 31 leaves."""

    def __post_init__(self) -> None:
        dp.check_fields(self)


DEFAULT_TREES = TreeSettings()


@dataclass(frozen=True)
class BoostedTrees(dp.NotSaved):
    """Trained trees, in the text form of LightGBM."""

    # a decision depends on the features; the group of a record may be one of these
    reads_group: ClassVar[bool] = False
    text: str  # the trees

    def predict(self, data: dp.Records) -> dp.Floats:
        """The decision on each record, 0 or 1, (n,)."""
        # read again at each call, so that a model holds plain data alone
        booster = _lightgbm().Booster(model_str=self.text)
        return np.asarray(booster.predict(data.X, num_threads=1) > 0.5, dtype=float)

    def state(self) -> dict[str, Any]:
        """The features and thresholds of all splits, and the values of all leaves, by name."""
        return {name: _numbers(self.text, name) for name in LEARNED}


def boosted_trees(X: dp.Floats, y: dp.Ints, settings: TreeSettings) -> BoostedTrees:
    """The trees that LightGBM trains on features (n, d) and labels (n,).

    Raises:
        DpfairError: LightGBM is not installed.
    """
    lightgbm = _lightgbm()
    shape = {"max_depth": settings.depth, "learning_rate": settings.learning_rate}
    known = lightgbm.Dataset(X, label=y, params={"verbosity": -1})
    booster = lightgbm.train({**FIXED, **shape}, known, num_boost_round=settings.trees)
    # as text, which can be copied and compared
    return BoostedTrees(booster.model_to_string())


def _numbers(text: str, name: str) -> dp.Floats:
    """The numbers of all lines `name=...` of the text of trees."""
    # each tree has one line of this name
    lines = re.findall(rf"^{name}=(.*)$", text, flags=re.MULTILINE)
    return np.array(" ".join(lines).split(), dtype=float)


def _lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError as error:
        raise dp.DpfairError(f"boosted trees need LightGBM: {how_to_install([MODULE])}") from error
    return lightgbm
