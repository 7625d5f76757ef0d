"""The page about audits of other libraries: every broken mechanism has a shown pair."""

from pathlib import Path

from benchmarks.audit_libraries import PAGE, page

ROW = {
    "library": "theirs 1.0",
    "mechanism": "`mean`",
    "neighbours": "replace-one",
    "claimed": "epsilon 1",
    "found": "2, by noise",
    "verdict": "broken",
    "why": "a | in words",
    "pair": "found: neighbours cost epsilon 2",
}


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_broken_mechanism_is_in_both_tables_and_a_sound_one_in_the_first():
    sound = ROW | {"mechanism": "`total`", "verdict": "not refuted", "pair": ""}
    first, second = page([ROW, sound]).split("## What is shown of the broken ones")
    assert "`mean`" in first
    assert "`total`" in first
    assert "| theirs 1.0 | `mean` | found: neighbours cost epsilon 2 |" in second
    assert "`total`" not in second


def test_a_bar_in_a_text_makes_no_cell():
    lines = [line for line in page([ROW]).splitlines() if line.startswith("| theirs")]
    assert len(cells(lines[0])) == 7


def test_the_committed_page_shows_a_pair_of_every_broken_mechanism():
    first, second = PAGE.read_text(encoding="utf-8").split("## What is shown of the broken ones")
    rows = [cells(line) for line in first.splitlines() if line.startswith("| ") and "`" in line]
    broken = {tuple(row[:2]) for row in rows if row[5] == "broken"}
    shown = {tuple(cells(line)[:2]) for line in second.splitlines() if "pair: " in line}
    assert broken == shown
    assert {row[5] for row in rows} == {"broken", "not refuted"}
    assert Path(PAGE).name == "audit-libraries.md"
