"""Verdicts -> check.md: every published cell with ours, every variant, the claims, and entries that
do not hold.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.decision import Verdicts, name_verdict
from dpfair_cli.verdicts.discrimination import share_of_variants, share_of_wrong_pairings
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.variants import count_variants
from dpfair_cli.verdicts.wording import describe_standins, format_mean, heading


def write(verdicts: Verdicts, spec: Spec, folder: Path) -> Path:
    """Write check.md in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "check.md").write_text(text(verdicts, spec), encoding="utf-8", newline="\n")
    return folder / "check.md"


def text(verdicts: Verdicts, spec: Spec) -> str:
    """The verdicts on an artefact as markdown."""
    standins = describe_standins(verdicts.standins)
    return render(
        "check.md.j2",
        title=heading(spec, standins),
        notes=standins,
        counts=verdicts.cell_counts,
        cells=cell_lines(verdicts),
        wrong=share_of_wrong_pairings(verdicts.wrong_pairings, far_only=False),
        wrong_far=share_of_wrong_pairings(verdicts.wrong_pairings, far_only=True),
        read_own=share_of_variants(verdicts.variant_pairings, own=True),
        read_wrong=share_of_variants(verdicts.variant_pairings, own=False),
        variants=to_records(count_variants(verdicts.cells, spec)),
        claims=to_records(verdicts.claims),
        deviations=to_records(verdicts.deviations),
        stale=verdicts.stale_deviations,
        unsupported=verdicts.unsupported_deviations,
    )


def cell_lines(verdicts: Verdicts) -> list[dict[str, Any]]:
    """The default variant of each published cell: its line of `compare_cells`, and its numbers as
    text.

    The texts are `ours`, `published` (each with its deviation), `difference`, `two_errors` (two
    standard errors of it) and `full_verdict`, with the kind of its deviation.
    """
    return [line | _number_texts(line) for line in to_records(verdicts.default_cells)]


def _number_texts(line: dict[str, Any]) -> dict[str, str]:
    """The texts of `cell_lines`, empty where a cell was not compared."""
    return {
        "ours": format_mean(line["mean"], line["std"]),
        "published": format_mean(line["published_mean"], line["published_std"]),
        "difference": ""
        if pd.isna(line["mean"])
        else f"{line['mean'] - line['published_mean']:+.4f}",
        "two_errors": "" if pd.isna(line["noise"]) else f"{line['noise']:.4f}",
        "full_verdict": name_verdict(line["verdict"], line["kind"]),
    }
