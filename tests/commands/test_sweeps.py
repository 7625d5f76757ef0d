"""dpfair sweep without a data set lists the sweeps in the results."""

import json

from tests.commands.invoking import works

ROW = {"dataset": "adult", "algorithm": "pflr", "seed": 0}


def made(folder, *names):
    for name in names:
        place = folder / "sweeps" / name
        place.mkdir(parents=True)
        (place / "runs.jsonl").write_text(json.dumps(ROW) + "\n{truncated")


def test_sweeps_are_listed_with_data_methods_and_runs(tmp_path):
    made(tmp_path, "one", "two")
    (found, other) = json.loads(works("sweep", "--json", "--out", tmp_path).stdout)
    assert (found["folder"], other["folder"]) == ("one", "two")
    assert (found["data set"], found["methods"], found["runs"]) == ("adult", ["pflr"], 1)
    assert works("sweep", "--out", tmp_path).stdout.startswith("one: adult, 1 runs, ")
