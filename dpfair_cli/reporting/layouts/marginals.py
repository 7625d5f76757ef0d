"""The share of each feature among real and generated records: bars and marks.

A generator that has collapsed, or lost a rare level, is seen at a glance: its marks leave the bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.wording import describe_seeds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCHES = 0.17  # of a feature
WIDTH, COLUMNS = 12.0, 2  # of the picture, in inches and panels


@dataclass(frozen=True)
class MarginalsLayout(PictureLayout):
    """Over the features `along`: the score `behind` as bars, `share` of each method as marks."""

    along: str
    behind: str
    share: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The axis of the features."""
        return (self.along,)

    @property
    def scores(self) -> tuple[str, ...]:
        """The plotted scores."""
        return (self.behind, self.share)

    def check(self, known: Vocabulary) -> None:
        """Refuses unknown scores."""
        known.require("scores", [self.along, self.behind, self.share])

    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The shares of all features."""
        points = _shares(rows, self)
        words = (
            f"Mean of {describe_seeds(rows)}, a line from the smallest to the largest; grey: real "
            "records"
        )
        heading = Heading(table.title, words, tuple(notes))
        return Picture(points, heading, partial(draw_panels, points, spec))


def _shares(rows: pd.DataFrame, layout: MarginalsLayout) -> pd.DataFrame:
    """Method, feature, share of real records, and mean, smallest and largest generated share."""
    groups = rows.groupby(["method", layout.along], sort=False)
    found = (
        groups[layout.share].agg(["mean", "min", "max"]).assign(real=groups[layout.behind].mean())
    )
    return found.reset_index().rename(columns={layout.along: "feature"})[
        ["method", "feature", "real", "mean", "min", "max"]
    ]


def draw_panels(points: pd.DataFrame, spec: Spec, figure: Figure) -> None:
    """Draws the share of records that have each feature, in two panels side by side.

    The left panel has the first half of the features. Each feature has one place on the y axis, and
    the x axis is the share: a bar for the real records, and a mark for each method. `points` has
    one row for each method and feature, as `_shares` returns the rows.
    """
    features = list(dict.fromkeys(points["feature"]))
    length = -(-len(features) // COLUMNS)
    figure.set_size_inches(WIDTH, INCHES * length + 1.8)
    panels = figure.subplots(1, COLUMNS, squeeze=False)[0]
    for k, axes in enumerate(panels):
        _draw_features(axes, points, features[k * length : (k + 1) * length], spec)


def _draw_features(axes: Axes, points: pd.DataFrame, features: Sequence[str], spec: Spec) -> None:
    """Draws the shares of the given features."""
    places = {feature: place for place, feature in enumerate(features)}
    points = points[points["feature"].isin(features)]
    real = points.drop_duplicates("feature")
    axes.barh(
        [places[name] for name in real["feature"]],
        real["real"],
        color=style.GREY,
        alpha=0.3,
        label="real records",
    )
    methods = [method for method in spec.methods_by_label if (points["method"] == method).any()]
    for k, method in enumerate(methods):
        mine = points[points["method"] == method]
        y = [places[name] + 0.5 * ((k + 1) / (len(methods) + 1) - 0.5) for name in mine["feature"]]
        axes.hlines(y, mine["min"], mine["max"], color=style.COLOURS[k % 8], linewidth=1)
        look: dict[str, Any] = {"color": style.COLOURS[k % 8], "marker": style.MARKERS[k % 8]}
        axes.plot(mine["mean"], y, linestyle="none", markersize=4, label=method, **look)
    axes.set_yticks(range(len(features)), features, fontsize=7)
    axes.set(ylim=(len(features) - 0.4, -0.6), xlim=(0, 1))
    axes.set_xlabel("share of records")
    axes.minorticks_off()


LAYOUT = MarginalsLayout
