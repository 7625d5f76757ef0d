"""Prints all bars of speed, memory and audits (`make bench`); exit code 1 if one is missed.

    python -m benchmarks.run [FAMILY ...]

Durations are ratios: `benchmarks.ratio` says of what, and where the limits come from.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

# settles the arithmetic; the modules below import NumPy only inside functions
import dpfair_cli  # noqa: F401  # isort: split
from benchmarks.accuracy import accuracy_bars
from benchmarks.arithmetic import arithmetic_bar
from benchmarks.audit import audit_bars
from benchmarks.calibration import calibration_bars
from benchmarks.causal_discovery import causal_discovery_bars
from benchmarks.causal_fairness import causal_fairness_bars
from benchmarks.commands import command_bars
from benchmarks.embedding import embedding_bars
from benchmarks.fidelity import fidelity_bars
from benchmarks.generators import generator_bars
from benchmarks.large import large_bars
from benchmarks.noise import noise_bars
from benchmarks.postprocessing import postprocessing_bars
from benchmarks.quick import quick_bars
from benchmarks.regression import regression_bars
from benchmarks.runs import run_bars
from benchmarks.training import training_bars
from benchmarks.user_table import user_table_bars

FAMILIES = {
    "commands": command_bars,
    "quick": quick_bars,
    "runs": run_bars,
    "regression": regression_bars,
    "postprocessing": postprocessing_bars,
    "accuracy": accuracy_bars,
    "fidelity": fidelity_bars,
    "large": lambda _: large_bars(),
    "user_table": user_table_bars,
    "causal_discovery": causal_discovery_bars,
    "calibration": lambda _: calibration_bars(),
    "training": training_bars,
    "embedding": embedding_bars,
    "generators": generator_bars,
    "causal_fairness": lambda _: causal_fairness_bars(),
    "noise": lambda _: noise_bars(),
    "audit": lambda _: audit_bars(),
    "arithmetic": lambda _: [arithmetic_bar()],
}


def main(names: list[str]) -> int:
    """Measures these families, or all, and prints each bar as soon as its family is done."""
    missed = 0
    for name in names or FAMILIES:
        print(f"{name}:", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            bars = FAMILIES[name](Path(folder))
        for what, measured, bar, met in bars:
            verdict = "met" if met else "MISSED"
            print(f"  {what:60}  {measured:>44}  bar {bar:>24}  {verdict}", flush=True)
            missed += not met
    print(f"bars missed: {missed}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
