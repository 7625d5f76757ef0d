"""`domain`, `predict` and `sweep` on two workers that read a table in parts, as in memory.

The workers are in this process, and all that is sent to them is pickled, as for other machines.
Workers in processes of their own: tests/release/test_table_on_cluster.py.
"""

import json
from pathlib import Path

import pytest

from dpfair_cli.release import table_on_cluster
from tests.commands.invoking import dpfair, mistake, works
from tests.release.processes_here import cut_at
from tests.running.own_sweeps import DOMAIN, table

OWN = ("own.csv", "--label", "rich", "--protected", "sex")
SWEEP = ("sweep", *OWN, "--domain", "domain.yaml", "--eps", "0.1,1", "--runs", "2")
TWO = ("--method", "pflr", "--method", "relaxed_functional_mechanism")
PART = 1_400  # bytes: 300 rows are 3 parts

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def address():
    """The address of a cluster with two workers in this process."""
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(table_on_cluster, "cut", cut_at(PART))
    Path("own.csv").write_text(table(300))
    Path("domain.yaml").write_text(DOMAIN)


def rows(folder):
    """The rows of the one sweep in a folder."""
    (file,) = Path(folder, "sweeps").glob("*/runs.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_draft_has_the_same_bytes(address):
    whole = works("domain", *OWN, "--out", "whole.yaml")
    parted = works("domain", *OWN, "--out", "parted.yaml", "--cluster", address)
    assert Path("parted.yaml").read_bytes() == Path("whole.yaml").read_bytes()
    assert parted.stdout == whole.stdout.replace("whole", "parted")


@pytest.mark.parametrize("method", ["pflr", "dpsgd_with_flips"])
def test_decisions_and_warnings_have_the_same_bytes(address, method):
    train = ("train", *OWN, "--domain", "domain.yaml", "--seed", "1")
    works(*train, "--method", method, "--save", "model.json")
    Path("others.csv").write_text(table(200, seed=5).replace(",b,", ",B2,"))
    whole = works("predict", "model.json", "others.csv", "--seed", "3")
    parted = works("predict", "model.json", "others.csv", "--seed", "3", "--cluster", address)
    assert parted.stdout == whole.stdout
    assert "in work, such as 'B2'" in whole.stderr
    assert parted.stderr == whole.stderr


def test_a_file_without_label_and_group_is_predicted_in_parts(address):
    works("train", *OWN, "--domain", "domain.yaml", "--method", "pflr", "--save", "model.json")
    lines = [",".join(line.split(",")[:2]) for line in table(200).splitlines()]
    Path("others.csv").write_text("\n".join(lines))
    whole = works("predict", "model.json", "others.csv", "--json")
    assert works("predict", "model.json", "others.csv", "--json", "--cluster", address).stdout == (
        whole.stdout
    )


def test_a_sweep_has_the_same_rows_and_table(address):
    whole = works(*SWEEP, *TWO, "--out", "whole", "--jobs", "1")
    parted = works(*SWEEP, *TWO, "--out", "parted", "--cluster", address, "--parts")
    kept = [row for row in rows("whole") if row["algorithm"] != "logistic_regression"]
    assert rows("parted") == kept
    assert len(kept) == 2 * 2 * 2 + 2  # methods, epsilons and runs; and the majority class
    assert "logistic_regression" in whole.stdout
    left_out = "Left out, because the table is read in parts: logistic_regression."
    assert left_out in parted.stdout


def test_the_runs_on_a_split_read_the_table_once_for_their_scores(address, monkeypatch):
    evaluate, read = table_on_cluster.RecordsOnCluster._evaluate, []

    def counted(table, functions):
        read.append(functions[0].function)
        return evaluate(table, functions)

    monkeypatch.setattr(table_on_cluster.RecordsOnCluster, "_evaluate", counted)
    works(*SWEEP, *TWO, "--out", "parted", "--cluster", address, "--parts")
    scored = [one for one in read if "models" in getattr(one, "keywords", {})]
    assert [len(one.keywords["models"]) for one in scored] == [5, 5]  # on each of two splits


def test_rows_in_memory_are_used_again_in_parts(address, monkeypatch):
    works(*SWEEP, *TWO, "--out", "out", "--jobs", "1")
    monkeypatch.setattr(table_on_cluster.RecordsOnCluster, "records", no_record_is_read)
    again = works(*SWEEP, *TWO, "--out", "out", "--cluster", address, "--parts")
    assert "relaxed_functional_mechanism" in again.stdout


def no_record_is_read(table):
    raise AssertionError


def test_a_method_that_needs_all_records_is_refused_in_one_line(address):
    said = mistake(*SWEEP, "--method", "dpsgd", "--cluster", address, "--parts")
    assert "dpsgd needs all records in one process, so it cannot read a table in parts" in said


def test_parts_without_a_cluster_are_refused():
    said = mistake(*SWEEP, "--parts")
    assert "give --cluster ADDRESS" in said


def test_a_model_of_a_built_in_data_set_is_refused(address):
    saved = ("train", "adult", "--method", "pflr", "--save", "adult.json")
    if dpfair(*saved).exit_code:
        pytest.skip("neither Adult nor its replica is there")
    said = mistake("predict", "adult.json", "adult", "--cluster", address)
    assert "was trained on adult: leave out --cluster" in said
