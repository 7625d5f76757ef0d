"""Lines over a parameter: the plotted numbers as CSV, and the picture as PNG and PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from dpfair_cli.contracts.layouts import Layout, Table, Vocabulary
from dpfair_cli.contracts.specs import Spec

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

GUARDS = ("majority_accuracy", "selection_rate")  # a rule that says the same to everybody is "fair": let it be seen


@dataclass(frozen=True)
class LinesLayout(Layout):
    """A panel for each of `panels` (scores) and data set, a line for each method, over the parameter `x`.

    `beside` draws more scores into the panel of a score, `around` a band (centre, half width) of two scores; the
    panels of `log_y` are logarithmic.
    With `against`, a score, a line is a frontier: `x` runs along it, and its mean `against` is the horizontal axis.
    """

    picture: ClassVar[str] = "figure.png"
    x: str
    panels: tuple[str, ...]
    log_x: bool = True
    log_y: tuple[str, ...] = ()
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    around: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    against: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The horizontal axis."""
        return (self.x,)

    @property
    def drawn(self) -> tuple[str, ...]:
        """Every score that is drawn, those of the panels first."""
        more = [*self.beside.values(), *self.around.values(), *([(self.against,)] if self.against else [])]
        return tuple(dict.fromkeys([*self.panels, *(score for scores in more for score in scores)]))

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores that are drawn, and the GUARDS."""
        return tuple(dict.fromkeys([*self.drawn, *GUARDS]))

    def check(self, known: Vocabulary) -> None:
        """Every score and the parameter must be there."""
        known.require("scores", [*self.drawn, *self.log_y, *self.beside, *self.around])
        known.require("parameters", self.columns)

    def write(
        self, rows: pd.DataFrame, table: Table, spec: Spec, folder: Path, *, notes: Sequence[str] = ()
    ) -> list[Path]:
        """figure.png, figure.pdf and figure.csv."""
        from dpfair_cli.reporting.pictures import draw_if_changed, write_numbers
        from dpfair_cli.verdicts.wording import describe_seeds

        points, seeds = plotted_points(rows, spec, self.x), describe_seeds(rows)
        text = write_numbers(points, folder)

        def draw() -> Figure:
            from dpfair_cli.reporting.drawing import draw

            return draw(points, spec, self, seeds, notes=notes)

        return [*draw_if_changed(draw, folder, text, spec, seeds, notes), folder / "figure.csv"]


def plotted_points(rows: pd.DataFrame, spec: Spec, x: str) -> pd.DataFrame:
    """What is plotted, one line a point: data set, method, score, x (empty: a level), mean, std, runs."""
    from dpfair_cli.verdicts.means import summarise_scores, with_axis_columns

    summary, levels = summarise_scores(rows, spec), with_axis_columns(rows, spec)
    level = levels[levels[x].isna()][["dataset", "method"]].drop_duplicates()
    flat = summary.merge(level, on=["dataset", "method"], how="left", indicator="kind")["kind"] == "both"
    once = summary.assign(**{x: summary[x].mask(flat)}).drop_duplicates(["dataset", "method", "metric", x])
    return once[["dataset", "method", "metric", x, "mean", "std", "runs"]].reset_index(drop=True)


LAYOUT = LinesLayout
