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
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Placement, PublishedPoint, Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import panels, style
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.figures.style import Axes, Figure, Keywords
from dpfair_cli.verdicts.means import equals_value
from dpfair_cli.verdicts.wording import describe_average, describe_seeds, label

MANY_POINTS = 30  # more marks than this would hide the line
LINE, MARKER = 1.8, 6.5  # width of a line and size of a mark, in points
WIDER = 2.4  # added for each later line that would hide this one
HIDES = 0.01  # of the axis that the means take up: a line that is nearer hides the one below it
PUBLISHED = ["published_mean", "published_std"]  # columns of the points
DASHED_MARKER = "*"  # of a published value on a dashed line; no method has it
# larger than a mark, so that it is visible around one
HOLLOW: Keywords = {"markersize": 9, "markerfacecolor": "none", "markeredgewidth": 1.4}


@dataclass(frozen=True)
class LinesLayout(PictureLayout):
    """A panel for each score and data set, with a line for each method over a parameter.

    Published cells of this artefact are shown as hollow marks, and those of other artefacts whose
    runs have the same parameters.

    Attributes:
        x: the parameter on the horizontal axis.
        panels: the scores, one panel each.
        log_x: whether the horizontal axis is logarithmic.
        log_y: the scores whose vertical axis is logarithmic.
        beside: more scores that are drawn into the panel of a score, dashed.
        y_names: the name of the vertical axis, by score.
        line_names: the name of the line of a score, where a panel has several.
        published: other artefacts of the paper whose published cells are shown.
        published_scores: what a score is called there:
            {last_change: {metric: accuracy_change, group: class8}}.
        published_at: the parameter that is their place on the horizontal axis; by default `x`.
        published_apart: the parameters in which their runs may differ from ours.
    """

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

    kinds: ClassVar = {"x": "parameters"}

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
        at = self.published_at or self.x
        return Placement(self.x, scores, self.published, at, self.published_apart)

    def check(self, known: Vocabulary) -> None:
        """Refuses scores and parameters that the artefact does not have."""
        scores = [*self.plotted_scores, *self.log_y, *self.beside, *self.published_scores]
        known.require("scores", [*scores, *self.y_names, *self.line_names])
        places = [self.published_at] if self.published_at else []
        known.require("parameters", [*self.columns, *places, *self.published_apart])

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The means over `x`, with published values."""
        return with_published(panels.plotted_points(rows, spec), table.published, self.x)

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """What lines and hollow marks mean."""
        words = [describe_average("Mean and one standard deviation", describe_seeds(rows))]
        if not (points["std"] > 0).any():
            words.append("no intervals: one run has no deviation")
        if points[self.x].isna().any():
            words.append("dashed: the same at every x")
        if panels.is_infinite(points[self.x]).any():
            words.append("dotted: on to ∞")
        if "published_mean" in points:
            has_bars = points["published_std"].notna().any()
            words.append("hollow: published" + ", its bar one standard deviation" * bool(has_bars))
        return "; ".join(words)

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Adds all panels to a figure; the shared axis names infinity or words."""
        points, words = panels.with_words_placed(points, self.x, list(spec.methods_by_label))
        points, end = panels.with_infinity_placed(points, self.x, log_x=self.log_x)
        draw = partial(self._draw_panel, spec=spec, words=words)
        panels.draw_panels(figure, points, spec, self.panels, self.x, draw)
        scores = np.repeat(self.panels, len(figure.axes) // len(self.panels))
        for score, axes in zip(scores, figure.axes, strict=True):
            axes.set_ylabel(self.y_names.get(score, axes.get_ylabel()))
        panels.name_infinity(figure.axes[0], points, self.x, end)

    def _draw_panel(
        self, axes: Axes, points: pd.DataFrame, score: str, *, spec: Spec, words: Sequence[str]
    ) -> None:
        """Draws one score on one data set, together with the scores drawn next to it.

        The order of drawing is that of the legend, and a later line lies on top.
        """
        looks, groups = panels.method_looks(spec), panels.points_by_method(points, spec)
        self._draw_methods(axes, groups, score, looks, is_of_words=bool(words))
        panels.draw_majority(axes, points, score)
        for method, own in groups.items():
            self._draw_beside(axes, own, score, spec, method)
        if "published_mean" in points:
            for method, own in groups.items():
                known = own[own["published_mean"].notna()]
                _draw_hollow(axes, known[known["metric"] == score], self.x, **looks[method])
                self._draw_published_beside(axes, known, score, spec, method)
        self._scale_axes(axes, points, score)
        if words:
            panels.name_words(axes, words)

    def _draw_methods(
        self,
        axes: Axes,
        groups: Mapping[str, pd.DataFrame],
        score: str,
        looks: Mapping[str, Keywords],
        *,
        is_of_words: bool,
    ) -> None:
        """Draws the score of each method: points over words, or else a line or a level."""
        mine = {method: own[own["metric"] == score] for method, own in groups.items()}
        hidden = count_hiding_lines(mine, self.x, log_y=score in self.log_y)
        group = self.line_names.get(score, "")
        for method, own in mine.items():
            is_named = len(looks) > 1 or not group
            name = ": ".join(filter(None, [method if is_named else "", group]))
            look: Keywords = {"label": name, **looks[method]}
            if is_of_words:
                bars: Keywords = {"yerr": own["std"], "linestyle": "none", "zorder": 3}
                axes.errorbar(own[self.x], own["mean"], **bars, **look)
            else:
                self._draw_line(axes, own, score, WIDER * hidden[method], **look)

    def _draw_line(
        self, axes: Axes, points: pd.DataFrame, score: str, wider: float, **look: Any
    ) -> None:
        """Draws a method as a line with a band; a method without `x` as a dashed level."""
        color, name, is_level = look["color"], look["label"], points[self.x].isna()
        level, points = points[is_level], points[~is_level].sort_values(self.x)
        for mean, spread in zip(level["mean"], level["std"].fillna(0), strict=True):
            dashes = style.DASHES[0]
            panels.draw_level(axes, mean, spread, color=color, linestyle=dashes, label=name)
        if len(points):
            panels.draw_band(axes, points, self.x, color, log_y=score in self.log_y)
            size: Keywords = {"linewidth": LINE + wider, "markersize": MARKER + wider}
            every = 1 + len(points) // MANY_POINTS
            panels.draw_line(axes, points, self.x, every=every, **look, **size)

    def _draw_beside(
        self, axes: Axes, points: pd.DataFrame, score: str, spec: Spec, method: str
    ) -> None:
        """Draws the scores `beside` a score of a method, dashed."""
        prefix = f"{method}: " if len(spec.methods_by_label) > 1 else ""
        for other in self.beside.get(score, ()):
            color, dashes = self._look_beside(other, spec, method)
            shown = points[(points["metric"] == other) & points[self.x].notna()]
            shown = shown.sort_values(self.x)
            panels.draw_band(axes, shown, self.x, color, log_y=score in self.log_y)
            name = prefix + self._line_name(other, spec)
            axes.plot(shown[self.x], shown["mean"], color=color, linestyle=dashes, label=name)

    def _line_name(self, score: str, spec: Spec) -> str:
        """The name of a score in the legend, for a score drawn next to another one."""
        return self.line_names.get(score, label(score, spec))

    def _look_beside(self, score: str, spec: Spec, method: str) -> tuple[str, Any]:
        """Colour and dashes of a score that is drawn next to another, the same in every panel.

        The colour is that of the method if there are several, otherwise one for each score.
        """
        names = [self._line_name(other, spec) for other in chain(*self.beside.values())]
        k = list(dict.fromkeys(names)).index(self._line_name(score, spec))
        dashes = style.DASHES[(k + k // 8) % 4]  # colours repeat after eight, with other dashes
        if len(spec.methods_by_label) > 1:
            return panels.method_looks(spec)[method]["color"], dashes
        return style.COLOURS[(k + 1) % 8], dashes

    def _draw_published_beside(
        self, axes: Axes, points: pd.DataFrame, score: str, spec: Spec, method: str
    ) -> None:
        """Draws the published values of the scores `beside`, in the colours of their lines."""
        for other in self.beside.get(score, ()):
            color, _ = self._look_beside(other, spec, method)
            known = points[points["metric"] == other]
            _draw_hollow(axes, known, self.x, color=color, marker=DASHED_MARKER)

    def _scale_axes(self, axes: Axes, points: pd.DataFrame, score: str) -> None:
        """Sets scales, ticks and margins of a panel."""
        from matplotlib.ticker import AutoMinorLocator, MaxNLocator

        x = points[self.x].dropna()
        if self.log_x:
            style.make_x_logarithmic(axes)
        else:
            axes.xaxis.set_minor_locator(AutoMinorLocator())
            if all(isinstance(value, (int, float)) and float(value).is_integer() for value in x):
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.margins(x=0.03, y=0.08)
        if score in self.log_y:
            axes.set_yscale("log", nonpositive="clip")
        panels.limit_rates(axes, points, score)


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


def count_hiding_lines(
    points: Mapping[str, pd.DataFrame], x: str, *, log_y: bool = False
) -> dict[str, int]:
    """The number of later lines that hide the line of each method.

    A line hides another one if it is within HIDES of the other line at half of its points.
    """
    means = {}
    for name, own in points.items():
        if own[x].notna().any():
            line = own.set_index(x)["mean"].dropna()
            means[name] = np.log(line[line > 0]) if log_y else line
    every = pd.concat([pd.Series(dtype=float), *means.values()])
    near, names = HIDES * float(every.max() - every.min()), list(means)
    counts = dict.fromkeys(points, 0)
    for k, name in enumerate(names):
        for later in names[k + 1 :]:
            gap = (means[name] - means[later]).abs()
            counts[name] += bool((gap <= near).sum() * 2 >= len(means[name]) > 0)
    return counts


def _draw_hollow(axes: Axes, points: pd.DataFrame, x: str, *, color: str, marker: str) -> None:
    """Draws published values as hollow marks with bars, and a grey one in the legend."""
    if not len(points):
        return
    look: Keywords = {
        "marker": marker,
        "color": color,
        "markeredgecolor": color,
        "zorder": 4,
        **HOLLOW,
    }
    bars: Keywords = {"yerr": points["published_std"], "capsize": 3, "elinewidth": 1.2}
    axes.errorbar(points[x], points["published_mean"], linestyle="none", **bars, **look)
    is_dashed = marker == DASHED_MARKER
    name = "published, of a dashed line" if is_dashed else "published"
    grey: Keywords = {
        "marker": marker if is_dashed else "o",
        "markeredgecolor": style.DARK,
        **HOLLOW,
    }
    axes.plot([], [], linestyle="none", label=name, **grey)


LAYOUT = LinesLayout
