"""The lines of the works: what is counted, and bars that hide no count."""

import re
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dpfair_cli.reporting.works import FILE, SQUARES, WIDTH, Work, title
from dpfair_cli.verdicts.cells.comparison import CellVerdict

RESULTS = Path(__file__).resolve().parents[2] / "results"
COUNTS = st.integers(0, 5000)


def work(agree, differ, undecided):
    counts = {
        CellVerdict.REPRODUCED: agree,
        CellVerdict.DIFFERS: differ,
        CellVerdict.UNDECIDED: undecided,
    }
    return Work("toy", "Toy", "toy/paper.md", Counter(counts))


@given(COUNTS, COUNTS, COUNTS)
def test_a_bar_is_full_and_shows_each_count_above_zero(agree, differ, undecided):
    bar = work(agree, differ, undecided).bar("ABC", 10)
    assert len(bar) == (10 if agree + differ + undecided else 0)
    assert bar == "".join(sorted(bar))
    shown = [sign in bar for sign in "ABC"]
    assert shown == [count > 0 for count in (agree, differ, undecided)]


def test_a_bar_by_hand():
    assert work(5, 2, 3).bar("ABC", 10) == "AAAAABBCCC"
    assert work(1, 0, 999).bar("ABC", 10) == "ACCCCCCCCC"
    assert work(1, 1, 1).bar("ABC", 10) == "AAAABBBCCC"


def test_what_ran_on_a_substitute_is_not_counted():
    """The scoreboard has a line for each kind of data, and the work only that on its own data."""
    board = (RESULTS / "scoreboard.md").read_text(encoding="utf-8")
    line_of_cells = r"^\| ding2020 \| the paper's data \| printed .*\| (\d+) \|$"
    (own,) = re.findall(line_of_cells, board, re.MULTILINE)
    lines = (RESULTS / FILE).read_text(encoding="utf-8").splitlines()
    (line,) = [one for one in lines if "ding2020/paper.md" in one]
    counts = map(int, line.split(" | ")[4].split("/"))
    assert sum(counts) == int(own)


def test_each_committed_bar_has_one_length():
    lines = (RESULTS / FILE).read_text(encoding="utf-8").splitlines()[2:]
    bars = [line.split(" | ")[3] for line in lines]
    assert {len(bar) for bar in bars if bar.strip()} == {WIDTH}
    assert set("".join(bars)) <= {*SQUARES, " "}


def test_a_title_is_the_first_heading(tmp_path):
    page = tmp_path / "paper.md"
    assert title(page) == tmp_path.name
    page.write_text("{# a remark #}\n# Toy 2020: Title\n\n## More\n", encoding="utf-8")
    assert title(page) == "Toy 2020: Title"


def test_the_committed_main_claims_are_one_to_three_of_each_work():
    lines = (RESULTS / "main-claims.md").read_text(encoding="utf-8").splitlines()[2:]
    counts = Counter(line.split(" | ")[0] for line in lines)
    assert set(counts.values()) <= {1, 2, 3}
    assert len(counts) >= 18
