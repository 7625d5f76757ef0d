"""What a command writes about the user's own table can be read by the user alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpfair_cli.release import training
from tests.commands.invoking import mistake, works
from tests.commands.material import COLUMNS, PUBLIC

OTHERS = 0o077  # permissions of the group and of everybody


@pytest.fixture(autouse=True)
def usual_permissions():
    """New files can be read by everybody, unless a command says otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """The files and folders below `folder` that other users may read or change."""
    return [str(path) for path in folder.rglob("*") if path.stat().st_mode & OTHERS]


@pytest.mark.usefixtures("own")
def test_files_about_an_own_table_are_closed_to_other_users():
    before = open_to_others(Path())
    sweep = ("--method", "pflr", "--eps", "1", "--runs", "1", "--jobs", "1")
    works("sweep", "own.csv", *PUBLIC, *sweep)
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    works("predict", "model.json", "own.csv", "--out", "decisions.csv")
    works("domain", "own.csv", *COLUMNS, "--out", "draft.yaml")
    works("train", "own.csv", *PUBLIC, "--method", "tree_augmented_records", "--save", "tree.json")
    works("sample", "tree.json", "--rows", "20", "--out", "drawn.csv")
    assert Path("results/sweeps").is_dir()
    assert open_to_others(Path()) == before
    assert os.umask(0o022) == 0o022  # the commands left it as it was


@pytest.mark.usefixtures("own")
def test_a_domain_file_that_changes_during_a_fit_gives_no_model(monkeypatch):
    load = training.load

    def load_and_change(located):
        found = load(located)
        Path("domain.yaml").write_text(Path("domain.yaml").read_text().replace("90", "95"))
        return found

    monkeypatch.setattr(training, "load", load_and_change)
    said = mistake("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    assert "was changed while the model was trained" in said
    assert not Path("model.json").exists()
