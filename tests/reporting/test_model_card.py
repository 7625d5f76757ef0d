"""The card of a model says what was promised, measured, asked and answered, and is not public."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from dpfair_cli.commands import train
from dpfair_cli.reporting.model_card import ModelCard
from tests.commands.invoking import dpfair, mistake, works
from tests.commands.material import DOMAIN, PUBLIC, people, write

TRAIN = ("train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "1")


def card(**changed):
    empty = ModelCard("m.json", {}, {}, {}, {}, [], {}, [], "")
    return ModelCard(**(vars(empty) | changed)).text()


def sections(text):
    """The content of each section of a card, by its title."""
    parts = text.split("\n## ")[1:]
    return {title: content.strip() for title, _, content in (one.partition("\n") for one in parts)}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("own.csv", people())
    Path("domain.yaml").write_text(DOMAIN)


def test_a_section_without_content_says_none():
    assert set(sections(card()).values()) == {"None."}


def test_a_name_in_the_table_ends_no_block():
    found = sections(card(rates=["```", "a"], answers="x: {levels: ['````']}\n# b\n"))
    assert found["Rates by group"] == "````\n```\na\n````"
    assert found["Answers in the domain file"].startswith("`````\n")


@pytest.mark.usefixtures("table")
def test_a_card_holds_what_was_printed_and_answered():
    works("budget", "init", "--eps", "60", "domain.yaml")
    save = ("--save", "m.json", "--release-scores", "50", "--json")
    said = works(*TRAIN, *save)
    shown, text = json.loads(said.stdout), Path("m.card.md").read_text()
    found = sections(text)
    assert "Do not publish this card" in text
    assert "m.card.md" in said.stderr
    for name, words in shown["guarantee"].items():
        assert f"{name:{max(map(len, shown['guarantee']))}}  {words}" in found["Guarantee"]
    assert "spent       epsilon 51" in found["Privacy ledger"]
    assert f"{shown['scores']['accuracy']:.4f}" in found["Scores"]
    assert f"{shown['released scores']['accuracy']['value']:.4f}" in found["Released scores"]
    assert "selection rate" in found["Rates by group"]
    assert "60 rows" in found["Data"]
    assert Path("domain.yaml").read_text().strip() in found["Answers in the domain file"]


@pytest.mark.usefixtures("table")
def test_a_question_is_in_the_card():
    write("own.csv", [["91", *line[1:]] for line in people()[:40]] + people()[40:])
    said = works(*TRAIN, "--save", "m")
    words = "40 cells, such as '91', of age become the nearest end of the range"
    assert f"? {words}" in said.stderr
    assert f"- {words}" in Path("m.card.md").read_text()


@pytest.mark.usefixtures("table")
def test_a_model_that_was_paid_for_is_saved_before_its_card(monkeypatch):
    """A second fit without noise can follow, which can take long and be interrupted."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "_remark", interrupted)
    assert dpfair(*TRAIN, "--save", "m.json").exit_code != 0
    assert Path("m.json").exists()


@pytest.mark.usefixtures("table")
def test_other_users_cannot_read_a_card():
    works(*TRAIN, "--save", "m.json")
    assert stat.S_IMODE(Path("m.card.md").stat().st_mode) == 0o600


@pytest.mark.usefixtures("table")
def test_a_card_of_the_user_is_replaced_only_with_force():
    Path("m.card.md").write_text("mine")
    assert "m.card.md exists already" in mistake(*TRAIN, "--save", "m.json")
    assert not Path("m.json").exists()
    works(*TRAIN, "--save", "m.json", "--force")
    assert "Do not publish" in Path("m.card.md").read_text()


@pytest.mark.usefixtures("table")
def test_a_model_that_is_no_file_has_no_card():
    works(*TRAIN)
    assert not list(Path().glob("*.md"))
    os.mkfifo("pipe")
    assert train._card_file(Path("pipe")) is None
