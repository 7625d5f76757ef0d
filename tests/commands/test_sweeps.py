"""dpfair sweeps lists the sweeps in the results, and removes only what is named."""

import json

from tests.commands.invoking import mistake, works

ROW = {"dataset": "adult", "algorithm": "pflr", "seed": 0}


def made(folder, *names):
    for name in names:
        place = folder / "sweeps" / name
        place.mkdir(parents=True)
        (place / "runs.jsonl").write_text(json.dumps(ROW) + "\n{truncated")


def test_sweeps_are_listed_with_data_methods_and_runs(tmp_path):
    made(tmp_path, "one", "two")
    (found, other) = json.loads(works("sweeps", "--json", "--out", tmp_path).stdout)
    assert (found["folder"], other["folder"]) == ("one", "two")
    assert (found["data set"], found["methods"], found["runs"]) == ("adult", ["pflr"], 1)
    assert works("sweeps", "--out", tmp_path).stdout.startswith("one: adult, 1 runs, ")


def test_only_named_sweeps_are_removed(tmp_path):
    made(tmp_path, "one", "two")
    message = mistake("sweeps", "--prune", "one", "--prune", "../two", "--out", tmp_path)
    assert "has no sweep '../two'" in message
    assert (tmp_path / "sweeps" / "one").exists()  # nothing is removed before all names are known
    assert "removed" in works("sweeps", "--prune", "one", "--out", tmp_path).stderr
    assert [one.name for one in (tmp_path / "sweeps").iterdir()] == ["two"]
