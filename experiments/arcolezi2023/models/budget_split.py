"""How the budget of a record is split between its randomised attributes."""

from __future__ import annotations

from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp

BudgetSplit = Literal["k_based", "uniform"]


def shares(blocks: list[list[int]], budget_split: BudgetSplit) -> dp.Floats:
    """The share of epsilon of each attribute, with its columns in `blocks`; they add up to 1."""
    sizes = np.array([len(block) for block in blocks], dtype=float)
    # an attribute with more levels needs a larger share for reports that are as often true
    weights = np.ones_like(sizes) if budget_split == "uniform" else sizes
    return np.asarray(weights / weights.sum())
