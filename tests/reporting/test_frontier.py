"""Frontiers: where the points of each method lie, what is written at them, and which words are
refused.
"""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpfair_cli.contracts.specs import Spec, Table, Vocabulary
from dpfair_cli.reporting.figures.panels import plotted_points
from dpfair_cli.reporting.layouts.frontier import SHORT, FrontierLayout
from tests.toy_specs import data_set, method, task

UNFAIR = "demographic_parity_difference"
STEPS = {
    ("FM", 0.01): 0,
    ("FM", 0.1): 1,
    ("FM", 1.0): 2,
    ("PFLR", 0.5): 3,
    ("PFLR", 2.0): 4,
    ("LR", 0.0): 5,
}
SPEC = Spec(
    artefact="xu2021/figure-frontier",
    title="FM over epsilon, PFLR over alpha at one epsilon, and LR, which has neither",
    source="nowhere",
    task=task(),
    datasets=(data_set("adult"),),
    methods=(
        method("lr", {}, "LR", "LR"),
        *(method("fm", {"epsilon": e}, "FM", "FM") for e in (0.01, 0.1, 1.0)),
        *(method("pflr", {"epsilon": 1.0, "alpha": a}, "PFLR", "PFLR") for a in (0.5, 2.0)),
    ),
    seeds=2,
    layout=FrontierLayout(("epsilon", "alpha"), against=UNFAIR, panels=("accuracy",)),
)


def rows(spec: Spec = SPEC) -> pd.DataFrame:
    """Two seeds at each point, 0.02 of accuracy and 0.04 of unfairness apart; a step further is 0.1
    more of both.
    """
    return pd.DataFrame(
        [
            {
                "dataset": "adult",
                "method": part.label,
                "algorithm": part.name,
                "seed": seed,
                **part.params,
            }
            | {
                "accuracy": 0.3 + 0.1 * step + 0.02 * seed,
                UNFAIR: 0.1 * step + 0.04 * seed,
                "majority_accuracy": 0.6,
            }
            for part in spec.methods
            for step in [
                STEPS[part.label, part.params.get("alpha", part.params.get("epsilon", 0.0))]
            ]
            for seed in range(spec.seeds)
        ]
    )


def drawn(runs: pd.DataFrame, spec: Spec = SPEC) -> Axes:
    figure = Figure()
    spec.layout.draw(figure, plotted_points(runs, spec), runs, spec)
    return figure.axes[0]


def test_a_line_has_the_means_of_two_scores_along_its_parameter() -> None:
    axes = drawn(rows())
    places = {
        line.get_label(): [list(line.get_xdata()), list(line.get_ydata())] for line in axes.lines
    }
    assert places["FM"] == [pytest.approx([0.02, 0.12, 0.22]), pytest.approx([0.31, 0.41, 0.51])]
    assert places["PFLR"] == [pytest.approx([0.32, 0.42]), pytest.approx([0.61, 0.71])]
    assert places["LR"] == [pytest.approx([0.52]), pytest.approx([0.81])]
    assert set(places) == {"FM", "PFLR", "LR"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("demographic parity difference", "accuracy")
    assert axes.get_xscale() == "linear"


def test_only_the_parameter_along_a_line_stands_at_its_points() -> None:
    names = [
        (text.get_text(), tuple(round(float(at), 6) for at in text.xy))
        for text in drawn(rows()).texts
    ]
    assert names == [
        ("0.01", (0.02, 0.31)), ("0.1", (0.12, 0.41)), ("1", (0.22, 0.51)),
        ("0.5", (0.32, 0.61)), ("2", (0.42, 0.71)),
    ]  # fmt: skip


def test_bars_are_one_deviation_in_both_directions() -> None:
    across, upwards = drawn(rows()).containers[1][2]  # of FM
    (left, _), (right, _) = across.get_segments()[0]
    assert (left, right) == pytest.approx((0.02 - 0.02 * 2**0.5, 0.02 + 0.02 * 2**0.5))
    (_, low), (_, high) = upwards.get_segments()[0]
    assert (low, high) == pytest.approx((0.31 - 0.01 * 2**0.5, 0.31 + 0.01 * 2**0.5))


def test_one_seed_has_points_too() -> None:
    spec = replace(SPEC, seeds=1)
    line = next(line for line in drawn(rows(spec), spec).lines if line.get_label() == "FM")
    assert list(line.get_xdata()) == pytest.approx([0, 0.1, 0.2])


def test_a_long_line_has_neither_names_nor_bars() -> None:
    part = SPEC.methods[1]
    many = tuple(replace(part, params={"epsilon": 0.01 * k}) for k in range(1, SHORT + 2))
    spec = replace(SPEC, methods=many)
    runs = pd.DataFrame(
        [
            {"dataset": "adult", "method": "FM", "algorithm": "fm", "seed": seed, **each.params}
            | {"accuracy": 0.5, UNFAIR: 0.1}
            for each in many
            for seed in range(2)
        ]
    )
    axes = drawn(runs, spec)
    assert not axes.texts
    assert not axes.containers


def test_points_stand_once_each_with_the_parameters_of_their_methods() -> None:
    found = plotted_points(rows(), SPEC)
    accuracy = found[found["metric"] == "accuracy"].fillna(-1)
    assert sorted(zip(accuracy["method"], accuracy["epsilon"], accuracy["alpha"], strict=True)) == [
        ("FM", 0.01, -1),
        ("FM", 0.1, -1),
        ("FM", 1.0, -1),
        ("LR", -1, -1),
        ("PFLR", 1.0, 0.5),
        ("PFLR", 1.0, 2.0),
    ]


def test_marks_and_the_majority_class_are_explained_above(
    tmp_path: Path, saved: list[Figure]
) -> None:
    SPEC.layout.write(rows(), Table("title", (), pd.DataFrame(), pd.DataFrame()), SPEC, tmp_path)
    words = " ".join(text.get_text().replace("\n", " ") for text in saved[0].texts)
    marks = "bars: one standard deviation; numbers: the parameter along a line"
    assert f"Mean over 2 seeds; {marks}; the majority class has accuracy 0.600." in words


def test_misspelt_scores_and_parameters_are_refused() -> None:
    known = Vocabulary(
        frozenset({"accuracy", UNFAIR}), frozenset(), frozenset({"epsilon", "alpha"}), frozenset()
    )
    SPEC.layout.check(known)
    for changed, message in (
        ({"along": ("alpah",)}, "unknown parameter 'alpah': did you mean 'alpha'"),
        ({"against": "acuracy"}, "unknown score 'acuracy': did you mean 'accuracy'"),
        ({"panels": ("acuracy",)}, "unknown score 'acuracy': did you mean 'accuracy'"),
    ):
        with pytest.raises(ValueError, match=message):
            replace(SPEC.layout, **changed).check(known)
