"""A panel for each of many methods: on the same axes, with what all are compared with, as far as
infinity.
"""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.figures.panels import plotted_points
from dpfair_cli.reporting.layouts.facets import FacetsLayout
from tests.toy_specs import data_set, method, task

EPSILONS = (0.1, 1.0, float("inf"))
LAYOUT = FacetsLayout("epsilon", ("accuracy",))
SPEC = Spec(
    artefact="sweeps/own",
    title="Accuracy over ε",
    source="dpfair sweep",
    task=task(),
    datasets=(data_set("own"),),
    methods=(
        method("lr", {}, "LR", "LR"),
        *(
            method(name, {"epsilon": epsilon}, name, name)
            for name in ("FM", "PFLR", "lost")
            for epsilon in EPSILONS
        ),
    ),
    seeds=2,
    layout=LAYOUT,
)


def rows() -> pd.DataFrame:
    """Two seeds of everything but of the method that was lost."""
    return pd.DataFrame(
        [
            {
                "dataset": "own",
                "method": part.label,
                "algorithm": part.name,
                "seed": seed,
                **part.params,
            }
            | {"accuracy": 0.7 + 0.1 * seed, "selection_rate": 0.5, "majority_accuracy": 0.6}
            for part in SPEC.methods
            if part.name != "lost"
            for seed in range(SPEC.seeds)
        ]
    )


@pytest.fixture
def picture() -> Figure:
    figure = Figure()
    LAYOUT.draw(figure, plotted_points(rows(), SPEC), rows(), SPEC)
    return figure


def test_each_method_over_x_that_has_runs_is_a_panel(picture: Figure) -> None:
    assert [axes.get_title() for axes in picture.axes if axes.get_visible()] == ["FM", "PFLR"]


def test_every_panel_has_the_levels_dashed_and_the_majority_class_dotted(picture: Figure) -> None:
    for axes in picture.axes[:2]:
        styles = {
            line.get_label(): line.get_linestyle()
            for line in axes.lines
            if not line.get_label().startswith("_")
        }
        assert styles == {"LR": "--", "majority class": ":"}


def test_a_point_at_infinity_has_a_tick_of_its_own_and_a_dotted_way(picture: Figure) -> None:
    axes = picture.axes[0]
    ticks = dict(
        zip(axes.get_xticks(), (text.get_text() for text in axes.get_xticklabels()), strict=True)
    )
    assert {place: ticks[place] for place in (0.1, 1.0, 10.0)} == {0.1: "0.1", 1.0: "1", 10.0: "∞"}
    whole, way = [line for line in axes.lines if line.get_marker() != "None"]
    assert (list(whole.get_xdata()), whole.get_linestyle()) == ([0.1, 1.0], "-")
    assert (list(way.get_xdata()), way.get_linestyle()) == ([1.0, 10.0], ":")
