"""The command line as a user meets it: what goes to stdout, what to stderr, and one line for every mistake."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from dpfair_cli import catalog, estimator, paths
from dpfair_cli.commands import COMMANDS, main
from dpfair_cli.kinds.people import Domain, Records
from dpfair_cli.running import runner

ROOT = Path(__file__).parent.parent
COLUMNS = ("--label", "rich", "--protected", "sex")
PUBLIC = (*COLUMNS, "--domain", "domain.yaml")
DOMAIN = "age: {low: 18, high: 90}\nwork: {levels: [a, b, c]}\nsex: {levels: [f, m]}\n"
TOY = {
    "title": "A toy",
    "source": "Toy 2020",
    "task": "classification",
    "datasets": [{"name": "csv", "file": "own.csv", "label": "rich", "protected": "sex", "domain": "domain.yaml"}],
    "algorithms": [
        {"name": "functional_mechanism", "method": "FM", "epsilon": [1, 10]},
        {"name": "logistic_regression", "method": "LR"},
    ],
    "seeds": 3,
    "quick": {"seeds": 1},
}
TABLE = {"rows": ["dataset", "epsilon", "method"], "values": ["accuracy"]}
PUBLISHED = """\
artefact,dataset,method,epsilon,metric,mean,std
table1,csv,LR,1,accuracy,0.8,0.1
table1,csv,FM,1,accuracy,9.9,0.0
"""


def people(n=60):
    """Lines of a table in which the older are richer."""
    rng = np.random.default_rng(0)
    age, noise = rng.integers(18, 90, n), rng.normal(0, 15, n)
    work, sex = rng.choice(list("abc"), n), rng.choice(list("fm"), n)
    rich = np.where(age + noise > 50, "yes", "no")
    return [list(map(str, line)) for line in zip(age, work, sex, rich, strict=True)]


def write(path, lines, columns=("age", "work", "sex", "rich")):
    Path(path).write_text("\n".join(map(",".join, [columns, *lines])) + "\n")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A working folder with a table of one's own and the file of its public domain."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    checkout = tmp_path / "checkout"  # whatever goes to the default folders stays out of the real one
    checkout.mkdir()
    for name in ("experiments", "data"):
        (checkout / name).symlink_to(ROOT / name, target_is_directory=True)
    monkeypatch.setattr(paths, "CHECKOUT", checkout)
    write("own.csv", people())
    Path("domain.yaml").write_text(DOMAIN)
    return tmp_path


@pytest.fixture
def project(own):
    """That folder as a project with a paper of one table and one figure."""
    paper = own / "experiments" / "toy2020"
    paper.mkdir(parents=True)
    (paper / "table1.yaml").write_text(yaml.safe_dump(TOY | {"table": TABLE}))
    (paper / "figure2.yaml").write_text(yaml.safe_dump(TOY | {"figure": {"x": "epsilon", "panels": ["accuracy"]}}))
    (paper / "published.csv").write_text(PUBLISHED)
    return own


def dpfair(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="dpfair")


def works(*arguments):
    """The result of a command that must succeed."""
    result = dpfair(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def mistake(*arguments, code=1):
    """The one line that a command says to a mistake: no traceback, nothing on stdout, exit code 1 (or 2: usage)."""
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    *before, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr
    if code == 1:
        assert not [line for line in before if not line.startswith("PrivacyLeakWarning: ")]
    else:
        assert before[0].startswith("Usage: dpfair")
    return last.removeprefix("Error: ")


def process(*arguments, **options):
    command = [sys.executable, "-c", "from dpfair_cli.commands import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


# --- help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    result = works(name, "--help")
    assert result.stdout.startswith(f"Usage: dpfair {name} [OPTIONS]")
    assert result.stderr == ""
    summary = result.stdout.split("\n\n")[1].strip()
    assert summary[0].isupper()


def test_the_list_of_commands_is_the_folder_of_commands():
    files = {path.stem.replace("_", "-") for path in (ROOT / "dpfair_cli" / "commands").glob("[a-z]*.py")}
    assert set(COMMANDS) == files - {"options", "produce"}
    text = works("--help").stdout
    assert all(f"  {name} " in text and COMMANDS[name] in " ".join(text.split()) for name in COMMANDS)


def test_help_loads_no_scientific_library():
    code = (
        "import sys\n"
        "from dpfair_cli.commands import COMMANDS, main\n"
        "for words in [[], *([name] for name in COMMANDS)]: main([*words, '--help'], standalone_mode=False)\n"
        "print('loaded:', *sorted({'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib', 'yaml'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "loaded:"


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert works("--version").stdout == f"dpfair {version('dpfair')}\n"


# --- mistakes: names and numbers


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "adult", "--method", "pflr", "--eps", "0"), "epsilon must be positive"),
        (("train", "adult", "--method", "pflr", "--eps", "-1"), "epsilon must be positive"),
        (("train", "adult", "--method", "pflr", "--eps", "nan"), "epsilon must be a number, got nan"),
        (("train", "adult", "--method", "pflr", "--set", "epsilon=nan"), "epsilon must be a number, got nan"),
        (("sweep", "adult", "--eps", "0"), "epsilon must be positive; write for example"),
        (("sweep", "adult", "--eps", "-1"), "; write for example 0.1,1,10"),
        (("sweep", "adult", "--eps", "nan"), "; write for example 0.1,1,10"),
        (("sweep", "adult", "--eps", "10..0.1"), "the range must rise; write for example"),
        (("sweep", "adult", "--eps", ""), "; write for example 0.1,1,10"),
        (("audit", "pflr", "--eps", "0"), "epsilon must be positive"),
        (("audit", "pflr", "--eps", "nan"), "epsilon must be a number"),
        (("train", "adult", "--method", "adfc", "--delta", "0"), "delta must lie between 0 and 1"),
        (("train", "adult", "--method", "adfc", "--delta", "1"), "delta must lie between 0 and 1"),
        (("train", "adult", "--method", "adfc", "--delta", "nan"), "delta must be a number"),
        (("sweep", "adult", "--eps", "1", "--delta", "-0.1"), "delta must lie between 0 and 1"),
        (("sweep", "adult", "--eps", "1", "--delta", "2"), "delta must lie between 0 and 1"),
        (("train", "adult", "--method", "pflr", "--delta", "0.1"), "pflr has no parameter 'delta'"),
        (("train", "adult", "--method", "pflt"), "no method 'pflt': did you mean 'pflr'?"),
        (("sweep", "adult", "--method", "pflr_sta", "--eps", "1"), "no method 'pflr_sta': did you mean 'pflr_star'?"),
        (("audit", "pflt"), "no method 'pflt': did you mean 'pflr'?"),
        (("audit", "logistic_regression"), "claims no privacy"),
        (("audit", "pflr", "adlut"), "no data set 'adlut': did you mean 'adult'?"),
        (("train", "adlut", "--method", "pflr"), "no data set 'adlut': did you mean 'adult'?"),
        (("sweep", "adlut", "--eps", "1"), "no data set 'adlut': did you mean 'adult'?"),
        (("fetch-data", "adlut"), "no data set 'adlut': did you mean 'adult'?"),
        (("table", "xu2021/table8.11"), "no artefact 'xu2021/table8.11': did you mean 'xu2021/table8.1'?"),
        (("plot", "xu2012"), "no artefact 'xu2012': did you mean 'xu2021'?"),
        (("reproduce", "xu2012"), "no artefact 'xu2012': did you mean 'xu2021'?"),
        (("check", "xu2012"), "no artefact 'xu2012': did you mean 'xu2021'?"),
        (("info", "method"), "nothing is called 'method': did you mean 'methods'?"),
        (("train", "adult", "--method", "pflr", "--set", "alhpa=1"), "no parameter 'alhpa': did you mean 'alpha'?"),
        (("sweep", "adult", "--eps", "1", "--set", "alhpa=1"), "no method here has a parameter 'alhpa': did you mean"),
        (("audit", "pflr", "--set", "alhpa=1"), "no parameter 'alhpa': did you mean 'alpha'?"),
        (("train", "adult", "--method", "pflr", "--set", "fairness=shfit"), "fairness 'shfit': did you mean 'shift'?"),
        (("train", "adult", "--method", "pflr", "--set", "alpha=much"), "alpha must be a number, got 'much'"),
        (("train", "adult", "--method", "pflr", "--set", "alpha="), "alpha must be a number"),
        (("train", "adult", "--method", "pflr", "--set", "alpha={"), "alpha"),
        (("train", "adult", "--method", "pflr", "--label", "rich"), "adult has no parameter 'label'"),
        (("train", "csv", "--method", "pflr"), "csv needs a value for file, label, protected"),
        (("train", "gone.csv", "--method", "pflr", *COLUMNS), "gone.csv is not there"),
        (("sweep", "gone.csv", "--eps", "1", *COLUMNS), "gone.csv is not there"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("own")
def test_a_wrong_name_or_number_is_one_line_that_says_what_would_be_right(arguments, message):
    assert message in mistake(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tabel",), "no command 'tabel': did you mean 'table'?"),
        (("train", "adult"), "Missing option '--method'"),
        (("train", "adult", "--method", "pflr", "--eps", "one"), "'one' is not a valid float"),
        (("train", "adult", "--method", "pflr", "--seed", "-1"), "--seed takes a number or `secret`, got '-1'"),
        (("train", "adult", "--method", "pflr", "--set", "alpha"), "--set takes KEY=VALUE, got 'alpha'"),
        (("train", "adult", "--method", "pflr", "--set", "=1"), "--set takes KEY=VALUE, got '=1'"),
        (("sweep", "adult", "--runs", "0"), "0 is not in the range x>=1"),
        (("sweep", "adult", "--jobs", "0"), "0 is not in the range x>=1"),
        (("sweep", "adult", "--ep", "1"), "No such option"),
        (("fetch-data",), "name a data set, or give --all or --list"),
        (("table",), "or give --all"),
        (("plot",), "or give --all"),
        (("check",), "or give --all"),
        (("table", "xu2021/figure8.1"), "xu2021/figure8.1 is no table: use `dpfair plot`"),
        (("plot", "xu2021/table8.1"), "xu2021/table8.1 is no figure: use `dpfair table`"),
    ],
)
@pytest.mark.usefixtures("own")
def test_wrong_usage_is_one_line_with_exit_code_2(arguments, message):
    assert message in mistake(*arguments, code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "own.csv", "--method", "pflr", *PUBLIC, "--set", "alpha=-1"),
        ("train", "own.csv", "--method", "pflr_star", *PUBLIC, "--set", "objective_share=2"),
        ("train", "own.csv", "--method", "pdfc", *PUBLIC, "--set", "attribute=height"),
        ("train", "own.csv", "--method", "logistic_regression", *PUBLIC, "--set", "l2=0"),
        ("audit", "pflr", "--set", "alpha=-1", "--neighbours", "1"),
        ("sweep", "own.csv", *PUBLIC, "--method", "pflr", "--set", "alpha=-1", "--eps", "1", "--jobs", "1"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-1]}",
)
@pytest.mark.usefixtures("own")
def test_a_value_that_only_the_method_can_judge_is_refused_in_one_line_too(arguments):
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("own")
def test_data_that_are_not_here_are_named_with_the_command_that_fetches_them():
    message = mistake("table", "xu2021/table8.1", "--data-dir", "empty", "--out", "out")
    assert "run `dpfair fetch-data adult`" in message


def test_a_mistake_in_a_real_process_is_one_line_as_well(own):
    result = process("train", "own.csv", "--method", "pflt", *PUBLIC)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "Error: no method 'pflt': did you mean 'pflr'?\n"


# --- mistakes: tables


def changed(column, value, every=1):
    """The people with a value replaced, in one of `every` lines."""
    lines = people()
    for line in lines[::every]:
        line[column] = value
    return lines


BAD_TABLES = {
    "missing values": (changed(0, "", 10), "column 'age' has no value in 6 of 60 rows"),
    "missing values as a question mark": (changed(1, "?", 30), "column 'work' has no value in 2 of 60 rows"),
    "missing labels": (changed(3, "", 20), "label 'rich' has no value in 3 of 60 rows"),
    "missing groups": (changed(2, "NA", 20), "protected column 'sex' has no value in 3 of 60 rows"),
    "one class": (changed(3, "yes"), "label 'rich' is the same in all 60 rows"),
    "one group": (changed(2, "f"), "protected column 'sex' is the same in all 60 rows"),
    "a constant column": (changed(1, "a"), "column 'work' is the same in all 60 rows: drop the column"),
    "a label of three values": (changed(3, "maybe", 3), "label 'rich' has 3 values, not two: maybe, no, yes"),
    "one line": (people()[:1], "the same in all 1 rows"),
    "no line": ([], ""),
}


@pytest.mark.parametrize(("lines", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
@pytest.mark.parametrize("command", ["train", "sweep"])
@pytest.mark.usefixtures("own")
def test_a_table_from_which_nothing_can_be_learned_is_refused_with_its_column(command, lines, message):
    write("own.csv", lines)
    options = ("--method", "pflr") if command == "train" else ("--eps", "1", "--out", "out", "--jobs", "1")
    assert message in mistake(command, "own.csv", *COLUMNS, *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--label", "sex", "--protected", "sex"), "column 'sex' is both label and protected: name two columns"),
        (("--label", "ritch", "--protected", "sex"), "no label 'ritch' in the table: did you mean 'rich'?"),
        (("--label", "rich", "--protected", "sx"), "no protected column 'sx' in the table: did you mean 'sex'?"),
        (("--label", "age", "--protected", "sex"), "label 'age' has"),
        ((*COLUMNS, "--positive", "yess"), "label 'rich' is never 'yess': did you mean 'yes'?"),
        ((*COLUMNS, "--domain", "gone.yaml"), "gone.yaml is not there"),
        ((*COLUMNS, "--domain", "own.csv"), "own.csv is no list of columns such as"),
        (("--label", "rich"), "csv needs a value for protected"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_wrong_column_is_refused_and_the_nearest_proposed(options, message):
    assert message in mistake("train", "own.csv", "--method", "pflr", *options)


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (DOMAIN.replace("[a, b, c]", "[a, b]"), "column 'work' is 'c' in"),
        (DOMAIN.replace("low: 18", "low: 95"), "column 'age' needs {low: 0, high: 1} with low < high"),
        (DOMAIN.replace("low: 18, high: 90", "levels: [young]"), "column 'age' needs"),
        (DOMAIN.replace("sex: {levels: [f, m]}", ""), "the domain file needs the groups: `sex: {levels: [...]}`"),
        (DOMAIN + "height: {low: 1, high: 2}\n", "no column 'height' in the table"),
        (DOMAIN.replace("work: {levels: [a, b, c]}", "work: {low: 0, high: 1}"), "column 'work' is no number in 60"),
        ("age: [", "domain.yaml cannot be read"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_domain_that_does_not_fit_the_table_is_refused(domain, message):
    Path("domain.yaml").write_text(domain)
    assert message in mistake("train", "own.csv", "--method", "pflr", *PUBLIC)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\x00\xff", b'a,"b\n1,2'], ids=["empty", "binary", "quote"])
@pytest.mark.usefixtures("own")
def test_a_file_that_is_no_table_is_refused_in_one_line(content):
    Path("own.csv").write_bytes(content)
    assert mistake("train", "own.csv", "--method", "pflr", *COLUMNS)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("command", [("train", "--method", "pflr"), ("sweep", "--eps", "1", "--jobs", "1")])
def test_a_table_too_small_to_be_split_is_refused_in_one_line(command):
    write("own.csv", [["20", "a", "f", "no"], ["30", "b", "m", "yes"]])
    assert "2 records" in mistake(command[0], "own.csv", *PUBLIC, *command[1:])


@pytest.mark.usefixtures("own")
def test_a_method_for_two_groups_says_so_when_there_are_three():
    write("own.csv", changed(2, "x", 3))
    Path("domain.yaml").write_text(DOMAIN.replace("[f, m]", "[f, m, x]"))
    assert "needs two groups, got 3" in mistake("train", "own.csv", "--method", "pflr", *PUBLIC)
    works("train", "own.csv", "--method", "functional_mechanism", *PUBLIC)


# --- mistakes: files


@pytest.mark.usefixtures("own")
def test_a_results_folder_that_is_a_file_is_wrong_usage():
    assert "'own.csv' is a file" in mistake("sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "own.csv", code=2)


@pytest.mark.usefixtures("own")
def test_a_results_folder_below_a_file_is_one_line():
    assert "Not a directory" in mistake("sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "own.csv/results")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
@pytest.mark.usefixtures("own")
def test_a_results_folder_that_cannot_be_made_is_one_line_with_its_path(monkeypatch, number):
    def refuse(path, *args, **kwargs):
        raise OSError(number, "no such luck", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    message = mistake("sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "out")
    assert message == "cannot use out/sweeps/own: no such luck"


@pytest.mark.usefixtures("own")
def test_a_journal_that_cannot_be_written_is_one_line(monkeypatch):
    def refuse(journal, rows):
        raise PermissionError(errno.EACCES, "Permission denied", str(journal.path))

    monkeypatch.setattr("dpfair_cli.running.journal.Journal.append", refuse)
    message = mistake("sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "out", "--jobs", "1")
    assert message == "cannot use out/sweeps/own/runs.jsonl: Permission denied"


@pytest.mark.usefixtures("own")
def test_a_model_that_cannot_be_saved_is_one_line():
    result = dpfair("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "nowhere/model.json")
    assert (result.exit_code, result.stderr) == (1, "Error: cannot use nowhere/model.json: No such file or directory\n")


ONE = ("sweep", "own.csv", *PUBLIC, "--runs", "2", "--jobs", "1", "--eps", "1", "--out", "out")
TWO = ("sweep", "own.csv", *PUBLIC, "--runs", "2", "--jobs", "1", "--eps", "1,10", "--out", "out")  # draws a figure
JOURNAL = Path("out/sweeps/own/runs.jsonl")


@pytest.mark.usefixtures("own")
def test_half_a_last_line_in_the_journal_is_mended_by_the_next_sweep():
    works(*ONE)
    whole = JOURNAL.read_bytes()
    JOURNAL.write_bytes(whole[:-30])
    works(*ONE)
    assert JOURNAL.read_bytes() == whole


@pytest.mark.usefixtures("own")
def test_any_other_damage_of_the_journal_is_one_line_with_its_number():
    works(*ONE)
    lines = JOURNAL.read_text().splitlines(keepends=True)
    JOURNAL.write_text("".join([*lines[:2], "}\n", *lines[3:]]))
    assert "runs.jsonl: line 3 is not a run" in mistake(*ONE)


@pytest.mark.parametrize("command", ["train", "sweep"])
def test_a_flipped_byte_in_the_real_data_is_refused_with_the_file(own, real_data, command):
    folder = own / "data"
    shutil.copytree(real_data / "adult", folder / "adult")
    damaged = bytearray((folder / "adult" / "adult.test").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (folder / "adult" / "adult.test").write_bytes(damaged)
    options = ("--method", "pflr") if command == "train" else ("--eps", "1", "--out", own / "out", "--jobs", "1")
    message = mistake(command, "adult", *options, "--data-dir", folder)
    assert message.startswith(f"{folder / 'adult' / 'adult.test'} is damaged (SHA-256 should be a2a9044b")
    assert message.endswith("delete it and fetch it again")


# --- train


@pytest.mark.usefixtures("own")
def test_train_prints_scores_and_the_price_on_stdout_and_paths_on_stderr():
    result = works("train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "2", "--save", "model.json")
    lines = dict(line.split(None, 1) for line in result.stdout.splitlines() if line)
    assert float(lines["accuracy"]) == pytest.approx(
        json.loads(Path("model.json").read_text())["scores"]["accuracy"], abs=1e-4
    )
    assert lines["epsilon"] == "2"
    assert lines["status"] == catalog.statement("pflr")["Status"]
    assert lines["neighbours"].startswith("replace-one")
    assert lines["bounds"].startswith("public")
    assert result.stderr == "model.json\n"


@pytest.mark.usefixtures("own")
def test_train_gives_the_same_bytes_twice_and_others_for_another_seed():
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        works("train", "own.csv", *PUBLIC, "--method", "pflr", "--seed", seed, "--save", f"{name}.json")
    one, two, other = (Path(f"{name}.json").read_bytes() for name in ("one", "two", "other"))
    assert one == two != other


@pytest.mark.usefixtures("own")
def test_train_is_the_run_of_the_sweep_with_that_seed():
    works(*ONE, "--method", "pflr_star")
    works("train", "own.csv", *PUBLIC, "--method", "pflr_star", "--eps", "1", "--seed", "1", "--save", "model.json")
    rows = [json.loads(line) for line in JOURNAL.read_text().splitlines()]
    (row,) = (row for row in rows if row["seed"] == 1)
    saved = json.loads(Path("model.json").read_text())
    assert {name: saved[name] for name in row} == row


def longest(value):
    """The length of the longest list anywhere in a JSON document."""
    if isinstance(value, dict):
        return max(map(longest, value.values()), default=0)
    return max([len(value), *map(longest, value)]) if isinstance(value, list) else 0


@pytest.mark.usefixtures("own")
def test_a_saved_model_holds_no_training_data_and_no_path_and_predicts_the_same():
    works("train", "own.csv", *PUBLIC, "--method", "functional_mechanism", "--save", "model.json")
    text = Path("model.json").read_text()
    saved, n = json.loads(text), len(people())
    assert longest(saved) == len(saved["columns"]) == 3 < n * 0.2
    assert str(Path.cwd()) not in text
    X = np.random.default_rng(1).random((50, 3))
    nobody = np.zeros(50, dtype=np.int64)
    domain = Domain(tuple(saved["columns"]), {name: (j,) for j, name in enumerate(saved["columns"])}, ("f", "m"))
    found = estimator.load("model.json").predict(Records(X, nobody, nobody, domain))
    np.testing.assert_array_equal(found, X @ saved["model"]["weights"] + saved["model"]["intercept"] > 0)
    assert set(found) == {0.0, 1.0}


@pytest.mark.usefixtures("own")
def test_a_number_may_be_written_as_people_write_it():
    result = works("train", "own.csv", *PUBLIC, "--method", "adfc", "--set", "delta=1e-5", "--eps", "1e1")
    assert "delta                          1e-05" in result.stdout
    assert "epsilon                        10\n" in result.stdout
    assert works("train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "inf").exit_code == 0


@pytest.mark.usefixtures("own")
def test_an_own_table_without_a_domain_is_warned_about_in_one_line():
    result = works("train", "own.csv", *COLUMNS, "--method", "pflr")
    warning = "PrivacyLeakWarning: own.csv: ranges and levels are read from the data: give domain=FILE\n"
    assert result.stderr == warning
    assert "bounds                         data (read from the private data: a leak)" in result.stdout
    assert "PrivacyLeakWarning" not in works("train", "own.csv", *PUBLIC, "--method", "pflr").stderr


def test_two_workers_warn_once_and_show_no_machine_path(own):
    result = process("sweep", "own.csv", *COLUMNS, "--eps", "1", "--runs", "2", "--jobs", "2", "--out", "out")
    assert result.returncode == 0
    assert result.stderr.count("PrivacyLeakWarning") == 1
    assert str(ROOT) not in result.stderr


def test_a_reader_that_stops_reading_is_no_mistake(own):
    command = [sys.executable, "-c", "from dpfair_cli.commands import main; main()", "info", "methods"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()  # as `dpfair info methods | head -0` does
        assert running.stderr.read() == ""


@pytest.mark.usefixtures("own")
def test_a_sweep_that_is_refused_leaves_no_folder_behind():
    mistake("sweep", "gone.csv", *COLUMNS, "--eps", "1", "--out", "out")
    assert not Path("out").exists()


# --- sweep


@pytest.mark.usefixtures("own")
def test_a_sweep_prints_a_table_on_stdout_and_writes_table_figure_and_journal():
    result = works(*TWO)
    assert result.stdout.startswith("dpfair sweep: Accuracy and risk difference on own\n")
    assert "pflr_star" in result.stdout
    assert result.stderr == "out/sweeps/own\n"
    files = {path.name for path in JOURNAL.parent.iterdir()}
    assert {"table.csv", "table.md", "table.tex", "figure.png", "figure.pdf", "figure.csv", "runs.jsonl"} <= files
    assert len(JOURNAL.read_text().splitlines()) == 4 * 2 * 2
    lines = (JOURNAL.parent / "table.csv").read_text().splitlines()
    assert len(lines) == 1 + 4 * 2
    assert lines[0].startswith("method,epsilon,dataset,accuracy_mean,")


def test_the_same_sweep_twice_gives_the_same_bytes_and_no_file_names_the_machine(own):
    works(*TWO)
    works(*TWO[:-1], "again")
    for path in JOURNAL.parent.iterdir():
        content = path.read_bytes()
        assert content == (Path("again/sweeps/own") / path.name).read_bytes(), path.name
        for word in (str(own), str(Path.home()), str(ROOT), "domain.yaml"):
            assert word.encode() not in content, (path.name, word)


@pytest.mark.usefixtures("own")
def test_infinity_and_numbers_share_one_sweep():
    result = works(
        "sweep", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "1,inf", "--runs", "1", "--jobs", "1", "--out", "out"
    )
    assert [line.split()[:2] for line in result.stdout.splitlines() if line.startswith("pflr")] == [
        ["pflr", "1"],
        ["pflr", "inf"],
    ]


@pytest.mark.usefixtures("own")
def test_a_sweep_names_the_runs_that_fail_shows_the_others_and_exits_with_1():
    methods = ("--method", "functional_mechanism", "--method", "pdfc", "--set", "attribute=height")
    result = dpfair(*ONE, *methods)
    assert result.exit_code == 1
    assert result.stdout.count("functional_mechanism") == 1
    failed = [line for line in result.stderr.splitlines() if line.startswith("failed: csv, pdfc(epsilon=")]
    assert len(failed) == 2
    assert all("no attribute 'height'" in line for line in failed)
    assert result.stderr.splitlines()[-1].startswith("Error: 2 runs failed, first: csv, pdfc(epsilon=")
    assert "functional_mechanism" in (JOURNAL.parent / "table.csv").read_text()


@pytest.mark.usefixtures("own")
def test_a_sweep_in_which_everything_fails_is_one_line_also_where_an_older_one_succeeded():
    works(*ONE)
    result = dpfair(*ONE, "--method", "pdfc", "--set", "attribute=height")
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no attribute 'height'" in result.stderr.splitlines()[-1]


@pytest.mark.usefixtures("own")
def test_a_sweep_on_a_replica_needs_the_word_quick_and_train_says_replica():
    assert "adult is not here" in mistake("sweep", "adult", "--eps", "1", "--out", "out", "--data-dir", "none")
    result = works("train", "adult", "--method", "pflr", "--data-dir", "none")
    assert "REPLICA" in result.stdout


def test_bounds_read_from_the_data_are_said_in_every_table(own):
    works("sweep", "own.csv", *COLUMNS, "--eps", "1", "--runs", "1", "--jobs", "1", "--out", "out")
    for name in ("table.md", "table.csv", "table.tex"):
        assert "bounds: data" in (JOURNAL.parent / name).read_text(), name


# --- table, plot, check, reproduce


COMMON = ("--out", "out", "--jobs", "1")
PLACE = Path("out/toy2020/table1")


@pytest.mark.usefixtures("project")
def test_table_prints_ours_beside_the_published_value():
    result = works("table", "toy2020/table1", *COMMON)
    assert result.stderr == "out/toy2020/table1\n"
    assert "accuracy published" in result.stdout
    assert "0.8000 ± 0.1000" in result.stdout
    assert {path.name for path in PLACE.iterdir()} == {"runs.jsonl", "table.md", "table.csv", "table.tex", "check.md"}


@pytest.mark.usefixtures("project")
def test_plot_prints_the_picture_it_wrote():
    result = works("plot", "toy2020", *COMMON)
    assert result.stdout == "out/toy2020/figure2/figure.png\n"
    assert Path(result.stdout.strip()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("project")
def test_a_dry_run_says_miss_and_why_then_hit_and_executes_nothing(monkeypatch):
    before = works("table", "toy2020/table1", "--dry-run", *COMMON).stdout.splitlines()
    assert len(before) == 9
    assert before[0].startswith("toy2020/table1 csv functional_mechanism epsilon=1.0 ")
    assert all(line.endswith(": miss (not run yet)") for line in before)
    works("table", "toy2020/table1", *COMMON)
    monkeypatch.setattr(runner, "work", lambda batch: pytest.fail("something was run"))
    after = works("table", "toy2020/table1", "--dry-run", *COMMON).stdout.splitlines()
    assert [line.rsplit(": ", 1)[1] for line in after] == ["hit"] * 9
    monkeypatch.setattr(catalog.find("algorithms", "logistic_regression"), "VERSION", 99)
    after = works("table", "toy2020/table1", "--dry-run", *COMMON).stdout.splitlines()
    assert [line.rsplit(": ", 1)[1] for line in after] == ["hit"] * 6 + [
        "miss (logistic_regression is a new version)"
    ] * 3


def snapshot(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("also", [(), ("--fresh",), ("--quick",), ("--collect",), ("--fresh", "--quick")])
def test_a_dry_run_changes_no_file(also):
    works("table", "toy2020/table1", *COMMON)
    before = snapshot(".")
    works("table", "toy2020/table1", "--dry-run", *also, *COMMON)
    assert snapshot(".") == before


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", [("table", "--dry-run"), ("table", "--collect"), ("check",)])
def test_looking_at_a_journal_with_half_a_line_does_not_write_to_it(command):
    works("table", "toy2020/table1", *COMMON)
    with (PLACE / "runs.jsonl").open("a") as file:
        file.write('{"half": ')
    before = (PLACE / "runs.jsonl").read_bytes()
    dpfair(command[0], "toy2020/table1", *command[1:], "--out", "out")
    assert (PLACE / "runs.jsonl").read_bytes() == before


@pytest.mark.usefixtures("project")
def test_fresh_runs_everything_again_and_keeps_the_old_journal():
    works("table", "toy2020/table1", *COMMON)
    journal = (PLACE / "runs.jsonl").read_bytes()
    (PLACE / "runs.jsonl").write_bytes(b"".join(journal.splitlines(keepends=True)[:4]))
    works("table", "toy2020/table1", "--fresh", *COMMON)
    assert (PLACE / "runs.jsonl").read_bytes() == journal
    assert (PLACE / "runs.jsonl.old").read_bytes() == b"".join(journal.splitlines(keepends=True)[:4])


@pytest.mark.usefixtures("project")
def test_a_damaged_journal_can_be_left_behind_with_fresh():
    works("table", "toy2020/table1", *COMMON)
    journal = (PLACE / "runs.jsonl").read_bytes()
    (PLACE / "runs.jsonl").write_bytes(b"damaged\n" + journal)
    assert "line 1 is not a run" in mistake("table", "toy2020/table1", *COMMON)
    works("table", "toy2020/table1", "--fresh", *COMMON)
    assert (PLACE / "runs.jsonl").read_bytes() == journal


@pytest.mark.usefixtures("project")
def test_collect_renders_what_the_journal_holds_and_runs_nothing(monkeypatch):
    works("table", "toy2020/table1", *COMMON)
    lines = (PLACE / "runs.jsonl").read_text().splitlines(keepends=True)
    kept = "".join(lines[:3])
    (PLACE / "runs.jsonl").write_text(kept)
    monkeypatch.setattr(runner, "work", lambda batch: pytest.fail("something was run"))
    result = works("table", "toy2020/table1", "--collect", *COMMON)
    assert "FM" in result.stdout
    assert (PLACE / "runs.jsonl").read_text() == kept


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", [("table", "toy2020/table1"), ("plot", "toy2020/figure2"), ("reproduce",)])
def test_collecting_from_nothing_says_so_instead_of_succeeding_in_silence(command):
    result = dpfair(*command, "--collect", *COMMON)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("project")
def test_collecting_from_runs_of_other_data_only_says_so():
    works("table", "toy2020/table1", *COMMON)
    write("own.csv", people(50))
    result = dpfair("table", "toy2020/table1", "--collect", *COMMON)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("project")
def test_fresh_and_collect_together_are_refused_and_keep_the_journal():
    """One runs everything again, the other nothing: whoever gives both must not lose the journal."""
    works("table", "toy2020/table1", *COMMON)
    before = (PLACE / "runs.jsonl").read_bytes()
    dpfair("table", "toy2020/table1", "--fresh", "--collect", *COMMON)
    assert (PLACE / "runs.jsonl").exists()
    assert (PLACE / "runs.jsonl").read_bytes() == before


@pytest.mark.usefixtures("project")
def test_a_table_asked_for_together_with_a_figure_does_not_drop_the_figure_in_silence():
    result = dpfair("table", "toy2020/table1", "toy2020/figure2", *COMMON)
    assert result.exit_code == 2
    assert "toy2020/figure2 is no table: use `dpfair plot`" in result.stderr


@pytest.mark.usefixtures("project")
def test_a_run_that_fails_is_named_while_the_table_of_the_others_is_written():
    file = Path("experiments/toy2020/table1.yaml")
    entry = {"name": "pdfc", "method": "PDFC", "epsilon": 1, "attribute": "height"}
    file.write_text(yaml.safe_dump(TOY | {"table": TABLE, "algorithms": [*TOY["algorithms"], entry]}))
    result = dpfair("table", "toy2020/table1", *COMMON)
    assert result.exit_code == 1
    assert "no attribute 'height'" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: 3 runs failed, first: csv, pdfc(")
    assert "FM" in (PLACE / "table.md").read_text()


@pytest.mark.usefixtures("project")
def test_quick_runs_less_and_has_a_folder_of_its_own():
    result = works("table", "toy2020/table1", "--quick", "--jobs", "1")
    assert result.stderr == f"{Path.cwd()}/results/quick/toy2020/table1\n"
    lines = Path("results/quick/toy2020/table1/runs.jsonl").read_text().splitlines()
    assert len(lines) == 3


@pytest.mark.usefixtures("project")
def test_a_spec_with_a_mistake_is_one_line_with_its_file():
    file = Path("experiments/toy2020/table1.yaml")
    file.write_text(file.read_text().replace("epsilon", "epsilom", 1))
    assert mistake("table", "toy2020", *COMMON).startswith("table1.yaml: ")


@pytest.mark.usefixtures("project")
def test_check_of_an_incomplete_artefact_says_what_to_run():
    message = mistake("check", "toy2020/table1", "--out", "out")
    assert message == "toy2020/table1 is not complete: run `dpfair reproduce toy2020` first"


@pytest.mark.usefixtures("project")
def test_check_exits_with_1_on_a_difference_without_a_cause_and_with_0_on_one_with():
    works("table", "toy2020/table1", *COMMON)
    result = dpfair("check", "toy2020/table1", "--out", "out")
    assert result.exit_code == 1
    assert "  unexplained: csv, FM, epsilon 1, accuracy: differs" in result.stdout
    cause = [{"artefact": "table1", "method": "FM", "cause": "No accuracy is 9.9.", "measured": "It is at most 1."}]
    Path("experiments/toy2020/deviations.yaml").write_text(yaml.safe_dump(cause))
    assert "unexplained" not in works("check", "toy2020/table1", "--out", "out").stdout


@pytest.mark.usefixtures("project")
def test_reproduce_makes_everything_then_one_report_then_checks():
    result = dpfair("reproduce", *COMMON)
    assert result.exit_code == 1  # the cell of 9.9
    assert "report: out/report.html" in result.stdout
    page = Path("out/report.html").read_text()
    assert "toy2020/figure2/figure.png" in page
    assert str(Path.cwd()) not in page
    for name in ("table1/table.md", "figure2/figure.png", "table1/check.md", "figure2/check.md"):
        assert (Path("out/toy2020") / name).is_file()


@pytest.mark.usefixtures("project")
def test_the_report_of_one_paper_does_not_take_the_place_of_the_report_of_all():
    dpfair("reproduce", *COMMON)
    whole = Path("out/report.html").read_bytes()
    assert "report: out/report-toy2020-table1.html" in dpfair("reproduce", "toy2020/table1", *COMMON).stdout
    assert "report: out/report-toy2020-e1.html" in dpfair("reproduce", "toy2020/*e1", *COMMON).stdout
    assert Path("out/report.html").read_bytes() == whole


@pytest.mark.usefixtures("project")
def test_everything_twice_is_the_same_bytes():
    dpfair("reproduce", *COMMON)
    first = snapshot("out")
    dpfair("reproduce", *COMMON)
    assert snapshot("out") == first
    dpfair("reproduce", "--out", "again", "--jobs", "1")
    assert {path.relative_to("again"): content for path, content in snapshot("again").items()} == {
        path.relative_to("out"): content for path, content in first.items()
    }


# --- info and fetch-data


@pytest.mark.usefixtures("own")
def test_info_lists_what_there_is():
    text = works("info").stdout
    for name in (*catalog.names("algorithms"), *catalog.names("datasets"), "xu2021/table8.1"):
        assert f"  {name} " in text
    assert works("info", "datasets").stdout in text


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("topic", ["pflr", "adult", "csv", "xu2021/table8.1"])
def test_info_describes_one_thing(topic):
    text = works("info", topic).stdout
    assert {"pflr": "Privacy: epsilon", "adult": "encoding = 'one_hot'", "csv": "file = (must be given)"}.get(
        topic, "title: Accuracy"
    ) in text


@pytest.mark.usefixtures("own")
def test_the_list_of_data_sets_says_what_is_here():
    lines = works("fetch-data", "--list", "--data-dir", "none").stdout.splitlines()
    assert any(line.startswith("adult ") and "not here" in line for line in lines)
    assert any(line.startswith("csv ") and "your file" in line for line in lines)


def test_warnings_of_a_command_leave_the_filters_of_the_caller_alone(own):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert works("train", "own.csv", *PUBLIC, "--method", "pflr").exit_code == 0
