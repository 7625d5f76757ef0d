"""Quotations: every published cell and every claim says where it stands in its paper, and the paper
says so there.

The papers lie beside the checkout as text with LaTeX and HTML markup. `plain` is how numbers are
compared: without dollars, braces and spaces, and with ± for its command. `letters` is how sentences
are: their letters and digits alone, so that white space, hyphens, signs and markup make no
difference; LaTeX's Greek letters are Greek, of its other commands only log stays. A quotation's
parts are joined by " ... " and stand in the paper in their order.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dpfair_cli.contracts.files import read_yaml
from tests import paper_facts

ROOT = Path(__file__).parent.parent
EXPERIMENTS = ROOT / "experiments"
# The papers' texts, where they lie beside the checkout, by the numbers that their names begin with.
TEXTS = ROOT.parent / "shared" / "papers"
PAPERS = sorted(file.parent.name for file in EXPERIMENTS.glob("*/published.csv"))
COMMANDS = {
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "lambda": "λ",
    "mu": "μ",
}
COMMANDS |= {"sigma": "σ", "tau": "τ", "chi": "χ", "Lambda": "Λ", "log": "log"}
PRINTED = re.compile(
    r"(-?\d+(?:\.\d+)?)(?:±(\d+\.\d+))?(%| edges|s)?"
)  # mean, standard deviation, unit
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
LONGEST = 700  # characters of a quotation: whole sentences, with their evidence


def published(paper: str) -> list[dict[str, str]]:
    with (EXPERIMENTS / paper / "published.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def claims(paper: str) -> list[dict[str, Any]]:
    return read_yaml(EXPERIMENTS / paper / "claims.yaml")  # type: ignore[no-any-return]


def texts(paper: str) -> list[str]:
    """The texts of a paper: one of them, the text of its PDF, or both."""
    if not TEXTS.exists():
        pytest.skip("the papers' texts are not beside this checkout")
    numbers = paper_facts.facts(paper).get("texts", ())
    if not numbers:
        pytest.skip(f"the text of {paper} is not among the texts beside a checkout")
    return [
        file.read_text(encoding="utf-8")
        for number in numbers
        for file in TEXTS.glob(f"{number}_*.txt")
    ]


def plain(text: str) -> str:
    return re.sub(r"[${} ]", "", text.replace(r"\pm", "±"))


def letters(text: str) -> str:
    text = re.sub(r"</?\w+/?>", "", text)
    text = re.sub(r"\\(?:var)?([A-Za-z]+)", lambda command: COMMANDS.get(command[1], ""), text)
    return "".join(sign for sign in unicodedata.normalize("NFKC", text) if sign.isalnum())


def says(text: str, quote: str, glyphs: dict[int, int]) -> bool:
    """Whether a text in `letters` has all parts of a quotation in their order, as they are or with
    other glyphs.
    """
    end = 0
    for part in quote.split(" ... "):
        found = max((text.find(variant, end), len(variant)) for variant in variants(part, glyphs))
        if found[0] < 0:
            return False
        end = sum(found)
    return True


def variants(part: str, glyphs: dict[int, int]) -> set[str]:
    return {letters(part), letters(part.translate(glyphs))}


def table(text: str, name: str) -> str:
    """The caption of a table, which the list of tables has too but earlier, and the lines with
    columns next to it.
    """
    lines = text.split("\n")
    caption = [
        i for i, line in enumerate(lines) if line.replace("*", "").strip().startswith(f"{name}:")
    ][-1]
    first = last = min(
        (i for i, line in enumerate(lines) if "\t" in line), key=lambda i: abs(i - caption)
    )
    while "\t" in lines[first - 1]:
        first -= 1
    while "\t" in lines[last + 1]:
        last += 1
    return "\n".join([lines[caption], *lines[first : last + 1]])


@pytest.mark.parametrize("paper", PAPERS)
def test_every_published_cell_says_what_is_printed_and_where(paper: str) -> None:
    for cell in published(paper):
        assert cell["printed"].strip(), cell
        assert cell["place"].strip(), cell


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_printed_is_the_mean_and_the_standard_deviation(paper: str) -> None:
    if not paper_facts.facts(paper).get("texts"):
        pytest.skip(f"{paper} is not a text: its values are those of files, in several forms")
    for cell in published(paper):
        found = PRINTED.fullmatch(cell["printed"])
        assert found, cell
        mean, std, unit = found.groups()
        assert float(mean) / (100 if unit == "%" else 1) == pytest.approx(
            float(cell["mean"]), rel=1e-12
        )
        assert (std or "") == cell["std"]


@pytest.mark.parametrize("paper", PAPERS)
def test_everything_printed_stands_in_the_paper(paper: str) -> None:
    found = [plain(text) for text in texts(paper)]
    for printed in {cell["printed"] for cell in published(paper)}:
        pattern = re.compile(rf"(?<![\d.]){re.escape(plain(printed))}(?!\d)")
        assert any(pattern.search(text) for text in found), printed


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_of_a_paper_has_its_cells_as_often_as_we_do(paper: str) -> None:
    lines = [cell for cell in published(paper) if cell["place"].startswith("Table ")]
    for name in {cell["place"].split(",")[0] for cell in lines}:
        ours = Counter(
            NUMBER.findall(cell["printed"])[0]
            for cell in lines
            if cell["place"].split(",")[0] == name
        )
        assert ours <= Counter(NUMBER.findall(table(texts(paper)[0], name))), name


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_has_a_quotation_and_its_place(paper: str) -> None:
    for claim in claims(paper):
        assert 0 < len(claim["quote"]) <= LONGEST, claim["id"]
        assert min(len(letters(part)) for part in claim["quote"].split(" ... ")) >= 10, claim["id"]
        assert claim["place"].strip(), claim["id"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_quotation_of_a_claim_stands_in_the_paper(paper: str) -> None:
    found = [letters(text) for text in texts(paper)]
    glyphs = str.maketrans(*paper_facts.facts(paper).get("glyphs", ("", "")))
    for claim in claims(paper):
        assert any(says(text, claim["quote"], glyphs) for text in found), claim["id"]
