"""Stored tables: the files that are declared, which of them a run reads, and what is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog
from dpfair_cli.papers.pujol2023.formats.stored_files import STEMS, StoredFiles, read_codes
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
