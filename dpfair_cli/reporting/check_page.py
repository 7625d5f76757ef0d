"""Writes check.md of an artefact: the published table, each cell, variants, claims and causes."""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.specs import PUBLISHED_IN, Spec
from dpfair_cli.contracts.writing import write_text
from dpfair_cli.reporting import authors_columns, printed_table
from dpfair_cli.reporting.cell_columns import COLUMNS
from dpfair_cli.reporting.cell_notes import CLAIMS_READING, describe_chosen, describe_rule
from dpfair_cli.reporting.score_text import (
    COMPARED,
    JOINT_READING,
    SKILL_READING,
    TRUST_READING,
    joint_table,
    rule_tests_of,
    skill_table,
)
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.score.pairings import share
from dpfair_cli.verdicts.score.variant_counts import count_variants
from dpfair_cli.verdicts.wording import describe_standins, heading

FILE = "check.md"


def write(verdicts: Verdicts, spec: Spec, folder: Path, *, page: str = "") -> Path:
    """Writes the verdicts on an artefact to check.md in `folder`; returns the path.

    `page` is the name of the page about the paper that shows the artefact.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = text(verdicts, spec, page=page)
    write_text(folder / FILE, content)
    return folder / FILE


def text(verdicts: Verdicts, spec: Spec, *, page: str = "") -> str:
    """The verdicts on an artefact as Markdown; `page` as for `write`."""
    standins = describe_standins(verdicts.standins)
    wrong, variants = verdicts.wrong_pairings, verdicts.variant_pairings
    printed = printed_table.make(verdicts.cells, spec, verdicts.authors)
    numbers = printed_table.number_deviations(printed, verdicts.deviations)
    return render(
        "check.md.j2",
        title=heading(spec, standins),
        notes=standins,
        spec=spec,
        experiments=f"../../../experiments/{spec.paper}",
        page=page,
        verdicts=verdicts,
        published_in=[PUBLISHED_IN[word] for word in spec.published_in],
        printed=printed_table.markdown(printed, deviation_link),
        numbers=numbers,
        deviations=sorted(verdicts.deviations, key=lambda one: numbers[one.id]),
        link=deviation_link,
        columns=COLUMNS,
        authors=authors_columns,
        rule=describe_rule(verdicts.compared, spec),
        chosen=describe_chosen(verdicts.compared, spec),
        compared=COMPARED,
        trust=(
            (
                TRUST_READING,
                rule_tests_of(
                    share(wrong),
                    share(one for one in wrong if one.is_far),
                    share(one for one in variants if one.is_own),
                    share(one for one in variants if not one.is_own),
                ),
            ),
            (SKILL_READING, skill_table({spec.name: verdicts.skill} if verdicts.skill else {})),
            (JOINT_READING, joint_table(verdicts.joint_tests, spec)),
        ),
        variants=count_variants(verdicts.cells, spec),
        claims_reading=CLAIMS_READING,
    )


def deviation_link(deviation: Deviation) -> str:
    """The link from check.md to the entry of a deviation in the same file."""
    return f"#deviation-{deviation.id}"
