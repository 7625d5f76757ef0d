"""Replays of the models of dpmm, and experiments/cebere2026/replays.csv, which has their outcomes.

    python -m benchmarks.replay_dpmm

dpmm has its own environment, which is made on first use. `benchmarks/there_dpmm.py` says what a
replay is. Noise is drawn from seeded generators, so that the file is the same each time.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import product
from typing import Any

from benchmarks.process import ROOT, Process, python_of

FILE = ROOT / "experiments" / "cebere2026" / "replays.csv"
MODELS = ("AIM", "PrivBayes")
DOMAINS = ("from data", "given")
COMPRESSION = (True, False)
SEEDS = 10


def main() -> None:
    """Makes all replays and writes their outcomes."""
    from dpfair_cli.contracts.files import write_text

    lines = [*replays()]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*lines[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    write_text(FILE, text.getvalue())
    print(FILE)


def replays() -> Iterator[dict[str, Any]]:
    """The outcome of each replay, with what was replayed."""
    with Process(python_of("bench-dpmm"), "benchmarks.there_dpmm", settled=True) as library:
        about = library.ask("about")["found"]
        every = product(MODELS, DOMAINS, COMPRESSION, about["neighbours"], range(SEEDS))
        for model, domain, compress, neighbours, seed in every:
            found = library.ask("replay", model, neighbours, domain, compress, seed)["found"]
            yield {
                "version": about["version"],
                "model": model,
                "domain": domain,
                "compression": "on" if compress else "off",
                "neighbours": neighbours,
                "seed": seed,
                **found,
            }


if __name__ == "__main__":
    main()
