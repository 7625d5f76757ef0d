"""The classifier with a domain file: bounds, levels, classes and groups by column names."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, estimator
from dpfair_cli.contracts.errors import DataWarning, DpfairError, PrivacyLeakWarning
from dpfair_cli.data_access import load, locate
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.release.predicting import predictions
from tests.commands.invoking import works
from tests.commands.material import DOMAIN, people, write

EXACT = {"epsilon": np.inf}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A frame of age, work, sex and rich, whose file and domain file are here."""
    monkeypatch.chdir(tmp_path)
    lines = people(200)
    write("own.csv", lines)
    Path("domain.yaml").write_text(DOMAIN)
    frame = pd.DataFrame(lines, columns=["age", "work", "sex", "rich"])
    return frame.assign(age=frame["age"].astype(int))


def fitted(table, method="functional_mechanism", params=None, *, columns=("age", "work"), **given):
    classifier = DpfairClassifier(method, params, domain="domain.yaml", **given)
    return classifier.fit(table[list(columns)], table["rich"], sensitive_features=table["sex"])


def leaks(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(entry.message) for entry in caught if entry.category is PrivacyLeakWarning]


@pytest.mark.parametrize("method", ["logistic_regression", "pflr", "dp_postprocessing"])
def test_it_is_the_fit_to_the_records_that_the_file_has_by_that_domain(table, method):
    exact = EXACT if catalog.algorithm(method).guarantee.is_private else {}
    model = fitted(table, method, exact)
    options = {"file": "own.csv", "label": "rich", "protected": "sex", "domain": "domain.yaml"}
    records = load(locate(catalog.data_set("csv", options), data_dir=Path()))
    wanted = catalog.algorithm(method).fit(records, **exact, rng=np.random.default_rng(0))
    assert model.origin_.columns == records.columns == ("age", "work=b", "work=c")
    probability = model.predict_proba(table[["age", "work"]], table["sex"])
    decided = wanted.predict(records)
    np.testing.assert_array_equal(probability[:, 1] > 0.5, decided > 0.5)
    assert model.groups_ == (
        ("f", "m") if catalog.algorithm(method).uses_groups else estimator.NO_GROUPS
    )


def test_what_the_file_says_is_public_and_what_it_does_not_say_is_a_leak(table):
    model, said = leaks(lambda: fitted(table, "pflr"))
    assert (model.origin_.guarantee.status, said) == ("proved", [])
    assert "in the file of domain" in model.origin_.guarantee.in_words()["public"]
    Path("domain.yaml").write_text(DOMAIN.replace("sex: {levels: [f, m]}\n", ""))
    model, said = leaks(lambda: fitted(table, "pflr"))
    assert model.origin_.guarantee.status == "void: groups from data"
    assert said[0].startswith("groups from data: no privacy guarantee applies")
    assert fitted(table, "pflr", groups=("f", "m")).origin_.guarantee.status == "proved"
    Path("domain.yaml").write_text(f"confirmed: no\n---\n{DOMAIN}")
    model, _ = leaks(lambda: fitted(table, "pflr"))
    assert model.origin_.guarantee.status == "not private: bounds from data"


def test_the_last_level_of_the_label_is_favourable_in_any_alphabet(table):
    yes = fitted(table, "logistic_regression")
    assert yes.classes_.tolist() == ["no", "yes"]
    Path("domain.yaml").write_text(DOMAIN.replace("[no, yes]", "[yes, no]"))
    no = fitted(table, "logistic_regression")
    assert no.classes_.tolist() == ["yes", "no"]
    X = table[["age", "work"]]
    np.testing.assert_allclose(no.decision_function(X), -yes.decision_function(X), atol=1e-6)
    assert (no.predict(X) == yes.predict(X)).all()
    assert yes.score(X, table["rich"]) > 0.7


def test_labels_may_be_numbers_and_a_number_among_levels_has_no_point(table):
    domain = "age: {low: 18, high: 90}\nkind: {levels: ['0', '1', '2']}\nrich: {levels: [0, 1]}\n"
    Path("domain.yaml").write_text(domain)
    changed = table.assign(
        rich=(table["rich"] == "yes").astype(int), kind=[float(k % 3) for k in range(len(table))]
    )
    model = fitted(changed, "logistic_regression", columns=("age", "kind"))
    assert model.classes_.tolist() == [0, 1]
    assert model.origin_.columns == ("age", "kind=1", "kind=2")
    X = model.domain_.records(model.domain_.cells(changed[["age", "kind"]])).X
    assert X[:3, 1:].tolist() == [[0, 0], [1, 0], [0, 1]]


def test_coefficients_are_in_units_of_columns_and_of_levels_0_or_1(table):
    model = fitted(table, "logistic_regression")
    assert (model.low_.tolist(), model.high_.tolist()) == ([18, 0, 0], [90, 1, 1])
    number = table["age"].to_numpy()
    levels = np.column_stack([table["work"] == "b", table["work"] == "c"])
    by_hand = np.column_stack([number, levels]) @ model.coef_[0] + model.intercept_
    np.testing.assert_allclose(model.decision_function(table[["age", "work"]]), by_hand, atol=1e-9)


def test_a_cell_outside_is_moved_inside_by_the_rule_of_files(table):
    model = fitted(table, "logistic_regression")
    asked = pd.DataFrame({"age": ["300", "90", "old", "54"], "work": ["a", "a", "z", "c"]})
    values = model.decision_function(asked)
    assert (values[0], values[2]) == (values[1], values[3])


def with_missing(table, key=", missing: yes"):
    """The table without the age of those who are rich, and with a key in the domain file."""
    Path("domain.yaml").write_text(DOMAIN.replace("90}", f"90{key}}}"))
    return table.assign(age=table["age"].where(table["rich"] == "no"))


@pytest.mark.parametrize("empty", [np.nan, None, pd.NA, "NA", "", "unknown"])
def test_a_missing_number_is_a_level_that_is_learned_from(table, empty):
    changed = with_missing(table)
    cells = changed["age"].astype(object).where(changed["age"].notna(), empty)
    model = fitted(changed.assign(age=cells), "logistic_regression")
    assert model.origin_.columns == ("age", "age is missing=yes", "work=b", "work=c")
    assert (model.n_features_in_, model.coef_.shape) == (2, (1, 4))
    X = changed[["age", "work"]]
    assert (model.predict(X) == changed["rich"]).all()
    changed.to_csv("own.csv", index=False)
    options = {"file": "own.csv", "label": "rich", "protected": "sex", "domain": "domain.yaml"}
    records = load(locate(catalog.data_set("csv", options), data_dir=Path()))
    assert np.array_equal(model.domain_.records(model.domain_.cells(X)).X, records.X)
    model.save("model.json")
    again = estimator.load("model.json")
    assert again.feature_names_in_.tolist() == ["age", "work"]
    assert again.predict(X).tolist() == changed["rich"].tolist()


def test_missing_numbers_that_are_no_level_are_asked_about(table):
    with pytest.warns(DataWarning) as caught:
        fitted(with_missing(table, key=""), "logistic_regression")
    said = "\n".join(str(one.message) for one in caught)
    assert "missing cells of age become 54, the middle of its range" in said
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted(with_missing(table), "logistic_regression")
    assert not [one for one in caught if "missing" in str(one.message)]


def test_a_saved_model_decides_about_a_file_of_raw_columns(table):
    model = fitted(table, "logistic_regression")
    model.save("model.json")
    found = predictions(Path("model.json"), "own.csv", data_dir=Path(), seed=0).table
    assert found["rich"].tolist() == model.predict(table[["age", "work"]]).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda table: fitted(table, columns=("age", "work", "rich2")),
            "has no entry for the column 'rich2': did you",
        ),
        (
            lambda table: fitted(table, low=0, high=1),
            "give either a domain file or the bounds",
        ),
        (
            lambda table: fitted(table, params={}, columns=()),
            "X must be a pandas DataFrame",
        ),
    ],
)
def test_what_does_not_fit_is_one_line(table, call, message):
    with pytest.raises((DpfairError, ValueError), match=message):
        call(table.assign(rich2=table["rich"]))


def test_an_array_has_no_names_and_rows_and_labels_must_fit(table):
    by_file = DpfairClassifier(domain="domain.yaml")
    with pytest.raises(DpfairError, match="X must be a pandas DataFrame with the column names"):
        by_file.fit(table[["age"]].to_numpy(), table["rich"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        by_file.fit(table[["age"]], table["rich"][:60])
    with pytest.raises(DpfairError, match=r"gone.yaml does not exist"):
        DpfairClassifier(domain="gone.yaml").fit(table[["age"]], table["rich"])


def test_a_loaded_classifier_decides_about_raw_columns(table):
    for method in ("logistic_regression", "dp_postprocessing"):
        exact = EXACT if catalog.algorithm(method).guarantee.is_private else {}
        model = fitted(table, method, exact)
        model.save("model.json", force=True)
        found, X = estimator.load("model.json"), table[["age", "work"]]
        np.testing.assert_array_equal(
            found.predict_proba(X, table["sex"]), model.predict_proba(X, table["sex"])
        )
        assert found.predict(X, table["sex"]).tolist() == model.predict(X, table["sex"]).tolist()


@pytest.mark.usefixtures("table")
def test_what_train_saved_is_loaded_and_a_model_of_a_data_set_is_not(table):
    names = ("--label", "rich", "--protected", "sex", "--domain", "domain.yaml")
    works("train", "own.csv", *names, "--method", "logistic_regression", "--save", "own.json")
    decided = predictions(Path("own.json"), "own.csv", data_dir=Path(), seed=0).table["rich"]
    assert estimator.load("own.json").predict(table[["age", "work"]]).tolist() == decided.tolist()
    works("train", "adult", "--method", "logistic_regression", "--save", "made.json")
    with pytest.raises(DpfairError, match="fitted to the data set adult: use `dpfair predict"):
        estimator.load("made.json")


def test_cells_outside_the_domain_are_told_as_for_a_file(table):
    model = fitted(table, "logistic_regression")
    asked = pd.DataFrame({"age": [300, 40], "work": ["a", "z"]})
    with pytest.warns(DataWarning, match="X: cells outside .*1 of 2 in age, such as '300'; 1 of 2"):
        model.predict(asked)
