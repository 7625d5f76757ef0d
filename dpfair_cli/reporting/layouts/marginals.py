"""The share of each feature among real and generated records: bars and marks.

A generator that has collapsed, or lost a rare level, is seen at a glance: its marks leave the bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.figures.style import Axes, Figure
from dpfair_cli.verdicts.wording import describe_seeds

INCHES = 0.17  # of a feature
WIDTH, COLUMNS = 12.0, 2  # of the picture, in inches and panels


@dataclass(frozen=True)
class MarginalsLayout(PictureLayout):
    """Over the features `along`: the score `behind` as bars, `share` of each method as marks."""

    along: str
    behind: str
    share: str

    kinds: ClassVar = dict.fromkeys(("along", "behind", "share"), "scores")

    @property
    def columns(self) -> tuple[str, ...]:
        """The axis of the features."""
        return (self.along,)

    @property
    def scores(self) -> tuple[str, ...]:
        """The plotted scores."""
        return (self.behind, self.share)

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """Method, feature, share of real records, and mean, smallest and largest made share."""
        groups = rows.groupby(["method", self.along], sort=False)
        real = groups[self.behind].mean()
        found = groups[self.share].agg(["mean", "min", "max"]).assign(real=real).reset_index()
        named = found.rename(columns={self.along: "feature"})
        return named[["method", "feature", "real", "mean", "min", "max"]]

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """What bars and marks mean."""
        means = f"Mean of {describe_seeds(rows)}, a line from the smallest to the largest"
        return f"{means}; grey: real records"

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Draws the share of records that have each feature, in two panels side by side.

        The left panel has the first half of the features. Each feature has one place on the y axis,
        and the x axis is the share: a bar for the real records, and a mark for each method.
        """
        features = list(dict.fromkeys(points["feature"]))
        length = -(-len(features) // COLUMNS)
        figure.set_size_inches(WIDTH, INCHES * length + 1.8)
        for k, axes in enumerate(figure.subplots(1, COLUMNS, squeeze=False)[0]):
            _draw_features(axes, points, features[k * length : (k + 1) * length], spec)


def _draw_features(axes: Axes, points: pd.DataFrame, features: Sequence[str], spec: Spec) -> None:
    """Draws the shares of the given features."""
    places = {feature: place for place, feature in enumerate(features)}
    points = points[points["feature"].isin(features)]
    real = points.drop_duplicates("feature")
    at = [places[name] for name in real["feature"]]
    axes.barh(at, real["real"], color=style.GREY, alpha=0.3, label="real records")
    methods = [method for method in spec.methods_by_label if (points["method"] == method).any()]
    for k, method in enumerate(methods):
        mine = points[points["method"] == method]
        # the methods of a feature stand below each other, within the height of its bar
        shift = 0.5 * ((k + 1) / (len(methods) + 1) - 0.5)
        y = [places[name] + shift for name in mine["feature"]]
        axes.hlines(y, mine["min"], mine["max"], color=style.look(k)["color"], linewidth=1)
        axes.plot(mine["mean"], y, linestyle="none", markersize=4, label=method, **style.look(k))
    axes.set_yticks(range(len(features)), features, fontsize=7)
    axes.set(ylim=(len(features) - 0.4, -0.6), xlim=(0, 1))
    axes.set_xlabel("share of records")
    axes.minorticks_off()


LAYOUT = MarginalsLayout
