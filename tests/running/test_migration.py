"""Journals of the old form become those of today, and not one number in them changes."""

import json

import pytest

from dpfair_cli.running import migration

OLD = {
    "dataset": "adult",
    "options": {"encoding": "one_hot"},
    "data": "546a14507eddbdd6",
    "task": "classification",
    "protocol": {"test_fraction": 0.2},
    "algorithm": "pflr",
    "version": 3,
    "params": {"epsilon": "inf"},
    "seed": 0,
}


def numbers(row):
    """Every number of the results, in order."""
    parts = [*row["scores"].values(), *row.get("curves", {}).values()]
    return [number for part in parts for number in (part if isinstance(part, list) else [part])]


def test_a_row_gains_versions_and_keeps_everything_else():
    old = OLD | {"scores": {"accuracy": 0.83845644, "selection_rate": None}}
    new = migration.migrate(old)
    assert new["versions"] == {"running": 1, "dataset": 1, "task": 1, "algorithm": 3}
    rest = {"versions", "params"}  # the parameters gain defaults
    assert {name: value for name, value in new.items() if name not in rest} == {
        name: value for name, value in old.items() if name not in {"version", "params"}
    }
    assert migration.migrate(new) == new


def test_curves_leave_the_scores_and_words_become_a_list():
    protocol = {"test_fraction": 0.2, "train_size": 1_000_000_000, "compared": "class2 class8"}
    scores = {"group": ["total", "class2"], "accuracy": [0.9, None], "total_change": -0.1}
    old = OLD | {"task": "private_training", "protocol": protocol, "scores": scores}
    new = migration.migrate(old)
    assert new["curves"] == {"group": ["total", "class2"], "accuracy": [0.9, None]}
    assert new["scores"] == {"total_change": -0.1}
    assert new["protocol"] == protocol | {"compared": ["class2", "class8"]}
    assert sorted(map(str, numbers(new))) == sorted(map(str, numbers(old)))


def test_ranges_of_gaps_are_the_points_that_they_stood_for():
    scores = {"fairness_gap": [0.01, 0.02, 0.03, 0.5], "error": [0.4, 0.3, 0.2, 0.1]}
    old = OLD | {
        "task": "fairness_frontier",
        "protocol": {"gaps": "0.01:0.03:3 0.5"},
        "scores": scores,
    }
    assert migration.migrate(old)["protocol"] == {"gaps": scores["fairness_gap"]}


def test_a_graph_leaves_the_scores_too():
    pairs = {"a | b": 1.0, "a | c": 0.0, "a | d": 2.0, "b | c": 3.0, "b | d": 0.0, "c | d": 0.0}
    protocol = {
        "reference": "pc",
        "significance": 0.01,
        "freedom": "full",
        "records_per_freedom": 0.0,
    }
    new = migration.migrate(
        OLD | {"task": "causal_graph", "protocol": protocol, "scores": {"edges": 3.0} | pairs}
    )
    edges = [["a", "->", "b"], ["d", "->", "a"], ["b", "-", "c"]]
    assert new["outputs"] == {"graph": {"variables": ["a", "b", "c", "d"], "edges": edges}}
    assert new["scores"] == {"edges": 3.0}


def test_every_journal_below_a_folder_is_migrated(tmp_path):
    (tmp_path / "sweeps" / "adult").mkdir(parents=True)
    file = tmp_path / "sweeps" / "adult" / "runs.jsonl"
    file.write_text(json.dumps(OLD | {"scores": {"accuracy": 0.5}}) + "\n")
    migration.main(str(tmp_path))
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["scores"] == {"accuracy": 0.5}
    assert json.loads(line)["versions"]["algorithm"] == pytest.approx(3)


def test_a_parameter_that_an_algorithm_has_gained_since_gets_its_default_in_its_place():
    params = {
        "epsilon": 2.0,
        "objective_share": 0.3,
        "fairness": "drift",
        "alpha": 1.0,
        "sensitivity": "published",
    }
    row = OLD | {
        "algorithm": "pflr_star",
        "versions": {"algorithm": 1},
        "params": params,
        "scores": {"accuracy": 0.5},
    }
    new = migration.migrate(row)
    assert list(new["params"])[:3] == ["epsilon", "objective_share", "noise"]
    assert new["params"]["noise"] == "all"
    assert {name: new["params"][name] for name in params} == params
    assert new["scores"] == row["scores"]
