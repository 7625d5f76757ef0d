"""The bars of large data: loading CelebA and ACSIncome, and mangold2023's 100 draws at 20 sizes."""

from __future__ import annotations

import sys

from benchmarks.data import here
from benchmarks.process import Process
from benchmarks.ratio import Bar, in_yards, middle, yard_bar, yardstick


def large_bars() -> list[Bar]:
    """The bars, measured in a separate process, whose peak memory has a bar too."""
    if not (here("celeba") and here("acs_income")):
        return []
    yard = yardstick()
    with Process(sys.executable, "benchmarks.there_large", settled=True) as there:
        loading = [
            in_yards(lambda name=name: there.wall("load", name), yard)
            for name in ("celeba", "acs_income")
        ]
        there.ask("prepare")
        there.ask("draw")  # the fits are cached
        draws = in_yards(lambda: there.wall("draw"), yard)
        memory = there.ask("peak")["memory"]
    slower = max(loading, key=lambda costs: middle(costs).yards)
    return [
        yard_bar("CelebA and ACSIncome, loading the slower", slower, 20),
        yard_bar("  100 draws x 20 sizes x both, after the fits", draws, 60),
        ("  largest process", f"{memory:.2f} GB", "<= 3 GB", memory <= 3),
    ]
