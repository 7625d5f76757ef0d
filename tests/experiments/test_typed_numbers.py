"""No number of a run is typed into a text: it is a reference that is filled in when rendered.

A decimal, a percentage, a number with a thousands separator or a count such as "8 of 14" in the
prose of a page, in the cause of a deviation or in README.md must be of a kind that is no result: a
setting behind its name, a quotation of the paper, a name such as Table 8.2, a piece of code, or one
of the facts below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import nodes

from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.reporting.chapter_pages import FUNCTIONS, environment
from dpfair_cli.reporting.check_page import sources

ROOT = Path(__file__).parent.parent.parent
EXPERIMENTS = ROOT / "experiments"
PAGES = [
    page for folder in sorted(EXPERIMENTS.iterdir()) if folder.is_dir() for page in sources(folder)
]
READMES = sorted(EXPERIMENTS.glob("*/README.md"))

NUMBER = re.compile(r"(?<![\w.,^])-?(?:\d+\.\d+|\d{1,3}(?:,\d{3})+|\d+(?= ?%))(?![\w.]?\d)")
COUNT = re.compile(r"\b\d+ of (?:its |their |the )?\d+\b")  # cells with a verdict, and of how many
VALUE = (
    r"-?\d(?:\.\d{1,2})?(?!\.?\d)"  # a setting has one digit before the point, at most two behind
)
NAMES = "epsilon|s|p|n|mu|lambda|alpha|γ|τ|ε|bounds?|momentum|significance|threshold of|penalty of"
RELATION = "(?: =| ≤| above| up to| from)?"
NO_RESULTS = (
    re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL),
    re.compile(
        r"`[^`\n]*(?:[=(/_]|--)[^`\n]*`|`[a-z][\w.*-]*`|`\d+\.\d+\.\d+`"
    ),  # code, a name, a version
    re.compile(r'"[^"\n]*[a-z]{2,}[^"\n]*"|"\d+(?:\.\d)?%?"'),  # a quotation of the paper
    re.compile(r"\]\([^)]*\)|https?://\S+"),
    re.compile(
        r"(?i:Tables?|Figures?|Sections?|Equations?|Theorems?|Lemma|Definition|Algorithm) "
        r"\d+(?:\.\d+)*(?:(?:, | and | to )\d+\.\d+)*"
    ),
    re.compile(rf"(?<![\w])(?:{NAMES}){RELATION} {VALUE}(?:(?:, | and ){VALUE})*(?![\w%])"),
    re.compile(r"epsilon_s = 0\.01 epsilon_n"),
    re.compile(r"\b1\.\d orders"),  # of a variant of PrivPC: a setting
)
FACTS = {
    "45,222": "rows of Adult without missing values",
    "48,842": "rows of Adult",
    "65,123": "rows of Adult with adult.test twice",
    "16,817": "distinct rows of Adult with 57 features",
    "0.0222": "norm of the probabilities of these rows with the label",
    "0.0193": "norm of the probabilities of these rows with label and group",
    "2,048": "cells of 11 two-valued variables",
    "295,243": "rows of the substitute for US",
    "1,232,698": "training rows of the substitute for ACSIncome",
    "1,498,050": "training rows of ACSIncome in the paper",
    "17,981": "links of Wiki in the dissertation",
    "5,429": "links of Cora in the dissertation",
    "4,732": "links of CiteSeer in the dissertation",
    "30,273": "men of Dutch in the dissertation",
    "160,000": "cells of a table of 10 variables, by its law",
    "1,000": "a number of steps, rounds, records or an epsilon: a setting",
    "2,000": "a number of steps or epochs: a setting",
    "10,000": "a bound of an epsilon that a test computes",
    "32,561": "rows of adult.data",
    "100,000": "the most cells of a table: a setting",
    "1,000,000": "the most cells of a table: a setting",
    "10": "percent of records held out: a setting",
}


def typed_numbers(prose: str) -> list[str]:
    """The numbers of a text that may be results."""
    for kind in NO_RESULTS:
        prose = kind.sub(" ", prose)
    numbers = [number for number in NUMBER.findall(prose) if number not in FACTS]
    return numbers + COUNT.findall(prose)


def prose_of(template: str) -> str:
    """The text of a page between its expressions."""
    parts = environment().parse(template).find_all(nodes.TemplateData)
    return " ".join(part.data for part in parts)


def outputs_of(template: str) -> Iterator[nodes.Expr]:
    """The expressions whose values a page prints."""
    for output in environment().parse(template).find_all(nodes.Output):
        yield from (node for node in output.nodes if not isinstance(node, nodes.TemplateData))


def is_reference(expression: nodes.Expr) -> bool:
    """Whether an expression is a call of one of the functions that look numbers up."""
    called = expression.node if isinstance(expression, nodes.Call) else None
    return isinstance(called, nodes.Name) and called.name in FUNCTIONS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_a_page_types_no_number_of_a_run(page: Path) -> None:
    assert typed_numbers(prose_of(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_every_expression_of_a_page_looks_something_up(page: Path) -> None:
    found = list(outputs_of(page.read_text(encoding="utf-8")))
    assert found
    assert all(is_reference(expression) for expression in found)


@pytest.mark.parametrize("readme", READMES, ids=lambda readme: readme.parent.name)
def test_the_contents_of_a_paper_type_no_number_of_a_run(readme: Path) -> None:
    assert typed_numbers(readme.read_text(encoding="utf-8")) == []


def test_the_readme_types_no_number_of_a_run() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.compile(r"^<!-- [\w. -]+ -->$.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
    assert typed_numbers(blocks.sub("", text)) == []


def test_a_cause_types_no_number_of_a_run() -> None:
    for file in sorted(EXPERIMENTS.glob("*/deviations.yaml")):
        for entry in read_yaml(file) or ():
            assert typed_numbers(entry["cause"]) == [], entry["id"]


@pytest.mark.parametrize(
    "planted",
    [
        "PFLR has accuracy 0.705 at epsilon 1.",
        "Its accuracy is `0.705`.",
        "It has `accuracy 0.705`.",
        'It has "0.705" on Adult.',
        "At epsilon 0.705 lies the mean.",
        "The accuracy is at 0.71.",
        "The loss stays below 0.46.",
        "The risk difference falls to -0.02.",
        "The distance is 28,542 here.",
        "Of the records 87 % are right.",
        "Of the records 87% are right.",
        "Table 8.1 has 0.7050, Table 8.2 0.74.",
        "It rises from 0.1 to 0.46.",
        "**0.74** (0.75)",
        "Under it 8 of its 14 cells agree.",
        "| adult | 0.74 |",
    ],
)  # fmt: skip
def test_a_planted_number_of_a_run_is_found(planted: str) -> None:
    assert typed_numbers(planted)


@pytest.mark.parametrize(
    "planted", ['{{ "0.705" }}', "{{ 0.705 }}", "{{ ours(1) + 0.705 }}", "{{ 0.705 | string }}"]
)
def test_a_number_planted_in_an_expression_is_found(planted: str) -> None:
    assert not all(is_reference(expression) for expression in outputs_of(planted))


@pytest.mark.parametrize(
    "text",
    [
        "At epsilon = 0.1 and in Tables 8.1 and 9.2 it differs.",
        'The paper says "below 0.05 for all".',
        "With bounds 0.1 and 0.5 each group loses the same.",
        "The 45,222 rows without missing values.",
        "See [the test](../a-0.25.md) and `dpfair train --eps 0.25`.",
    ],
)
def test_settings_names_and_quotations_may_be_typed(text: str) -> None:
    assert typed_numbers(text) == []
