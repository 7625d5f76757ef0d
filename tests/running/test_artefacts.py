"""The hits and misses of a plan with their reasons, and data that stop it."""

from dataclasses import replace

import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running import runner
from tests.running.own_sweeps import DOMAIN, artefact, journal, reasons, run, sweep, table


def test_a_second_run_is_all_hits_and_executes_nothing(folder, expected, tmp_path, monkeypatch):
    run(sweep(folder), tmp_path)

    def refuse(*args, **kwargs):
        raise AssertionError("something was run")

    monkeypatch.setattr(runner, "work", refuse)
    monkeypatch.setattr(runner, "_load_data", refuse)
    assert reasons(sweep(folder), tmp_path) == {""}
    assert run(sweep(folder), tmp_path) == (expected, [])


def test_a_fresh_run_keeps_the_old_journal_beside_the_new(folder, expected, tmp_path):
    run(sweep(folder), tmp_path)
    assert run(sweep(folder), tmp_path, fresh=True) == (expected, [])
    assert journal(tmp_path).with_name("runs.jsonl.old").read_bytes() == expected


def test_collecting_runs_nothing(folder, tmp_path):
    assert artefact(sweep(folder), tmp_path, collect=True).run(lambda count: None) == []
    assert not journal(tmp_path).exists()


def test_what_has_never_run_is_a_miss(folder, tmp_path):
    assert reasons(sweep(folder), tmp_path) == {"not run yet"}


def test_a_new_version_of_an_algorithm_is_a_miss_with_that_reason(folder, tmp_path, monkeypatch):
    run(sweep(folder), tmp_path)
    newer = replace(catalog.algorithm("pflr_star"), version=99)
    monkeypatch.setattr(catalog.algorithms.module("pflr_star"), "ALGORITHM", newer)
    assert reasons(sweep(folder), tmp_path) == {"", "pflr_star has a new version"}
    assert artefact(sweep(folder), tmp_path).runs.runs_to_make == 12


def test_other_bytes_of_data_are_a_miss_with_that_reason(tmp_path):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    run(sweep(tmp_path), tmp_path)
    (tmp_path / "own.csv").write_text(table()[:-4] + "no\n")
    assert reasons(sweep(tmp_path), tmp_path) == {"the data changed"}


def test_another_public_domain_is_a_miss_too(tmp_path):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    run(sweep(tmp_path), tmp_path)
    (tmp_path / "domain.yaml").write_text(DOMAIN.replace("90", "99"))
    assert reasons(sweep(tmp_path), tmp_path) == {"the data changed"}


def test_any_changed_parameter_is_a_miss(folder, tmp_path):
    run(sweep(folder, seeds=1), tmp_path)
    changed = artefact(sweep(folder, seeds=1, regularisation=4.0), tmp_path)
    assert {planned.run.method.name: planned.reason for planned in changed.runs.planned} == {
        "functional_mechanism": "not run yet",
        "pflr_star": "not run yet",
        "logistic_regression": "",
    }


def test_a_file_of_the_same_bytes_elsewhere_is_a_hit(folder, tmp_path):
    run(sweep(folder), tmp_path)
    for name in ("own.csv", "domain.yaml"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert reasons(sweep(tmp_path), tmp_path) == {""}


def test_data_that_cannot_be_read_stop_everything_before_the_first_run(tmp_path, monkeypatch):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN + "height: {low: 1, high: 2}\n")
    monkeypatch.setattr(runner, "work", lambda batch: pytest.fail("something was run"))
    with pytest.raises(DpfairError, match="lacks the column 'height'"):
        run(sweep(tmp_path), tmp_path)


def test_data_that_change_while_they_are_used_are_refused(tmp_path):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    begun = artefact(sweep(tmp_path), tmp_path)
    (tmp_path / "own.csv").write_text(table(seed=1))
    with pytest.raises(DpfairError, match="changed while the command ran: run the command again"):
        begun.run(lambda count: None)
