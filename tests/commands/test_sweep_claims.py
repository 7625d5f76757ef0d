"""What a sweep says of its claims: what breaks them, and what its fits would cost together."""

from __future__ import annotations

from tests.commands.invoking import works
from tests.commands.material import COLUMNS, TWO, swept


def test_bounds_read_from_the_data_are_said_in_every_table(own):
    works("sweep", "own.csv", *COLUMNS, "--eps", "1", "--runs", "1", "--jobs", "1", "--out", "out")
    for name in ("table.md", "table.csv", "table.tex"):
        assert "not private: bounds from data, unpaid scores" in (swept() / name).read_text(), name


def test_a_sweep_of_own_data_states_its_price_and_unpaid_scores(
    own,
):
    """Two seeds of two methods at 1 and 10, each with delta = 1e-6."""
    printed = works(*TWO).stdout
    for text in (printed, (swept() / "table.md").read_text()):
        assert "epsilon 44, delta 8e-06 for 8 (add-or-remove-one, basic composition)" in text
        assert "These results are not private: exact scores" in text
        assert "the same unit noise at all epsilons of a seed" in text
        assert text.count("void: unpaid scores") == 4
        assert "proved" not in text


def test_a_sweep_of_public_data_has_no_price(variables):
    given = ("--method", "priv_pc", "--eps", "1", "--runs", "1", "--jobs", "1", "--out", "out")
    text = works("sweep", "synthetic_categorical", *given).stdout
    assert "would cost" not in text
    assert "proved" in text
