"""A fit to a table that workers read in parts is the same release as the fit in memory."""

import math
import re
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.release import table_on_cluster, training
from dpfair_cli.running.pool import Workers
from tests.release.processes_here import Here, cut_at
from tests.running.own_sweeps import DOMAIN, table

METHODS = [
    name
    for name in catalog.algorithms.names
    if PartitionedRecords in matching.fitted_types(catalog.algorithm(name))
]
TOLERANCE = 1e-9  # sums are added up in another order; relative to the largest weight
BYTES = 400  # of a part: 300 rows are 9 parts


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A table of 300 rows with a domain file."""
    (tmp_path / "own.csv").write_text(table(300))
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    monkeypatch.setattr(table_on_cluster, "cut", cut_at(BYTES))
    files = {"file": str(tmp_path / "own.csv"), "domain": str(tmp_path / "domain.yaml")}
    return catalog.data_set("csv", {**files, "label": "rich", "protected": "sex"})


def trained(data, method, tmp_path, seed=3, **params):
    """The trained model and the releases of its fit."""
    with record() as tape:
        chosen = catalog.method(method, params)
        model = training.train(data, chosen, seed=seed, data_dir=tmp_path)
    return model, tape


def state(model):
    return np.concatenate([np.ravel(value) for value in model.model.state().values()])


def test_the_methods_are_those_that_need_sums_only():
    assert {"functional_mechanism", "pflr", "pflr_star", "pdfc", "adfc"} <= {*METHODS}
    assert not {"dpsgd", "logistic_regression", "output_perturbation"} & {*METHODS}


@pytest.mark.parametrize("method", METHODS)
def test_the_fit_is_that_in_memory_up_to_the_order_of_sums(data, tmp_path, method):
    params = {"sensitivity": "tight"} if method in ("pdfc", "adfc") else {}
    if "steps" in catalog.algorithm(method).parameters:
        params["steps"] = 5  # each of them reads the table
    whole, noise = trained(data, method, tmp_path, **params)
    parted, noise_in_parts = trained(
        table_on_cluster.on_cluster(data, Here()), method, tmp_path, **params
    )
    scale = np.abs(state(whole)).max()
    assert np.allclose(state(parted), state(whole), rtol=0, atol=TOLERANCE * scale)
    assert parted.scores == whole.scores
    assert parted.origin == whole.origin
    assert len(noise) == len(noise_in_parts)
    for one, other in zip(noise, noise_in_parts, strict=True):
        assert (one.mechanism, one.sensitivity, one.scale) == (
            other.mechanism,
            other.sensitivity,
            other.scale,
        )
        assert np.allclose(one.value, other.value, rtol=0, atol=TOLERANCE * 300)


@pytest.mark.parametrize("fairness", ["penalty", "shift", "drift"])
def test_without_noise_every_fairness_term_is_that_in_memory(data, tmp_path, fairness):
    params = {"fairness": fairness, "epsilon": math.inf}
    whole, _ = trained(data, "pflr", tmp_path, **params)
    parted, _ = trained(table_on_cluster.on_cluster(data, Here()), "pflr", tmp_path, **params)
    assert np.allclose(state(parted), state(whole), rtol=TOLERANCE, atol=TOLERANCE)


def test_each_query_is_released_once_for_all_parts(data, tmp_path):
    _, releases = trained(table_on_cluster.on_cluster(data, Here()), "pflr_star", tmp_path)
    assert [one.mechanism for one in releases] == ["laplace", "laplace"]


def test_two_processes_give_the_bytes_of_one(data, tmp_path):
    one, _ = trained(table_on_cluster.on_cluster(data, Here()), "pflr", tmp_path)
    with Workers(jobs=2) as workers:
        two, _ = trained(table_on_cluster.on_cluster(data, workers), "pflr", tmp_path)
    assert state(one).tobytes() == state(two).tobytes()


def test_the_ledger_hears_the_number_of_training_records_before_the_fit(data, tmp_path):
    heard = []
    with record() as tape:
        training.train(
            table_on_cluster.on_cluster(data, Here()),
            catalog.method("pflr", {}),
            seed=1,
            data_dir=tmp_path,
            before_fit=lambda records, broken: heard.append((records, len(tape))),
        )
    assert heard == [(240, 0)]  # four fifths of 300 records, and no release yet


def test_a_table_that_changes_between_two_sums_is_refused(data, tmp_path):
    def change(records, broken):
        (tmp_path / "own.csv").write_text(table(300, seed=1))

    with pytest.raises(DpfairError, match="changed while the command ran"):
        training.train(
            table_on_cluster.on_cluster(data, Here()),
            catalog.method("pflr", {}),
            seed=1,
            data_dir=tmp_path,
            before_fit=change,
        )


def test_a_table_that_changes_after_the_last_sum_is_refused(data, tmp_path):
    on_cluster = table_on_cluster.on_cluster(data, Here())
    located = training.locate(on_cluster, data_dir=tmp_path)
    (tmp_path / "own.csv").write_text(table(300, seed=1))
    with pytest.raises(DpfairError, match="was changed while the model was trained"):
        training.require_unchanged(located)


def test_the_profile_has_the_counts_of_the_whole_table(data, tmp_path):
    misspelt = table(300).replace(",a,", ",A2,").replace("yes", "Yess")
    (tmp_path / "own.csv").write_text(misspelt)
    profile = table_on_cluster.on_cluster(data, Here()).source.profile(**data.options)
    whole = data.source.profile(**data.options)
    same = ("label", "groups", "bounds", "outside")
    assert [profile.facts[name] for name in same] == [whole.facts[name] for name in same]
    assert profile.records == whole.records == 300
    assert re.match(r"300 rows, none left out, in 9 parts", profile.facts["file"])


def test_a_method_that_needs_all_records_is_refused_with_those_that_do_not():
    table_on_cluster.require_sums(catalog.algorithm("pflr"))
    with pytest.raises(DpfairError, match=r"dpsgd needs all records .* functional_mechanism, .*"):
        table_on_cluster.require_sums(catalog.algorithm("dpsgd"))


def test_a_table_without_a_domain_file_is_refused(data):
    leaking = replace(data, options={**data.options, "domain": ""})
    with pytest.raises(DpfairError, match="only with --domain"):
        table_on_cluster.on_cluster(leaking, Here())


@contextmanager
def cluster_of_two():
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="500MB", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.filterwarnings("ignore")
def test_two_workers_of_dask_give_the_bytes_of_one_process(data, tmp_path):
    one, _ = trained(table_on_cluster.on_cluster(data, Here()), "pflr_star", tmp_path)
    with cluster_of_two() as address, Workers(cluster=address) as workers:
        two, _ = trained(table_on_cluster.on_cluster(data, workers), "pflr_star", tmp_path)
    assert state(one).tobytes() == state(two).tobytes()
    assert one.scores == two.scores
