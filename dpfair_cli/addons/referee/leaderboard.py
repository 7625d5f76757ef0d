"""The leaderboard: a page, a table, a picture and a section of the report with the standings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.addons.referee.standings import Standing, has_standings, standings
from dpfair_cli.addons.referee.words import number
from dpfair_cli.auditing import survey_rows
from dpfair_cli.contracts.files import write_text
from dpfair_cli.paths import results_file
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.reporting.html_page import Image
from dpfair_cli.reporting.markup import render
from dpfair_cli.reporting.report import AddedSection
from dpfair_cli.reproduction.artefact import artefact_named
from dpfair_cli.verdicts.verdicts import Verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpfair_cli.reproduction.runs import RunOptions

NAME = "leaderboard"  # of the files, and of the section
HEADINGS = (
    "data",
    "epsilon",
    "method",
    "artefact",
    "neighbours",
    "guarantee",
    "audit: accounted and found",
    "accuracy, printed",
    "accuracy, ours",
    "gap, printed",
    "gap, ours",
    "verdict",
)
TITLE = "Private learning and the gap between groups"
EXPLANATION = (
    "Means of our runs; lines are 95 % confidence intervals. Full marks: the claimed epsilon is "
    "proved for what was run; hollow marks: refuted, or with a condition. Up and left is better. "
    "Marks of one panel may differ in how the data were prepared, and in who is protected"
)
PANEL = (3.6, 2.5)  # inches


def write(reported: Sequence[Verdicts], options: RunOptions) -> AddedSection | None:
    """Writes the page, the table and the picture; returns the section of the report.

    Without standings no file is written, and there is no section.
    """
    asked = [one for one in reported if has_standings(one)]
    reading = options.reading
    numbers = [artefact_named(one.spec.artefact, reading).numbers() for one in asked]
    audits = survey_rows.read(results_file(options.out, "audit.csv").parent)
    found = standings(zip(asked, numbers, strict=True), audits)
    if not found:
        return None
    write_text(options.out / f"{NAME}.md", text(found))
    heading = Heading(TITLE, EXPLANATION)
    picture = Picture(table(found), heading, partial(draw, found), look=3)
    picture.write(options.out / f"{NAME}.png")
    write_text(options.out / f"{NAME}.csv", picture.csv)
    return AddedSection(NAME, "Leaderboard", partial(_html, found), [f"{NAME}.png"])


def text(found: Sequence[Standing]) -> str:
    """The page as Markdown."""
    return _rendered(f"{NAME}.md.j2", found, name=NAME)


def table(found: Sequence[Standing]) -> pd.DataFrame:
    """The standings as the table leaderboard.csv, a line each."""
    return pd.DataFrame([cells(one) for one in found], columns=HEADINGS)


def cells(one: Standing) -> list[str]:
    """The texts of a standing under HEADINGS."""
    return [
        one.family
        if one.data.casefold() == one.family.casefold()
        else f"{one.family} ({one.data})",
        f"{one.epsilon:g}",
        one.method,
        one.artefact,
        one.neighbours,
        one.status,
        one.audit,
        _printed(one.printed_accuracy),
        _mean(one.accuracy.value, one.accuracy.half_width),
        _printed(one.printed_gap),
        _mean(one.gap.value, one.gap.half_width),
        one.verdict,
    ]


def _printed(value: float) -> str:
    return "" if math.isnan(value) else number(value)


def _mean(value: float, half_width: float) -> str:
    return number(value) if math.isnan(half_width) else f"{number(value)} ± {number(half_width)}"


def draw(found: Sequence[Standing], figure: Figure) -> None:
    """Draws our accuracy against our gap: a row of panels for each data, a column for each epsilon.

    A method looks the same in all panels.
    """
    families = list(dict.fromkeys(one.family for one in found))
    epsilons = sorted({one.epsilon for one in found})
    names = dict.fromkeys(one.name for one in found)
    # the second eight have the colours of the first with other marks
    looks = {
        name: {**style.look(place), "marker": style.MARKERS[(place + place // 8) % 8]}
        for place, name in enumerate(names)
    }
    figure.set_size_inches(PANEL[0] * len(epsilons), PANEL[1] * len(families))
    panels = figure.subplots(
        len(families), len(epsilons), squeeze=False, sharex="row", sharey="row"
    )
    for (family, epsilon), axes in zip(product(families, epsilons), panels.flat, strict=True):
        own = [one for one in found if (one.family, one.epsilon) == (family, epsilon)]
        for one in own:
            _draw_mark(axes, one, looks[one.name])
        axes.set_title(f"{family}, ε = {epsilon:g}" + ("" if own else ": no line"))
    for axes in panels[:, 0]:
        axes.set_ylabel("accuracy")
        axes.set_xlim(left=0)  # of the whole row
    for axes in panels[-1]:
        axes.set_xlabel("gap of selection rates")
    for name, look in looks.items():  # once each in the legend
        panels[0, 0].plot([], [], label=name, **{**look, "linestyle": "none"})


def _draw_mark(axes: Axes, one: Standing, look: style.Keywords) -> None:
    """Draws a standing with its intervals; a hollow mark if its epsilon is not proved."""
    axes.errorbar(
        [one.gap.value],
        [one.accuracy.value],
        xerr=[one.gap.half_width],
        yerr=[one.accuracy.half_width],
        **{**look, "linestyle": "none"},
        markerfacecolor=look["color"] if one.is_proved else "white",
        markeredgecolor=look["color"],
        markersize=5.5,
        elinewidth=0.8,
    )


def _html(found: Sequence[Standing], images: Mapping[str, Image]) -> str:
    """The section as HTML, with the picture, which the report embeds."""
    return _rendered(f"report_{NAME}.html.j2", found, image=images.get(f"{NAME}.png"))


def _rendered(template: str, found: Sequence[Standing], **more: object) -> str:
    given = {"headings": HEADINGS, "rows": [cells(one) for one in found], **more}
    return render(template, package=__package__, **given)
