"""The values of the authors' program beside ours and the published ones, on pages and in tables."""

from __future__ import annotations

from dataclasses import replace

from dpfair_cli.reporting import check_page, json_writer, markup, printed_table, shown, tables
from dpfair_cli.reporting.shown import ReportedArtefact
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.deciding import decide_artefact
from tests.reporting.pages import page
from tests.verdicts.test_authors_values import COMMIT, PROGRAM, value
from tests.verdicts.toy_paper import ROWS, SPEC, published, published_cell

SECTION = "## Values of the authors' program"
CELLS = [
    published_cell(published("PFLR*", 1, 0.75, 0.002)),
    published_cell(published("PFLR*", 10, 0.79, 0.002)),
]


def decided(*values: object) -> Verdicts:
    paper = Paper(CELLS, authors=tuple(values))  # type: ignore[arg-type]
    return decide_artefact(ROWS, SPEC, paper, standins={})


WITH = decided(value("PFLR*", 1, 0.756, 0.003, 4))
WITHOUT = decided()
BARE = decided(value("LR", None, 0.84, 0.001, 10))


def table_of(verdicts: Verdicts) -> tables.Table:
    return tables.make(ROWS, SPEC, verdicts.cells, authors=verdicts.authors)


def test_the_third_column_stands_between_published_value_and_verdict() -> None:
    formatted = table_of(WITH).formatted
    columns = list(formatted)
    first = columns.index("accuracy")
    assert columns[first : first + 4] == [
        "accuracy",
        "accuracy published",
        "accuracy authors' program",
        "accuracy verdict",
    ]
    lines = formatted[(formatted["method"] == "PFLR*")].set_index("epsilon")
    assert lines.loc["1", "accuracy authors' program"] == "0.7560 ± 0.0030"
    assert lines.loc["10", "accuracy authors' program"] == ""


def test_a_table_of_a_work_without_the_files_has_no_third_column() -> None:
    table = table_of(WITHOUT)
    assert not [name for name in table.formatted if "authors" in name]
    assert not [name for name in table.numbers if "authors" in str(name)]
    assert not [note for note in table.notes if "uthors" in note]
    plain = tables.make(ROWS, SPEC, WITHOUT.cells)
    assert (table.columns, table.lines) == (plain.columns, plain.lines)


def test_the_note_below_a_table_names_commit_and_changes() -> None:
    (note,) = [one for one in table_of(WITH).notes if one.startswith("Authors' program")]
    assert note == (
        "Authors' program: https://example.org/scores at commit 0123456, run once by us. "
        "Changed to run it: another solver."
    )
    unchanged = replace(WITH.authors[0], program=replace(PROGRAM, changes=()))
    assert "Changed to run it: nothing." in shown.describe_program([unchanged])


def test_the_table_as_printed_has_the_third_value_in_braces() -> None:
    printed = printed_table.make(WITH.cells, SPEC, WITH.authors)
    text = markup.render("printed_table.md.j2", printed=printed, check="")
    assert "(0.7500 ± 0.0020)<br>{0.7560 ± 0.0030}" in text
    assert "(0.7900 ± 0.0020) |" in text
    assert "the value of the authors' program below that in braces" in text
    without = printed_table.make(WITHOUT.cells, SPEC)
    plain = markup.render("printed_table.md.j2", printed=without, check="")
    assert "authors" not in plain
    assert "{" not in plain


def test_the_check_page_has_both_verdicts_of_each_value() -> None:
    text = check_page.text(WITH)
    assert SECTION in text
    assert (
        "| adult, PFLR\\*, epsilon 1, accuracy | 0.7500 ± 0.0010 | 0.7500 ± 0.0020 | "
        "0.7560 ± 0.0030 | 4 | -0.0060 | reproduced | reproduced |"
    ) in text
    assert "Not run: table 2 (the data are not public)." in text
    assert SECTION not in check_page.text(WITHOUT)


def test_columns_without_a_printed_number_are_left_out() -> None:
    text = check_page.text(BARE)
    below = text.split(SECTION)[1].split("\n## ")[0]
    assert "| value | ours | authors' program | runs of the program |" in below
    assert "the program and print" not in below


def test_the_report_has_the_values_and_is_unchanged_without_them() -> None:
    def html(verdicts: Verdicts) -> str:
        entry = ReportedArtefact(verdicts, table_of(verdicts))
        return page([entry], papers={"xu2021": "Xu 2021"})

    assert "Values of the authors&#39; program (1)" in html(WITH) or (
        "Values of the authors' program (1)" in html(WITH)
    )
    assert "at commit 0123456" in html(WITH)
    assert "uthors' program" not in html(WITHOUT)


def test_json_has_the_values_only_if_there_are_some() -> None:
    def found(verdicts: Verdicts) -> dict[str, object]:
        return json_writer.artefact(verdicts)

    (one,) = found(WITH)["authors' program"]  # type: ignore[misc, attr-defined]
    assert (one["mean"], one["authors_mean"], one["authors_runs"]) == (0.75, 0.756, 4)
    assert "authors' program" not in found(WITHOUT)


def test_the_counts_are_in_words() -> None:
    assert shown.count_values(WITH.authors) == (
        "1 value of the authors' program: next to ours 1 reproduced; next to print 1 reproduced"
    )
    assert shown.count_values(()) == ""
    assert COMMIT[:7] in shown.describe_value(WITH.authors[0])
