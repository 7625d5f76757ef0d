"""Writes results/report.html: tables, pictures and verdicts in one page without other files."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting import (
    html_page,
    printed_table,
    score_tables,
    shown,
    works,
)
from dpfair_cli.reporting.check_page import describe_chosen, describe_rule
from dpfair_cli.reporting.figures import differences as difference_pictures
from dpfair_cli.reporting.markup import render
from dpfair_cli.reporting.shown import CELL_COLUMNS, Look, ReportedArtefact, ShownColumn
from dpfair_cli.verdicts.cells.comparison import COMPARED, MARGIN, CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.scoreboard import VARIANT_HEADINGS, count_variants
from dpfair_cli.verdicts.verdicts import Verdicts

LONGEST_OPEN = 40  # lines of a table that is not folded
UNLISTED = (CellVerdict.NOT_RUN, CellVerdict.EQUAL_DIGITS)  # if all cells have such a verdict
NO_COUNTS = ["part", "data", "published numbers", "in all"]  # of a table of counts: no verdicts
LEFT_OUT = "half its distance"  # a reader of the report can halve the distance to the rival
END = 0.1  # end of a strip, in units of the score or of five times the published value
PLACE = re.compile(r"\b(?:Table|Figure|Theorem) [\w.]*\w")  # in a paper
HALF = 50  # END in units of the drawing
BAND = round(100 * MARGIN / END)  # width of the band of near differences, in percent of a strip


@dataclass(frozen=True, eq=False)
class AddedSection:
    """A section that an add-on writes into the report, between the audit and the artefacts.

    Attributes:
        anchor: the HTML id of its heading.
        title: the title in the contents of the report.
        html: `html(images)` is the section with its heading; `images` has its pictures by path.
        pictures: the paths of its pictures, relative to the report.
    """

    anchor: str
    title: str
    html: Callable[[Mapping[str, html_page.Image]], str]
    pictures: Sequence[str] = ()


# calls a function for each item of a list, possibly in several processes
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
# the marks of a cell on a short line around zero: its difference, for sorting; the places of the
# difference and of the ends of its 90 % interval; and -1 or 1 if our mean is beyond the left or
# right end of the line, otherwise 0
Strip = tuple[float, float, float, float, int]


def citation(folder: Path) -> str:
    """The citation of a paper from the heading of its README: authors, year and title."""
    return works.title(folder / "README.md")


@dataclass(frozen=True, eq=False)
class Report:
    """What a report shows.

    Attributes:
        artefacts: The artefacts, by paper.
        papers: The citation of each paper, by its key.
        audit: The rows of the audit of all methods, by the name of the column.
        added: The sections of add-ons.
        facts: What identifies the report.
        images: The embedded pictures, by their paths relative to the report.
        differences: The path of the picture of all differences; empty without one.
        pages: The files of the pages of each paper.
        each: Calls a function for each picture and each artefact.
        is_quick: Whether all runs are quick ones, as the page then says first.
    """

    artefacts: Sequence[ReportedArtefact]
    papers: Mapping[str, str]
    audit: Sequence[Mapping[str, str]] = ()
    added: Sequence[AddedSection] = ()
    facts: Sequence[html_page.Fact] = ()
    images: Mapping[str, html_page.Image] = field(default_factory=dict)
    differences: str = ""
    pages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    each: Each = map
    is_quick: bool = False

    def write(self, file: Path) -> Path:
        """Writes the report with embedded pictures, and differences.png next to it.

        The pictures are read from the folders of the papers. Equal journals and `facts` give equal
        bytes.
        """
        # the report of a part has another name, and so has its picture
        name = difference_pictures.NAME_OF_ALL + file.stem.removeprefix("report")
        with naming(file):
            # drawn first, because it is embedded as the other pictures are
            verdicts = [one.verdicts for one in self.artefacts]
            drawn = difference_pictures.write_all(verdicts, file.parent, name)
            whole = self._with_pictures(file.parent, drawn[0].name if drawn else "")
            file.parent.mkdir(parents=True, exist_ok=True)
            write_text(file, whole.page())
        return file

    def _with_pictures(self, folder: Path, differences: str) -> Report:
        """The report with the pictures, and the names of the pages, that are in a folder."""
        names = [differences, *(one.picture for one in self.artefacts)]
        names += chain.from_iterable(one.pictures for one in self.added)
        found = [name for name in filter(None, names) if (folder / name).is_file()]
        embedded = self.each(html_page.embed, [folder / name for name in found])
        images = dict(zip(found, embedded, strict=True))
        pages = {}
        for key in dict.fromkeys(one.spec.paper for one in self.artefacts):
            pages[key] = [page.name for page in sorted((folder / key).glob("*.md"))]
        return replace(self, images=images, differences=differences, pages=pages)

    def page(self) -> str:
        """The report as HTML."""
        groups: dict[str, list[ReportedArtefact]] = {}
        for one in self.artefacts:
            groups.setdefault(one.spec.paper, []).append(one)
        # counted once over all artefacts, so that a number that two tables print counts once
        score = score_tables.scoreboard([one.verdicts for one in self.artefacts])
        counts = {
            "Published cells": score_tables.cell_counts(score),
            "Claims": score_tables.claim_counts(score),
            "Audits": count_audits(self.audit),
        }
        other = str(CellVerdict.OTHER_PROTOCOL)
        cells = counts["Published cells"].drop(columns=other, errors="ignore")
        compared = {**counts, "Published cells": cells}
        # the sections depend on nothing but their artefact, and can be made in other processes
        sections = self.each(partial(section, images=self.images), self.artefacts)
        parts = {"verdicts": "What the verdicts mean", "scoreboard": "Scoreboard"}
        parts |= {"audit": "Audit"} if self.audit else {}
        return render(
            "report.html.j2",
            report=self,
            facts=self.facts,
            headlines=list(map(headline, HEADLINES, compared.values())),
            parts=parts | {one.anchor: one.title for one in self.added},
            contents={paper: list(map(_contents_entry, own)) for paper, own in groups.items()},
            choices=choices([one.verdicts for one in self.artefacts]),
            sections=dict(zip(self.artefacts, map(Markup, sections), strict=True)),
            groups=groups,
            counts={
                "Order of methods": score_tables.order_counts(score),
                "Columns": score_tables.column_counts(score),
                **counts,
            },
            main_claims=works.main_claims(score.statements),
            causes=score_tables.describe_causes(score.cells),
            trust=score_tables.trust(score),
            audit_words=score_tables.describe_outcomes(row["verdict"] for row in self.audit),
            added=[Markup(one.html(self.images)) for one in self.added],
            sums=score_tables.sums,
            strip_band=BAND,
            strip_half=HALF,
            tones=shown.tones_by_text(),
            shown=shown,
        )


def section(entry: ReportedArtefact, images: Mapping[str, html_page.Image]) -> str:
    """The section of an artefact, as HTML."""
    spec, verdicts = entry.spec, entry.verdicts
    # its footnotes number the deviations of the whole section
    printed = printed_table.make(verdicts.cells, spec, verdicts.authors)
    numbers = printed_table.number_deviations(printed, verdicts.deviations)
    variants = [one.texts for one in count_variants(verdicts.cells, spec)]
    counts = Counter((cell.verdict.rank, cell.full_verdict) for cell in verdicts.cells)
    alone = not (entry.picture or verdicts.cells)
    return render(
        "report_artefact.html.j2",
        entry=entry,
        spec=spec,
        sentences=shown.describe_tables(verdicts),
        verdicts=verdicts,
        table=entry.table,
        image=images.get(entry.picture),
        anchor=html_page.anchor(spec.artefact),
        # the table is not folded if it is short, and the section shows nothing else
        is_open=alone and len(entry.table.lines) <= LONGEST_OPEN,
        numbers=html_page.pack_texts(entry.table.columns, entry.table.lines),
        printed=printed,
        # values that stand alone, and equal digits, are listed in the page of verdicts
        is_listed=any(cell.verdict not in UNLISTED for cell in verdicts.cells),
        cell_counts=", ".join(f"{counts[rank, name]} {name}" for rank, name in sorted(counts)),
        notes=(describe_rule(verdicts), describe_chosen(verdicts)),
        cells=pack_cells(verdicts, numbers),
        authors=html_page.pack_texts(*shown.authors_table(verdicts.authors)),
        variants=html_page.pack_texts(VARIANT_HEADINGS, variants) if variants else None,
        deviations=sorted(verdicts.deviations, key=lambda one: numbers[one.id]),
        pack_points=html_page.pack_points,
        shown=shown,
    )


def pack_cells(verdicts: Verdicts, footnotes: Mapping[str, int]) -> html_page.PackedTable:
    """The list of published cells as data, with cause and strip after the first column.

    `footnotes` gives the number of each deviation by id.
    """

    def cause(cell: JudgedCell) -> str | tuple[str, str]:
        one = cell.deviation
        return (str(footnotes[one.id]), one.id) if one else cell.cause

    first, *others = (one for one in CELL_COLUMNS if one.heading != LEFT_OUT)
    strip = ShownColumn(f"ours less published, ±{END}", strip_of, kind="strip")
    columns = (first, ShownColumn("cause", cause, kind="link"), strip, *others)
    filters = [
        (cell.full_verdict, cell.published.dataset, cell.published.method)
        for cell in verdicts.cells
    ]
    names = ("verdict", "dataset", "method")
    # without cells there are no columns, and so no filters
    packed = dict(zip(names, html_page.pack(filters), strict=False))
    lines = html_page.pack(shown.rows(columns, verdicts.cells))
    return html_page.PackedTable(columns, lines, packed)


def strip_of(cell: JudgedCell) -> Strip | tuple[()]:
    """The strip of a cell: our mean minus the published mean, as marks on a line.

    Empty for a cell that was not compared.
    """
    if not cell.verdict.is_compared:
        return ()
    compared = cell.variants[0].comparison
    mean, width = compared.signed_scaled, compared.half_width_scaled
    width = 0.0 if math.isnan(width) else width
    beyond = 0 if abs(mean) <= END else int(math.copysign(1, mean))
    return round(mean, 4), _place(mean), _place(mean - width), _place(mean + width), beyond


def _place(difference: float) -> float:
    """The position of a difference on a strip; a difference beyond the strip is put at its end."""
    return round(max(-END, min(END, difference)) / END * HALF, 1)


def _contents_entry(entry: ReportedArtefact) -> html_page.ContentsEntry:
    """The line of an artefact in the contents, with the number of its cells that agree."""
    near = sum(cell.verdict.agrees for cell in entry.verdicts.cells)
    compared = len(entry.verdicts.compared)
    number = f"{near} of {compared}" if compared else ""
    place = PLACE.search(entry.spec.source)
    name = ": ".join(filter(None, [place and place[0], entry.spec.title]))
    return html_page.ContentsEntry(html_page.anchor(entry.spec.artefact), name, number)


def choices(artefacts: Sequence[Verdicts]) -> dict[str, list[str]]:
    """The verdicts, methods and data sets by which a reader of the report can filter cells."""
    cells = list(chain.from_iterable(one.cells for one in artefacts))
    claims = chain.from_iterable(one.claims for one in artefacts)
    occurring = {cell.verdict for cell in cells}
    verdicts = [str(verdict) for verdict in COMPARED if verdict in occurring]
    # verdicts with the kind of a deviation, which a reader may look for
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
    counts = score_tables.count_outcomes(row["verdict"] for row in audit)
    return pd.DataFrame([{"part": "every method and variant", **counts, "in all": len(audit)}])


# what is counted -> the look of each verdict, which is the heading of a column of counts
HEADLINES: dict[str, Mapping[str, Look]] = {
    "numbers compared": shown.looks_by_text(),
    "claims of the papers": {word: Look(word, tone) for word, tone in shown.CLAIM_TONES.items()},
    "privacy audits": {"holds": Look("holds", shown.GOOD), "refuted": Look("refuted", shown.BAD)},
}


def headline(title: str, table: pd.DataFrame) -> html_page.Headline:
    """The sums of a table that counts the things with a `title` by verdict.

    Verdicts with the same look count together: "differs (open)" as "differs, not explained".
    """
    counts: Counter[Look] = Counter()
    for name in table.columns.drop(NO_COUNTS, errors="ignore"):
        counts[HEADLINES[title].get(name, Look(name))] += int(table[name].sum())
    return html_page.Headline(title, counts)
