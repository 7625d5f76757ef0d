"""Pages of a chapter are templates whose numbers are looked up."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting import chapter_pages, check_page
from dpfair_cli.reporting.chapter_pages import measured_text, number_text
from dpfair_cli.verdicts.deviations.deviation import parse_deviations
from dpfair_cli.verdicts.references import Numbers, measured_references
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.verdicts.toy_paper import ROWS, SPEC, published, published_cell, verdicts

CELLS = [
    published_cell(published("PFLR", 1, 0.76)),
    published_cell(published("PFLR*", 1, 0.75, 0.01)),
]


class Toy:
    """The toy paper as what a page is made of."""

    def numbers(self, artefact: str) -> Numbers:
        if artefact != SPEC.name:
            raise DpfairError(f"no artefact {artefact!r}")
        return Numbers(SPEC, ROWS, CELLS)

    def verdicts(self, artefact: str) -> Verdicts:
        return verdicts(published("PFLR", 1, 0.76), published("PFLR*", 1, 0.75, 0.01))

    def pictures(self, artefact: str) -> list[str]:
        return ["difference.png"]

    @property
    def functions(self) -> chapter_pages.PageFunctions:
        return chapter_pages.PageFunctions("xu2021", self.numbers, self.verdicts, self.pictures)


def page(template: str) -> str:
    return chapter_pages.page(template, Toy().functions)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('ours("table8.2", "PFLR", "adult", "accuracy", epsilon=1)', "0.700"),
        ('ours("table8.2", "PFLR", "adult", "accuracy", epsilon=1, digits=1)', "0.7"),
        ('ours("table8.2", "PFLR", "adult", "accuracy", epsilon=1, statistic="runs")', "3"),
        ('published("table8.2", "PFLR", "adult", "accuracy", epsilon=1)', "0.760"),
        ('difference("table8.2", "PFLR", "adult", "accuracy", epsilon=1)', "-0.060"),
        ('difference("table8.2", "PFLR*", "adult", "accuracy", epsilon=1)', "+0.000"),
    ],
)
def test_an_expression_is_a_number(expression: str, text: str) -> None:
    assert page(f"It has {{{{ {expression} }}}}.") == f"It has {text}."


def test_a_table_has_ours_and_the_published_value_in_brackets() -> None:
    call = (
        'table("table8.2", methods=["PFLR", "PFLR*"], metrics="accuracy", '
        'epsilon=[0.1, 1], across="epsilon")'
    )
    assert page(f"{{{{ {call} }}}}").splitlines() == [
        "[table8.2](table8.2/check.md), accuracy: means of our runs, published values in brackets.",
        "",
        "| method | epsilon 0.1 | epsilon 1 |",
        "| --- | --- | --- |",
        "| PFLR | 0.600 | 0.700 (0.760) |",
        r"| PFLR\* | 0.700 | 0.750 (0.750) |",
    ]


def test_verdicts_variants_and_pictures_are_counted_and_linked() -> None:
    text = page('{{ artefacts("table8.2") }}\n\n{{ variants("table8.2", "PFLR") }}')
    assert "### table8.2" in text
    assert "[Verdicts](table8.2/check.md): 1 reproduced, 1 differs." in text
    assert "[spec](../../experiments/xu2021/table8.2.yaml)" in text
    assert "![Accuracy](table8.2/difference.png)" in text
    assert "| PFLR | shift |" in text


def test_parts_of_a_claim_stand_below_its_sentence() -> None:
    parts = [
        {"part": name, "artefact": "table8.2", "holds": [holds], **more}
        for name, holds, more in (
            ("low", {"compare": ["PFLR", "<", 0.9], "metric": "accuracy"}, {}),
            ("high", {"compare": ["PFLR", ">", 0.9], "metric": "accuracy"}, {"ours": "why"}),
        )
    ]
    claim = {"id": "c", "claim": "PFLR is good", "quote": "good", "place": "here", "parts": parts}

    class ToyWithClaim(Toy):
        def verdicts(self, artefact: str) -> Verdicts:
            return verdicts(claims=(claim,))

    text = chapter_pages.page('{{ artefacts("table8.2") }}', ToyWithClaim().functions)
    assert (
        "- claim c: PFLR is good\n"
        '  - part "low": **holds**\n'
        '  - part "high" (added by us): **fails**\n'
    ) in text


@pytest.mark.parametrize(
    "expression",
    [
        'ours("table8.3", "PFLR", "adult", "accuracy", epsilon=1)',
        'ours("table8.2", "PFLR", "adult", "accuracy")',
        'published("table8.2", "PFLR", "adult", "accuracy", epsilon=10)',
        'variants("table8.2", "LR")',
    ],
)
def test_a_reference_that_leads_nowhere_is_an_error(expression: str) -> None:
    with pytest.raises(DpfairError):
        page(f"{{{{ {expression} }}}}")


@pytest.mark.parametrize(
    "expression", ["unknown", "mean(1)", "ours.__class__.__mro__", "''.__class__.__bases__"]
)
def test_an_expression_reaches_nothing_but_the_functions(expression: str) -> None:
    with pytest.raises(jinja2.TemplateError):
        page(f"{{{{ {expression} }}}}")


def test_pages_are_rendered_but_not_the_readme(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Toy\n")
    (tmp_path / "chapter8.md").write_text(
        '{# a template #}\n# Eight\n\n{{ ours("table8.2", "PFLR", "adult", "accuracy", '
        "epsilon=1) }}\n"
    )
    (template,) = check_page.sources(tmp_path)
    assert template.name == "chapter8.md"
    assert chapter_pages.text(template, Toy().functions) == "# Eight\n\n0.700\n"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ('{{ ours("table8.2", "PFL", "adult", "accuracy") }}', "did you mean 'PFLR'"),
        ("{{ unknown }}", "'unknown' is undefined"),
        ("{{ ours(", "unexpected"),
    ],
)
def test_an_error_names_the_page(tmp_path: Path, template: str, why: str) -> None:
    file = tmp_path / "chapter8.md"
    file.write_text(template)
    with pytest.raises(DpfairError, match=rf"chapter8\.md: .*{why}"):
        chapter_pages.text(file, Toy().functions)


def test_what_was_measured_says_shared_words_once() -> None:
    entry = {"artefact": "table8.2", "dataset": "adult", "epsilon": 1, "metric": "accuracy"}
    entry |= {"kind": "hypothesis", "cause": "...", "unsettled": "..."}
    measured = [{"method": ["PFLR", "PFLR, shift"]}, {"method": "LR"}]
    (deviation,) = parse_deviations([{**entry, "measured": measured}])
    items = measured_references(deviation, "table8.2")
    assert measured_text(items, "table8.2", {"table8.2": Toy().numbers("table8.2")}) == (
        "accuracy, adult, epsilon 1: PFLR 0.7000 (published 0.7600, -0.0600); "
        "PFLR, shift 0.6600 (published 0.7600, -0.1000). accuracy, adult, epsilon 1, LR: 0.8400"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.00001, "0.000"), (999.9994, "999.999"), (1234.5, "1,234"), (-0.5, "-0.500")],
)
def test_a_number_has_its_decimals_and_none_from_a_thousand(value: float, text: str) -> None:
    assert number_text(value, 3) == text


def test_a_section_has_the_table_as_it_is_printed() -> None:
    text = page('{{ artefacts("table8.2") }}')
    assert r"| PFLR | PFLR\* |" in text
    assert "| ✗ 0.7000<br>(0.7600) | ✓ 0.7500 ± 0.0010<br>(0.7500 ± 0.0100) |" in text


def test_the_page_of_an_artefact_is_the_first_with_its_section(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text('{{ artefacts("table8.2") }}')
    (tmp_path / "chapter7.md").write_text('{{ ours("table8.2", "PFLR", "adult", "accuracy") }}')
    (tmp_path / "chapter8.md").write_text('{{ artefacts("table8.1",\n  "table8.2") }}')
    (tmp_path / "chapter9.md").write_text('{{ artefacts("table8.2") }}')
    assert check_page.page_of(tmp_path, "table8.2") == "chapter8.md"
    assert check_page.page_of(tmp_path, "table8") == ""


def test_paired_cells_are_counted_in_a_table() -> None:
    text = page('{{ paired("table8.2", reference="PFLR*") }}')
    assert text.splitlines() == [
        "| method | score | undecided | same difference | other difference |",
        "| --- | --- | --- | --- | --- |",
    ]


def test_a_page_begins_with_the_counts_of_its_artefacts_and_one_of_them() -> None:
    text = page('# Eight\n\n{{ answer("table8.2") }}\n\n## More\n')
    title, _, bar, _, counts, _, first, *_ = text.splitlines()
    assert (title, first) == ("# Eight", "## table8.2")
    assert set(bar) == {"🟦", "🟧"}  # one number agrees, and one differs
    assert "🟦 1 agree, 🟧 1 differ, ⬜ 0 undecided" in counts


def test_the_first_artefact_of_a_page_is_one_of_its_sections(tmp_path: Path) -> None:
    (tmp_path / "chapter8.md").write_text('{{ answer("table8.2") }} {{ artefacts("table8.1") }}')
    assert check_page.page_of(tmp_path, "table8.2") == "chapter8.md"


def test_a_page_of_the_project_begins_with_a_verdict() -> None:
    results = Path(__file__).resolve().parents[2] / "results"
    pages = [*results.glob("*/paper.md"), *results.glob("*/chapter*.md"), *results.glob("*/th*.md")]
    assert len(pages) > 10
    for file in pages:
        first = file.read_text(encoding="utf-8").splitlines()[2:6]
        assert "number" in " ".join(first) or "| main sentence | verdict | why |" in first[0], file


def test_the_page_of_a_thesis_has_the_main_sentences_of_all_chapters() -> None:
    results = Path(__file__).resolve().parents[2] / "results"
    lines = (results / "xu2021" / "thesis.md").read_text(encoding="utf-8").splitlines()
    named = [line.split(" | ")[0] for line in lines if line.startswith("| xu2021")]
    assert list(dict.fromkeys(named)) == [f"| xu2021, chapter {number}" for number in range(4, 10)]


class ToyOfCounts(Toy):
    """The toy paper with the number of records of a run as a score, and a share of them."""

    def numbers(self, artefact: str) -> Numbers:
        rows = ROWS.assign(records=8.0, left_out=0.0, share=0.0)
        return Numbers(SPEC, rows, [])


def test_counts_are_whole_numbers_in_a_table() -> None:
    functions = ToyOfCounts().functions
    call = 'table("table8.2", methods="PFLR", metrics=["records", "left_out"], epsilon=1)'
    text = chapter_pages.page(f"{{{{ {call} }}}}", functions)
    assert text.splitlines()[-1] == "| 8 | 0 |"
    # a score that is 0 is no count where no other score is one
    call = 'table("table8.2", methods="PFLR", metrics=["share", "accuracy"], epsilon=1)'
    text = chapter_pages.page(f"{{{{ {call} }}}}", functions)
    assert text.splitlines()[-1] == "| 0.000 | 0.700 |"
