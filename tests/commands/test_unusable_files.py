"""Files that cannot be used, a full disk, numbers that promise nothing: one line each, with the
name and what to do.
"""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from dpfair_cli.formats.domain_file import read_domain
from tests.commands.invoking import dpfair, mistake, works
from tests.commands.material import COLUMNS, ONE, PUBLIC, people, write
from tests.diff.toy_project import rows, write_project

pytestmark = pytest.mark.usefixtures("own")
DPFAIR = (sys.executable, "-m", "dpfair_cli")
TRAIN = ("--method", "pflr", "--seed", "1")


@pytest.mark.parametrize("options", [COLUMNS, PUBLIC], ids=["no domain", "domain"])
def test_a_compressed_table_that_is_cut_short_is_named(options):
    Path("cut.csv.gz").write_bytes(gzip.compress(Path("own.csv").read_bytes())[:-100])
    assert "cut.csv.gz" in mistake("train", "cut.csv.gz", *options, *TRAIN)


@pytest.mark.parametrize("options", [COLUMNS, PUBLIC], ids=["no domain", "domain"])
def test_a_table_that_is_not_compressed_although_its_name_says_so_is_told(options):
    Path("own.csv").rename("own.csv.gz")
    assert mistake("train", "own.csv.gz", *options, *TRAIN).startswith(
        "own.csv.gz is not a gzip file although its name ends in .gz"
    )


@pytest.mark.parametrize("name", ["folder.csv", "folder"])
@pytest.mark.parametrize("command", ["train", "sweep"])
def test_a_folder_in_place_of_a_table_is_said_to_be_one(name, command):
    Path(name).mkdir()
    given = TRAIN if command == "train" else ("--eps", "1", "--jobs", "1")
    assert f"{name} is a folder: give the path of a file in it" in mistake(
        command, name, *COLUMNS, *given
    )


@pytest.mark.parametrize("name", ["gone.zip", "gone/own.csv", "../gone"])
def test_a_path_at_which_nothing_is_is_no_data_set_with_a_strange_name(name):
    assert (
        mistake("train", name, *COLUMNS, *TRAIN) == f"{Path(name)} does not exist: check the path"
    )


def test_options_of_another_kind_of_file_are_named_with_those_it_takes():
    message = mistake("train", "own.csv", *COLUMNS, "--method", "dpne")
    assert message == (
        "dpne reads your file as csv_edges and accepts the options --labels, "
        "got --label, --protected"
    )
    message = mistake("train", "own.csv", "--labels", "nodes.csv", *TRAIN)
    assert (
        message
        == "pflr reads your file as csv and accepts the options --label, --protected, --positive, "
        "--domain, got --labels"
    )
    message = mistake("train", "own.csv", *COLUMNS, "--method", "pc")
    assert (
        message
        == "pc reads your file as csv_variables and accepts the options --domain, got --label, "
        "--protected"
    )


UTF16 = {  # how it is written -> what is said, beside a domain file that names no encoding
    "utf-16": (
        "own.csv must be in the encoding utf-8, got utf-16: write `encoding: utf-16` in the "
        "domain file"
    ),
    "utf-16-le": "own.csv contains NUL bytes and so is not a text file in a supported encoding: "
    "save the table as csv in UTF-8",
}


@pytest.mark.parametrize("encoding", UTF16)
def test_a_table_in_another_encoding_than_its_domain_file_says_is_told(encoding):
    Path("own.csv").write_bytes(Path("own.csv").read_text().encode(encoding))
    assert mistake("train", "own.csv", *PUBLIC, *TRAIN) == UTF16[encoding]
    Path("domain.yaml").write_text(f"encoding: {encoding}\n---\n{Path('domain.yaml').read_text()}")
    works("train", "own.csv", *PUBLIC, *TRAIN)


def test_a_domain_file_in_another_encoding_is_told():
    Path("domain.yaml").write_bytes(Path("domain.yaml").read_text().encode("utf-16"))
    assert (
        mistake("train", "own.csv", *PUBLIC, *TRAIN)
        == "domain.yaml must be text in the encoding UTF-8: save the file in UTF-8"
    )


def test_unusable_numbers_are_refused_and_left_open_in_a_draft():
    lines = [[("-1e308", "1e308", line[0])[k % 3], *line[1:]] for k, line in enumerate(people())]
    write("own.csv", lines)
    message = mistake("train", "own.csv", *COLUMNS, *TRAIN)
    assert message.startswith(
        "every number of column 'age' must be finite and at most 1e+100 in absolute value, "
        "got '-1e308': correct or delete the row; correct the table, or draft"
    )
    drafted = read_domain(works("domain", "own.csv", *COLUMNS).stderr.splitlines()[0])
    assert "low" not in vars(drafted.columns.get("age", object))


def test_a_table_without_rows_is_one_problem_not_one_for_each_column():
    Path("own.csv").write_text("age,work,sex,rich\n")
    assert mistake("train", "own.csv", *COLUMNS, *TRAIN) == (
        "own.csv has a heading only: add rows below the heading"
    )


EDGES = {  # what is wrong with a file of edges -> (bytes, what is said)
    "cut short": (
        gzip.compress(b"a b\nb c\n" * 99, mtime=0)[:-9],
        "own.gz is damaged or truncated: copy or fetch the file again",
    ),
    "NUL bytes": (b"a b\nb\0 c\n", "own.edges contains NUL bytes"),
    "one name a line": (
        b"a\nb\n",
        "own.edges must have two entries on each line, two nodes for an edge",
    ),
    "weights": (
        b"a b 0.5\n",
        "own.edges must have 2 columns, got 3: delete the columns of weights or dates",
    ),
}


@pytest.mark.parametrize("wrong", EDGES)
def test_a_file_of_edges_that_cannot_be_used_is_one_line_with_its_name(wrong):
    content, message = EDGES[wrong]
    name = message.split()[0]
    Path(name).write_bytes(content)
    assert mistake("train", name, "--method", "dpne").startswith(message)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8"])
def test_a_file_of_edges_is_read_in_the_encoding_that_is_found(encoding):
    lines = "".join(f"é{k} é{(3 * k + 1) % 20}\n" for k in range(60))
    Path("own.edges").write_bytes(lines.encode(encoding))
    stated = works("train", "own.edges", "--method", "dpne").stderr
    assert "nodes    60, " in stated


@pytest.mark.parametrize("option", ["--labels", "FILE"])
def test_a_folder_in_place_of_a_file_of_edges_or_labels_is_said_to_be_one(option):
    Path("folder.edges").mkdir()
    Path("own.edges").write_text("a b\nb c\n")
    given = ("folder.edges",) if option == "FILE" else ("own.edges", option, "folder.edges")
    message = (
        mistake("train", *given, "--method", "dpne")
        .removeprefix("csv_edges: ")
        .removeprefix("csv_links: ")
    )
    assert message == "folder.edges is a folder: give the path of a file in it"


def test_a_folder_in_place_of_a_domain_is_said_to_be_one():
    Path("folder.yaml").mkdir()
    given = ("train", "own.csv", *COLUMNS, "--domain", "folder.yaml", *TRAIN)
    assert "folder.yaml is a folder" in mistake(*given)


@pytest.fixture
def full_disk(monkeypatch):
    """What is written does not arrive; the error names no file, as that of a write."""

    def refuse(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_a_failure_with_the_name_of_the_file_and_what_to_do():
    message = mistake(*ONE, code=3)
    assert message.startswith("cannot use out/sweeps/own-dp_whitened_descent+dp_fair_descent-")
    assert message.endswith(
        "runs.jsonl: No space left on device: delete files to make room and run the "
        "command again, finished runs are kept"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    "command", [("info", "datasets"), ("train", "own.csv", *PUBLIC, *TRAIN)], ids=["info", "train"]
)
def test_a_standard_output_that_takes_nothing_more_is_named_once(command):
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [*DPFAIR, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.returncode == 3
    lines = run.stderr.splitlines()
    assert lines[-1] == (
        "Error: cannot use standard output: No space left on device: delete files to make "
        "room and run the command again"
    )
    assert "Traceback" not in run.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["predict", "diff"])
def test_a_file_that_was_asked_for_and_does_not_fit_on_the_disk_is_named(command):
    works("train", "own.csv", *PUBLIC, *TRAIN, "--save", "model.json")
    write_project(Path("project"), rows())
    results = "project/results"
    given = {"predict": ("model.json", "own.csv", "--out"), "diff": (results, results, "--html")}[
        command
    ]
    message = mistake(command, *given, "/dev/full", code=3)
    assert message.startswith(
        "cannot use /dev/full: No space left on device: delete files to make room"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_model_that_does_not_fit_on_the_disk_is_named():
    Path("model.json").symlink_to("/dev/full")
    result = dpfair("train", "own.csv", *PUBLIC, *TRAIN, "--save", "model.json")
    assert result.exit_code == 3
    assert result.stderr.splitlines()[-1].startswith(
        "Error: cannot use model.json: No space left on device"
    )


@pytest.mark.parametrize(
    "command",
    [
        ("train", "own.csv", *PUBLIC, *TRAIN),
        ("sweep", "own.csv", *PUBLIC, "--out", "out"),
        ("audit", "pflr"),
    ],
    ids=["train", "sweep", "audit"],
)
@pytest.mark.parametrize("epsilon", ["1e-320", "1e-12"])
def test_an_epsilon_that_cannot_be_computed_with_is_refused(command, epsilon):
    message = mistake(*command, "--eps", epsilon)
    assert message.endswith("noise of a smaller epsilon overflows")


@pytest.mark.parametrize(
    "points", ["0.01..10:1000000000", "0.1..1 by 1e-12", "1..2:9000,3..4:9000"]
)
def test_too_many_epsilons_are_refused_before_any_run(points):
    assert "must stand for at most 10,000 values of epsilon, got" in mistake(
        "sweep", "own.csv", *PUBLIC, "--eps", points
    )


def test_a_delta_that_promises_little_is_said():
    given = ("train", "own.csv", *PUBLIC, "--method", "relaxed_functional_mechanism", "--seed", "1")
    words = "with delta 0.5 one fit in 2 may reveal everything: use less than 1 / number of records"
    assert f"Warning: {words}" in works(*given, "--delta", "0.5").stderr
    assert f"Warning: {words}" in works(*given, "--set", "delta=0.5").stderr
    assert "Warning" not in works(*given, "--delta", "0.001").stderr


def test_a_truncated_compiled_module_is_named(tmp_path):
    """A disk that is full while Python compiles a module leaves half of the compiled file."""
    settings = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "COLUMNS": "200"}
    del settings["PYTHONDONTWRITEBYTECODE"]
    command = [sys.executable, "-m", "dpfair_cli", "sweep"]
    run = partial(subprocess.run, command, env=settings, capture_output=True, text=True)
    assert run().returncode == 0
    [compiled] = tmp_path.rglob("sweep.cpython*.pyc")
    compiled.write_bytes(compiled.read_bytes()[:200])
    again = run()
    assert again.returncode == 3
    assert "delete the folders __pycache__" in again.stderr
    assert "Traceback" not in again.stderr
