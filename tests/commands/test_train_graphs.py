"""dpfair train on variables: the edges that are found, and one line for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works

OWN = ("train", "csv_variables", "--set", "file=own.csv")


@pytest.mark.usefixtures("variables")
def test_train_on_made_data_prints_scores_edges_and_the_statement():
    text = works(
        "train", "synthetic_categorical", "--method", "priv_pc", "--eps", "5", "--seed", "0"
    ).stdout
    assert "skeleton_recall" in text
    assert any(f" {edge} " in text for edge in ("->", "-"))
    assert "epsilon-differential privacy" in text
    assert "bounds" in text


@pytest.mark.usefixtures("variables")
def test_train_on_an_own_file_prints_edges_and_no_score_that_needs_truth():
    text = works("train", "own.csv", "--method", "pc", "--domain", "domain.yaml").stdout
    assert "a - b" in text.splitlines()
    assert "edges  " in text
    assert "recall" not in text
    assert "not private" in text


@pytest.mark.usefixtures("variables")
def test_an_edge_of_ones_own_table_is_found_and_printed():
    assert "\na - b\n" in works(*OWN, "--domain", "domain.yaml", "--method", "pc").stdout
    assert (
        "\na - b\n"
        in works(*OWN, "--domain", "domain.yaml", "--method", "priv_pc", "--eps", "inf").stdout
    )


@pytest.mark.usefixtures("variables")
def test_bounds_say_where_the_levels_come_from():
    assert "bounds: read from the private data" in works(*OWN, "--method", "priv_pc").stdout
    public = works(*OWN, "--domain", "domain.yaml", "--method", "priv_pc").stdout
    assert "bounds: declared by the user, in the file of domain" in public


@pytest.mark.usefixtures("variables")
@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
def test_levels_from_a_users_own_data_are_said_to_be_a_leak():
    text = works("train", "own.csv", "--method", "priv_pc", "--eps", "10").stdout
    assert "not private: bounds from data" in text


def test_training_prints_scores_edges_and_the_statement(networks):
    text = works("train", "asia", "--method", "priv_pc", "--eps", 10, "--seed", 0, *networks).stdout
    for word in (
        "skeleton_precision",
        "structural_hamming_distance",
        "true_edges",
        "promise",
        "status",
        "smoke",
    ):
        assert word in text
    known = [
        works("train", "asia", "--method", "priv_pc", "--eps", 10, "--seed", 1, *networks).stdout
        for _ in "ab"
    ]
    assert known[0] == known[1] != text


@pytest.mark.usefixtures("variables")
def test_a_graph_can_be_saved():
    works("train", "own.csv", "--method", "pc", "--domain", "domain.yaml", "--save", "graph.json")
    content = json.loads(Path("graph.json").read_text())
    assert content["model"] == {"variables": ["a", "b", "c"], "edges": ["a - b"]}
    assert content["algorithm"] == "pc"


def test_a_saved_graph_is_json_that_names_its_privacy(networks):
    works("train", "asia", "--method", "priv_pc", "--save", "graph.json", *networks)
    saved = json.loads(Path("graph.json").read_text())
    assert saved["algorithm"] == "priv_pc"
    assert "epsilon" in saved["guarantee"]
    assert len(saved["columns"]) == 8


@pytest.mark.usefixtures("variables")
def test_variants_that_are_refuted_are_not_printed_as_proved():
    for method, variant in [
        ("priv_pc", "score=published"),
        ("priv_pc", "separators=read"),
        ("lap_mech", "noise=published"),
    ]:
        text = works(*OWN, "--domain", "domain.yaml", "--method", method, "--set", variant).stdout
        (status,) = [line for line in text.splitlines() if line.startswith("status")]
        assert "proved" not in status, (method, variant, status)


@pytest.mark.usefixtures("variables")
def test_a_setting_of_the_data_set_is_its_own():
    text = works(
        "train",
        "synthetic_categorical",
        "--method",
        "pc",
        "--set",
        "nodes=2",
        "--set",
        "sparseness=1",
    ).stdout
    assert "true_edges 1.0000" in " ".join(text.split())
    assert "nodes must be an integer" in mistake(
        "train", "synthetic_categorical", "--method", "pc", "--set", "nodes=four"
    )


@pytest.mark.usefixtures("variables")
def test_a_method_of_another_kind_is_refused_with_those_that_there_are():
    message = mistake("train", "synthetic_categorical", "--method", "pflr")
    assert (
        "the algorithm pflr cannot be fitted to the data set synthetic_categorical "
        "(task causal_discovery): choose one of"
    ) in message
    assert "priv_pc" in message
    message = mistake("train", "adult", "--method", "pc")
    assert "cannot be fitted to the data set adult (task classification)" in message
    assert "pflr" in message


@pytest.mark.usefixtures("variables")
def test_the_wrong_kind_of_variables_names_the_method_for_them():
    assert "priv_pc_star" in mistake("train", "synthetic_gaussian", "--method", "priv_pc")
    assert "priv_pc" in mistake("train", "synthetic_categorical", "--method", "priv_pc_star")


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--eps", 0), ("epsilon", "positive", "0")),
        (("--eps", -1), ("epsilon", "positive", "-1")),
        (("--eps", "nan"), ("epsilon", "nan")),
        (("--set", "significance=0"), ("significance",)),
        (("--set", "significance=nan"), ("significance",)),
        (("--set", "score=exactt"), ("exactt", "exact")),
        (("--set", "scoree=exact"), ("scoree", "score")),
        (("--set", "orders=0"), ("orders",)),
        (("--set", "records_per_freedom=-1"), ("records_per_freedom",)),
    ],
    ids=str,
)
def test_a_wrong_option_of_priv_pc_is_one_line(option, words):
    line = mistake("train", "synthetic_categorical", "--method", "priv_pc", *option)
    assert all(word in line for word in words), line


@pytest.mark.usefixtures("variables")
def test_pc_refuses_a_significance_that_is_no_level():
    assert "significance" in mistake(
        "train", "synthetic_categorical", "--method", "pc", "--set", "significance=2"
    )


def test_misspelt_names_propose_the_nearest(networks):
    assert "'asia'" in mistake("train", "assia", "--method", "priv_pc", *networks)
    assert "'priv_pc'" in mistake("train", "asia", "--method", "privpc", *networks)
    assert "'lap_mech'" in mistake("train", "asia", "--method", "lapmech", *networks)


def test_a_network_that_is_not_here_says_how_to_get_it(variables):
    line = mistake("train", "asia", "--method", "pc", "--data-dir", variables)
    assert "dpfair fetch-data asia" in line


def test_a_damaged_network_is_refused(networks):
    path = Path(networks[1]) / "bnlearn" / "asia.bif"
    path.write_text(path.read_text().replace("0.05, 0.95", "0.06, 0.94"))
    assert "damaged" in mistake("train", "asia", "--method", "pc", *networks)


def test_lap_mech_on_alarm_is_refused_with_the_size_of_its_table(networks):
    assert "got 17,332,899,271,409,664" in mistake(
        "train", "alarm", "--method", "lap_mech", *networks
    )


@pytest.mark.usefixtures("variables")
def test_a_task_and_its_parameters_are_chosen_by_name():
    given = ("train", "block_model", "--method", "dpne", "--seed", "0", "--set", "dimension=4")
    links = works(*given, "--task", "link_prediction", "--set", "held_out=kept").stdout
    assert "auc" in links
    assert "macro_f1" in works(*given, "--set", "cost=2").stdout
    assert "unknown parameter" in mistake(*given, "--set", "held_out=kept")
