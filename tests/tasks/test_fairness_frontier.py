"""The frontier of one draw: its points are single fits at the same state of the generator."""

import json
from functools import partial

import numpy as np
import pytest

from dpfair_cli.algorithms.postprocessing import dp_postprocessing
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import spec
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import Row, SettingFields
from dpfair_cli.tasks import fairness_frontier, in_sample

CONTENT = {
    "title": "t",
    "source": "s",
    "task": {"name": "fairness_frontier", "gaps": [0.1, 0.3]},
    "datasets": ["separation"],
    "algorithms": [{"method": "m", "name": "dp_postprocessing", "epsilon": 1}],
    "seeds": 2,
    "frontier": {
        "along": ["fairness_gap"],
        "against": "equalized_odds_violation",
        "panels": ["error"],
    },
}


def crowd(n=400):
    rng = np.random.default_rng(0)
    protected = rng.integers(0, 2, n)
    X = np.clip(rng.random((n, 2)) + 0.2 * protected[:, None], 0, 1)
    y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0.6).astype(np.int64)
    return Records(X, y, protected, Domain(("a", "b"), {"a": (0,), "b": (1,)}, ("f", "m")))


def test_a_curve_is_what_single_fits_with_the_same_noise_give():
    case = fairness_frontier.split(crowd(), gaps=(0.02, 0.1, 0.5), rng=np.random.default_rng(0))
    fit = partial(dp_postprocessing.fit, epsilon=1.0)
    scores = fairness_frontier.study(fit, case, rng=np.random.default_rng(7)).curves
    assert tuple(scores) == fairness_frontier.SCORES
    assert scores["fairness_gap"] == [0.02, 0.1, 0.5]
    for i, gap in enumerate((0.02, 0.1, 0.5)):
        alone = in_sample.score(
            fit(case.train, fairness_gap=gap, rng=np.random.default_rng(7)), case
        )
        assert {name: scores[name][i] for name in alone} == alone


def test_a_range_names_equal_steps_and_a_point_named_twice_counts_once():
    case = fairness_frontier.split(
        crowd(), gaps="0.01..0.05 by 0.01, 0.3, 0.05", rng=np.random.default_rng(0)
    )
    assert case.gaps.tolist() == [0.01, 0.02, 0.03, 0.04, 0.05, 0.3]


def test_the_grid_of_the_papers_figure_has_72_points():
    points = np.unique(spec.load("jagielski2019/figure1-right").task.protocol["gaps"])
    assert len(points) == 72
    assert points[0] == 0.001
    assert points[-1] == 1


@pytest.mark.parametrize("gaps", ["", "-0.1", "a", "0..1", "0..1 by x", "0..1 by -3"])
def test_gaps_that_cannot_be_read_are_refused_with_the_grammar(gaps):
    with pytest.raises(ValueError, match="gaps"):
        fairness_frontier.split(crowd(), gaps=gaps, rng=np.random.default_rng(0))


def test_a_curve_survives_the_journal_and_becomes_a_row_for_each_point(tmp_path):
    path = tmp_path / "runs.jsonl"
    curves = {"curves": {"error": [0.5, float("nan")]}}
    Journal(path).append([Row(SettingFields({"dataset": "toy"}), 0, {"accuracy": 1.0}, curves)])
    written = json.loads(path.read_text())
    assert (written["scores"], written["curves"]) == ({"accuracy": 1.0}, {"error": [0.5, None]})
    (row,) = Journal(path).rows.values()
    assert row["scores"]["accuracy"] == 1.0
    assert np.isnan(row["curves"]["error"][1])


def rows_of(content, folder, scores, curves):
    """The rows of an artefact whose runs all have these `scores` and `curves`."""
    artefact = Artefact(spec.parse(content, "jagielski2019/figure9"), RunOptions(folder, folder))
    artefact.runs.journal.rows |= {
        pending.key: Row(pending.setting, pending.run.seed, scores, {"curves": curves})
        for pending in artefact.runs.planned
    }
    return artefact.runs.rows()


def test_a_row_of_a_curve_has_its_axis_value_in_place_of_the_parameter(tmp_path):
    curves = {"fairness_gap": [0.1, 0.3], "error": [0.4, 0.2]}
    rows = rows_of(CONTENT, tmp_path, {"selection_rate": 0.5}, curves)
    assert rows[["seed", "fairness_gap", "error", "selection_rate"]].to_numpy().tolist() == [
        [0, 0.1, 0.4, 0.5],
        [0, 0.3, 0.2, 0.5],
        [1, 0.1, 0.4, 0.5],
        [1, 0.3, 0.2, 0.5],
    ]


def test_a_layout_without_the_axis_shows_no_curve(tmp_path):
    table = {"rows": ["method"], "values": ["selection_rate"]}
    content = {
        **{name: value for name, value in CONTENT.items() if name != "frontier"},
        "table": table,
    }
    rows = rows_of(
        content,
        tmp_path,
        {"selection_rate": 0.5},
        {"fairness_gap": [0.1, 0.3], "error": [0.4, 0.2]},
    )
    assert rows["selection_rate"].tolist() == [0.5, 0.5]
    assert "error" not in rows
