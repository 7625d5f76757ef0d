"""Lines over a parameter: mean scores with a band, a panel for each score and data set.

Over words, such as classes, there are points with bars and no lines: nothing lies between them.

A method without the parameter (no privacy has no epsilon) is a dashed level, the majority class a
dotted one: a method at that level may have learnt nothing. A point at infinity has a tick of its own
behind the others, and a dotted way there. What the paper printed of a point is a hollow mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from dpfair_cli.contracts.layouts import Placement, PublishedPoint, Table, Vocabulary
from dpfair_cli.contracts.specs import Layout, Spec
from dpfair_cli.reporting.figures import hidden_lines, infinite_axis, panels, style, word_axis
from dpfair_cli.reporting.figures.hidden_lines import count_hiding_lines
from dpfair_cli.reporting.figures.infinite_axis import (
    is_infinite,
    name_infinity,
    with_infinity_placed,
)
from dpfair_cli.reporting.figures.pictures import write_picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.reporting.figures.word_axis import name_words, with_words_placed
from dpfair_cli.verdicts.means import equals_value
from dpfair_cli.verdicts.wording import describe_average, describe_seeds, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_POINTS = 30  # so many large marks hide the line
LINE, MARKER, WIDER = (
    1.8,
    6.5,
    2.4,
)  # points; the last for each line that hides one: it is seen on both sides
PUBLISHED = ["published_mean", "published_std"]  # columns of the points
BESIDE_MARKER = "*"  # of a published value on a dashed line: no method has it
HOLLOW: dict[str, Any] = {
    "markersize": 9,
    "markerfacecolor": "none",
    "markeredgewidth": 1.4,
}  # seen around a mark


@dataclass(frozen=True)
class LinesLayout(Layout):
    """A panel for each of `panels` (scores) and data set, a line for each method, over the
    parameter `x`.

    `beside` draws more scores into the panel of a score. Where they are of other groups, `y_names`
    names its axis without a group and `line_names` each line with one. The panels of `log_y` are
    logarithmic.

    Published cells of this artefact are shown, and of `published`, other artefacts of the paper,
    those whose runs have all parameters of ours but for `published_apart`. `published_scores` says
    what a score is called there: {last_change: {metric: accuracy_change, group: class8}};
    `published_at`, which parameter is their place on x.
    """

    picture: ClassVar[str] = "figure.png"
    x: str
    panels: tuple[str, ...]
    log_x: bool = True
    log_y: tuple[str, ...] = ()
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    y_names: Mapping[str, str] = field(default_factory=dict)
    line_names: Mapping[str, str] = field(default_factory=dict)
    published: tuple[str, ...] = ()
    published_scores: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    published_at: str = ""
    published_apart: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameter that the lines run over."""
        return (self.x,)

    @property
    def plotted_scores(self) -> tuple[str, ...]:
        """Every score that is plotted, those of the panels first."""
        return tuple(dict.fromkeys(chain(self.panels, *self.beside.values())))

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores that are plotted, and the GUARDS."""
        return tuple(dict.fromkeys([*self.plotted_scores, *panels.GUARDS]))

    @property
    def placement(self) -> Placement:
        """Published cells stand on the lines of their score."""
        scores = {
            score: {"metric": score, **self.published_scores.get(score, {})}
            for score in self.plotted_scores
        }
        return Placement(
            self.x, scores, self.published, self.published_at or self.x, self.published_apart
        )

    def check(self, known: Vocabulary) -> None:
        """Every score and the parameters must be there."""
        scores = (
            *self.plotted_scores,
            *self.log_y,
            *self.beside,
            *self.published_scores,
            *self.y_names,
        )
        known.require("scores", [*scores, *self.line_names])
        places = [self.published_at] if self.published_at else []
        known.require("parameters", [*self.columns, *places, *self.published_apart])

    def write(
        self,
        rows: pd.DataFrame,
        table: Table,
        spec: Spec,
        folder: Path,
        *,
        notes: Sequence[str] = (),
    ) -> list[Path]:
        """figure.png, figure.pdf and figure.csv."""
        points = with_published(panels.plotted_points(rows, spec), table.published, self.x)
        means = describe_average("Mean and one standard deviation", describe_seeds(rows))
        levels = "" if (points["std"] > 0).any() else "; no intervals: one run has no deviation"
        levels += "; dashed: the same at every x" if points[self.x].isna().any() else ""
        levels += "; dotted: on to ∞" if is_infinite(points[self.x]).any() else ""
        heading = Heading(table.title, means + levels + describe_published(points), tuple(notes))
        draw = partial(_draw_panels, points, spec, self)
        code = panels.__file__, infinite_axis.__file__, word_axis.__file__, hidden_lines.__file__
        return write_picture(points, draw, heading, spec, folder, *code)


def with_published(
    points: pd.DataFrame, published: Sequence[PublishedPoint], x: str
) -> pd.DataFrame:
    """The points with published_mean and published_std, where there are some; without these columns
    if nowhere.
    """
    points = points.assign(**dict.fromkeys(PUBLISHED, float("nan")))
    for known in published:
        names = (points["dataset"] == known.dataset) & (points["method"] == known.method)
        here = names & (points["metric"] == known.metric) & equals_value(points[x], known.x)
        points.loc[here, PUBLISHED] = known.mean, known.std
    return points if points["published_mean"].notna().any() else points.drop(columns=PUBLISHED)


def describe_published(points: pd.DataFrame) -> str:
    """What the hollow marks are, as the end of an explanation; empty if there are none."""
    if "published_mean" not in points:
        return ""
    return "; hollow: published" + (
        ", its bar one standard deviation" if points["published_std"].notna().any() else ""
    )


def _draw_panels(points: pd.DataFrame, spec: Spec, layout: LinesLayout, figure: Figure) -> None:
    """Add every panel to a figure; a point at infinity, or words, are named on the axis that all
    panels share.
    """
    points, names = with_words_placed(points, layout.x, list(spec.methods_by_label))
    points, end = with_infinity_placed(points, layout.x, log_x=layout.log_x)
    draw = partial(_draw_panel, spec=spec, layout=layout, names=names)
    panels.draw_panels(points, spec, layout.panels, layout.x, draw, figure)
    for score, axes in zip(
        np.repeat(layout.panels, len(figure.axes) // len(layout.panels)), figure.axes, strict=True
    ):
        axes.set_ylabel(layout.y_names.get(score, axes.get_ylabel()))
    if end < np.inf:
        name_infinity(figure.axes[0], float(points.loc[~points["beyond"], layout.x].max()), end)


def _draw_panel(
    axes: Axes,
    points: pd.DataFrame,
    score: str,
    *,
    spec: Spec,
    layout: LinesLayout,
    names: Sequence[str],
) -> None:
    """Draw one score on one data set, and what the layout wants beside it."""
    looks, groups, several = (
        panels.method_looks(spec),
        panels.points_by_method(points, spec),
        len(spec.methods_by_label) > 1,
    )
    mine = {method: own[own["metric"] == score] for method, own in groups.items()}
    log_y = score in layout.log_y
    hidden = count_hiding_lines(mine, layout.x, log_y=log_y)
    for method, own in mine.items():
        group = layout.line_names.get(score, "")
        name = ": ".join(filter(None, [method if several or not group else "", group]))
        if names:
            _draw_points(axes, own, layout.x, name, **looks[method])
        else:
            _draw_line(
                axes,
                own,
                layout.x,
                name,
                wider=WIDER * hidden[method],
                log_y=log_y,
                **looks[method],
            )
    panels.draw_majority(axes, points, score)
    for method, own in groups.items():
        prefix, colour = (f"{method}: ", looks[method]["color"]) if several else ("", "")
        _draw_beside(axes, own, score, spec, layout, prefix=prefix, colour=colour)
    for method, own in groups.items():
        colour = looks[method]["color"] if several else ""
        _draw_published(axes, own, score, spec, layout, colour=colour, **looks[method])
    _scale_axes(axes, points, score, layout)
    if names:
        name_words(axes, names)


def _draw_points(
    axes: Axes, points: pd.DataFrame, x: str, name: str, *, color: str, marker: str
) -> None:
    """Draw a method as points, with a bar of one standard deviation where there are several runs."""
    axes.errorbar(
        points[x],
        points["mean"],
        yerr=points["std"],
        linestyle="none",
        color=color,
        marker=marker,
        label=name,
        zorder=3,
    )


def _draw_line(
    axes: Axes,
    points: pd.DataFrame,
    x: str,
    name: str,
    *,
    wider: float,
    log_y: bool,
    color: str,
    marker: str,
) -> None:
    """Draw a method as a line with its band along x, or as a dashed level with its own without x."""
    level, points = points[points[x].isna()], points[points[x].notna()].sort_values(x)
    for mean, spread in zip(level["mean"], level["std"].fillna(0), strict=True):
        panels.draw_level(axes, mean, spread, color=color, linestyle=style.DASHES[0], label=name)
    if len(points):
        panels.draw_band(axes, points, x, color, log_y=log_y)
        size = {"linewidth": LINE + wider, "markersize": MARKER + wider}
        every = 1 + len(points) // MANY_POINTS
        infinite_axis.draw_line(
            axes, points, x, label=name, every=every, color=color, marker=marker, **size
        )


def _draw_beside(
    axes: Axes,
    points: pd.DataFrame,
    score: str,
    spec: Spec,
    layout: LinesLayout,
    *,
    prefix: str,
    colour: str,
) -> None:
    """Draw the scores `beside` a method's line, dashed, in its colour, or without a colour in one
    each.
    """
    for other in layout.beside.get(score, ()):
        own, dashes = _look_beside(other, spec, layout)
        shown = points[(points["metric"] == other) & points[layout.x].notna()].sort_values(layout.x)
        panels.draw_band(axes, shown, layout.x, colour or own, log_y=score in layout.log_y)
        name = prefix + _line_name(other, spec, layout)
        axes.plot(shown[layout.x], shown["mean"], color=colour or own, linestyle=dashes, label=name)


def _line_name(score: str, spec: Spec, layout: LinesLayout) -> str:
    """What the legend calls a score that is drawn beside another."""
    return layout.line_names.get(score, label(score, spec))


def _look_beside(score: str, spec: Spec, layout: LinesLayout) -> tuple[str, Any]:
    """Colour and dashes of a score that is drawn beside another: the same in every panel and for
    every name.
    """
    names = [_line_name(other, spec, layout) for other in chain(*layout.beside.values())]
    k = list(dict.fromkeys(names)).index(_line_name(score, spec, layout))
    return style.COLOURS[(k + 1) % 8], style.DASHES[
        (k + k // 8) % 4
    ]  # colours begin again after eight


def _draw_published(
    axes: Axes, points: pd.DataFrame, score: str, spec: Spec, layout: LinesLayout, *, colour: str, color: str,
    marker: str,
) -> None:  # fmt: skip
    """Draw what was published of a method's line (in `color`) and of scores beside it (in `colour`
    or their own).
    """
    if "published_mean" not in points:
        return
    points = points[points["published_mean"].notna()]
    _draw_hollow(axes, points[points["metric"] == score], layout.x, color, marker)
    for other in layout.beside.get(score, ()):
        own = colour or _look_beside(other, spec, layout)[0]
        _draw_hollow(axes, points[points["metric"] == other], layout.x, own, BESIDE_MARKER)


def _draw_hollow(axes: Axes, points: pd.DataFrame, x: str, color: str, marker: str) -> None:
    """Draw hollow marks with bars in the colour of their line; the legend has one in grey for all
    colours.
    """
    if not len(points):
        return
    axes.errorbar(
        points[x], points["published_mean"], yerr=points["published_std"], linestyle="none", capsize=3,
        elinewidth=1.2, marker=marker, color=color, markeredgecolor=color, zorder=4, **HOLLOW,
    )  # fmt: skip
    shape, name = (
        ("*", "published, of a dashed line") if marker == BESIDE_MARKER else ("o", "published")
    )
    axes.plot(
        [], [], linestyle="none", marker=shape, markeredgecolor=style.DARK, label=name, **HOLLOW
    )


def _scale_axes(axes: Axes, points: pd.DataFrame, score: str, layout: LinesLayout) -> None:
    """Make axes logarithmic or linear, with ticks a reader can name; a panel of rates ends a sliver
    beyond [0, 1].
    """
    from matplotlib.ticker import AutoMinorLocator, MaxNLocator

    x = points[layout.x].dropna()
    if layout.log_x:
        style.make_x_logarithmic(axes)
    else:
        axes.xaxis.set_minor_locator(AutoMinorLocator())
        if all(isinstance(value, (int, float)) and float(value).is_integer() for value in x):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.03, y=0.08)
    if score in layout.log_y:
        axes.set_yscale("log", nonpositive="clip")
    if panels.are_rates(points, score):
        low, high = axes.get_ylim()
        axes.set_ylim(
            *(
                (low, min(high, 1.5))
                if score in layout.log_y
                else (max(low, -0.015), min(high, 1.015))
            )
        )


LAYOUT = LinesLayout
