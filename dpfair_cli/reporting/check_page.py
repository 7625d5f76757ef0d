"""Writes check.md of an artefact: the published table, each cell, variants, claims and causes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import PUBLISHED_IN
from dpfair_cli.reporting import markup, printed_table, shown
from dpfair_cli.verdicts.cells.comparison import LEVEL
from dpfair_cli.verdicts.scoreboard import VARIANT_HEADINGS, count_variants
from dpfair_cli.verdicts.trust import PairingShare, share
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.wording import describe_standins, heading, label

FILE = "check.md"
NOT_PAGES = ("README.md",)  # among the templates of pages in the folder of a paper
# the names in a call of answer(...) or artefacts(...)
SECTIONS = re.compile(r"\b(?:answer|artefacts)\(([^)]*)\)")
NAME = re.compile(r'"([^"]+)"')

TRUST = "false matches of the rule, and cells that agree under a variant"
TESTS = {  # what is compared -> the verdict that is counted
    "false matches: our mean next to the published value of another method": "reproduced",
    "false matches where the two published values are more than 0.05 apart": "reproduced",
    "variants: cells that differ, under the best other variant of the method": "agrees",
    "variants by chance: the same, next to the published value of another method": "agrees",
}


def write(verdicts: Verdicts, folder: Path, *, page: str = "") -> Path:
    """Writes the verdicts on an artefact to check.md in `folder`; returns the path.

    `page` is the name of the page about the paper that shows the artefact.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / FILE, text(verdicts, page=page))
    return folder / FILE


def text(verdicts: Verdicts, *, page: str = "") -> str:
    """The verdicts on an artefact as Markdown; `page` as for `write`."""
    spec = verdicts.spec
    standins, authors = describe_standins(verdicts.standins), verdicts.authors
    printed = printed_table.make(verdicts.cells, spec, authors)
    numbers = printed_table.number_deviations(printed, verdicts.deviations)
    variants = [one.texts for one in count_variants(verdicts.cells, spec)]
    return markup.render(
        "check.md.j2",
        title=heading(spec, standins),
        notes=standins,
        spec=spec,
        experiments=f"../../../experiments/{spec.paper}",
        page=page,
        verdicts=verdicts,
        published_in=[PUBLISHED_IN[word] for word in spec.published_in],
        printed=printed,
        check="",
        numbers=numbers,
        deviations=sorted(verdicts.deviations, key=lambda one: numbers[one.id]),
        shown=shown,
        values=markup.rows(*shown.authors_table(authors)),
        rows=markup.rows,
        rule=describe_rule(verdicts),
        chosen=describe_chosen(verdicts),
        sentences=shown.describe_tables(verdicts),
        orders=shown.orders_table(verdicts.orders),
        columns=shown.columns_table(verdicts.columns, spec),
        trust=_trust(verdicts),
        variants=markup.rows(VARIANT_HEADINGS, variants) if variants else "",
    )


def _trust(verdicts: Verdicts) -> list[tuple[str, object]]:
    """The tables that say how far the verdicts can be trusted, by the name of their reading."""
    wrong, variants = verdicts.wrong_pairings, verdicts.variant_pairings
    tests = rule_tests_of(
        share(wrong),
        share(one for one in wrong if one.is_far),
        share(one for one in variants if one.is_own),
        share(one for one in variants if not one.is_own),
    )
    return [("trust", tests)]


def rule_tests_of(*shares: PairingShare) -> pd.DataFrame:
    """The TESTS of the rule of the verdicts that have pairs, with the number of counted verdicts.

    `shares` has one entry for each test: wrong, wrong_far, variants_own and variants_wrong of
    `Scoreboard`.
    """
    lines = [
        {
            "what is compared": name,
            "pairs": share.pairings,
            "counted verdict": verdict,
            "count": share.matched,
            "share": f"{share.percent} %",
            "per cell that agrees": share.per_agreeing_cell,
        }
        for (name, verdict), share in zip(TESTS.items(), shares, strict=True)
        if share.pairings
    ]
    return pd.DataFrame(lines)


def describe_rule(verdicts: Verdicts) -> str:
    """The levels and the numbers of runs on which the verdicts rely; empty without cells."""
    spec = verdicts.spec
    decisions = [cell.variants[0].decision for cell in verdicts.compared]
    if not decisions:
        return ""
    # all cells of a paper are decided at the same levels
    levels = decisions[0].levels
    theirs = _numbers(one.comparison.published.runs for one in decisions)
    ours = _numbers(one.comparison.ours.runs for one in decisions)
    by = f" ({spec.published_runs_by})" if spec.published_runs_by else ""
    return (
        f"Two means are equivalent if the p-value is at most {levels.equivalent:.4f}, and "
        f"different if it is at most {levels.different:.4f}: the level {LEVEL}, lowered for the "
        "many cells of the paper. "
        f"Runs in a published mean: {theirs}{by}. Runs in a mean of ours: {ours}."
    )


def _numbers(values: Iterable[int]) -> str:
    """The distinct numbers in ascending order, "1 or 10"."""
    *first, last = map(str, sorted({*values}))
    return f"{', '.join(first)} or {last}" if first else last


def describe_chosen(verdicts: Verdicts) -> str:
    """The cells by which a default variant was chosen, and how many agree; empty without any."""
    spec, compared = verdicts.spec, verdicts.compared
    published = [cell.published for cell in compared]
    chosen = [one for one in published if spec.chose_default(one.method, one.dataset)]
    if not chosen:
        return ""
    places = dict.fromkeys(f"{one.method} on {label(one.dataset, spec)}" for one in chosen)
    agreeing = [cell.published for cell in compared if cell.verdict.agrees]
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
        if artefact in artefacts_of(file.read_text(encoding="utf-8")):
            return file.name
    return ""


@lru_cache(maxsize=100)  # the same pages are searched for each artefact of a paper
def artefacts_of(template: str) -> tuple[str, ...]:
    """The names of the artefacts that have a section on a page."""
    return tuple(NAME.findall(" ".join(SECTIONS.findall(template))))
