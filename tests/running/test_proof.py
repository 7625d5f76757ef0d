"""Runs that are made again: which, with what they are compared, and what a comparison finds."""

from pathlib import Path

import pytest

from dpfair_cli import catalog
from dpfair_cli.provenance import arithmetic
from dpfair_cli.reproduction import proof
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.proof import Match
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import spec
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.running.rows import Row

RESULTS = Path(__file__).resolve().parents[2] / "results"
MADE, ON_FILES, NETWORKS = "xu2021/table4.4", "ding2020/table1", "xu2021/table6.2"
TOLERANCE = arithmetic.TOLERANCE
ROW = {"dataset": "toy", "seed": 0, "scores": {"accuracy": 0.5, "loss": 100.0}}


def artefact(name, data):
    return Artefact(spec.load(name), RunOptions(data, RESULTS, collect=True))


def row(**scores):
    return Row.of(ROW | {"scores": ROW["scores"] | scores})


def test_runs_on_made_data_give_the_committed_rows(tmp_path):
    chosen, lacking = proof.choose([artefact(MADE, tmp_path)])
    assert {one.planned.run.method.name for one in chosen} == {"pc", "lap_mech", "priv_pc"}
    assert lacking == {}
    matches = [proof.repeat(one, TOLERANCE).match for one in chosen]
    assert arithmetic.unsettled() or matches == [Match.EQUAL] * len(chosen)


def test_each_method_without_its_data_runs_once_on_a_replica(tmp_path):
    chosen, _ = proof.choose([artefact(ON_FILES, tmp_path)])
    assert sorted(one.planned.run.method.name for one in chosen) == sorted(
        {method.name for method in spec.load(ON_FILES).methods}
    )
    assert all(one.located.replica and one.committed is None for one in chosen)
    assert {proof.repeat(one, TOLERANCE).match for one in chosen} == {Match.NOT_COMPARED}


def test_quick_runs_on_the_real_data_are_compared(real_data):
    chosen, _ = proof.choose([artefact(ON_FILES, real_data)])
    assert all(one.committed for one in chosen)


def test_a_method_without_its_library_is_named_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(proof, "find_spec", lambda name: None)
    chosen, lacking = proof.choose([artefact(NETWORKS, tmp_path)])
    methods = spec.load(NETWORKS).methods
    needs = {one.name: one.algorithm.needs for one in methods if one.algorithm.needs}
    assert lacking == needs
    assert {one.planned.run.method.name for one in chosen}.isdisjoint(needs)


def test_every_method_has_a_run_or_lacks_a_library(tmp_path):
    every = [artefact(name, tmp_path) for name in artefacts()]
    chosen, lacking = proof.choose(every)
    others = proof.of_no_artefact(every, tmp_path)
    assert {proof.repeat(one, TOLERANCE).match for one in others} == {Match.NOT_COMPARED}
    chosen += others
    found = {one.planned.run.method.name for one in chosen}
    assert found.isdisjoint(lacking)
    # the result of the network alone is scored by no task; tree_augmented_records has one
    assert found | lacking.keys() == catalog.algorithms.own_modules.keys() - {
        "tree_augmented_network"
    }


@pytest.mark.parametrize(
    ("scores", "match"),
    [
        ({}, Match.EQUAL),
        ({"loss": 100.0009}, Match.CLOSE),  # 9e-6 of it
        ({"accuracy": 0.500009}, Match.CLOSE),  # 9e-6 of one
        ({"accuracy": 0.50002}, Match.OTHER),
        ({"loss": float("nan")}, Match.CLOSE),
    ],
)
def test_rows_match_to_the_byte_or_within_the_tolerance(scores, match):
    assert proof.compare(row(**scores), row(), TOLERANCE) is match
