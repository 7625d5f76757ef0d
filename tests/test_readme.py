"""The README, and pages that repeat results, show what the results say."""

import re
from pathlib import Path

import pandas as pd
from click.testing import CliRunner

from dpfair_cli.commands import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PRIVACY = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
WHOM = {  # whom a method protects, in the words of that page
    "one record, replaced": "replace-one",
    "one record, added or removed": "add-or-remove-one",
    "the protected attribute of one record": "one protected attribute",
    "one edge of a graph": "one edge",
    "the randomised attributes of one record": "randomised attributes of one record",
}


def cells(line):
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_the_readme_has_the_first_main_sentence_of_each_work():
    lines = (ROOT / "results" / "main-claims.md").read_text(encoding="utf-8").splitlines()[2:]
    first = {}
    for work, sentence, verdict, _ in map(cells, lines):
        first.setdefault(work.replace("](", "](results/"), (sentence, verdict))
    shown = README.partition("<!-- main -->\n")[2].partition("<!-- end -->")[0].splitlines()[2:]
    assert [tuple(cells(line)) for line in shown] == [(work, *own) for work, own in first.items()]


def test_the_readme_has_the_counts_of_the_scoreboard():
    board = (ROOT / "results" / "scoreboard.md").read_text(encoding="utf-8")
    (numbers,) = re.findall(r"of (\d+) pairs .* (\d+) are confirmed and (\d+) reversed", board)
    pairs, confirmed, reversed_ones = numbers
    said = " ".join(README.split())
    assert f"Of {pairs} pairs of methods printed more than a margin apart" in said
    assert f"confirm the order of {confirmed} and reverse {reversed_ones}" in said
    (numbers,) = re.findall(
        r"Of (\d+) numbers compared, (\d+) agree .* (\d+) differ and (\d+) ", board
    )
    compared, agree, differ, undecided = map(int, numbers)
    told = f"Of {compared:,} numbers compared, {agree} agree, {differ} differ and {undecided} are"
    assert told in said
    (printed,) = re.findall(r"and (\d+) are not decidable from what is published", board)
    assert f"undecided, {printed} not decidable from what is published" in said


def test_the_readme_is_read_in_minutes():
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 900


def test_the_page_of_chapter_6_shows_what_reweighing_has_in_table_6_2():
    page = (ROOT / "results" / "xu2021" / "chapter6.md").read_text(encoding="utf-8")
    table = pd.read_csv(ROOT / "results" / "xu2021" / "table6.2" / "table.csv")
    row = table.set_index("method").loc["reweighed"]
    metrics = (
        "accuracy",
        "demographic_parity_difference",
        "equal_opportunity_difference",
        "false_positive_rate_difference",
    )
    values = [f"{row[f'{metric}_mean']:.3f}" for metric in metrics]
    assert f"| reweighed | {' | '.join(values)} |" in page


def test_a_guarantee_that_the_page_on_privacy_states_is_that_of_the_method():
    printed = CliRunner().invoke(main, ["info", "privacy"]).stdout.splitlines()[2:]
    stated = {
        (name, status, re.split("[,;]", whom)[0])
        for name, status, _, whom, _, _ in map(cells, printed)
    }
    table = PRIVACY.partition("| epsilon protects |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [cells(line) for line in table]
    columns = {"proved": 1, "refuted": 2}
    shown = {
        (name, status, WHOM[row[0]])
        for row in rows
        for status, k in columns.items()
        for name in filter(None, row[k].split(", "))
    }
    assert shown
    assert shown <= stated
