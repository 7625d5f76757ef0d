"""The table in a terminal: the paper's rows, verdicts in cells, and what is equal above them."""

from dataclasses import replace

import pandas as pd
import pytest

from dpfair_cli.commands import terminal
from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting import shown, text_writer
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.deviations.deviation import DeviationKind

SHOWN = pd.DataFrame(
    {
        "dataset": ["adult"] * 3,
        "method": ["LR", "LR, l2 = 10", "PFLR"],
        "accuracy": ["0.8462 ± 0.0035", "0.8387 ± 0.0039", "0.7142 ± 0.0516"],
        "accuracy published": ["0.8380 ± 0.0023", "0.8380 ± 0.0023", "0.7400 ± 0.0182"],
        "accuracy verdict": ["reproduced", "reproduced", "differs (variant)"],
        "majority accuracy": ["0.75 ± 0.01", "0.76 ± 0.01", "0.77 ± 0.01"],
        "privacy": ["not private", "not private", "proved"],
    }
)
NUMBERS = pd.DataFrame({"dataset": [], "method": [], "accuracy_mean": []})
TABLE = Table("Table 1", (), NUMBERS, SHOWN)


def test_a_cell_has_value_verdict_and_published_value():
    text = text_writer.terminal_table(TABLE, width=120)
    assert "PFLR         0.7142 ± 0.0516 ≠ (0.7400 ± 0.0182)  0.77 ± 0.01        proved" in text
    assert "In all rows: dataset adult." in text
    assert "✓ reproduced; ≠ differs, explained" in text


@pytest.mark.parametrize("kind", ["", *DeviationKind])
def test_a_difference_has_one_colour_in_cells_pages_and_words(kind):
    words = f"differs ({kind})" if kind else "differs"
    own = SHOWN.assign(**{"accuracy verdict": ["reproduced", "reproduced", words]})
    text = text_writer.terminal_table(Table("Table 1", (), NUMBERS, own), width=120)
    look = shown.look_of(CellVerdict.DIFFERS, kind)
    assert f"0.0516 {look.symbol} (0.7400" in text
    painted = terminal.click.style(look.symbol, fg=terminal.TONES[look.tone])
    assert f"0.0516 {painted} (0.7400" in terminal.coloured(text)
    assert terminal.click.style(words, fg=terminal.TONES[look.tone]) in terminal.coloured(words)


def test_rows_of_variants_are_left_out_and_counted():
    text = text_writer.terminal_table(TABLE, width=120, left_out=["LR, l2 = 10"])
    assert "l2" not in text
    assert "1 rows of variants are left out: -v shows them." in text


def test_a_narrow_terminal_gets_means_and_then_fewer_scores():
    text = text_writer.terminal_table(TABLE, width=50)
    assert "PFLR         0.7142 ≠ (0.7400)  0.77" in text
    assert "Privacy: not private (LR, LR, l2 = 10); proved (PFLR)." in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 50


def test_equal_rows_of_a_method_at_all_epsilons_are_one_row():
    shown = pd.DataFrame(
        {
            "method": ["PFLR", "LR", "PFLR", "LR"],
            "epsilon": ["0.1", "0.1", "1", "1"],
            "accuracy": ["0.6", "0.8", "0.7", "0.8"],
        }
    )
    numbers = pd.DataFrame({"method": [], "epsilon": [], "accuracy_mean": []})
    text = text_writer.terminal_table(Table("A sweep", (), numbers, shown), width=80)
    rows = [line.split() for line in text.splitlines() if line.startswith(("PFLR", "LR"))]
    assert rows == [["PFLR", "0.1", "0.6"], ["LR", "all", "0.8"], ["PFLR", "1", "0.7"]]


def test_notes_are_wrapped_at_the_width_of_the_terminal():
    table = Table("Table 1", ("many words " * 20,), NUMBERS, SHOWN)
    assert max(map(len, text_writer.terminal_table(table, width=70).splitlines())) <= 70


def test_one_note_says_that_standard_deviations_are_left_out():
    table = replace(TABLE, notes=("Mean ± standard deviation over 3 seeds.",))
    wide = text_writer.terminal_table(table, width=120)
    assert "Mean ± standard deviation over 3 seeds." in wide
    narrow = text_writer.terminal_table(table, width=50)
    assert "Mean over 3 seeds (standard deviations: table.md)." in narrow.replace("\n", " ")
    assert narrow.count("tandard deviation") == 1
