"""What a check finds about a paper is kept: only papers with a changed file are checked again."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from dpfair_cli.commands import check_papers, kept_papers
from dpfair_cli.commands.kept_papers import keep, kept, keys_of
from dpfair_cli.contracts import kept_files
from dpfair_cli.reproduction.checked_paper import CheckedPaper, is_lasting
from tests.commands.invoking import ROOT, dpfair

PAPERS = ("demelius2025", "ghoukasian2024")  # small ones
FILES = ("published.csv", "claims.yaml", "deviations.yaml", "table-adult.yaml")
CHANGED, OTHER = PAPERS
FOUND = CheckedPaper(CHANGED, (), ("one line",), is_lasting=True)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder for what is kept."""
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def checks(tmp_path, monkeypatch, cache):
    """A project with two committed papers; the result lists the papers that were checked."""
    for kind in ("experiments", "results"):
        for paper in PAPERS:
            copytree(ROOT / kind / paper, tmp_path / kind / paper)
    monkeypatch.chdir(tmp_path)
    found, judged = [], check_papers.judged

    def spy(artefacts, options):
        found.append({one.spec.paper for one in artefacts})
        return judged(artefacts, options)

    monkeypatch.setattr(check_papers, "judged", spy)
    return found


def change(name: str) -> None:
    """Adds an empty line to a file of the changed paper."""
    file = Path("experiments", CHANGED, name)
    file.write_text(file.read_text() + "\n")


@pytest.mark.parametrize(
    "name", ["published.csv", "claims.yaml", "deviations.yaml", "table-adult.yaml"]
)
def test_only_the_paper_of_a_changed_file_is_checked_again(checks, name):
    dpfair("check", "--all")
    change(name)
    dpfair("check", "--all")
    assert checks == [{*PAPERS}, {CHANGED}]


@pytest.mark.parametrize("form", [(), ("--json",), ("-v",)])
def test_kept_papers_are_printed_as_those_that_are_checked(checks, form):
    dpfair("check", "--all", *form)
    change("deviations.yaml")
    mixed = dpfair("check", "--all", *form)
    assert len(checks) == 2
    assert mixed.stdout == dpfair("check", "--all", *form, "--fresh").stdout
    assert checks[-1] == {*PAPERS}


def test_a_deleted_answer_is_made_from_kept_papers(checks, cache):
    first = dpfair("check", "--all").stdout
    rmtree(cache / "answers")
    assert dpfair("check", "--all").stdout == first
    assert len(checks) == 1


def test_a_missing_deviation_is_found_next_to_a_kept_paper(checks):
    dpfair("check", "--all")
    Path("experiments", CHANGED, "deviations.yaml").write_text("[]\n")
    assert dpfair("check", "--all").exit_code == 1
    assert checks[-1] == {CHANGED}


def test_new_audits_make_all_papers_be_checked_again(checks):
    dpfair("check", "--all")
    Path("results/audit.csv").write_bytes((ROOT / "results/audit.csv").read_bytes())
    dpfair("check", "--all")
    assert checks == [{*PAPERS}, {*PAPERS}]


@pytest.mark.usefixtures("checks")
def test_the_key_changes_with_the_asked_artefacts_and_the_data_folder():
    first, second, third = f"{CHANGED}/table1", f"{CHANGED}/table2", f"{OTHER}/table1"
    data, out = Path("data"), Path("results")
    keys = keys_of([first, second, third], data, out)
    assert keys == keys_of([first, second, third], data, out)
    assert keys[CHANGED] != keys[OTHER]
    assert keys_of([first, third], data, out)[CHANGED] != keys[CHANGED]
    assert keys_of([first, third], data, out)[OTHER] == keys[OTHER]
    assert {*keys_of([first, second, third], Path("other"), out).values()}.isdisjoint(keys.values())


def test_a_file_that_changes_during_the_check_keeps_nothing(checks, cache, monkeypatch):
    judged = check_papers.judged

    def change_then_judge(*arguments):
        change("README.md")
        return judged(*arguments)

    monkeypatch.setattr(check_papers, "judged", change_then_judge)
    dpfair("check", "--all")
    assert len(list((cache / "papers").glob("*"))) == 1
    assert checks == [{*PAPERS}]


@pytest.mark.usefixtures("cache")
def test_what_depends_on_other_files_is_not_kept():
    keep("key", FOUND)
    keep("other", replace(FOUND, is_lasting=False))
    assert kept("key").broken == FOUND.broken
    assert kept("other") is None


class _Paper:
    """A paper with one deviation, whose proof is in a file."""

    def __init__(self, proof: str) -> None:
        self.deviations = [self]
        self.proof, self.folder = proof, Path(CHANGED)


class _Artefact:
    """An artefact of such a paper, without data sets."""

    def __init__(self, proof: str) -> None:
        self.proof, self.spec, self.device = proof, self, self
        self.datasets, self.is_processor = (), True

    def paper(self) -> _Paper:
        return _Paper(self.proof)


def test_a_paper_with_a_proof_outside_its_folder_does_not_last():
    assert is_lasting([_Artefact("paper.md#proof")])
    assert not is_lasting([_Artefact("../other/paper.md#proof")])


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("content", [b"", b"damaged", pickle.dumps("a text")])
def test_a_damaged_file_keeps_nothing(content):
    kept_files.keep("papers", "key", content, most=1)
    assert kept("key") is None


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    "function",
    ["posix\nsystem", "dpfair_cli.commands.kept_answers\nos.system", "builtins\nexec"],
)
def test_a_file_with_other_objects_runs_no_program(tmp_path, function):
    module, name = function.split("\n")
    command = f"touch {tmp_path / 'made'}"
    content = (
        b"\x80\x04"
        + pickle.SHORT_BINUNICODE + bytes([len(module)]) + module.encode()
        + pickle.SHORT_BINUNICODE + bytes([len(name)]) + name.encode()
        + pickle.STACK_GLOBAL
        + pickle.BINUNICODE + len(command).to_bytes(4, "little") + command.encode()
        + pickle.TUPLE1 + pickle.REDUCE + pickle.STOP
    )  # fmt: skip
    kept_files.keep("papers", "key", content, most=1)
    assert kept("key") is None
    assert not (tmp_path / "made").exists()


@pytest.mark.usefixtures("cache")
def test_only_the_latest_papers_are_kept(cache, monkeypatch):
    monkeypatch.setattr(kept_papers, "MOST", 3)
    for number in range(5):
        keep(f"key{number}", FOUND)
    assert len(list((cache / "papers").glob("*"))) == 3
