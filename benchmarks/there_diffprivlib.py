"""Logistic regression of diffprivlib, to be run in the environment of that library."""

from __future__ import annotations

import numpy as np
from diffprivlib.models import LogisticRegression

RECORDS = {}  # X (n, d) and y (n,), once they are read


def read(file: str) -> None:
    """Reads the records to fit on."""
    with np.load(file) as data:
        RECORDS.update(data)


def decisions(file: str, epsilon: float, norm: float, seed: int) -> list[int]:
    """The decisions on other records of a model that is strongly regularised, which is its best."""
    with np.load(file) as data:
        model = LogisticRegression(epsilon=epsilon, data_norm=norm, C=0.01, random_state=seed)
        model.fit(data["X"], data["y"])
        return [int(one) for one in model.predict(data["test"])]


def fit(seed: int) -> None:
    """Does one fit."""
    X, y = RECORDS["X"], RECORDS["y"]
    norm = float(np.sqrt(X.shape[1]))
    LogisticRegression(epsilon=1.0, data_norm=norm, random_state=seed).fit(X, y)
