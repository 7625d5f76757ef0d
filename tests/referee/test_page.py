"""The page of the referee, its picture and its section of the report, from works made by hand."""

from __future__ import annotations

import pytest
from PIL import Image

from dpfair_cli.addons.referee import page, tables, words
from tests.referee.made_entries import CELL, changed
from tests.referee.test_judging import WITHOUT_STEPS, judged
from tests.reporting import pages

HIDDEN = {"aspect": "settings", "a": "rate 1", "b": "rate 2", "unpublished": "not printed"}
HIDDEN |= {"runs": {"method": "ours, 3 epochs"}}


@pytest.fixture
def entries():
    """An entry with two steps, one with an unpublished setting, and one without runs."""
    hidden = changed(id="hidden", differences=[HIDDEN])
    return [judged(), judged(hidden), judged(changed(id="bare", **WITHOUT_STEPS))]


def test_the_sentence_says_numbers_first_and_the_state_last(entries):
    first, hidden, bare = map(words.sentence, entries)
    assert first.startswith(
        "one2020 publishes 0.810, two2021 publishes 0.78: a gap of −0.0300 ± 0.0"
    )
    assert "−0.0310 training: from 9 epochs to 3; +0.0000 noise: from one to two" in first
    assert "That is 103 % of the gap; the rest is +0.0010" in first
    assert first.endswith("Settled: the named differences explain the gap, and no rest is left.")
    assert (
        "A setting that is not published (settings: from rate 1 to rate 2) gives −0.0310" in hidden
    )
    assert hidden.endswith("Undecided: no runs of ours take the gap apart.")
    assert "(noise not known)" in bare


def test_the_bars_lead_from_one_number_to_the_other(entries):
    kinds = [bar.kind for bar in tables.bars(entries[0])]
    assert kinds == ["published", "rest", "step", "step", "rest", "published"]
    assert tables.bars(entries[1])[2].kind == "setting not published"
    assert tables.bars(entries[2]) == []
    changes = [bar.end - bar.start for bar in tables.bars(entries[0])]
    assert sum(changes) == pytest.approx(-0.03)


def test_numbers_of_one_work_are_told_apart_by_their_place():
    same = judged(changed(b={"cell": CELL}, differences=[]))
    assert words.names(same) == ["one2020 (first)", "one2020 (second)"]


def test_a_page_has_a_section_for_each_entry_and_equal_bytes(entries, tmp_path):
    files = [page.write(entries, tmp_path / name) for name in ("one", "other")]
    assert [file.name for file in files[0]] == [
        "referee.md",
        "toy.png",
        "hidden.png",
    ]
    for one, other in zip(*files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    with Image.open(files[0][1]) as image:
        assert image.width > 1000
    text = files[0][0].read_text(encoding="utf-8")
    assert "3 entries: " in text
    assert "two published numbers: 3" in text
    assert text.count("\n## ") == 3
    assert "nan" not in text


def test_the_report_has_the_entries_and_escapes_them():
    entry = judged(changed(remark="a < b", **WITHOUT_STEPS))
    text = pages.page([], papers={}, added=[page.section([entry])])
    assert '<h2 id="referee">' in text
    assert "a &lt; b" in text
    assert "one2020 publishes 0.810" in text


def test_a_report_without_entries_has_no_section():
    assert 'id="referee"' not in pages.page([], papers={})
