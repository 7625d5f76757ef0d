"""The committed entries: all families, names that exist, and the page that follows from them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from dpfair_cli import paths
from dpfair_cli.addons.referee import committed, page, tables, words
from dpfair_cli.addons.referee.rule import State
from dpfair_cli.reproduction.runs import RunOptions

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
WRITE = "run `dpfair reproduce --collect`, and look at what has changed"


@pytest.fixture(scope="module")
def entries():
    """Every committed entry, judged."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return committed.referee(RunOptions(paths.data_folder(), RESULTS, collect=True))


def test_the_entries_cover_every_family(entries):
    families = {one.entry.family for one in entries}
    assert families == {f"C{number}" for number in range(1, 18)}


def test_the_committed_page_is_that_of_the_entries(entries):
    committed_page = RESULTS / "referee.md"
    assert committed_page.read_text(encoding="utf-8") == page.text(entries), WRITE


def test_each_entry_with_steps_has_a_picture_and_no_other_is_there(entries):
    wanted = {one.entry.id for one in entries if tables.bars(one)}
    assert {file.stem for file in (RESULTS / "referee").glob("*.png")} == wanted, WRITE


def test_the_bars_of_a_picture_lead_from_one_number_to_the_other(entries):
    for one in filter(tables.bars, entries):
        first, *changes, last = tables.bars(one)
        assert first.end == changes[0].start
        assert last.start == changes[-1].end
        for before, after in pairwise(changes):
            assert before.end == after.start


def test_a_state_other_than_settled_is_never_said_to_be_settled(entries):
    for one in entries:
        assert f"{one.ruling.state}: ".capitalize() in words.sentence(one)
    assert {one.ruling.state for one in entries} <= {*State}


def test_all_evidence_is_a_committed_file(entries):
    for one in entries:
        for link in tables.evidence(one):
            assert (RESULTS / link.file).resolve().is_file(), link.text
