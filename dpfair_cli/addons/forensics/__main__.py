"""Examines all papers and made-up ones, and writes the findings and the error rates to results/.

With the argument `findings`, only the papers are examined, in seconds.
"""

from __future__ import annotations

import sys

from dpfair_cli import paths
from dpfair_cli.addons.forensics import page, rates
from dpfair_cli.addons.forensics.papers import examine_paper, papers_named
from dpfair_cli.contracts.files import write_text
from dpfair_cli.reproduction.runs import RunOptions


def main() -> None:
    """Writes results/forensics.md, forensics-rates.md and .csv, and prints the paths."""
    results = paths.folder("results")
    options = RunOptions(paths.data_folder(), results, collect=True)
    examinations = [examine_paper(name, options) for name in papers_named([])]
    texts = {"forensics.md": page.findings_text(examinations)}
    if sys.argv[1:] != ["findings"]:
        made_up = rates.examine_made_up()
        texts["forensics-rates.md"] = page.rates_text(made_up)
        detections = rates.detections(made_up)
        texts["forensics-rates.csv"] = detections.to_csv(index=False, lineterminator="\n")
    for name, text in texts.items():
        write_text(results / name, text)
        sys.stdout.write(f"{results / name}\n")


if __name__ == "__main__":
    main()
