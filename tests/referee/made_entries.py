"""An entry as contradictions.yaml holds it, and changes of it."""

from __future__ import annotations

import copy

CELL = {"work": "one2020", "artefact": "table1", "dataset": "adult", "method": "DP"}
CELL |= {"metric": "accuracy", "epsilon": 3}
ENTRY = {
    "id": "toy",
    "family": "C1",
    "quantity": {"data": "Adult", "method": "DP", "score": "accuracy", "epsilon": 3},
    "a": {"cell": CELL, "runs": {"method": "ours"}},
    "b": {"cell": CELL | {"work": "two2021"}},
    "differences": [
        {"aspect": "training", "a": "9 epochs", "b": "3", "runs": {"method": "ours, 3 epochs"}},
        {"aspect": "noise", "a": "one", "b": "two", "runs": {"epsilon": 4, "work": "two2021"}},
        {"aspect": "delta", "a": "small", "b": "large", "not_run": "no effect on the noise"},
    ],
}


def changed(**values):
    """The entry with other values; None deletes a key."""
    found = copy.deepcopy(ENTRY) | values
    return {key: value for key, value in found.items() if value is not None}
