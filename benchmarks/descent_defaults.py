"""How the defaults of dp_whitened_descent and dp_fair_descent were chosen.

    python -m benchmarks.descent_defaults

Five tables that no bar is measured on, at most 30,000 rows of each, three splits. The rule for
dp_whitened_descent: the largest accuracy above the majority class, as a mean over the tables and
epsilon 0.1, 1 and 10, where one default is changed at a time; differences below 0.002 are chance.
The rule for dp_fair_descent: at epsilon 1, the largest accuracy among those settings whose gap is
at most 0.03 on most tables, for each form of fairness.
"""

from __future__ import annotations

from benchmarks.data import here, read

TABLES = ("credit_card", "celeba", "lsac", "acs_coverage_tx", "communities")
ROWS, SPLITS, EPSILONS = 30_000, 3, (0.1, 1.0, 10.0)
CHANGED = {
    "clip_norm": (1.0, 1.5, 3.0, 4.0),
    "largest_noise": (1.0, 2.0, 8.0),
    "steps": (10, 30, 40),
    "learning_rate": (4.0, 6.0, 12.0),
    "moment_share": (0.1, 0.2, 0.4),
    "inputs": ("linear",),
}
FAIR_CHANGED = {
    "multiplier_rate": (0.3, 2.0),
    "steps": (20, 80),
    "histogram_share": (0.05, 0.2),
}
GAPS = {
    "demographic_parity": "demographic_parity_difference",
    "equal_opportunity": "equal_opportunity_difference",
    "equalized_odds": "equalized_odds_difference",
}


def main() -> None:
    """Prints a line for each change of a default."""
    import numpy as np

    tables = {}
    for name in filter(here, TABLES):
        records = read(name)
        rows = np.random.default_rng(0).permutation(len(records))[:ROWS]
        tables[name] = records.take(rows)
    print("accuracy above the majority class:", *tables)
    for change in _changes(CHANGED):
        gains = [_gains(records, change) for records in tables.values()]
        print(f"{np.mean(gains):+.4f}", np.mean(gains, axis=1).round(4), change, flush=True)
    for fairness, gap in GAPS.items():
        print(f"accuracy above the majority class / {gap}:", *tables)
        for change in _changes(FAIR_CHANGED):
            params = {**change, "fairness": fairness}
            found = [_means("dp_fair_descent", one, params, gap) for one in tables.values()]
            print(*(f"{gain:+.4f}/{apart:.3f}" for gain, apart in found), change, flush=True)


def _gains(records, change: dict[str, object]) -> list[float]:
    """The mean accuracy above the majority class at each epsilon."""
    found = [_means("dp_whitened_descent", records, {**change, "epsilon": e}) for e in EPSILONS]
    return [gain for gain, _ in found]


def _changes(values: dict[str, tuple]) -> list[dict[str, object]]:
    """The defaults, and every change of one of them."""
    changes = [{name: value} for name, others in values.items() for value in others]
    return [{}, *changes]


def _means(method: str, records, params, gap: str = "demographic_parity_difference"):
    """The means over splits of the accuracy above the majority class, and of a gap."""
    import numpy as np

    from dpfair_cli import catalog
    from dpfair_cli.tasks.classification import score, split

    found = []
    for seed in range(SPLITS):
        split_rng, fit_rng = np.random.default_rng(seed).spawn(2)
        case = split(records, rng=split_rng)
        model = catalog.algorithm(method).fit(case.train, **params, rng=fit_rng)
        got = score(model, case)
        found.append((got["accuracy"] - got["majority_accuracy"], got[gap]))
    return np.mean(found, axis=0)


if __name__ == "__main__":
    main()
