"""Scores of decisions on Adult by the formulas of the notebooks of pujol2023.

A decision is a rounded number and may be other than 0 and 1. Group 1 is men and group 0 women. A
`balance` or a `parity` is the absolute difference of both groups' rates:

    accuracy_parity     right decisions about women divided by the number of men, and the reverse,
                        as the notebooks compute it
    accuracy_difference difference of the accuracies of both groups
    demographic_parity  mean decisions
    tpr_balance         decisions 1 of records with label 1
    tnr_balance         decisions 0 of records with label 0
    conditional_...     the same with means over the groups of records that agree in all admissible
                        attributes; each such group counts once
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

PARITIES = ("demographic_parity", "tpr_balance", "tnr_balance")
CONDITIONAL = tuple(f"conditional_{name}" for name in PARITIES)
SCORES = ("accuracy", "accuracy_parity", *PARITIES, *CONDITIONAL, "accuracy_difference")


def score(decisions: dp.Ints, y: dp.Ints, sex: dp.Ints, cells: dp.Ints) -> dict[str, float]:
    """The scores of decisions (n,) about records with labels, groups and admissible cells (n,)."""
    right = decisions == y
    men, women = sex == 1, sex == 0
    hits = {
        # selection counts decisions 1 within cells, and sums decisions over whole groups
        "demographic_parity": (decisions == 1, np.ones(len(y), dtype=bool)),
        "tpr_balance": ((decisions == 1) & (y == 1), y == 1),
        "tnr_balance": ((decisions == 0) & (y == 0), y == 0),
    }
    whole = {
        name: abs(hit[men].sum() / base[men].sum() - hit[women].sum() / base[women].sum())
        for name, (hit, base) in hits.items()
    }
    whole["demographic_parity"] = abs(decisions[men].mean() - decisions[women].mean())
    within = {
        f"conditional_{name}": abs(
            mean_over_cells(hit, base & men, cells) - mean_over_cells(hit, base & women, cells)
        )
        for name, (hit, base) in hits.items()
    }
    swapped = right[women].sum() / men.sum() - right[men].sum() / women.sum()
    found = {
        "accuracy": right.mean(),
        "accuracy_parity": abs(swapped),
        **whole,
        **within,
        "accuracy_difference": abs(right[men].mean() - right[women].mean()),
    }
    return {name: float(value) for name, value in found.items()}


def mean_over_cells(hit: dp.Ints, base: dp.Ints, cells: dp.Ints) -> float:
    """The mean share of hits among the records of `base` in a cell, over cells with such records.

    All arguments have one entry for each record, (n,).
    """
    counts = np.bincount(cells, weights=base)
    hits = np.bincount(cells, weights=hit & base)
    return float((hits[counts > 0] / counts[counts > 0]).mean())
