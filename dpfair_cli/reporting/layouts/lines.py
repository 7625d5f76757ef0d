"""Lines over a parameter: mean scores with a band, a panel for each score and data set.

Over words, such as classes, there are points with bars and no lines.

A method without the parameter (no privacy has no epsilon) is a dashed level; the majority class is
a dotted one: a method at that level may have learnt nothing. A point at infinity has its own tick
behind the others and a dotted line to it. A published value is a hollow mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Placement, PublishedPoint, Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import infinite_axis, panels, style
from dpfair_cli.reporting.figures.hidden_lines import count_hiding_lines
from dpfair_cli.reporting.figures.infinite_axis import (
    is_infinite,
    name_infinity,
    with_infinity_placed,
)
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.reporting.figures.word_axis import name_words, with_words_placed
from dpfair_cli.verdicts.means import equals_value
from dpfair_cli.verdicts.wording import describe_average, describe_seeds, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_POINTS = 30  # more marks than this would hide the line
LINE = 1.8  # width of a line, in points
MARKER = 6.5  # size of a mark, in points
WIDER = 2.4  # added for each later line that would hide this one
PUBLISHED = ["published_mean", "published_std"]  # columns of the points
DASHED_MARKER = "*"  # of a published value on a dashed line; no method has it
# larger than a mark, so that it is visible around one
HOLLOW: dict[str, Any] = {"markersize": 9, "markerfacecolor": "none", "markeredgewidth": 1.4}


@dataclass(frozen=True)
class LinesLayout(PictureLayout):
    """A panel for each score and data set, with a line for each method over a parameter.

    Published cells of this artefact are shown as hollow marks, and those of other artefacts whose
    runs have the same parameters.
    """

    x: str
    """The parameter on the horizontal axis."""

    panels: tuple[str, ...]
    """The scores, one panel each."""

    log_x: bool = True
    """Whether the horizontal axis is logarithmic."""

    log_y: tuple[str, ...] = ()
    """The scores whose vertical axis is logarithmic."""

    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """More scores that are drawn into the panel of a score, dashed."""

    y_names: Mapping[str, str] = field(default_factory=dict)
    """The name of the vertical axis, by score."""

    line_names: Mapping[str, str] = field(default_factory=dict)
    """The name of the line of a score, where a panel has several."""

    published: tuple[str, ...] = ()
    """Other artefacts of the paper whose published cells are shown."""

    published_scores: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What a score is called there: {last_change: {metric: accuracy_change, group: class8}}."""

    published_at: str = ""
    """The parameter that is their place on the horizontal axis; by default `x`."""

    published_apart: tuple[str, ...] = ()
    """The parameters in which their runs may differ from ours."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameter on the horizontal axis."""
        return (self.x,)

    @property
    def plotted_scores(self) -> tuple[str, ...]:
        """The plotted scores, those of the panels first."""
        return tuple(dict.fromkeys(chain(self.panels, *self.beside.values())))

    @property
    def scores(self) -> tuple[str, ...]:
        """The plotted scores and the GUARDS."""
        return tuple(dict.fromkeys([*self.plotted_scores, *panels.GUARDS]))

    @property
    def placement(self) -> Placement:
        """The rule that places published cells on the lines of their score."""
        scores = {
            score: {"metric": score, **self.published_scores.get(score, {})}
            for score in self.plotted_scores
        }
        return Placement(
            self.x, scores, self.published, self.published_at or self.x, self.published_apart
        )

    def check(self, known: Vocabulary) -> None:
        """Refuses scores and parameters that the artefact does not have."""
        scores = [*self.plotted_scores, *self.log_y, *self.beside, *self.published_scores]
        known.require("scores", [*scores, *self.y_names, *self.line_names])
        places = [self.published_at] if self.published_at else []
        known.require("parameters", [*self.columns, *places, *self.published_apart])

    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The lines over `x`, with published values."""
        points = with_published(panels.plotted_points(rows, spec), table.published, self.x)
        means = describe_average("Mean and one standard deviation", describe_seeds(rows))
        levels = "" if (points["std"] > 0).any() else "; no intervals: one run has no deviation"
        levels += "; dashed: the same at every x" if points[self.x].isna().any() else ""
        levels += "; dotted: on to ∞" if is_infinite(points[self.x]).any() else ""
        heading = Heading(table.title, means + levels + describe_published(points), tuple(notes))
        return Picture(points, heading, partial(_draw_panels, points, spec, self))


def with_published(
    points: pd.DataFrame, published: Sequence[PublishedPoint], x: str
) -> pd.DataFrame:
    """The points with columns published_mean and published_std if a point has a published value."""
    points = points.assign(**dict.fromkeys(PUBLISHED, float("nan")))
    for known in published:
        names = (points["dataset"] == known.dataset) & (points["method"] == known.method)
        here = names & (points["metric"] == known.metric) & equals_value(points[x], known.x)
        points.loc[here, PUBLISHED] = known.mean, known.std
    return points if points["published_mean"].notna().any() else points.drop(columns=PUBLISHED)


def describe_published(points: pd.DataFrame) -> str:
    """The explanation of the hollow marks for the heading; empty without published values."""
    if "published_mean" not in points:
        return ""
    has_bars = points["published_std"].notna().any()
    return "; hollow: published" + (", its bar one standard deviation" if has_bars else "")


def _draw_panels(points: pd.DataFrame, spec: Spec, layout: LinesLayout, figure: Figure) -> None:
    """Adds all panels to a figure; the shared axis names infinity or words."""
    points, names = with_words_placed(points, layout.x, list(spec.methods_by_label))
    points, end = with_infinity_placed(points, layout.x, log_x=layout.log_x)
    draw = partial(_draw_panel, spec=spec, layout=layout, names=names)
    panels.draw_panels(points, spec, layout.panels, layout.x, draw, figure)
    scores = np.repeat(layout.panels, len(figure.axes) // len(layout.panels))
    for score, axes in zip(scores, figure.axes, strict=True):
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
    """Draws one score on one data set, together with the scores drawn next to it."""
    looks, groups = panels.method_looks(spec), panels.points_by_method(points, spec)
    several = len(spec.methods_by_label) > 1
    mine = {method: own[own["metric"] == score] for method, own in groups.items()}
    log_y = score in layout.log_y
    hidden = count_hiding_lines(mine, layout.x, log_y=log_y)
    for method, own in mine.items():
        group = layout.line_names.get(score, "")
        name = ": ".join(filter(None, [method if several or not group else "", group]))
        if names:
            _draw_points(axes, own, layout.x, name, **looks[method])
        else:
            wider = WIDER * hidden[method]
            _draw_line(axes, own, layout.x, name, wider=wider, log_y=log_y, **looks[method])
    panels.draw_majority(axes, points, score)
    shared = {method: looks[method]["color"] if several else "" for method in groups}
    for method, own in groups.items():
        prefix = f"{method}: " if several else ""
        _draw_beside(axes, own, score, spec, layout, prefix=prefix, shared_color=shared[method])
    if "published_mean" in points:
        for method, own in groups.items():
            known = own[own["published_mean"].notna()]
            _draw_hollow(axes, known[known["metric"] == score], layout.x, **looks[method])
            _draw_published_beside(axes, known, score, spec, layout, shared_color=shared[method])
    _scale_axes(axes, points, score, layout)
    if names:
        name_words(axes, names)


def _draw_points(
    axes: Axes, points: pd.DataFrame, x: str, name: str, *, color: str, marker: str
) -> None:
    """Draws a method as points with bars of one standard deviation."""
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
    """Draws a method as a line with a band; a method without the parameter as a dashed line."""
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
    shared_color: str,
) -> None:
    """Draw the scores `beside` a score, dashed, in `shared_color` or, if empty, one colour each."""
    for other in layout.beside.get(score, ()):
        own, dashes = _look_beside(other, spec, layout)
        shown = points[(points["metric"] == other) & points[layout.x].notna()].sort_values(layout.x)
        color = shared_color or own
        panels.draw_band(axes, shown, layout.x, color, log_y=score in layout.log_y)
        name = prefix + _line_name(other, spec, layout)
        axes.plot(shown[layout.x], shown["mean"], color=color, linestyle=dashes, label=name)


def _line_name(score: str, spec: Spec, layout: LinesLayout) -> str:
    """The name of a score in the legend, for a score drawn next to another one."""
    return layout.line_names.get(score, label(score, spec))


def _look_beside(score: str, spec: Spec, layout: LinesLayout) -> tuple[str, Any]:
    """Colour and dashes of a score that is drawn next to another, the same in every panel."""
    names = [_line_name(other, spec, layout) for other in chain(*layout.beside.values())]
    k = list(dict.fromkeys(names)).index(_line_name(score, spec, layout))
    # colours repeat after eight, with other dashes
    return style.COLOURS[(k + 1) % 8], style.DASHES[(k + k // 8) % 4]


def _draw_published_beside(
    axes: Axes,
    points: pd.DataFrame,
    score: str,
    spec: Spec,
    layout: LinesLayout,
    *,
    shared_color: str,
) -> None:
    """Draw the published values of the scores `beside` a score, in the colours of their lines."""
    for other in layout.beside.get(score, ()):
        color = shared_color or _look_beside(other, spec, layout)[0]
        known = points[points["metric"] == other]
        _draw_hollow(axes, known, layout.x, color=color, marker=DASHED_MARKER)


def _draw_hollow(axes: Axes, points: pd.DataFrame, x: str, *, color: str, marker: str) -> None:
    """Draws published values as hollow marks with bars, and a grey one in the legend."""
    if not len(points):
        return
    axes.errorbar(
        points[x],
        points["published_mean"],
        yerr=points["published_std"],
        linestyle="none",
        capsize=3,
        elinewidth=1.2,
        marker=marker,
        color=color,
        markeredgecolor=color,
        zorder=4,
        **HOLLOW,
    )
    shape, name = "o", "published"
    if marker == DASHED_MARKER:
        shape, name = DASHED_MARKER, "published, of a dashed line"
    axes.plot(
        [], [], linestyle="none", marker=shape, markeredgecolor=style.DARK, label=name, **HOLLOW
    )


def _scale_axes(axes: Axes, points: pd.DataFrame, score: str, layout: LinesLayout) -> None:
    """Set scales, ticks and margins; a panel of rates ends slightly outside [0, 1]."""
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
        if score in layout.log_y:
            axes.set_ylim(low, min(high, 1.5))
        else:
            axes.set_ylim(max(low, -0.015), min(high, 1.015))


LAYOUT = LinesLayout
