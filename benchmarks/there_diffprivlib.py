"""Logistic regression of diffprivlib, to be run in the environment of that library."""

from __future__ import annotations

import numpy as np
from diffprivlib.models import LogisticRegression

RECORDS = {}  # X (n, d) and y (n,), once they are read


def read(file: str) -> None:
    """Reads the records to fit on."""
    with np.load(file) as data:
        RECORDS.update(data)


def fit(seed: int) -> None:
    """Does one fit."""
    X, y = RECORDS["X"], RECORDS["y"]
    norm = float(np.sqrt(X.shape[1]))
    LogisticRegression(epsilon=1.0, data_norm=norm, random_state=seed).fit(X, y)
