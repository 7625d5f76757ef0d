"""The page of xian2024 says that all means but two equal the published ones: the tables say so."""

from __future__ import annotations

import math

import pandas as pd

from dpfair_cli import paths

ROUNDING = 6e-7  # half a unit of the last of six decimals, and more
RUNS = 50


def test_all_means_and_deviations_but_two_equal_the_published_ones():
    different = []
    for name in ("table-communities", "table-law"):
        table = pd.read_csv(paths.folder("results") / "xian2024" / name / "table.csv")
        kept = table[~table["method"].str.contains("larger jitter")]
        assert len(kept) == 9
        for metric in ("mean_squared_error", "ks_distance"):
            means = kept[f"{metric}_mean"] - kept[f"{metric}_published_mean"]
            population = kept[f"{metric}_std"] * math.sqrt((RUNS - 1) / RUNS)
            deviations = population - kept[f"{metric}_published_std"]
            wrong = (means.abs() > ROUNDING) | (deviations.abs() > ROUNDING)
            different += [(name, metric, method) for method in kept["method"][wrong]]
    assert different == [
        ("table-communities", "ks_distance", "Chzhen et al. (2020)"),
        ("table-law", "ks_distance", "Chzhen et al. (2020)"),
    ]
