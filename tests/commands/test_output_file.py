"""What a command writes replaces no input, and another file only with --force."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import PUBLIC

TRAIN = ("train", "own.csv", *PUBLIC, "--method", "pflr", "--seed", "1")


@pytest.fixture
def trained(own):
    """A working folder with a table, its domain file and a model."""
    works(*TRAIN, "--save", "model.json")
    return own


WRITERS = {
    "train": ((*TRAIN, "--save"), ("own.csv", "domain.yaml")),
    "predict": (("predict", "model.json", "own.csv", "--out"), ("model.json", "own.csv")),
    "domain": (("domain", "own.csv", "--label", "rich", "--out"), ("own.csv",)),
}
every_writer = pytest.mark.parametrize("name", WRITERS)


@every_writer
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.usefixtures("trained")
def test_no_input_is_overwritten(name, force):
    arguments, inputs = WRITERS[name]
    Path("link").symlink_to(inputs[0])
    for target in (*inputs, f"./{inputs[0]}", str(Path(inputs[0]).resolve()), "link"):
        before = Path(target).read_bytes()
        message = mistake(*arguments, target, *force)
        assert "is read by this command and is not overwritten" in message
        assert Path(target).read_bytes() == before


@every_writer
@pytest.mark.usefixtures("trained")
def test_another_file_is_replaced_with_force_only(name):
    arguments, _ = WRITERS[name]
    Path("mine.txt").write_text("mine")
    message = mistake(*arguments, "mine.txt")
    assert "mine.txt exists already: give" in message
    assert Path("mine.txt").read_text() == "mine"
    works(*arguments, "mine.txt", "--force")
    assert Path("mine.txt").read_text() != "mine"


@every_writer
@pytest.mark.usefixtures("trained")
def test_the_place_is_tried_before_the_work(name, monkeypatch):
    monkeypatch.setattr("dpfair_cli.release.training.train", None)  # is not reached
    arguments, _ = WRITERS[name]
    assert mistake(*arguments, "none/file") == ("cannot use none/file: No such file or directory")
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("method", ["tabfairgdt", "copied_data"])
def test_a_model_that_no_file_can_hold_is_refused_before_the_fit(method, monkeypatch):
    monkeypatch.setattr("dpfair_cli.release.training.train", None)
    message = mistake("train", "own.csv", *PUBLIC, "--method", method, "--save", "model.json")
    assert message == f"a model file cannot hold the result of {method}: leave out --save"
