"""A task with a study of many draws, from a spec to its rows; theorems are artefacts and tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import artefact_names, runner, spec
from tests.toy_specs import data_set

GIVEN = {"name": "private_gap", "draws": 5}
CONTENT = {
    "title": "t",
    "source": "s",
    "task": GIVEN,
    "datasets": ["adult"],
    "algorithms": [{"name": "output_perturbation", "train_size": [50, 500]}],
    "seeds": 2,
    "lines": {"x": "train_size", "panels": ["equalized_odds_gap"], "log_y": ["equalized_odds_gap"]},
}


def toy(n: int = 400) -> Records:
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    domain = Domain(("a", "b", "c"), {"a": (0,), "b": (1,), "c": (2,)}, ("f", "m"))
    return Records(X, (X[:, 0] > 0.5).astype(np.int64), rng.integers(0, 2, n), domain)


def test_a_score_that_the_task_does_not_declare_is_a_failure() -> None:
    one = run("output_perturbation")
    *scores, last = one.task.study.scores
    fewer = replace(one.task.study, scores=tuple(scores)).registered("private_gap", "")
    with pytest.raises(
        DpfairError, match=f"the task private_gap returned an undeclared score '{last}'"
    ):
        runner.fit_and_score(case_of(one), one._replace(task=replace(one.task, study=fewer)))


def run(name: str, **params: object) -> Run:
    task = catalog.task("private_gap", {"draws": 5})
    return Run(task, data_set("toy"), catalog.method(name, params), 3)


def case_of(one: Run) -> object:
    """The toy data, split as the run asks."""
    return runner.split(toy(), one.dataset, one.task, one.seed)


def test_the_runner_gives_the_fit_to_a_task_that_has_a_study() -> None:
    one = run("output_perturbation", epsilon=1)
    first, again = (runner.fit_and_score(case_of(one), one) for _ in range(2))
    assert first.scores == again.scores
    assert set(first.scores) == set(catalog.study("private_gap").scores)
    assert first.model.weights.shape == (3,)


def test_a_theorem_is_an_artefact() -> None:
    assert {"mangold2023/theorem1", "mangold2023/theorem2"} <= set(
        artefact_names.artefacts("mangold2023")
    )
    assert isinstance(spec.load("mangold2023/theorem1").layout, TableLayout)


def test_scores_beside_a_line_are_refused_unless_the_task_has_them() -> None:
    parsed = spec.parse(
        {**CONTENT, "lines": {**CONTENT["lines"], "beside": {"equalized_odds_gap": ["distance"]}}},
        "a/b",
    )
    assert parsed.layout.plotted_scores == ("equalized_odds_gap", "distance")
    for key, value in {
        "beside": {"equalized_odds_gap": ["distanc"]},
        "log_y": ["nothing"],
    }.items():
        with pytest.raises(DpfairError, match="unknown score"):
            spec.parse({**CONTENT, "lines": {**CONTENT["lines"], key: value}}, "a/b")


def test_a_quick_figure_over_n_runs_on_a_replica_and_ends_in_its_files(tmp_path: Path) -> None:
    made: Spec = spec.parse({**CONTENT, "seeds": 1}, "toy/figure1")
    artefact = Artefact(made, RunOptions(tmp_path, tmp_path, quick=True))
    assert artefact.run(lambda count: None) == []
    artefact.render()
    names = {file.name for file in artefact.folder.iterdir()}
    assert {"runs.jsonl", "figure.png", "figure.csv", "check.md"} <= names
    assert list(artefact.runs.rows()["train_size"]) == [50, 500]
