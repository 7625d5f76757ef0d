"""Examines all papers and made-up ones, and writes the findings and the error rates to results/.

With the argument `findings`, only the papers are examined, in seconds.
"""

from __future__ import annotations

import sys

from dpfair_cli import paths
from dpfair_cli.addons.forensics import page, rates
from dpfair_cli.addons.forensics.papers import examine_paper, papers_named
from dpfair_cli.reproduction.runs import RunOptions


def main() -> None:
    """Writes results/forensics.md, forensics-rates.md and .csv, and prints the paths."""
    results = paths.folder("results")
    options = RunOptions(paths.data_folder(), results, collect=True)
    examinations = [examine_paper(name, options) for name in papers_named([])]
    files = [page.write_findings(examinations, results)]
    if sys.argv[1:] != ["findings"]:
        files += page.write_rates(rates.examine_made_up(), results)
    for file in files:
        sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main()
