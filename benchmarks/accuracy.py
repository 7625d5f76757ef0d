"""Accuracy and fairness of private classifiers on held-out records, and of diffprivlib.

The splits served no choice of a parameter: defaults of the descents were chosen on five other
tables (`python -m benchmarks.descent_defaults`). All methods have one delta; functional_mechanism
and pflr are purely private, and diffprivlib is too.
"""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean, stdev

from benchmarks.data import here, read
from benchmarks.process import DIFFPRIVLIB, Process, python_of
from benchmarks.ratio import Bar

DATA = ("adult", "dutch", "acs_income")
EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-6
SPLITS = range(1000, 1010)
MOST_RECORDS = 50_000  # of a larger table, as many at random
BEST, FAIR = "dp_whitened_descent", "dp_fair_descent"
OURS = (
    ("logistic_regression", {}),
    ("functional_mechanism", {}),
    ("pflr", {}),
    ("relaxed_functional_mechanism", {"delta": DELTA}),
    ("output_perturbation", {}),
    ("dpsgd", {"delta": DELTA}),
    (BEST, {"delta": DELTA}),
    (f"{BEST}:linear", {"delta": DELTA, "inputs": "linear"}),
    (FAIR, {"delta": DELTA}),
    ("raco_dp", {"delta": DELTA}),
)
LIBRARY = f"{DIFFPRIVLIB[0]}, C = 0.01"
ACCURACY_BAR, FAIR_ACCURACY_BAR, GAP_BAR = 0.85, 0.82, 0.03  # on Adult at epsilon 1

Scores = dict[str, list[tuple[float, float]]]  # method -> (accuracy, risk difference) of each split


def accuracy_bars(folder: Path) -> list[Bar]:
    """Prints a table for each data set and epsilon, and returns the bars of Adult at epsilon 1."""
    bars: list[Bar] = []
    with Process(python_of("bench"), "benchmarks.there_diffprivlib") as library:
        for name in filter(here, DATA):
            records = _at_most(read(name))
            for epsilon in EPSILONS:
                found = _scores(records, epsilon, library, folder)
                print(f"  {name}, epsilon {epsilon:g}")
                for method, scores in found.items():
                    print(f"    {method:32} {_stated(scores, 0)}  {_stated(scores, 1)}", flush=True)
                if (name, epsilon) == ("adult", 1.0):
                    bars = _bars(found)
    return bars


def _at_most(records):
    import numpy as np

    n = len(records)
    chosen = np.random.default_rng(0).permutation(n)[:MOST_RECORDS]
    return records if n <= MOST_RECORDS else records.take(chosen)


def _scores(records, epsilon: float, library: Process, folder: Path) -> Scores:
    """The scores of every method on every split."""
    import numpy as np

    from dpfair_cli import catalog
    from dpfair_cli.tasks.classification import score, split

    found: Scores = {}
    for seed in SPLITS:
        split_rng, *rngs = np.random.default_rng(seed).spawn(1 + len(OURS))
        case = split(records, rng=split_rng)
        for (shown, params), rng in zip(OURS, rngs, strict=True):
            method = catalog.method(shown.partition(":")[0], params)
            given = {"epsilon": epsilon} if method.is_private else {}
            model = method.algorithm.fit(case.train, **{**method.params, **given}, rng=rng)
            got = score(model, case)
            found.setdefault("majority", []).append((got["majority_accuracy"], 0.0))
            pair = got["accuracy"], got["demographic_parity_difference"]
            found.setdefault(shown, []).append(pair)
        del found["majority"][seed - SPLITS[0] + 1 :]  # once a split
        file = folder / "case.npz"
        np.savez(file, X=case.train.X, y=case.train.y, test=case.test.X)
        norm = math.sqrt(len(records.domain.attributes))
        said = library.ask("decisions", str(file), epsilon, norm, seed)["found"]
        right = np.array(said) == case.test.y
        rates = [np.array(said)[case.test.protected == k].mean() for k in (0, 1)]
        found.setdefault(LIBRARY, []).append((float(right.mean()), float(abs(np.diff(rates)[0]))))
    return found


def _stated(scores: list[tuple[float, float]], place: int) -> str:
    """The mean of a score and its standard error."""
    values = [pair[place] for pair in scores]
    return f"{mean(values):.4f} ± {stdev(values) / math.sqrt(len(values)):.4f}"


def _bars(found: Scores) -> list[Bar]:
    best = mean(pair[0] for pair in found[BEST])
    fair, gap = (mean(pair[place] for pair in found[FAIR]) for place in (0, 1))
    ahead = max(
        _errors_ahead(scores, found[BEST])
        for method, scores in found.items()
        if method not in (BEST, "logistic_regression")
    )
    return [
        (f"accuracy of {BEST} on Adult", f"{best:.4f}", f">= {ACCURACY_BAR}", best >= ACCURACY_BAR),
        ("  best opponent, standard errors ahead", f"{ahead:.1f}", "<= 2", ahead <= 2),
        (
            f"accuracy and gap of {FAIR}",
            f"{fair:.4f}, {gap:.4f}",
            f">= {FAIR_ACCURACY_BAR}, <= {GAP_BAR}",
            fair >= FAIR_ACCURACY_BAR and gap <= GAP_BAR,
        ),
    ]


def _errors_ahead(scores: list[tuple[float, float]], best: list[tuple[float, float]]) -> float:
    """By how many standard errors of the paired differences a method is more accurate."""
    apart = [one[0] - other[0] for one, other in zip(scores, best, strict=True)]
    return mean(apart) / (stdev(apart) / math.sqrt(len(apart)) or math.inf)
