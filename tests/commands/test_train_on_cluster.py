"""`dpfair train --cluster`: a table in parts, its ledger, and what is refused before a fit."""

import json
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works
from tests.running.own_sweeps import DOMAIN, table

OWN = ("own.csv", "--label", "rich", "--protected", "sex")
TRAIN = ("train", *OWN, "--domain", "domain.yaml")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def address():
    """The address of a cluster with two workers in this process."""
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(table(300))
    Path("domain.yaml").write_text(DOMAIN)


def test_a_model_is_saved_with_its_guarantee_and_paid_once(address):
    works("budget", "init", "--eps", "3", "domain.yaml")
    private = ("--method", "pflr", "--save", "a.json", "--release-scores", "0.5")
    trained = works(*TRAIN, *private, "--cluster", address)
    assert "released scores" in trained.stdout
    assert "300 rows, none left out, in 1 part;" in trained.stderr
    model = json.loads(Path("a.json").read_text())
    assert model["guarantee"]["status"] == "proved"
    assert model["dataset"] == "csv"
    assert "left        epsilon 1.5" in works("budget", "show", "domain.yaml").output


def test_the_scores_are_those_in_memory(address):
    noisy = (*TRAIN, "--method", "relaxed_functional_mechanism", "--seed", "1", "--json")
    whole, parted = works(*noisy), works(*noisy, "--cluster", address)
    assert json.loads(parted.stdout) == json.loads(whole.stdout)


def test_a_saved_model_predicts_as_any_other(address):
    works(*TRAIN, "--method", "pflr", "--save", "a.json", "--cluster", address)
    assert works("predict", "a.json", "own.csv").stdout.count("\n") >= 300


def test_a_method_that_needs_all_records_is_refused(address):
    said = mistake(*TRAIN, "--method", "dpsgd", "--cluster", address)
    assert "dpsgd needs all records in one process" in said
    assert "functional_mechanism" in said


def test_a_table_without_a_domain_file_is_refused(address):
    said = mistake("train", *OWN, "--method", "pflr", "--cluster", address)
    assert "only with --domain" in said


def test_built_in_data_are_refused(address):
    said = mistake("train", "adult", "--method", "pflr", "--cluster", address)
    assert "only your own table of records can be read in parts" in said


def test_an_address_without_a_cluster_is_refused():
    pytest.importorskip("distributed", reason="dask is not installed: pip install distributed")
    said = mistake(*TRAIN, "--method", "pflr", "--cluster", "tcp://127.0.0.1:9")
    assert "no dask cluster answers" in said
