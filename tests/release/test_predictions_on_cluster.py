"""The decisions about a table in parts are those about the whole table, for every classifier."""

import warnings
from functools import partial

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats.table_in_model import read_others
from dpfair_cli.release import model_files, table_on_cluster, training
from dpfair_cli.release.predicting import predictions
from dpfair_cli.release.table_on_cluster import read_others_on_cluster
from tests.release.processes_here import Here, cut_at
from tests.running.own_sweeps import DOMAIN, table

SOURCE, STUDY = catalog.data_source("csv"), catalog.study("classification")
SHORT = {"epochs": 1, "batch_size": 50}


def is_saved_classifier(algorithm):
    fits = matching.can_fit(algorithm, SOURCE) and matching.can_score(STUDY, algorithm)
    return fits and matching.can_be_saved(algorithm) and not algorithm.needs


METHODS = [
    name for name in catalog.algorithms.names if is_saved_classifier(catalog.algorithm(name))
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(table_on_cluster, "cut", cut_at(300))
    (tmp_path / "own.csv").write_text(table(300))
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    (tmp_path / "others.csv").write_text(table(150, seed=4).replace(",c,", ",C2,"))
    files = {"file": str(tmp_path / "own.csv"), "domain": str(tmp_path / "domain.yaml")}
    options = {**files, "label": "rich", "protected": "sex"}
    return lambda **more: catalog.data_set("csv", {**options, **more})


def saved(data, name, folder):
    """The path of a saved model of a method."""
    algorithm = catalog.algorithm(name)
    short = {key: value for key, value in SHORT.items() if key in algorithm.parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trained = training.train(
            data(**algorithm.data_options), catalog.method(name, short), seed=1, data_dir=folder
        )
    model_files.write(folder / "model.json", trained.model, trained.origin)
    return folder / "model.json"


def predicted(model, folder, read):
    """The decisions with a known seed, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = predictions(model, str(folder / "others.csv"), data_dir=folder, seed=2, read=read)
    return found.table.to_csv(), [str(one.message) for one in caught]


@pytest.mark.parametrize("name", METHODS)
def test_the_decisions_are_those_of_the_whole(data, tmp_path, name):
    model = saved(data, name, tmp_path)
    whole = predicted(model, tmp_path, read_others)
    assert predicted(model, tmp_path, partial(read_others_on_cluster, workers=Here())) == whole
    assert "in work, such as 'C2'" in whole[1][0]


def test_a_file_without_a_feature_is_refused(data, tmp_path):
    model = saved(data, "pflr", tmp_path)
    (tmp_path / "others.csv").write_text("age\n30\n")
    with pytest.raises(DpfairError, match=r"others.csv lacks the column 'work'"):
        predicted(model, tmp_path, partial(read_others_on_cluster, workers=Here()))


def test_a_damaged_model_is_refused_as_in_memory(data, tmp_path):
    model = saved(data, "pflr", tmp_path)
    read = partial(read_others_on_cluster, workers=Here())
    text = model.read_text()
    model.write_text(text.replace('"crc32"', '"other"'))
    with pytest.raises(DpfairError, match="is damaged"):
        predicted(model, tmp_path, read)


def test_there_are_many_classifiers():
    assert {"pflr", "dpsgd", "logistic_regression", "majority_class"} <= {*METHODS}
    assert np.unique(METHODS).size == len(METHODS)
