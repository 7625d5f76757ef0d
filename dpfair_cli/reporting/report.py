"""Writes results/report.html: tables, pictures and verdicts in one page without other files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
from markupsafe import Markup

from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting import html_page, printed_table, score_tables, shown
from dpfair_cli.reporting.check_page import describe_chosen, describe_rule
from dpfair_cli.reporting.figures import differences as difference_pictures
from dpfair_cli.reporting.markup import render
from dpfair_cli.reporting.shown import CELL_COLUMNS, JudgedArtefact, Look, ReportedArtefact
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import COMPARED
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.score.scoreboard import (
    VARIANT_HEADINGS,
    count_variants,
    signed_differences,
)

LONGEST_OPEN = 40  # lines of a table that is not folded
NO_COUNTS = ["part", "data", "published numbers", "in all"]  # of a table of counts: no verdicts
# a reader of the report can halve the distance to the rival
REPORT_COLUMNS = tuple(one for one in CELL_COLUMNS if one.heading != "half its distance")
END = 0.1  # end of a strip, in units of the score or of five times the published value
HALF = 50  # END in units of the drawing
BAND = round(100 * MARGIN / END)  # width of the band of near differences, in percent of a strip

# calls a function for each item of a list, possibly in several processes
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


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


# the marks of a cell on a short line around zero: its difference, for sorting; the places of the
# difference and of the ends of its 90 % interval; and -1 or 1 if our mean is beyond the left or
# right end of the line, otherwise 0
Strip = tuple[float, float, float, float, int]


def citation(folder: Path) -> str:
    """The citation of a paper from the heading of its README: authors, year and title."""
    file = folder / "README.md"
    first = file.read_text(encoding="utf-8").splitlines()[:1] if file.exists() else [folder.name]
    return first[0].lstrip("# ")


def write(
    artefacts: Sequence[ReportedArtefact],
    file: Path,
    *,
    papers: Mapping[str, str],
    audit: Sequence[Mapping[str, str]] = (),
    facts: Sequence[html_page.Fact] = (),
    copies: Mapping[Path, Sequence[html_page.Fact]] = MappingProxyType({}),
    added: Sequence[AddedSection] = (),
    each: Each = map,
) -> Path:
    """Writes the report with embedded figures, and differences.png next to the report.

    The figures are read from the folders of the papers. Equal journals and `facts` give equal
    bytes. `copies` are further files with the same report, each with its own facts. `each` calls a
    function for each figure and for each artefact; the rest is as in `page`.
    """
    # the report of a part has another name, and so has its picture
    name = difference_pictures.NAME_OF_ALL + file.stem.removeprefix("report")
    with naming(file):
        decided = [(one.spec, one.verdicts) for one in artefacts]
        drawn = difference_pictures.write_all(decided, file.parent, name)
        differences = drawn[0].name if drawn else ""
        names = [differences, *(one.picture for one in artefacts)]
        names += chain.from_iterable(one.pictures for one in added)
        found = [name for name in filter(None, names) if (file.parent / name).is_file()]
        embedded = each(html_page.embed, [file.parent / name for name in found])
        make = partial(
            page,
            artefacts,
            papers=papers,
            images=dict(zip(found, embedded, strict=True)),
            differences=differences,
            audit=audit,
            pages={one.paper: _pages(file.parent / one.paper) for one in artefacts},
            added=added,
            each=each,
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        for target, own in {file: facts, **copies}.items():
            write_text(target, make(facts=own))
    return file


def _pages(folder: Path) -> list[str]:
    """The names of the pages of a paper in its folder of results."""
    return [page.name for page in sorted(folder.glob("*.md"))]


def page(
    artefacts: Sequence[ReportedArtefact],
    *,
    papers: Mapping[str, str],
    images: Mapping[str, html_page.Image] = MappingProxyType({}),
    differences: str = "",
    audit: Sequence[Mapping[str, str]] = (),
    pages: Mapping[str, Sequence[str]] = MappingProxyType({}),
    facts: Sequence[html_page.Fact] = (),
    added: Sequence[AddedSection] = (),
    each: Each = map,
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
    # counted once over all artefacts, so that a number that two tables print counts once
    score = score_tables.scoreboard(artefacts)
    counts = {
        "Published cells": score_tables.cell_counts(score),
        "Claims": score_tables.claim_counts(score),
        "Audits": count_audits(audit),
    }
    # the sections depend on nothing but their artefact, and can be made in other processes
    sections = each(partial(section, images=images), artefacts)
    parts = {"verdicts": "What the verdicts mean", "scoreboard": "Scoreboard"}
    parts |= {"audit": "Audit"} if audit else {}
    return render(
        "report.html.j2",
        title="dpfair: published and reproduced",
        row_name="cells and claims",
        example="accuracy, Table 8.1, epsilon 0.1",
        count_means="published cells reproduced or consistent, of those compared",
        facts=facts,
        headlines=list(map(headline, HEADLINES, counts.values())),
        parts=parts | {one.anchor: one.title for one in added},
        contents={paper: list(map(_contents_entry, own)) for paper, own in groups.items()},
        choices=choices(artefacts),
        sections=dict(zip(artefacts, map(Markup, sections), strict=True)),
        groups=groups,
        papers=papers,
        counts=counts,
        trust=score_tables.trust(score),
        audit=audit,
        audit_words=score_tables.describe_outcomes(row["verdict"] for row in audit),
        added=[Markup(one.html(images)) for one in added],
        pages=pages,
        sums=score_tables.sums,
        images=images,
        differences=differences,
        strip_band=BAND,
        strip_half=HALF,
        tones=shown.tones_by_text(),
    )


def section(entry: ReportedArtefact, images: Mapping[str, html_page.Image]) -> str:
    """The section of an artefact, as HTML."""
    spec, verdicts = entry.spec, entry.verdicts
    # its footnotes number the deviations of the whole section
    printed = printed_table.make(verdicts.cells, spec, verdicts.authors)
    numbers = printed_table.number_deviations(printed, verdicts.deviations)
    variants = [one.texts for one in count_variants(verdicts.cells, spec)]
    alone = not (entry.picture or verdicts.cells)
    return render(
        "report_artefact.html.j2",
        entry=entry,
        spec=spec,
        verdicts=verdicts,
        table=entry.table,
        image=images.get(entry.picture),
        pack_points=html_page.pack_points,
        anchor=html_page.anchor(spec.artefact),
        files=_files(entry),
        # the table is not folded if it is short, and the section shows nothing else
        is_open=alone and len(entry.table.lines) <= LONGEST_OPEN,
        numbers=html_page.pack_texts(entry.table.columns, entry.table.lines),
        datasets="|".join(dict.fromkeys(part.name for part in spec.datasets)),
        methods="|".join(dict.fromkeys(spec.published_labels.values())),
        printed=printed,
        cell_counts=_cell_counts(verdicts.cells),
        notes=(describe_rule(verdicts.compared, spec), describe_chosen(verdicts.compared, spec)),
        cells=pack_cells(verdicts, numbers),
        program=shown.describe_program(verdicts.authors),
        authors=html_page.pack_texts(*shown.authors_table(verdicts.authors)),
        variants=html_page.pack_texts(VARIANT_HEADINGS, variants) if variants else None,
        deviations=sorted(verdicts.deviations, key=lambda one: numbers[one.id]),
        tones=shown.tones_by_text(),
        tone_of_claim=shown.tone_of_claim,
    )


def _files(entry: ReportedArtefact) -> dict[str, str]:
    """The paths of the artefact's files relative to the project folder, by description."""
    artefact, stem = entry.spec.artefact, "figure" if entry.picture else "table"
    folder = f"results/{artefact}"
    found = {
        "spec": f"experiments/{artefact}.yaml",
        **({} if entry.spec.is_reanalysis else {"runs": f"{folder}/runs.jsonl"}),
        "numbers": f"{folder}/{stem}.csv",
    }
    if entry.picture:
        found["picture"] = f"results/{entry.picture}"
    if entry.verdicts.compared:
        found["differences"] = f"{folder}/{difference_pictures.NAME}.png"
    return found | {"verdicts": f"{folder}/check.md"}


def _cell_counts(cells: Sequence[JudgedCell]) -> str:
    """The number of cells with each verdict, such as "3 reproduced, 1 differs (open)"."""
    counts = Counter((cell.verdict.rank, cell.full_verdict) for cell in cells)
    return ", ".join(f"{counts[rank, name]} {name}" for rank, name in sorted(counts))


def pack_cells(verdicts: Verdicts, footnotes: Mapping[str, int]) -> html_page.PackedTable:
    """The list of published cells as data, with cause and strip after the first column.

    `footnotes` gives the number of each deviation by id.
    """
    first, *others = (html_page.PackedHeading(one.heading, one.css_class) for one in REPORT_COLUMNS)
    cause = html_page.PackedHeading("cause", kind="link")
    strip = html_page.PackedHeading(f"ours less published, ±{END}", kind="strip")
    strips = strips_of(verdicts)
    lines, filters = [], []
    texts = shown.rows(REPORT_COLUMNS, verdicts.cells)
    for cell, (name, *rest) in zip(verdicts.cells, texts, strict=True):
        deviation = cell.deviation
        why = (str(footnotes[deviation.id]), deviation.id) if deviation else cell.cause
        lines.append([name, why, strips.get(cell, ()), *rest])
        filters.append([cell.full_verdict, cell.published.dataset, cell.published.method])
    names = ("verdict", "dataset", "method")
    # without cells there are no columns, and so no filters
    packed = dict(zip(names, html_page.pack(filters), strict=False))
    return html_page.PackedTable((first, cause, strip, *others), html_page.pack(lines), packed)


def strips_of(verdicts: Verdicts) -> dict[JudgedCell, Strip]:
    """The strip of each compared cell: our mean minus the published mean, as marks on a line."""
    found: dict[JudgedCell, Strip] = {}
    for one in signed_differences(verdicts):
        mean, width = one.difference, 0.0 if math.isnan(one.half_width) else one.half_width
        beyond = 0 if abs(mean) <= END else int(math.copysign(1, mean))
        places = _place(mean), _place(mean - width), _place(mean + width)
        found[one.cell] = (round(mean, 4), *places, beyond)
    return found


def _place(difference: float) -> float:
    """The position of a difference on a strip; a difference beyond the strip is put at its end."""
    return round(max(-END, min(END, difference)) / END * HALF, 1)


def _contents_entry(entry: ReportedArtefact) -> html_page.ContentsEntry:
    """The line of an artefact in the contents, with the number of its cells that agree."""
    near = sum(cell.verdict.agrees for cell in entry.verdicts.cells)
    compared = len(entry.verdicts.compared)
    number = f"{near} of {compared}" if compared else ""
    return html_page.ContentsEntry(html_page.anchor(entry.spec.artefact), entry.spec.name, number)


def choices(artefacts: Sequence[JudgedArtefact]) -> dict[str, list[str]]:
    """The verdicts, methods and data sets by which a reader of the report can filter cells."""
    cells = list(chain.from_iterable(one.verdicts.cells for one in artefacts))
    claims = chain.from_iterable(one.verdicts.claims for one in artefacts)
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
    "published cells": shown.looks_by_text(),
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
