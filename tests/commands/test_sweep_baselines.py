"""A sweep of decisions has what knows nothing beside it, says who is no better, and shows many
methods apart.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.reporting.tables import COLUMN, compare_with_baselines, describe_baselines
from tests.commands.invoking import works
from tests.commands.material import COLUMNS, people, swept, write
from tests.toy_specs import data_set, method, task

FEW = ("--eps", "1", "--runs", "2", "--jobs", "1", "--out", "out")
MANY = [
    "functional_mechanism",
    "relaxed_functional_mechanism",
    "output_perturbation",
    "pflr",
    "pflr_star",
    "adfc",
    "pdfc",
]


def lines_of(result, method):
    return [line for line in result.stdout.splitlines() if line.split()[:1] == [method]]


@pytest.mark.usefixtures("own")
def test_baseline_and_majority_class_are_in_every_sweep_of_decisions_once():
    for methods in (
        (),
        ("--method", "pflr"),
        ("--method", "pflr", "--method", "logistic_regression"),
    ):
        result = works("sweep", "own.csv", *COLUMNS, *FEW, *methods)
        for name in ("logistic_regression", "majority_class"):
            (line,) = lines_of(result, name)
            assert line.endswith("not private")


def test_a_sweep_of_graphs_has_no_baseline_of_decisions(variables):
    result = works("sweep", "own.csv", "--domain", "domain.yaml", "--method", "priv_pc", *FEW)
    assert "majority_class" not in result.stdout


@pytest.mark.usefixtures("own")
def test_a_line_that_is_no_better_than_a_constant_is_marked():
    lines = [
        [line[0], line[1], line[2], "yes" if int(line[0]) > 30 else "no"] for line in people(400)
    ]
    write("own.csv", lines)
    result = works("sweep", "own.csv", *COLUMNS, *FEW)
    (learned,), (constant,) = (
        lines_of(result, name) for name in ("logistic_regression", "majority_class")
    )
    assert "  better  " in learned
    assert "  no better  " in constant
    assert "lines are no better than a constant" in (swept() / "table.md").read_text()
    assert COLUMN in (swept() / "table.csv").read_text().splitlines()[0]


def spec_of(*methods):
    layout = TableLayout(("method",), ("accuracy",), baselines={"accuracy": "majority_accuracy"})
    parts = tuple(method(name, {}, name, name) for name in methods)
    return Spec("sweeps/own", "", "", task(), (data_set("own"),), parts, 4, layout)


@pytest.mark.parametrize(
    ("accuracies", "baselines", "word"),
    [
        ([0.8, 0.9], [0.7, 0.7], "better"),  # difference 0.15, standard error 0.05
        ([0.8, 0.9], [0.76, 0.76], "no better"),  # 0.09, and two standard errors are 0.10
        ([0.7, 0.7, 0.7, 0.7], [0.7, 0.7, 0.7, 0.7], "no better"),
        ([0.71], [0.7], "better"),  # one run has no error
        ([0.7], [0.7], "no better"),
        (
            [0.5, 0.9],
            [0.4, 0.8],
            "better",
        ),  # the baseline moves with the people: paired, there is no error at all
    ],
)
def test_better_is_more_than_two_standard_errors_of_the_paired_difference(
    accuracies, baselines, word
):
    rows = pd.DataFrame(
        {
            "dataset": "own",
            "method": "m",
            "algorithm": "m",
            "seed": np.arange(len(accuracies)),
            "accuracy": accuracies,
            "majority_accuracy": baselines,
        }
    )
    compared = compare_with_baselines(rows, spec_of("m"))
    assert compared[COLUMN].tolist() == [word]
    assert ("1 of 1 lines" in describe_baselines(compared)) == (word == "no better")


@pytest.mark.usefixtures("own")
def test_many_methods_are_panels_of_their_own_and_few_are_lines_in_one():
    few = ("--eps", "1,10", "--runs", "1", "--jobs", "1", "--out")
    given = [word for name in MANY for word in ("--method", name)]
    works("sweep", "own.csv", *COLUMNS, *few, "many", *given, "--set", "attribute=age")
    works("sweep", "own.csv", *COLUMNS, *few, "few")
    sizes = [Image.open(swept(out=out) / "figure.png").size for out in ("many", "few")]
    assert sizes[0][1] > 1.5 * sizes[1][1]
    for out, methods in (("many", MANY), ("few", ["dp_fair_descent (add-or-remove-one)"])):
        shown = pd.read_csv(swept(out=out) / "figure.csv")
        assert set(methods) | {"logistic_regression"} <= set(shown["method"])
        assert "majority_class" not in set(shown["method"])
