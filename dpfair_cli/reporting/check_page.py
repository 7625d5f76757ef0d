"""Verdicts -> check.md: every published cell with ours, variants, claims and deviations."""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.cell_columns import COLUMNS
from dpfair_cli.reporting.score_text import COMPARED
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.score.pairings import share
from dpfair_cli.verdicts.score.variant_counts import count_variants
from dpfair_cli.verdicts.wording import describe_standins, heading


def write(verdicts: Verdicts, spec: Spec, folder: Path) -> Path:
    """Write check.md in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "check.md").write_text(text(verdicts, spec), encoding="utf-8", newline="\n")
    return folder / "check.md"


def text(verdicts: Verdicts, spec: Spec) -> str:
    """The verdicts on an artefact as markdown."""
    standins = describe_standins(verdicts.standins)
    wrong, variants = verdicts.wrong_pairings, verdicts.variant_pairings
    return render(
        "check.md.j2",
        title=heading(spec, standins),
        notes=standins,
        verdicts=verdicts,
        columns=COLUMNS,
        compared=COMPARED,
        wrong=share(wrong),
        wrong_far=share(one for one in wrong if one.is_far),
        explained_own=share(one for one in variants if one.is_own),
        explained_wrong=share(one for one in variants if not one.is_own),
        variants=count_variants(verdicts.cells, spec),
    )
