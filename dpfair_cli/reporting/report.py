"""Writes results/report.html: tables, pictures and verdicts in one page without other files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
from markupsafe import Markup

from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import authors_columns, html_page, html_writer, printed_table
from dpfair_cli.reporting.added_section import AddedSection
from dpfair_cli.reporting.audit_counts import count_outcomes, describe_outcomes
from dpfair_cli.reporting.check_page import CLAIMS_READING, describe_chosen, describe_rule
from dpfair_cli.reporting.figures import all_differences
from dpfair_cli.reporting.figures.artefact_differences import NAME as DIFFERENCES
from dpfair_cli.reporting.headlines import headlines
from dpfair_cli.reporting.html_page import ContentsEntry, Fact, Page
from dpfair_cli.reporting.html_writer import PackedTable
from dpfair_cli.reporting.inline_image import Image, embed
from dpfair_cli.reporting.judged_artefact import JudgedArtefact, ReportedArtefact
from dpfair_cli.reporting.looks import tones_by_text
from dpfair_cli.reporting.printed_table import PrintedTable
from dpfair_cli.reporting.score_text import (
    MARGINS_READING,
    cell_counts,
    claim_counts,
    left_out,
    margin_table,
    rule_tests,
    scoreboard,
    sums,
)
from dpfair_cli.reporting.templates import render
from dpfair_cli.reporting.trust_tables import SKILL_READING, TRUST_READING, skill_table
from dpfair_cli.verdicts.cells.verdict import COMPARED
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.score.scoreboard import count_variants

LONGEST_OPEN = 40  # lines of a table that is not folded

# calls a function for each item of a list, and returns the results
Each = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]


@dataclass(frozen=True, eq=False)
class ArtefactSection:
    """The section of an artefact in the report: its tables as data, and the texts around them."""

    entry: ReportedArtefact
    """The artefact."""

    @property
    def spec(self) -> Spec:
        """The spec of the artefact."""
        return self.entry.spec

    @property
    def verdicts(self) -> Verdicts:
        """The verdicts on the artefact."""
        return self.entry.verdicts

    @property
    def anchor(self) -> str:
        """The HTML id of the section."""
        return html_page.anchor(self.spec.artefact)

    @property
    def files(self) -> dict[str, str]:
        """The paths of the artefact's files relative to the project folder, by description."""
        artefact, stem = self.spec.artefact, "figure" if self.entry.picture else "table"
        folder = f"results/{artefact}"
        found = {
            "spec": f"experiments/{artefact}.yaml",
            **({} if self.spec.is_reanalysis else {"runs": f"{folder}/runs.jsonl"}),
            "numbers": f"{folder}/{stem}.csv",
        }
        if self.entry.picture:
            found["picture"] = f"results/{self.entry.picture}"
        if self.entry.compared:
            found["differences"] = f"{folder}/{DIFFERENCES}.png"
        return found | {"verdicts": f"{folder}/check.md"}

    @property
    def is_open(self) -> bool:
        """Whether the table is not folded: it is short, and the section shows nothing else."""
        alone = not (self.entry.picture or self.verdicts.cells)
        return alone and len(self.entry.table.lines) <= LONGEST_OPEN

    @property
    def packed_numbers(self) -> PackedTable:
        """The table as data."""
        return html_writer.pack_texts(self.entry.table.columns, self.entry.table.lines)

    @property
    def datasets(self) -> list[str]:
        """The distinct names of the data sets of the artefact."""
        return list(dict.fromkeys(part.name for part in self.spec.datasets))

    @property
    def methods(self) -> list[str]:
        """The distinct names under which the paper publishes the artefact's methods."""
        return list(dict.fromkeys(self.spec.published_labels.values()))

    @cached_property
    def printed(self) -> PrintedTable:
        """The published cells of the artefact, in a table as the paper prints it."""
        return printed_table.make(self.verdicts.cells, self.spec, self.verdicts.authors)

    @property
    def numbers(self) -> dict[str, int]:
        """The footnote number of each deviation of the artefact, by id."""
        return printed_table.number_deviations(self.printed, self.verdicts.deviations)

    @property
    def deviations(self) -> list[Deviation]:
        """The deviations of the artefact in the order of their footnote numbers."""
        numbers = self.numbers
        return sorted(self.verdicts.deviations, key=lambda one: numbers[one.id])

    @property
    def notes(self) -> tuple[str, str]:
        """The sentences above the list of cells: the levels, and the cells that chose a default."""
        compared = self.verdicts.compared
        return describe_rule(compared, self.spec), describe_chosen(compared, self.spec)

    @property
    def packed_cells(self) -> PackedTable:
        """The list of published cells as data, with the strip of each compared cell."""
        strips = html_writer.strips_of(self.verdicts)
        return html_writer.pack_cells(self.entry.cells, strips, self.numbers)

    @property
    def program(self) -> str:
        """Sentences about the authors' program; empty if we did not run it."""
        return authors_columns.describe_program(self.verdicts.authors)

    @property
    def packed_authors(self) -> PackedTable:
        """The values of the authors' program as data."""
        return html_writer.pack_texts(*authors_columns.table(self.verdicts.authors))

    @property
    def cell_counts(self) -> str:
        """The number of cells with each verdict, such as "3 reproduced, 1 differs (open)"."""
        ranks = {cell.full_verdict: cell.verdict.rank for cell in self.verdicts.cells}
        counts = Counter(cell.full_verdict for cell in self.verdicts.cells)
        names = sorted(counts, key=lambda name: (ranks[name], name))
        return ", ".join(f"{counts[name]} {name}" for name in names)

    @property
    def packed_variants(self) -> PackedTable | None:
        """The counts of cells by verdict, under each variant of each method; None without any."""
        found = count_variants(self.verdicts.cells, self.spec)
        return html_writer.pack_variants(found) if found else None


def one_by_one(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """The results of a function for each item of a list."""
    return [function(item) for item in items]


def citation(folder: Path) -> str:
    """The citation of a paper from the heading of its README: authors, year and title."""
    file = folder / "README.md"
    first = file.read_text(encoding="utf-8").splitlines()[:1] if file.exists() else [folder.name]
    return first[0].lstrip("# ")


def page(
    artefacts: Sequence[ReportedArtefact],
    *,
    papers: Mapping[str, str],
    images: Mapping[str, Image] = MappingProxyType({}),
    differences: str = "",
    audit: Sequence[Mapping[str, str]] = (),
    pages: Mapping[str, Sequence[str]] = MappingProxyType({}),
    facts: Sequence[Fact] = (),
    added: Sequence[AddedSection] = (),
    each: Each = one_by_one,
) -> str:
    """The report as HTML.

    `papers` gives the citation of each paper by its key, `images` each figure by its path,
    `differences` the path of the figure of all differences, `audit` the rows of the audit of all
    methods by column name, `pages` the files of the pages of the papers, `facts` identify the
    report, `added` are the sections of add-ons, and `each` calls a function for each artefact.
    """
    groups: dict[str, list[ReportedArtefact]] = {}
    for one in artefacts:
        groups.setdefault(one.paper, []).append(one)
    score = scoreboard(artefacts)
    cells, claims, audits = cell_counts(score), claim_counts(score), count_audits(audit)
    sections = each(partial(_section, images), artefacts)
    return render(
        "report.html.j2",
        **_shared_values(),
        sections=dict(zip(artefacts, sections, strict=True)),
        page=Page(
            title="dpfair: published and reproduced",
            rows="cells and claims",
            example="accuracy, Table 8.1, epsilon 0.1",
            count_means="published cells reproduced or consistent, of those compared",
            facts=facts,
            headlines=headlines(cells, claims, audits),
            parts=_parts(audit) | {one.anchor: one.title for one in added},
            contents=_contents(groups),
            choices=choices(artefacts),
        ),
        groups=groups,
        papers=papers,
        counts={"Published cells": cells, "Claims": claims, "Audits": audits},
        trust=(
            (TRUST_READING, rule_tests(score)),
            (SKILL_READING, skill_table(score.skills)),
            (MARGINS_READING, margin_table(score)),
            ("", left_out(score)),
        ),
        audit=audit,
        added=[Markup(one.html(images)) for one in added],
        pages=pages,
        sums=sums,
        audit_words=describe_outcomes(row["verdict"] for row in audit),
        images=images,
        differences=differences,
    )


def _section(images: Mapping[str, Image], entry: ReportedArtefact) -> Markup:
    """The section of an artefact, as HTML."""
    values = _shared_values()
    section = ArtefactSection(entry)
    return Markup(
        render("report_artefact.html.j2", section=section, entry=entry, images=images, **values)
    )


def _shared_values() -> dict[str, Any]:
    """The values that the report and the sections of its artefacts show alike."""
    return {
        "claims_reading": CLAIMS_READING,
        "pack_points": html_writer.pack_points,
        "strip_band": html_writer.BAND,
        "strip_half": html_writer.HALF,
        "tones": tones_by_text(),
    }


def _parts(audit: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The titles of the sections before those of artefacts, by HTML id."""
    found = {"verdicts": "What the verdicts mean", "scoreboard": "Scoreboard"}
    return found | ({"audit": "Audit"} if audit else {})


def _contents(
    groups: Mapping[str, Sequence[ReportedArtefact]],
) -> dict[str, list[ContentsEntry]]:
    """The lines of the contents, by paper."""
    return {paper: list(map(_contents_entry, entries)) for paper, entries in groups.items()}


def _contents_entry(entry: ReportedArtefact) -> ContentsEntry:
    count = f"{entry.near} of {entry.compared}" if entry.compared else ""
    return ContentsEntry(html_page.anchor(entry.spec.artefact), entry.spec.name, count)


def choices(artefacts: Sequence[JudgedArtefact]) -> dict[str, list[str]]:
    """The verdicts, methods and data sets by which a reader of the report can filter cells."""
    cells = list(chain.from_iterable(one.verdicts.cells for one in artefacts))
    claims = chain.from_iterable(one.verdicts.claims for one in artefacts)
    occurring = {cell.verdict for cell in cells}
    verdicts = [str(verdict) for verdict in COMPARED if verdict in occurring]
    others = {cell.full_verdict for cell in cells} - {*verdicts}
    of_claims = sorted({f"claim {claim.verdict}" for claim in claims})
    methods = {*chain.from_iterable(one.spec.published_labels.values() for one in artefacts)}
    datasets = chain.from_iterable(one.spec.datasets for one in artefacts)
    return {
        "verdict": [*verdicts, *sorted(others), *of_claims],
        "method": sorted(methods, key=str.lower),
        "dataset": sorted({one.name for one in datasets}),
    }


def count_audits(audit: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """A table of one line with the number of privacy audits by outcome; empty without audits."""
    if not audit:
        return pd.DataFrame()
    counts = count_outcomes(row["verdict"] for row in audit)
    return pd.DataFrame([{"part": "every method and variant", **counts, "in all": len(audit)}])


def write(
    artefacts: Sequence[ReportedArtefact],
    file: Path,
    *,
    papers: Mapping[str, str],
    audit: Sequence[Mapping[str, str]] = (),
    facts: Sequence[Fact] = (),
    copies: Mapping[Path, Sequence[Fact]] = MappingProxyType({}),
    added: Sequence[AddedSection] = (),
    each: Each = one_by_one,
) -> Path:
    """Writes the report with embedded figures, and differences.png next to the report.

    The figures are read from the folders of the papers. The report needs no network. Equal
    journals and `facts` give equal bytes. `copies` are further files with the same report, each
    with its own facts. `each` calls a function for each figure and for each artefact.
    """
    name = all_differences.NAME + file.stem.removeprefix(
        "report"
    )  # the report of a part has another name
    with naming(file):
        pictures = all_differences.write(
            [(one.spec, one.verdicts) for one in artefacts], file.parent, name
        )
        differences = pictures[0].name if pictures else ""
        file.parent.mkdir(parents=True, exist_ok=True)
        own_pictures = [one.picture for one in artefacts]
        others = chain.from_iterable(one.pictures for one in added)
        pictures_of = [differences, *own_pictures, *others]
        names = [name for name in filter(None, pictures_of) if (file.parent / name).is_file()]
        embedded = each(embed, [file.parent / name for name in names])
        images = dict(zip(names, embedded, strict=True))
        pages = {}
        for paper in dict.fromkeys(one.paper for one in artefacts):
            pages[paper] = [page.name for page in sorted((file.parent / paper).glob("*.md"))]
        for target, own in {file: facts, **copies}.items():
            text = page(
                artefacts,
                papers=papers,
                images=images,
                differences=differences,
                audit=audit,
                pages=pages,
                facts=own,
                added=added,
                each=each,
            )
            write_text(target, text)
    return file
