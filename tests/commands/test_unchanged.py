"""A command that would change no file prints its output again; every change makes it run."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from shutil import copytree

import click
import pytest
import yaml

from dpfair_cli.commands import unchanged
from dpfair_cli.commands.unchanged import NEVER_KEPT, UNCHANGED
from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.reproduction.artefact import Artefact
from tests.commands.invoking import ROOT, dpfair
from tests.commands.material import COMMON
from tests.commands.renderings import renderings

PAPER, TABLE, FIGURE = "verona2026", "verona2026/table-stages", "verona2026/figure-stages"
PICTURED = "ghoukasian2024/table1"  # a table with pictures
FILES = ("published.csv", "claims.yaml", "deviations.yaml", "table-stages.yaml")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A folder for kept answers."""
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def rendered(tmp_path, monkeypatch):
    """A project with two committed papers; the result lists the artefacts that were rendered."""
    for place in product(("experiments", "results"), (PAPER, PICTURED.partition("/")[0])):
        copytree(ROOT.joinpath(*place), tmp_path.joinpath(*place))
    monkeypatch.chdir(tmp_path)
    return renderings(monkeypatch)


@pytest.mark.parametrize(
    "command",
    [
        ("table", TABLE),
        ("table", TABLE, "--json"),
        ("plot", FIGURE),
        ("reproduce", TABLE, "--collect"),
    ],
)
def test_a_command_that_changed_nothing_prints_its_output_again(rendered, command):
    dpfair(*command)  # writes the report of a part, which is not committed
    first, count = dpfair(*command), len(rendered)
    again = dpfair(*command)
    assert (again.stdout, again.exit_code) == (first.stdout, first.exit_code)
    assert first.stdout
    note = f"{UNCHANGED}\n"
    assert again.stderr == first.stderr.removesuffix(note) + note
    assert len(rendered) == count


def test_another_command_or_option_is_another_answer(rendered):
    text = dpfair("table", TABLE).stdout
    assert dpfair("table", TABLE, "--json").stdout.startswith("{")
    assert dpfair("reproduce", TABLE, "--collect").stdout != text
    assert len(rendered) == 3


@pytest.mark.parametrize("name", ["table.md", "difference.png", "difference.pdf", "check.md"])
def test_a_changed_or_deleted_file_of_the_results_is_made_again(rendered, name):
    dpfair("table", PICTURED)
    file = Path("results", PICTURED, name)
    content = file.read_bytes()
    if file.suffix != ".pdf":
        file.write_bytes(content + b" ")
        dpfair("table", PICTURED)
        assert len(rendered) == 2
    file.unlink()
    dpfair("table", PICTURED)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "name", ["published.csv", "claims.yaml", "deviations.yaml", "table-stages.yaml"]
)
def test_a_changed_file_of_the_paper_is_noticed(rendered, name):
    dpfair("table", TABLE)
    file = Path("experiments", PAPER, name)
    file.write_text(file.read_text() + "\n")
    dpfair("table", TABLE)
    assert len(rendered) == 2


def test_a_command_that_writes_another_content_runs_once_more(rendered):
    Path("results", TABLE, "table.md").write_text("")
    assert dpfair("table", TABLE).stdout == dpfair("table", TABLE).stdout
    assert len(rendered) == 2
    assert UNCHANGED in dpfair("table", TABLE).stderr


def test_a_file_that_changes_while_the_command_runs_is_noticed(rendered, monkeypatch):
    file, spied = Path("experiments", PAPER, "deviations.yaml"), Artefact.render

    def change(artefact):
        entry = spied(artefact)
        file.write_text(file.read_text() + "\n")
        return entry

    monkeypatch.setattr(Artefact, "render", change)
    dpfair("table", TABLE)
    assert UNCHANGED not in dpfair("table", TABLE).stderr
    assert len(rendered) == 2


def test_without_a_cache_everything_is_made_again(rendered, monkeypatch):
    monkeypatch.setenv("DPFAIR_CACHE", "")
    dpfair("table", TABLE)
    assert UNCHANGED not in dpfair("table", TABLE).stderr
    assert len(rendered) == 2


def test_the_exit_code_is_that_of_the_verdicts(rendered):
    claim = {"id": "wins", "quote": "stage after stage wins", "place": "p. 1"}
    wins = {"compare": ["signs, post minus pre, EOD, epsilon 2", ">", 0.5], "metric": "lower_share"}
    whole = [{**claim, "artefact": "table-stages", "holds": [wins]}]  # fails
    Path("experiments", PAPER, "claims.yaml").write_text(yaml.safe_dump(whole))
    codes = [dpfair("reproduce", TABLE, "--collect").exit_code for _ in range(4)]
    assert codes == [1] * 4
    assert len(rendered) < 4


@pytest.mark.usefixtures("project")
def test_an_answer_about_a_file_of_the_user_is_not_kept():
    for _ in range(3):
        assert UNCHANGED not in dpfair("table", "toy2020/table1", *COMMON).stderr


@pytest.mark.parametrize("name", NEVER_KEPT)
def test_an_option_that_makes_runs_or_writes_elsewhere_keeps_nothing(rendered, name):
    given = {"out": None, "device": CPU}
    with click.Context(click.Command("table")):
        assert unchanged._key([TABLE], given)
        assert not unchanged._key([TABLE], {**given, name: "yes"})
        assert not unchanged._key([TABLE], {**given, "device": Device("cuda")})
