"""Writes check.md of an artefact: the published table, each cell, variants, claims and causes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import PUBLISHED_IN, Spec
from dpfair_cli.reporting import authors_columns, markdown_writer, printed_table
from dpfair_cli.reporting.shown import (
    CELL_COLUMNS,
    CLAIM_COLUMNS,
    ShownCell,
    ShownClaim,
    ShownColumn,
    rows,
    shown_cell,
    shown_claim,
)
from dpfair_cli.reporting.templates import render
from dpfair_cli.reporting.trust_tables import (
    JOINT_READING,
    SKILL_READING,
    TRUST_READING,
    joint_table,
    rule_tests_of,
    skill_table,
)
from dpfair_cli.verdicts.cells.comparison import LEVEL
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.score.pairings import share
from dpfair_cli.verdicts.score.scoreboard import VARIANT_HEADINGS, count_variants
from dpfair_cli.verdicts.wording import describe_standins, heading, label

FILE = "check.md"
NOT_PAGES = ("README.md",)  # among the templates of pages in the folder of a paper
SECTIONS = re.compile(r"\bartefacts\(([^)]*)\)")  # the names in a call of artefacts(...)
CLAIMS_READING = (
    "A reason counts the points at which the predicate of the claim holds, and then shows its "
    "*weakest point*: the point with the worst verdict or, among those, with the least clear one. "
    "Behind ± stands half the width of a 95 % interval, *~* means equal up to the number in the "
    "column *read as*, and a *fitted rise* is that of the least-squares line through the values, "
    "from its first to its last place. *p* is the p-value for or against the whole claim, "
    "whichever is smaller."
)


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
        cells=_with_causes(CELL_COLUMNS, list(map(shown_cell, verdicts.cells)), numbers),
        claims=_with_causes(CLAIM_COLUMNS, list(map(shown_claim, verdicts.claims)), numbers),
        authors=authors_columns,
        values=markdown_writer.rows(*authors_columns.table(verdicts.authors)),
        rows=markdown_writer.rows,
        rule=describe_rule(verdicts.compared, spec),
        chosen=describe_chosen(verdicts.compared, spec),
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
        variants=_variants(verdicts, spec),
        claims_reading=CLAIMS_READING,
    )


def _variants(verdicts: Verdicts, spec: Spec) -> str:
    """The table of the published cells with each verdict under each variant; empty without any."""
    lines = [one.texts for one in count_variants(verdicts.cells, spec)]
    return markdown_writer.rows(VARIANT_HEADINGS, lines) if lines else ""


def deviation_link(deviation: Deviation) -> str:
    """The link from check.md to the entry of a deviation in the same file."""
    return f"#deviation-{deviation.id}"


def _with_causes(
    columns: Sequence[ShownColumn],
    shown: Sequence[ShownCell | ShownClaim],
    numbers: Mapping[str, int],
) -> str:
    """A table in Markdown of cells or claims, and the cause of each in a last column."""
    lines = []
    for one, row in zip(shown, rows(columns, shown), strict=True):
        deviation = one.judged.deviation
        cause = markdown_writer.cell(one.cause)
        if deviation:
            cause = f"[[{numbers[deviation.id]}]]({deviation_link(deviation)})"
        lines.append([*map(markdown_writer.cell, row), cause])
    return markdown_writer.of_cells([*(one.heading for one in columns), "cause"], lines)


def describe_rule(compared: Sequence[JudgedCell], spec: Spec) -> str:
    """The levels and the numbers of runs on which the verdicts rely; empty without cells."""
    decisions = [cell.default.decision for cell in compared if cell.default]
    if not decisions:
        return ""
    levels = decisions[0].levels
    theirs = _numbers(one.comparison.published.runs for one in decisions)
    ours = _numbers(one.comparison.ours.runs for one in decisions)
    by = f" ({spec.published_runs_by})" if spec.published_runs_by else ""
    return (
        f"Two means are equivalent if the p-value is at most {levels.equivalent:.4f}, and "
        f"different if it is at most {levels.different:.4f}: the level {LEVEL}, lowered for the "
        "many cells of the paper. An equivalent cell is reproduced if the difference is smaller "
        "than half the distance from the published value to the nearest rival. "
        f"Runs in a published mean: {theirs}{by}. Runs in a mean of ours: {ours}."
    )


def _numbers(values: Iterable[int]) -> str:
    """The distinct numbers in ascending order, "1 or 10"."""
    *first, last = map(str, sorted({*values}))
    return f"{', '.join(first)} or {last}" if first else last


def describe_chosen(compared: Sequence[JudgedCell], spec: Spec) -> str:
    """The cells by which a default variant was chosen, and how many agree; empty without any."""
    chosen = [
        cell
        for cell in compared
        if spec.chose_default(cell.published.method, cell.published.dataset)
    ]
    if not chosen:
        return ""
    places = dict.fromkeys(
        f"{cell.published.method} on {label(cell.published.dataset, spec)}" for cell in chosen
    )
    agreeing = [cell for cell in compared if cell.verdict.agrees]
    among = sum(cell in chosen for cell in agreeing)
    return (
        f"The default variant was chosen by these cells: {', '.join(places)}. Of the "
        f"{len(agreeing)} cells that agree, {among} are among them; their agreement says nothing "
        "about the method."
    )


def sources(folder: Path) -> list[Path]:
    """The paths of the page templates in a folder experiments/<paper>."""
    return sorted(file for file in folder.glob("*.md") if file.name not in NOT_PAGES)


def page_of(folder: Path, artefact: str) -> str:
    """The name of the first page with a section for an artefact; empty if no page has one.

    `folder` is experiments/<paper>.
    """
    for file in sources(folder):
        if any(f'"{artefact}"' in names for names in _sections(file.read_text(encoding="utf-8"))):
            return file.name
    return ""


@lru_cache(maxsize=100)  # the same pages are searched for each artefact of a paper
def _sections(template: str) -> tuple[str, ...]:
    """The names of artefacts in each call of `artefacts(...)` of a page."""
    return tuple(SECTIONS.findall(template))
