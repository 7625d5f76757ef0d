"""dpfair sweep on variables: scores where the graph is known, counts where it is not."""

from __future__ import annotations

import json

import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import swept


def test_a_sweep_of_made_data_has_a_table_and_a_plot(variables):
    given = (
        "--method",
        "pc",
        "--method",
        "priv_pc",
        "--eps",
        "1..10",
        "--runs",
        "2",
        "--jobs",
        "1",
        "--out",
        "out",
    )
    text = works("sweep", "synthetic_categorical", *given).stdout
    assert "skeleton recall" in text
    files = {file.name for file in swept("synthetic_categorical").iterdir()}
    assert files >= {"table.md", "figure.png"}


def test_a_sweep_of_a_users_own_file_counts_edges_and_draws_nothing(variables):
    given = ("--method", "priv_pc", "--eps", "1,10", "--runs", "2", "--jobs", "1", "--out", "out")
    text = works("sweep", "own.csv", *given, "--domain", "domain.yaml").stdout
    assert "edges" in text
    assert "recall" not in text
    assert not (swept() / "figure.png").exists()


def test_a_sweep_over_epsilon_prints_a_row_for_each(networks):
    given = ("--method", "priv_pc", "--eps", "1,10", "--runs", 1, "--out", "sweep", *networks)
    text = works("sweep", "asia", *given).stdout
    assert [line.split()[1] for line in text.splitlines() if line.startswith("priv_pc ")] == [
        "1",
        "10",
    ]


@pytest.mark.usefixtures("variables")
def test_a_setting_of_the_data_set_is_its_own():
    asked = ("--set", "nodes=4", "--set", "records=200", "--set", "freedom=adjusted")
    works("sweep", "synthetic_categorical", "--method", "pc", *asked, "--runs", "1", "--out", "out")
    row = json.loads((swept("synthetic_categorical") / "runs.jsonl").read_text().splitlines()[0])
    assert (row["options"]["nodes"], row["options"]["records"], row["params"]["freedom"]) == (
        4,
        200,
        "adjusted",
    )


@pytest.mark.usefixtures("variables")
def test_a_method_of_another_kind_is_refused():
    assert "cannot be fitted to the data set adult" in mistake("sweep", "adult", "--method", "pc")


@pytest.mark.usefixtures("variables")
def test_a_task_and_its_parameters_are_chosen_by_name():
    asked = ("--task", "link_prediction", "--set", "held_out=kept", "--set", "dimension=4")
    given = ("--method", "matrix_factorisation", "--runs", "1", "--jobs", "1", "--out", "out")
    text = works("sweep", "block_model", *given, *asked).stdout
    assert text.startswith("dpfair sweep: Accuracy of link prediction on block_model")
    row = json.loads((swept("block_model") / "runs.jsonl").read_text().splitlines()[0])
    assert (row["task"], row["protocol"]["held_out"], row["params"]["dimension"]) == (
        "link_prediction",
        "kept",
        4,
    )


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("link_predicton", "unknown task 'link_predicton': did you mean 'link_prediction'?"),
        ("classification", (
            "the task classification cannot score the algorithm dpne on the data set block_model"
        )),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_run_is_refused_in_one_line(task, message):
    assert message in mistake("sweep", "block_model", "--method", "dpne", "--task", task)
    assert message in mistake("train", "block_model", "--method", "dpne", "--task", task)
