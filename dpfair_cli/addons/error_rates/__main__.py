"""Simulates papers, applies the rule of the verdicts, and writes its error rates to results/."""

from __future__ import annotations

import sys
from itertools import product

from dpfair_cli.addons.error_rates import page
from dpfair_cli.addons.error_rates.judged_papers import judge_paper
from dpfair_cli.addons.error_rates.simulation import PaperKind
from dpfair_cli.paths import folder

PAPERS = 25  # of each kind


def main() -> None:
    """Writes results/error-rates.md, .csv and .png, and prints the paths."""
    papers = [judge_paper(*one) for one in product(PaperKind, range(PAPERS))]
    for file in page.write(papers, folder("results")):
        sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main()
