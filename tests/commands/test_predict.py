"""dpfair predict: a saved model decides about the people of another file as it did in training."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.data_access import load, locate
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.release import model_files
from tests import made_files
from tests.commands.invoking import mistake, works
from tests.commands.material import COLUMNS, DOMAIN, PUBLIC, people, write

# classifiers that train on a machine without torch, and keep no people
NEVER_SAVED = {"copied_data", "independent_columns"}  # their result is a table of records
EVERY = [
    name
    for name in catalog.algorithms.names
    if matching.can_score(catalog.study("classification"), catalog.algorithm(name))
    and not catalog.algorithm(name).needs
    and name not in NEVER_SAVED
]


def train(method, *more, table="own.csv", columns=PUBLIC):
    """Train and save a model of the method, without noise where it can be."""
    given = ("--eps", "inf") if catalog.algorithm(method).guarantee.is_private else ()
    batch = (
        ("--set", "batch_size=10") if "batch_size" in catalog.algorithm(method).parameters else ()
    )
    save = ("--save", "model.json", "--force")
    works("train", table, *columns, "--method", method, *given, *batch, *save, *more)


def predicted(file, *options, separator=","):
    """The table that is written."""
    works("predict", "model.json", file, "--out", "out.csv", "--force", *options)
    return pd.read_csv("out.csv", sep=separator)


ROWS = 1_000  # with 300 a rule may predict the same class for all


@pytest.mark.parametrize("name", made_files.WRITERS)
@pytest.mark.usefixtures("place")
def test_tables_as_they_are_distributed_go_from_draft_to_decisions(name):
    label, positive, protected = made_files.ROLES[name]
    file = made_files.write(Path(), name, ROWS)
    roles = ("--label", label, "--protected", protected)
    domain = works("domain", file, *roles, "--positive", positive).stderr.splitlines()[0]
    columns = (*roles, "--domain", domain)
    sweep = works(
        "sweep", file, *columns, "--eps", "10", "--runs", "1", "--jobs", "1", "--out", "out"
    )
    assert "logistic_regression" in sweep.stdout
    train("logistic_regression", table=str(file), columns=columns)
    found = predicted(file, separator=made_files.SEPARATORS[name])
    assert list(found) == [label, f"probability of {positive}"]
    assert len(found) == ROWS
    truth = [
        line.split(made_files.SEPARATORS[name])[-1].strip(' "')
        for line in file.read_text().split("\n")
        if line
    ]
    right = np.mean(
        [str(one) == other for one, other in zip(found[label], truth[-ROWS:], strict=True)]
    )
    most = max(truth[-ROWS:].count(value) for value in set(truth[-ROWS:])) / ROWS
    assert right > most  # better than a constant: labels and columns are not mixed up


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.usefixtures("own")
def test_every_classifier_can_be_saved_and_decides_as_it_did(method):
    train(method, "--seed", "1")
    content = json.loads(Path("model.json").read_text())
    assert content["model"]["form"] in catalog.models.names
    assert set(content["table"]) == {"attributes", "label", "protected", "form", "encoding"}
    found = predicted("own.csv", "--seed", "0")
    probability = found["probability of yes"]
    assert set(found["rich"]) <= {"no", "yes"}
    assert probability.between(0, 1).all()
    sure = probability.isin([0, 1])
    assert (found["rich"][sure] == np.where(probability[sure] == 1, "yes", "no")).all()
    assert predicted("own.csv", "--seed", "0").equals(found)


@pytest.mark.usefixtures("own")
def test_label_unused_group_and_column_order_are_optional():
    train("pflr", "--seed", "1")
    everything = predicted("own.csv")
    write("new.csv", [[line[1], line[0]] for line in people()], ("work", "age"))
    assert predicted("new.csv").equals(everything)
    train("dp_postprocessing", "--seed", "1")
    assert "new.csv lacks the column 'sex'" in mistake("predict", "model.json", "new.csv")


@pytest.mark.usefixtures("own")
def test_a_cell_outside_the_domain_is_moved_inside_as_in_training():
    train("pflr", "--seed", "1")
    lines = [["300", "a", "f"], ["90", "a", "f"], ["old", "z", "f"], ["54", "c", "f"]]
    write("new.csv", lines, ("age", "work", "sex"))
    decisions = predicted("new.csv")["rich"].tolist()
    assert decisions[0] == decisions[1]
    assert decisions[2] == decisions[3]


@pytest.mark.usefixtures("place")
def test_a_file_without_a_heading_is_read_like_the_training_file():
    label, positive, protected = made_files.ROLES["german"]
    file = made_files.write(Path(), "german")
    columns = ("--label", label, "--protected", protected, "--positive", positive)
    train("logistic_regression", table=str(file), columns=columns)
    found = predicted(file, separator=" ")
    Path("new.data").write_text(
        "".join(f"{line.rpartition(' ')[0]}\n" for line in file.read_text().splitlines())
    )
    assert predicted("new.data", separator=" ").equals(found)
    Path("short.data").write_text("A11 6 A34\n")
    assert "must have 21 columns, or one less without the label, got 3" in mistake(
        "predict", "model.json", "short.data"
    )


@pytest.mark.usefixtures("own")
def test_decisions_have_the_dialect_of_the_table_that_was_predicted():
    Path("domain.yaml").write_text(DOMAIN.replace("[no, yes]", "[nein, m\u00f6glich]"))
    words = {"no": "nein", "yes": "m\u00f6glich"}
    lines = [[*line[:3], words[line[3]]] for line in people()]
    write("own.csv", lines)
    train("logistic_regression")
    commas = [";".join([f"{line[0]},5", *line[1:]]) for line in lines]
    text = "\n".join(["age;work;sex;rich", *commas])
    Path("new.csv").write_bytes(text.encode("latin-1"))
    printed = works("predict", "model.json", "new.csv").stdout
    works("predict", "model.json", "new.csv", "--out", "out.csv")
    assert Path("out.csv").read_bytes() == printed.encode("latin-1")
    found = pd.read_csv("out.csv", sep=";", decimal=",", encoding="latin-1")
    assert list(found) == ["rich", "probability of m\u00f6glich"]
    assert found["probability of m\u00f6glich"].between(0, 1).all()  # numbers


@pytest.mark.usefixtures("own")
def test_a_randomised_rule_is_drawn_as_often_as_it_says():
    lines = [
        [*line[:3], "no" if line[2] == "f" and k % 3 else line[3]]
        for k, line in enumerate(people(3000))
    ]
    write("many.csv", lines)
    train("dp_postprocessing", "--seed", "1", "--set", "fairness_gap=0.01", table="many.csv")
    found = predicted("many.csv", "--seed", "4")
    probability = found["probability of yes"]
    assert ((probability > 0.01) & (probability < 0.99)).any()
    spread = np.sqrt((probability * (1 - probability)).sum())
    assert abs((found["rich"] == "yes").sum() - probability.sum()) < 5 * spread


@pytest.mark.usefixtures("own")
def test_a_classifier_of_arrays_decides_about_a_file_of_its_features():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 9, (200, 2)), columns=["age", "hours"])
    y = np.where(X["age"] + rng.normal(0, 1, 200) > 5, "rich", "poor")
    fitted = DpfairClassifier("logistic_regression", low=0, high=9).fit(X, y)
    fitted.save("model.json")
    X.to_csv("new.csv", index=False)
    assert predicted("new.csv")["decision"].tolist() == fitted.predict(X).tolist()


@pytest.mark.parametrize("method", ["pflr", "dp_postprocessing"])
@pytest.mark.usefixtures("own")
def test_a_model_of_a_data_set_decides_about_its_people_by_name(method):
    here = ("--data-dir", "none", "--seed", "1")
    works("train", "adult", "--method", method, *here, "--eps", "inf", "--save", "model.json")
    result = works("predict", "model.json", "adult", *here)
    assert result.stderr == "DataWarning: adult: REPLICA: synthetic data, not the real records\n"
    found = pd.read_csv(StringIO(result.stdout))
    located = locate(catalog.data_set("adult"), data_dir=Path("none"), replica_ok=True)
    probability = model_files.load("model.json").predict(load(located))
    np.testing.assert_allclose(found["probability of 1"], probability, rtol=1e-12)
    sure = np.isin(probability, [0, 1])
    assert (found["decision"][sure] == probability[sure]).all()


@pytest.mark.usefixtures("own")
def test_what_cannot_decide_is_one_line():
    works("train", "adult", "--method", "pflr", "--data-dir", "none", "--save", "model.json")
    assert mistake("predict", "model.json", "own.csv") == (
        "the model was trained on the data set adult, not on a file: give the name of a data set "
        "with the same columns, such as adult, or train a model on a file of your own"
    )
    assert "model.json has other columns than dutch" in mistake(
        "predict", "model.json", "dutch", "--data-dir", "none"
    )
    assert "the data set cora has no records to decide about" in mistake(
        "predict", "model.json", "cora"
    )
    train("pflr")
    assert "gone.csv does not exist" in mistake("predict", "model.json", "gone.csv")
    content = json.loads(Path("model.json").read_text())
    del content["crc32"]  # as in older files, whose content alone is checked
    for damage in ({"table": 3}, {"table": {}}, {"columns": ["age"]}):
        Path("model.json").write_text(json.dumps(content | damage))
        assert "is damaged" in mistake("predict", "model.json", "own.csv")
    assert "must be a dpfair model" in mistake("predict", "own.csv", "own.csv")
    works(
        "train",
        "synthetic_categorical",
        "--method",
        "pc",
        "--set",
        "nodes=3",
        "--save",
        "graph.json",
    )
    assert (
        mistake("predict", "graph.json", "own.csv")
        == "the model in graph.json must be a classifier, got a graph: train a method that makes "
        "decisions"
    )


@pytest.mark.usefixtures("own")
def test_a_model_says_of_its_table_what_the_domain_file_says_and_no_path():
    train("pflr", "--seed", "1")
    table = json.loads(Path("model.json").read_text())["table"]
    assert table["attributes"] == {
        "age": {"low": 18.0, "high": 90.0, "bins": []},
        "work": {"levels": ["a", "b", "c"]},
    }
    assert table["protected"] == {"name": "sex", "groups": ["f", "m"], "levels": ["f", "m"]}
    assert "own" not in json.dumps(table)
    Path("domain.yaml").write_text(
        DOMAIN.replace("sex: {levels: [f, m]}", "sex: {low: 0, high: 9, bins: [0, 5]}")
    )
    train("pflr", "--seed", "1")
    assert len(predicted("own.csv")) == 60


@pytest.mark.usefixtures("own")
def test_without_a_domain_file_a_model_predicts_but_is_not_private():
    train("functional_mechanism", columns=COLUMNS)
    assert json.loads(Path("model.json").read_text())["guarantee"]["status"].startswith(
        "not private"
    )
    assert len(predicted("own.csv")) == 60


@pytest.mark.usefixtures("place")
def test_cells_that_are_replaced_are_counted_by_column():
    rows = [f"{20 + k % 40},{k % 2},{'mf'[k % 2]},{k % 3 % 2}" for k in range(60)]
    rows = ["age,job,sex,hired", *rows]
    Path("t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    domain = "age: {low: 20, high: 60}\njob: {levels: [0, 1]}\nsex: {levels: [m, f]}\n"
    Path("t.yaml").write_text(domain + "hired: {levels: [0, 1]}\n", encoding="utf-8")
    roles = ("--label", "hired", "--protected", "sex", "--domain", "t.yaml")
    train("logistic_regression", table="t.csv", columns=roles)
    same = [line.replace(",1,", ",1.0,").replace(",0,", ",0.0,") for line in rows]
    Path("same.csv").write_text("\n".join(same) + "\n", encoding="utf-8")
    Path("other.csv").write_text("age,job\n20 years,1\n30,yes\n40,0\nold,\n", encoding="utf-8")
    plain, floats = (works("predict", "model.json", name) for name in ("t.csv", "same.csv"))
    assert floats.stdout == plain.stdout
    assert "replaced" not in floats.stderr
    said = works("predict", "model.json", "other.csv").stderr
    assert "2 of 4 in age, such as '20 years'; 2 of 4 in job, such as 'yes'" in said
