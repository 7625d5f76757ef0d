"""Commands use one row of each person, if the domain file names them, and say what they promise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.estimator import load as load_classifier
from tests.commands.invoking import mistake, preview_of, works
from tests.commands.material import COLUMNS, DOMAIN, PUBLIC, people

ROW = "one record; a person with k records (rows) has k times this epsilon"
DELTA = f"{ROW} and k e^((k - 1) epsilon) times this delta"
PERSON = "one person (column patient); the set of persons is public"
QUESTION = "patient has 200 different values in 1,000 rows: "
WITH_PERSON = f"person: patient\n---\n{DOMAIN}"


def table():
    """200 patients with five rows each."""
    frame = pd.DataFrame(people(1000), columns=["age", "work", "sex", "rich"])
    patients = np.random.default_rng(0).permutation(np.repeat(np.arange(100200, 100400), 5))
    return frame.assign(patient=patients)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("own.csv", index=False)
    Path("domain.yaml").write_text(DOMAIN)


def trained(*options, method="pflr"):
    found = works("train", "own.csv", *PUBLIC, "--method", method, "--json", *options)
    return json.loads(found.stdout), preview_of(found.stderr)


def test_without_the_key_the_guarantee_is_of_a_row_and_a_question_names_the_key():
    found, shown = trained("--save", "a.json")
    assert found["guarantee"]["protects"] == ROW
    assert json.loads(Path("a.json").read_text())["guarantee"]["protects"] == ROW
    (asked,) = [line for line in shown if "person" in line]
    assert asked.startswith(f"  ? {QUESTION}")  # also of a column that is not used
    assert trained(method="dp_whitened_descent")[0]["guarantee"]["protects"] == DELTA


def test_with_the_key_everything_is_of_one_row_of_each_person():
    Path("domain.yaml").write_text(WITH_PERSON)
    found, shown = trained("--save", "a.json", "--release-scores", "1")
    assert found["guarantee"]["protects"] == PERSON
    tested = found["rates"]["selection rate"]["groups"]
    assert sum(group["records"] for group in tested) == 40
    assert "file      200 rows, one of each patient;" in shown[0]
    assert [line for line in shown if "patient" in line] == [shown[0]]
    saved = json.loads(Path("a.json").read_text())
    assert "patient" not in saved["table"]["attributes"]
    delta = trained(method="dp_whitened_descent")[0]["guarantee"]["delta"]
    assert float(delta) <= 1 / (10 * 200)


def test_the_draft_asks_about_numbers_and_texts_and_names_the_key():
    assert f"? {QUESTION}" in works("domain", "own.csv", *COLUMNS, "--out", "a.yaml").stdout
    table().assign(patient=[f"P{k}" for k in table()["patient"]]).to_csv("own.csv", index=False)
    drafted = works("domain", "own.csv", *COLUMNS, "--out", "b.yaml").stdout
    assert f"? {QUESTION}" in drafted
    assert "write `person: patient` above the line `---`" in drafted
    Path("b.yaml").write_text(f"person: patient\n{Path('b.yaml').read_text()}")
    assert "person: patient" in works("domain", "--confirm", "b.yaml").stdout
    assert Path("b.yaml").read_text().startswith("confirmed: yes\nperson: patient\n---\n")


def test_rows_without_a_person_count_as_one_person_and_are_asked_about():
    frame = table()
    frame["patient"] = frame["patient"].astype(str).where(frame.index % 10 > 0, "")
    frame.to_csv("own.csv", index=False)
    Path("domain.yaml").write_text(WITH_PERSON)
    _, shown = trained()
    persons = frame["patient"].nunique()  # with the empty one
    assert f"  file      {persons} rows, one of each patient;" in shown[0]
    (asked,) = [line for line in shown[1:] if "patient" in line]
    assert asked.startswith("  ? 100 rows have no patient and count as rows of one person")


def test_a_choice_a_sweep_and_an_audit_use_one_row_of_each_person():
    Path("domain.yaml").write_text(WITH_PERSON)
    own = ("own.csv", *PUBLIC)
    chosen = works("choose", *own, "--method", "pflr", "--eps", "3", "--save", "a.json", "--json")
    assert json.loads(chosen.stdout)["guarantee"]["protects"] == PERSON
    swept = works(
        *("sweep", *own, "--runs", "1", "--jobs", "1", "--eps", "1", "--out", "out"),
    )
    assert "200 rows, one of each patient;" in preview_of(swept.stderr)[0]
    works("audit", "pflr", *own, "--neighbours", "2")


def test_a_table_of_variables_is_asked_about_and_has_one_row_of_each_person():
    discovery = ("train", "own.csv", "--method", "priv_pc", "--domain", "domain.yaml")
    text = "work: {levels: [a, b, c]}\nsex: {levels: [f, m]}\nrich: {levels: [no, yes]}\n"
    Path("domain.yaml").write_text(text)
    (asked,) = [line for line in preview_of(works(*discovery).stderr) if "person" in line]
    assert asked.startswith(f"  ? {QUESTION}")
    Path("domain.yaml").write_text(f"person: patient\n---\n{text}")
    found = works(*discovery, "--json")
    assert "200 rows, one of each patient;" in preview_of(found.stderr)[0]
    assert json.loads(found.stdout)["guarantee"]["protects"] == PERSON


def test_a_table_of_persons_is_not_read_in_parts():
    Path("domain.yaml").write_text(WITH_PERSON)
    message = mistake("train", "own.csv", *PUBLIC, "--cluster", "tcp://127.0.0.1:1")
    assert "one row of each patient is used" in message
    assert "leave out --cluster" in message


def test_the_estimator_fits_to_one_row_of_each_person():
    Path("domain.yaml").write_text(WITH_PERSON)
    frame, names = table(), ["age", "work", "patient"]
    # the persons in another order, each with the rows in the same order
    parts = [part for _, part in frame.groupby("patient")]
    moved = pd.concat(parts[::-1])
    public = DpfairClassifier("logistic_regression", domain="domain.yaml")
    coefficients = public.fit(frame[names], frame["rich"]).coef_.copy()
    assert np.array_equal(public.fit(moved[names], moved["rich"]).coef_, coefficients)
    first = pd.concat([part.head(1) for part in parts])
    assert not np.array_equal(public.fit(first[names], first["rich"]).coef_, coefficients)
    with pytest.raises(DpfairError, match="X lacks the column 'patient'"):
        public.fit(frame[["age", "work"]], frame["rich"])


def test_the_estimator_states_what_it_protects():
    Path("domain.yaml").write_text(WITH_PERSON)
    frame, names = table(), ["age", "work", "patient"]
    private = DpfairClassifier("pflr", domain="domain.yaml")
    private.fit(frame[names], frame["rich"], sensitive_features=frame["sex"])
    assert private.origin_.guarantee.protects == PERSON
    assert len(private.predict(frame[names])) == 1000
    private.save("a.json")
    assert list(load_classifier("a.json").feature_names_in_) == ["age", "work"]
