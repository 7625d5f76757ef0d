"""Logistic regression of diffprivlib, in its own environment."""

from __future__ import annotations

import numpy as np
from diffprivlib.models import LogisticRegression

PEOPLE = {}


def read(file: str) -> None:
    """The people to fit on."""
    with np.load(file) as data:
        PEOPLE.update(data)


def fit(seed: int) -> None:
    """One fit."""
    X, y = PEOPLE["X"], PEOPLE["y"]
    LogisticRegression(epsilon=1.0, data_norm=float(np.sqrt(X.shape[1])), random_state=seed).fit(
        X, y
    )
