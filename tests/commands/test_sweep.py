"""dpfair sweep: a table and a figure over epsilon, failed runs, and one-line errors."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.reproduction.preview import Preview
from tests.commands.invoking import (
    ROOT,
    dpfair,
    mistake,
    preview_of,
    process,
    without_preview,
    works,
)
from tests.commands.material import COLUMNS, ONE, PUBLIC, TWO, journal, swept


@pytest.mark.usefixtures("own")
def test_a_sweep_without_a_useful_private_line_says_so():
    method = ("--method", "functional_mechanism")
    says = works(*ONE[:-4], *method, "--eps", "0.0001", "--out", "out").stderr  # all noise
    assert "no private model is better than a constant: try a larger --eps" in says
    assert "next:" not in says


@pytest.mark.usefixtures("own")
def test_a_sweep_prints_a_table_and_writes_table_figure_and_journal():
    result = works(*TWO)
    assert result.stdout.startswith("dpfair sweep: Accuracy and risk difference on own\n")
    assert "dp_fair_descent" in result.stdout
    own = "dpfair train own.csv --label rich --protected sex --domain domain.yaml"
    folder, after = without_preview(result.stderr).splitlines()
    assert folder == str(swept())
    with (swept() / "table.csv").open() as file:
        lines = [row for row in csv.DictReader(file) if row["than a constant"] == "better"]
    first = next(row for row in lines if row["privacy"] != "not private")
    method = f"--method {first['method'].split()[0]} --eps {float(first['epsilon']):g}"
    assert after == f"next: {own} {method} --save model.json"
    files = {path.name for path in swept().iterdir()}
    assert {
        "table.csv",
        "table.md",
        "table.tex",
        "figure.png",
        "figure.csv",
        "runs.jsonl",
    } <= files
    assert (
        len(journal().read_text().splitlines()) == 2 * 2 * 2 + 2 * 2
    )  # two methods at two epsilons, two baselines
    lines = (swept() / "table.csv").read_text().splitlines()
    assert len(lines) == 1 + 2 * 2 + 2 * 2
    assert lines[0].startswith("method,epsilon,dataset,accuracy_mean,")


def test_a_repeated_sweep_gives_the_same_bytes_without_machine_names(own):
    works(*TWO)
    works(*TWO[:-1], "again")
    for path in swept().iterdir():
        content = path.read_bytes()
        assert content == (swept(out="again") / path.name).read_bytes(), path.name
        for word in (str(own), str(Path.home()), str(ROOT), "domain.yaml"):
            assert word.encode() not in content, (path.name, word)


@pytest.mark.usefixtures("own")
def test_infinity_and_numbers_share_one_sweep():
    result = works(
        "sweep",
        "own.csv",
        *PUBLIC,
        "--method",
        "pflr",
        "--eps",
        "1,inf",
        "--runs",
        "1",
        "--jobs",
        "1",
        "--out",
        "out",
    )
    assert [line.split()[:2] for line in result.stdout.splitlines() if line.startswith("pflr")] == [
        ["pflr", "1"],
        ["pflr", "inf"],
    ]


@pytest.mark.parametrize(
    "name", ["a|b.csv", "a<b>.csv", "a`b*.csv", "..csv", ".hidden.csv", "two words.csv"]
)
def test_the_name_of_a_file_cannot_be_read_as_anything_else(own, name):
    Path("own.csv").rename(name)
    works(
        "sweep",
        name,
        *PUBLIC,
        "--eps",
        "1",
        "--runs",
        "1",
        "--jobs",
        "1",
        "--out",
        "out",
        "--method",
        "pflr",
    )
    (folder,) = Path("out/sweeps").iterdir()
    assert set(folder.name) <= set("abcdefghijklmnopqrstuvwxyz_-0123456789")
    assert not set("|<>`*") & set((folder / "table.md").read_text().splitlines()[0])


def test_two_workers_warn_once_and_show_no_machine_path(own):
    result = process(
        "sweep", "own.csv", *COLUMNS, "--eps", "1", "--runs", "2", "--jobs", "2", "--out", "out"
    )
    assert result.returncode == 0
    assert result.stderr.count("PrivacyLeakWarning") == 1
    assert str(ROOT) not in result.stderr


@pytest.mark.usefixtures("own")
def test_a_sweep_with_refused_methods_runs_the_others_and_exits_with_2():
    methods = ("--method", "functional_mechanism", "--method", "pdfc", "--set", "attribute=height")
    result = dpfair(*TWO, *methods)
    assert result.exit_code == 2
    assert result.stdout.count("functional_mechanism") == 2
    (said,) = [line for line in preview_of(result.stderr) if "cannot run" in line]
    assert said.startswith("  cannot run  pdfc (unknown attribute 'height'")
    assert result.stderr.splitlines()[-1].startswith(
        "Error: Cannot run: pdfc (unknown attribute 'height'"
    )
    assert "Cannot run: pdfc (unknown attribute" in (swept() / "table.md").read_text()
    assert "functional_mechanism" in (swept() / "table.csv").read_text()


def _unseen(data, methods, *, delta):
    return Preview(tuple(methods), {}, (), {})


@pytest.mark.usefixtures("own")
def test_runs_that_fail_on_the_records_are_named_once_for_each_cause(monkeypatch):
    monkeypatch.setattr("dpfair_cli.commands.own_data.show_preview", _unseen)
    methods = ("--method", "functional_mechanism", "--method", "pdfc", "--set", "attribute=height")
    result = dpfair(*TWO, *methods)
    assert result.exit_code == 3
    (failed,) = [line for line in result.stderr.splitlines() if line.startswith("failed: ")]
    assert failed.startswith("failed: csv, pdfc(epsilon=1.0")
    assert "unknown attribute 'height'" in failed
    assert failed.endswith("(and 3 more runs in the same way)")
    assert result.stderr.splitlines()[-1].startswith(
        "Error: 4 runs failed, first: csv, pdfc(epsilon=1.0"
    )


@pytest.mark.usefixtures("own")
def test_a_sweep_in_which_every_run_fails_is_one_line():
    works(*ONE)
    assert "unknown attribute 'height'" in mistake(
        *ONE, "--method", "pdfc", "--set", "attribute=height"
    )


@pytest.mark.usefixtures("own")
def test_without_the_files_a_sweep_uses_the_replica_as_train_does_and_says_so():
    sweep = ("sweep", "adult", "--eps", "1", "--runs", "1", "--jobs", "1", "--out", "out")
    text = works(*sweep, "--method", "pflr", "--data-dir", "none").stdout
    assert "[REPLICA]" in text.splitlines()[0]
    assert "REPLICA" in works("train", "adult", "--method", "pflr", "--data-dir", "none").stdout


@pytest.mark.usefixtures("variables")
def test_every_data_set_of_a_private_method_can_be_swept():
    for source in map(catalog.data_source, catalog.data_sources.names):
        study = catalog.study(source.task)
        private = any(one.guarantee.is_private for one in matching.algorithms_for(source))
        assert study.sweep or study.exact or not private  # exact: nothing varies with epsilon


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sweep", "adult", "--eps", "0"), (
            "--eps '0': every epsilon must be positive; write for example"
        )),
        (("sweep", "adult", "--eps", "-1"), "; write for example 0.1,1,10"),
        (("sweep", "adult", "--eps", "nan"), "; write for example 0.1,1,10"),
        (("sweep", "adult", "--eps", "10..0.1"), (
            "must be larger than the first; write for example"
        )),
        (("sweep", "adult", "--eps", ""), "; write for example 0.1,1,10"),
        (("sweep", "adult", "--eps", "1", "--delta", "-0.1"), "delta must lie between 0 and 1"),
        (("sweep", "adult", "--eps", "1", "--delta", "2"), "delta must lie between 0 and 1"),
        (("sweep", "adult", "--method", "pflr_sta", "--eps", "1"), "unknown method 'pflr_sta': "
                                                                   "did you mean 'pflr_star'?"),
        (("sweep", "adlut", "--eps", "1"), "unknown data set 'adlut': did you mean 'adult'?"),
        (("sweep", "adult", "--eps", "1", "--set", "stepz=1"), "no method of this sweep has a "
                                                               "parameter 'stepz': did you "),
        (("sweep", "gone.csv", "--eps", "1", *COLUMNS), "gone.csv does not exist"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("own")
def test_a_wrong_name_or_number_is_one_line_that_says_what_would_be_right(arguments, message):
    assert message in mistake(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sweep", "adult", "--runs", "0"), "0 is not in the range 1<=x<=100000"),
        (("sweep", "adult", "--jobs", "0"), "0 is not in the range x>=1"),
        (("sweep", "adult", "--ep", "1"), "No such option"),
    ],
)
@pytest.mark.usefixtures("own")
def test_wrong_usage_is_one_line_with_exit_code_2(arguments, message):
    assert message in mistake(*arguments, code=2)


@pytest.mark.usefixtures("own")
def test_a_value_that_only_the_method_can_judge_is_refused_in_one_line_too():
    result = dpfair(
        "sweep",
        "own.csv",
        *PUBLIC,
        "--method",
        "pflr",
        "--set",
        "alpha=-1",
        "--eps",
        "1",
        "--jobs",
        "1",
    )
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("own")
def test_a_sweep_that_is_refused_leaves_no_folder_behind():
    mistake("sweep", "gone.csv", *COLUMNS, "--eps", "1", "--out", "out")
    assert not Path("out").exists()


@pytest.mark.usefixtures("place")
def test_a_finished_sweep_loads_neither_scipy_special_nor_matplotlib():
    sweep = ["sweep", "adult", "--eps", "1,10", "--runs", "1", "--jobs", "1", "--out", "out"]
    works(*sweep)
    program = (
        "import sys; from click.testing import CliRunner; from dpfair_cli.commands import main; "
        f"done = CliRunner().invoke(main, {sweep}); "
        "print(done.exit_code, *sorted({'scipy.special', 'matplotlib'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout == "0\n", found
