"""A command gets its arguments and options as one frozen record, filled once."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import pytest
from click.testing import CliRunner

from dpfair_cli.commands import inheriting
from dpfair_cli.commands.options import argument, declared, group, option


@dataclass(frozen=True)
class Size:
    rows: int = option("--rows", default=10, help="The rows.")
    wide: bool = option("--wide", is_flag=True, help="Wide rows.")


@dataclass(frozen=True)
class Drawing:
    name: str = argument()
    size: Size = group(Size)  # noqa: RUF009 - a field, as in the commands
    seed: int | None = option("--seed", type=int, default=None, help="The seed.")


def drawn(*words):
    seen = []

    @declared("draw", Drawing)
    def command(asked: Drawing) -> None:
        """Draw."""
        seen.append(asked)

    result = CliRunner().invoke(inheriting(command), words)
    return result, seen


def test_a_record_has_its_groups_and_defaults():
    _, (asked,) = drawn("tree", "--rows", "3")
    assert (asked.name, asked.size.rows, asked.size.wide, asked.seed) == ("tree", 3, False, None)
    with pytest.raises(FrozenInstanceError):
        asked.seed = 1


def test_the_help_has_the_order_of_the_fields_and_the_shared_options_last():
    text = drawn("--help")[0].stdout
    names = [word for word in text.split() if word.startswith("--")]
    assert names == ["--rows", "--wide", "--seed", "--quiet", "--verbose", "--help"]
