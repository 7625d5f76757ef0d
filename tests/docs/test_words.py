"""The glossary, docs/words.md, has every verdict and status of the code's own lists."""

from __future__ import annotations

import importlib
import pkgutil
import re
from enum import StrEnum
from pathlib import Path

import pytest

import dpfair_cli.verdicts
from dpfair_cli import catalog
from dpfair_cli.contracts import declarations, guarantees
from dpfair_cli.verdicts.references import Statistic

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")


def rows(title):
    """The rows of the table under a heading."""
    part = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith("| ")][1:]


def section(title):
    """The first column of the table under a heading."""
    return [row.split(" | ")[0].removeprefix("| ").strip() for row in rows(title)]


NAMES = {name for entry in section("Names in tables") for name in entry.split(", ")}
SCORES = {name for entry in section("Scores and axes") for name in re.findall(r"`([^`]+)`", entry)}
ORDERED = ["The words", "Scores and axes", "Names of files"]


def modules_of(package):
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [importlib.import_module(module.name) for module in found]


def members_of(module):
    """The members of the enumerations that a module defines."""
    return {
        str(member)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, StrEnum)
        if value.__module__ == module.__name__
        for member in value
    }


@pytest.mark.parametrize("title", ORDERED)
def test_entries_are_in_alphabetical_order(title):
    names = [re.sub(r"[`(<>]", "", name).lower() for name in section(title)]
    first_words = [re.split(r"[,\s]", name)[0] for name in names if re.match("[a-z]", name)]
    assert len(first_words) > 5
    assert first_words == sorted(first_words)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("title", [*ORDERED, "Names in tables", "Keys and columns"])
def test_every_entry_has_a_definition(title):
    assert [row for row in rows(title) if not all(row.strip("| ").split(" | ")[:2])] == []


def test_every_verdict_and_kind_of_deviation_is_a_word():
    modules = modules_of(dpfair_cli.verdicts)
    verdicts = set().union(*map(members_of, modules))
    assert {"reproduced", "consistent", "undecided", "differs", "fails", "variant"} <= verdicts
    assert verdicts - NAMES - set(map(str, Statistic)) == set()


def test_every_status_condition_and_kind_of_neighbours_is_a_word():
    words = members_of(guarantees) | {guarantees.BOUNDS_FROM_DATA, "known seed", "unpaid scores"}
    words -= {*map(str, guarantees.Definition)}  # words of the field
    assert {"proved", "void", "replace-one"} <= words
    assert words - NAMES == set()


def test_every_standin_is_a_word():
    assert members_of(declarations) - NAMES == set()


def test_every_score_of_the_page_is_one_of_a_task():
    studies = [catalog.study(name) for name in catalog.studies.names]
    known = {name for study in studies for name in (*study.scores, study.axis)}
    assert len(SCORES) > 40
    assert SCORES - known == set()
