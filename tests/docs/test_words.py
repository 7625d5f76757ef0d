"""The glossary, docs/words.md, has every word of the code's own lists."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import dpfair_cli.verdicts
from dpfair_cli import catalog
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts import declarations, guarantees
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.metrics.fairness_functions import NOTIONS
from dpfair_cli.reporting.cell_columns import COLUMNS
from dpfair_cli.running import spec, spec_entries
from dpfair_cli.verdicts.cells.published import FIXED_COLUMNS
from dpfair_cli.verdicts.claims.axis_predicates import (
    SIGNS,
    Extreme,
    Place,
    PowerLaw,
    Rise,
    RiseOfTwo,
    Slope,
    Steeper,
    Trend,
)
from dpfair_cli.verdicts.claims.claim import Claim, ClaimPart
from dpfair_cli.verdicts.claims.predicate import Predicate
from dpfair_cli.verdicts.claims.predicates import (
    Compare,
    Distances,
    Nearer,
    Share,
    Spread,
    Successes,
)
from dpfair_cli.verdicts.deviations.deviation import KEYS as DEVIATION_KEYS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
TEMPLATES = ROOT / "dpfair_cli" / "reporting" / "templates"
PLACEHOLDERS = {"<notion>": f"({'|'.join(NOTIONS)})", "<group>": r"\d+"}
DOMAIN_KEYS = {"confirmed", "levels", "low", "high", "bins"}


def rows(title):
    """The rows of the table under a heading."""
    part = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith("| ")][1:]


def section(title):
    """The first column of the table under a heading."""
    return [row.split(" | ")[0].removeprefix("| ").strip() for row in rows(title)]


WORDS = {word for entry in section("The words") for word in (entry, *entry.split(", "))}
SCORES = {name for entry in section("Scores and axes") for name in re.findall(r"`([^`]+)`", entry)}
KEYS = {name for entry in section("Keys and columns") for name in re.findall(r"`([^`]+)`", entry)}
VALUES = {name for row in rows("Keys and columns") for name in re.findall(r"`([^`]+)`", row)}


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


def headings():
    """The headings of the tables of all reports that are written out in their templates."""
    found = set()
    for file in TEMPLATES.glob("*.j2"):
        text = file.read_text(encoding="utf-8")
        found |= set(re.findall(r"<th[^>]*>([^<{]+)</th>", text))
        for line in re.findall(r"^\| ([^{\n]*) \|\n\| --- ", text, flags=re.MULTILINE):
            found |= {word.strip() for word in line.split("|")}
    return found - {""}


def is_a_score_of_the_page(score):
    for name in SCORES:
        pattern = re.escape(name)
        for placeholder, values in PLACEHOLDERS.items():
            pattern = pattern.replace(re.escape(placeholder), values)
        if re.fullmatch(pattern, score):
            return True
    return False


@pytest.mark.parametrize(
    "title", ["The words", "Scores and axes", "Keys and columns", "Names of files"]
)
def test_entries_are_in_alphabetical_order(title):
    names = [re.sub(r"[`(<>]", "", name).lower() for name in section(title)]
    first_words = [re.split(r"[,\s]", name)[0] for name in names if re.match("[a-z]", name)]
    assert len(first_words) > 10
    assert first_words == sorted(first_words)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "title", ["The words", "Scores and axes", "Keys and columns", "Names of files"]
)
def test_every_entry_has_a_definition(title):
    assert [row for row in rows(title) if not all(row.strip("| ").split(" | ")[:2])] == []


def test_every_verdict_and_kind_of_deviation_is_a_word():
    modules = modules_of(dpfair_cli.verdicts)
    verdicts = set().union(*map(members_of, modules))
    assert {"reproduced", "consistent", "undecided", "differs", "fails", "variant"} <= verdicts
    assert verdicts - WORDS - VALUES == set()


def test_every_status_condition_and_kind_of_neighbours_is_a_word():
    words = members_of(guarantees) | {guarantees.BOUNDS_FROM_DATA, "known seed", "unpaid scores"}
    assert {"proved", "void", "replace-one"} <= words
    assert words - WORDS == set()


def test_every_standin_is_a_word():
    assert members_of(declarations) - WORDS == set()


def test_every_heading_of_a_report_is_a_word():
    columns = {field.name.replace("_", " ") for field in fields(Audited)}
    found = headings() | columns | {column.heading for column in COLUMNS}
    assert {"would decide", "reason", "largest move"} <= found
    assert found - WORDS == set()


def test_every_score_of_a_task_is_defined():
    scores = {score for name in catalog.studies.names for score in catalog.study(name).scores}
    assert len(scores) > 100
    assert sorted(score for score in scores if not is_a_score_of_the_page(score)) == []
    assert not is_a_score_of_the_page("accuracy_of_nothing")


def test_every_key_of_a_spec_is_defined():
    layouts = {name: fields(catalog.layout(name)) for name in catalog.layouts.names}
    keys = {*spec.TOP_KEYS, *spec.QUICK_KEYS, *spec_entries.ENTRY_KEYS, *layouts}
    keys |= {field.name for own in layouts.values() for field in own}
    assert keys - KEYS == set()


def test_every_key_of_claims_and_deviations_is_defined():
    predicates = (Compare, Trend, Slope, Spread, Extreme, Share, Steeper, Nearer)
    asked = (Rise, PowerLaw, Place, Successes, RiseOfTwo, Distances)
    records = (Claim, ClaimPart, *predicates, *asked)
    keys = {"parts"} | {field.name for record in records for field in fields(record)}
    keys |= {*DEVIATION_KEYS, *get_args(get_type_hints(Predicate)["over"])}
    assert {"not_testable", "across", "not_run"} <= keys
    assert keys - KEYS == set()
    assert {*SIGNS} <= VALUES


def test_every_column_of_published_values_is_defined():
    assert [name for name in FIXED_COLUMNS if name not in KEYS] == []


def test_every_field_of_a_guarantee_is_defined():
    records = (guarantees.Guarantee, guarantees.FitGuarantee)
    assert {field.name for record in records for field in fields(record)} - KEYS == set()


def test_every_key_of_a_domain_file_is_defined():
    keys = DOMAIN_KEYS | {field.name for field in fields(TableForm)}
    assert keys - KEYS == set()
