"""The README shows what the results say."""

import re
from pathlib import Path

import pandas as pd
from click.testing import CliRunner

from dpfair_cli.commands import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
WHOM = {  # whom a method protects, in the README's words
    "one record, replaced": "replace-one",
    "one record, added or removed": "add-or-remove-one",
    "the protected attribute of one record": "one protected attribute",
    "one edge of a graph": "one edge",
    "the randomised attributes of one record": "randomised attributes of one record",
}
NUMBER = re.compile(r"^\| adult \|.*\|$", re.MULTILINE)


def cells(line):
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_the_readme_shows_table_8_1_as_it_was_regenerated():
    table = (ROOT / "results" / "xu2021" / "table8.1" / "table.md").read_text(encoding="utf-8")
    shown = [match.group(0) for match in NUMBER.finditer(README)]
    assert len(shown) == 5
    assert set(shown) <= set(table.splitlines())


def test_the_readme_shows_the_scoreboard_as_it_was_regenerated():
    board = (ROOT / "results" / "scoreboard.md").read_text(encoding="utf-8")
    counts, heading, _ = board.partition("\nHow far a verdict can be trusted.")
    assert heading
    assert f"<!-- scoreboard -->\n{counts}<!-- end -->" in README


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


def test_a_guarantee_that_the_readme_states_is_that_of_the_method():
    printed = CliRunner().invoke(main, ["info", "privacy"]).stdout.splitlines()[2:]
    stated = {
        (name, status, re.split("[,;]", whom)[0])
        for name, status, _, whom, _, _ in map(cells, printed)
    }
    table = README.partition("| epsilon protects |")[2].partition("\n\n")[0].splitlines()[2:]
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
