"""Stored tables: the files that are declared, which of them a run reads, and what is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog
from dpfair_cli.papers.pujol2023.formats.stored_files import STEMS, StoredFiles, read_codes
from dpfair_cli.papers.pujol2023.methods.stored_classifier import RoundedRegression
from dpfair_cli.papers.pujol2023.models.stored_tables import LEVELS, TABLES, StoredTables


def written(file, **codes):
    """A file of one record with the code 0, but for `codes`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame([dict.fromkeys(LEVELS, 0) | codes]).to_csv(file, index=False)
    return file


def numbered(number, folder, epsilon):
    """The tables with the number of the run, as a study passes them to a fit."""
    (rng,) = np.random.default_rng(number).spawn(1)
    tables = StoredTables(np.zeros((1, 14), dtype=np.int64), StoredFiles(folder, epsilon))
    return catalog.study("stored_distances").split(tables, rng=rng).train


def test_ten_tables_of_each_kind_are_declared():
    files = [one.path for one in catalog.data_source("prefair_adult").files]
    kinds = Counter(path.rpartition("_")[0] for path in files if path != "prefair/adult.csv")
    assert set(kinds.values()) == {TABLES}
    assert len(kinds) == len(STEMS) * (5 + 3)  # values of epsilon of each list


def test_a_run_reads_the_table_with_its_own_number(tmp_path):
    for number in (3, 4):
        written(tmp_path / f"original/eps=0.1/results_original_{number}.csv", age=number)
    written(tmp_path / "original/small_admis/eps=0.1/results_original_4.csv", age=7)
    fit = catalog.algorithm("stored_synthetic").fit
    rng = np.random.default_rng(0)
    for number, admissible, age in ((3, "seven", 3), (4, "seven", 4), (4, "two", 7)):
        tables = numbered(number, tmp_path, epsilon=0.1)
        assert fit(tables, admissible=admissible, rng=rng).codes[0, 0] == age


def test_there_is_no_eleventh_table(tmp_path):
    with pytest.raises(ValueError, match="there are 10 stored tables"):
        numbered(TABLES, tmp_path, epsilon=1.0)


@pytest.mark.parametrize("codes", [{"sex": 2}, {"age": -1}, {"age": 0.5}])
def test_a_code_that_an_attribute_does_not_have_is_refused(tmp_path, codes):
    with pytest.raises(ValueError, match="a code that its attribute does not have"):
        read_codes(written(tmp_path / "table.csv", **codes))


def test_a_prediction_is_rounded_to_a_decision(tmp_path):
    """Label = sex on both records, so that least squares predicts 0 and 1."""
    file = written(tmp_path / "original/eps=1/results_original_0.csv")
    one = pd.read_csv(file)
    own = pd.concat([one, one.assign(**{"sex": 1, "income>50K": 1})])
    own.to_csv(file, index=False)
    fit = catalog.algorithm("stored_classifier").fit
    model = fit(numbered(0, tmp_path, epsilon=1.0), rng=np.random.default_rng(0))
    assert model.decide(own.to_numpy()[:, :-1]).tolist() == [0, 1]


def five_people():
    """The codes of two women with the labels 0 and 1, and of three men with 1, 1 and 0."""
    original = np.zeros((5, 14), dtype=np.int64)
    original[:, [*LEVELS].index("sex")] = [0, 0, 1, 1, 1]
    original[:, -1] = [0, 1, 1, 1, 0]
    return original


def test_a_run_averages_the_scores_of_the_first_tables(tmp_path):
    """Two tables of a woman and a man: the label is the sex in the one, and 0 in the other."""
    for number, labels in enumerate([(0, 1), (0, 0)]):
        file = written(tmp_path / f"original/eps=1/results_original_{number}.csv")
        one = pd.read_csv(file)
        both = pd.concat([one.assign(**{"sex": k, "income>50K": labels[k]}) for k in (0, 1)])
        both.to_csv(file, index=False)
    tables = StoredTables(five_people(), StoredFiles(tmp_path, 1.0))
    task = catalog.study("averaged_decisions")
    case = task.split(tables, number=2, rng=np.random.default_rng(0))
    fit = catalog.algorithm("stored_classifier").fit
    found = task.study(fit, case, rng=np.random.default_rng(0)).scores
    # decisions 0, 0, 1, 1, 1 and 0, 0, 0, 0, 0
    assert found["accuracy"] == pytest.approx((3 / 5 + 2 / 5) / 2)
    assert found["demographic_parity"] == pytest.approx((1 + 0) / 2)
    # of women 1/2 and 1/2, of men 2/3 and 1/3
    assert found["accuracy_difference"] == pytest.approx(1 / 6)


def test_forests_of_a_run_have_different_seeds(tmp_path):
    seeds = []

    def fit(tables, *, rng):
        seeds.append((tables.number, rng.integers(2**32)))
        return RoundedRegression(Decides(), (0,))

    tables = StoredTables(five_people(), StoredFiles(tmp_path, 1.0))
    task = catalog.study("averaged_decisions")
    case = task.split(tables, rng=np.random.default_rng(0))
    task.study(fit, case, rng=np.random.default_rng(0))
    assert [number for number, _ in seeds] == [*range(TABLES)]
    assert len({seed for _, seed in seeds}) == TABLES


class Decides:
    """A regression that predicts 0."""

    def predict(self, features):
        return np.zeros(len(features))


def test_the_forest_of_a_run_follows_its_seed():
    tables = StoredTables(
        np.zeros((1, 14), dtype=np.int64),
        lambda synthesiser, admissible, number: np.random.default_rng(3).integers(
            [*LEVELS.values()], size=(60, 14)
        ),
    )
    fit = catalog.algorithm("stored_classifier").fit
    features = tables.synthetic("MST", "seven")[:, :-1]
    one, again, other = (
        fit(tables, learner="random forest", rng=np.random.default_rng(seed)).regression
        for seed in (0, 0, 1)
    )
    assert (one.predict(features) == again.predict(features)).all()
    assert (one.predict(features) != other.predict(features)).any()
