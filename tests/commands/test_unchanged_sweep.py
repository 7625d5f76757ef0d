"""A finished sweep prints its output again; every change of a file or an option makes it anew."""

from __future__ import annotations

import shutil
from importlib import invalidate_caches
from pathlib import Path

import click
import pytest

from dpfair_cli import catalog
from dpfair_cli.commands import unchanged_sweep
from dpfair_cli.commands.unchanged import UNCHANGED
from dpfair_cli.commands.unchanged_sweep import NEVER_KEPT
from dpfair_cli.contracts import kept_files
from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.reproduction.artefact import Artefact
from tests.commands.invoking import dpfair, works
from tests.commands.material import ONE, swept
from tests.commands.renderings import renderings

SWEEP = ("sweep", "adult", "--method", "functional_mechanism", "--eps", "1,10", "--runs", "1")
SWEEP = (*SWEEP, "--jobs", "1", "--out", "out")
MADE = ("out", "cache")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The working folder of all tests, since a kept output names its files."""
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture
def tmp_path(folder):
    """The working folder, emptied."""
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A folder for kept answers."""
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def rendered(place, monkeypatch):
    """A working folder without data; the result lists the sweeps that were rendered."""
    return renderings(monkeypatch)


@pytest.fixture
def kept(rendered, tmp_path):
    """The same after a sweep whose output is kept: it runs for the first test, which leaves copies
    of its files.
    """
    after = tmp_path.with_name(f"{tmp_path.name}-after")
    if not after.exists():
        works(*SWEEP)  # notes its files
        works(*SWEEP)
        after.mkdir()
        for name in MADE:
            (tmp_path / name).rename(after / name)
    for name in MADE:
        shutil.copytree(after / name, tmp_path / name)
    rendered.clear()
    return rendered


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_sweep_that_changed_nothing_prints_its_output_again(rendered, form):
    first, second = works(*SWEEP, *form), works(*SWEEP, *form)
    assert len(rendered) == 2
    third = works(*SWEEP, *form)
    assert first.stdout == second.stdout == third.stdout
    assert first.stdout
    assert third.stderr == f"{second.stderr}{UNCHANGED}\n"
    assert len(rendered) == 2


@pytest.mark.parametrize("name", ["runs.jsonl", "table.md", "figure.csv", "figure.png", "check.md"])
def test_a_deleted_file_of_the_sweep_is_made_again(kept, name):
    file = swept("adult") / name
    content = file.read_bytes()
    file.unlink()
    assert UNCHANGED not in works(*SWEEP).stderr
    assert file.read_bytes() == content
    assert len(kept) == 1


@pytest.mark.parametrize("name", ["table.csv", "figure.pdf", "figure.png"])
def test_a_changed_file_of_the_sweep_is_noticed(kept, name):
    file = swept("adult") / name
    file.write_bytes(file.read_bytes() + b" ")
    works(*SWEEP)
    assert len(kept) == 1


@pytest.mark.parametrize(
    "more", [("--json",), ("--runs", "2"), ("--eps", "1"), ("--fresh",), ("-q",)]
)
def test_another_option_is_another_sweep(kept, more):
    assert UNCHANGED not in works(*SWEEP, *more).stderr
    assert len(kept) == 1


def test_another_number_of_processes_is_the_same_sweep(kept):
    assert UNCHANGED in works(*SWEEP, "--jobs", "2").stderr
    assert not kept


def test_data_that_are_there_now_replace_the_replica(kept, tmp_path):
    assert "REPLICA" in works(*SWEEP).stdout
    assert not kept
    data = tmp_path / "checkout" / "data"
    data.unlink()
    for name in ("adult.data", "adult.test"):
        file = data / "adult" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("not the file of UCI\n")
    assert UNCHANGED not in dpfair(*SWEEP).stderr


def test_a_changed_replica_is_noticed(kept, tmp_path):
    replicas = Path(unchanged_sweep.__file__).parents[2] / "data" / "replicas"
    data = tmp_path / "checkout" / "data"
    data.unlink()
    shutil.copytree(replicas, data / "replicas")
    file = data / "replicas" / "adult.csv.gz"
    works(*SWEEP)
    assert not kept
    file.write_bytes(file.read_bytes()[:-9])
    assert UNCHANGED not in dpfair(*SWEEP).stderr


def test_a_library_that_is_uninstalled_is_noticed(rendered, tmp_path, monkeypatch):
    library = tmp_path / "libraries" / "toy_library.py"
    library.parent.mkdir()
    library.touch()
    monkeypatch.syspath_prepend(library.parent)
    monkeypatch.setitem(vars(catalog.algorithm("functional_mechanism")), "needs", library.stem)
    works(*SWEEP)
    works(*SWEEP)
    assert UNCHANGED in works(*SWEEP).stderr
    library.unlink()
    invalidate_caches()
    ended = dpfair(*SWEEP)
    assert UNCHANGED not in ended.stderr
    assert "toy_library" in ended.stderr


@pytest.mark.usefixtures("own")
def test_a_sweep_of_a_file_of_the_user_is_not_kept(rendered):
    for _ in range(3):
        assert UNCHANGED not in works(*ONE).stderr
    assert len(rendered) == 3


def test_a_sweep_that_lacks_runs_is_not_kept(rendered, monkeypatch):
    monkeypatch.setattr(Artefact, "missing_modules", {"pflr": "torch"})
    for _ in range(3):
        works(*SWEEP)
    assert len(rendered) == 3


def test_without_a_cache_the_sweep_is_made_again(kept, monkeypatch):
    monkeypatch.setenv("DPFAIR_CACHE", "")
    assert UNCHANGED not in works(*SWEEP).stderr
    assert len(kept) == 1


@pytest.mark.parametrize("name", NEVER_KEPT)
def test_an_option_that_makes_runs_again_or_elsewhere_keeps_nothing(name):
    given = dict.fromkeys(NEVER_KEPT, "") | {"device": CPU}
    with click.Context(click.Command("sweep")):
        assert unchanged_sweep._noted_under(given)
        assert not unchanged_sweep._noted_under({**given, name: "yes"})
        assert not unchanged_sweep._noted_under({**given, "device": Device("cuda")})


@pytest.mark.usefixtures("kept")
def test_a_folder_that_becomes_a_project_is_asked_anew():
    spec = Path("experiments", "own", "table1.yaml")
    spec.parent.mkdir(parents=True)
    spec.touch()  # the folder has its own data and specs now
    assert UNCHANGED not in dpfair(*SWEEP).stderr


@pytest.mark.parametrize(
    "text", ["null", "{}", "[[1], [2]]", "[1, 2, 3]", "[[], []]", "[[], [], [1, []]]", "no JSON"]
)
def test_a_note_in_another_form_is_left_out(kept, tmp_path, text):
    for note in (tmp_path / "cache" / unchanged_sweep.FOLDER).iterdir():
        kept_files.keep(unchanged_sweep.FOLDER, note.name, text.encode(), most=100)
    assert UNCHANGED not in works(*SWEEP).stderr
    assert len(kept) == 1
