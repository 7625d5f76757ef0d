"""Report: one page with every artefact, safe against what labels contain."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import check_page, html_page, report, shown, tables
from dpfair_cli.reporting.html_page import Fact
from dpfair_cli.reporting.layouts.lines import LinesLayout
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.reporting.shown import ReportedArtefact
from dpfair_cli.reporting.tables import RunStatus
from dpfair_cli.verdicts.claims.claim import parse_claims
from dpfair_cli.verdicts.deviations.deviation import parse_deviations
from dpfair_cli.verdicts.paper import Paper
from tests.deciding import decide_artefact
from tests.reporting import pages
from tests.toy_specs import data_set, method, task
from tests.verdicts.toy_paper import published_cell

SPEC = Spec(
    artefact="xu2021/table8.1",
    title="Accuracy <of> each method",
    source="Xu 2021, Table 8.1",
    task=task(),
    datasets=(data_set("adult"),),
    methods=(method("lr", {}, "LR", "LR"),),
    seeds=2,
    layout=TableLayout(("dataset", "method"), ("accuracy",)),
)
ROWS = pd.DataFrame(
    {"dataset": "adult", "method": "LR", "algorithm": "lr", "seed": [0, 1], "accuracy": [0.8, 0.8]}
)
CELL = {
    "artefact": "table8.1",
    "dataset": "adult",
    "method": "LR",
    "metric": "accuracy",
    "mean": 0.81,
    "std": None,
}
CLAIM = {
    "id": "c",
    "artefact": "table8.1",
    "claim": "LR < 0.9",
    "quote": "below <nine> tenths",
    "place": "Section 8.4",
    "holds": [{"compare": ["LR", "<", 0.9], "metric": "accuracy"}],
}
PROVED = RunStatus("proved", "LR", "adult")


def entry(
    spec: Spec,
    mean: float = 0.81,
    deviations: tuple[dict[str, str], ...] = (),
    method: str = "LR",
    **words: str,
) -> ReportedArtefact:
    paper = Paper(
        [published_cell({**CELL, "mean": mean, "method": method})],
        list(parse_claims([CLAIM | words])),
        list(parse_deviations({"artefact": "table8.1", **entry} for entry in deviations)),
    )
    verdicts = decide_artefact(ROWS, spec, paper, standins={})
    return ReportedArtefact(
        verdicts,
        tables.make(ROWS, spec, verdicts.cells, statuses=[PROVED]),
    )


def test_the_page_shows_table_claim_and_verdicts() -> None:
    page = pages.page([entry(SPEC)], papers={"xu2021": "Xu 2021: A dissertation"})
    for part in (
        "Xu 2021: A dissertation",
        "0.8000 ± 0.0000",
        "LR &lt; 0.9",
        "below &lt;nine&gt; tenths",
        "Section 8.4",
    ):
        assert part in page
    assert "Every published cell (1 reproduced)" in page
    assert '<td class="good">holds' in page


def test_values_that_stand_alone_are_left_to_the_page_of_verdicts() -> None:
    alone = {"id": "a", "not_run": "the data are not here", "kind": "open", "cause": "No data."}
    alone |= {"needed": "the data", "method": "SVM"}
    page = pages.page([entry(SPEC, deviations=(alone,), method="SVM")], papers={})
    assert "1 not run (open), listed in <code>" in page
    assert "Every published cell" not in page


def test_equal_digits_are_left_to_the_page_of_verdicts() -> None:
    spec = replace(SPEC, recomputes="files of the authors")
    equal, other = (pages.page([entry(spec, mean)], papers={}) for mean in (0.8, 0.9))
    assert "1 recomputed: equal digits, listed in <code>" in equal
    assert "Every published cell" not in equal
    assert "Every published cell (1 recomputed: other digits" in other


def lines(page: str, title: str) -> list[list[str]]:
    """The cells of the table below a heading, the names of its columns first."""
    table = page.split(f"<h2>{title}</h2>")[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, flags=re.DOTALL)
    return [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in rows]


def test_the_page_begins_with_the_scoreboard_of_all_artefacts() -> None:
    other = replace(SPEC, artefact="ding2020/table8.1")
    page = pages.page(
        [entry(SPEC), entry(other, 0.9, ({"method": "LR", "kind": "open", "cause": "..."},))],
        papers={},
    )
    assert lines(page, "Published cells") == [
        ["part", "data", "published numbers", "reproduced", "differs (open)", "in all"],
        ["ding2020, chapter 8", "the paper&#39;s data", "printed in the paper", "0", "1", "1"],
        ["xu2021, chapter 8", "the paper&#39;s data", "printed in the paper", "1", "0", "1"],
        ["in all", "", "", "1", "1", "2"],
    ]
    assert [line[-2:] for line in lines(page, "Claims")] == [
        ["holds", "in all"],
        ["1", "1"],
        ["1", "1"],
        ["2", "2"],
    ]
    assert page.index("Published cells") < page.index('id="xu2021"')


def test_a_differing_cell_has_a_kind_and_missing_evidence_is_named() -> None:
    page = pages.page(
        [entry(SPEC, 0.9, ({"method": "LR", "kind": "data", "cause": "<other> data"},))], papers={}
    )
    assert "differs (data)" in page
    assert "&lt;other&gt; data" in page
    assert "Deviations without the evidence that their kind requires" in page
    assert "Deviations without the evidence that their kind requires" not in pages.page(
        [entry(SPEC)], papers={}
    )


def test_what_was_changed_in_or_added_to_a_claim_is_said() -> None:
    page = pages.page([entry(SPEC, since="another score before", ours="to see")], papers={})
    assert "another score before" in page
    assert "Ours: to see" in page


def test_what_a_title_contains_is_escaped() -> None:
    assert "Accuracy &lt;of&gt; each method" in pages.page([entry(SPEC)], papers={})


FIGURE = replace(
    SPEC, artefact="xu2021/figure8.1", layout=LinesLayout("objective_share", ("accuracy",))
)


def write_picture(folder: Path) -> None:
    """A picture of the figure, as its layout would have left it."""
    folder.mkdir(parents=True)
    Image.new("RGB", (2000, 40), "white").save(folder / "figure.png")


def test_pictures_are_inside_the_page_smaller_than_their_files(tmp_path: Path) -> None:
    write_picture(tmp_path / FIGURE.artefact)
    text = pages.write([entry(SPEC), entry(FIGURE)], tmp_path / "report.html", papers={}).read_text(
        encoding="utf-8"
    )
    sources = re.findall(r'<img src="([^"]*)"', text)
    assert len(sources) == 2  # of all differences, and its own
    for source in sources:
        with Image.open(
            io.BytesIO(base64.b64decode(source.removeprefix("data:image/webp;base64,")))
        ) as picture:
            assert picture.width <= html_page.WIDEST


def test_the_colour_of_a_small_mark_stays_in_a_picture_of_many_greys(tmp_path: Path) -> None:
    picture = Image.linear_gradient("L").convert("RGB")
    picture.paste((213, 94, 0), (100, 100, 104, 104))
    picture.save(tmp_path / "figure.png")
    source = html_page.embed(tmp_path / "figure.png").address
    with Image.open(io.BytesIO(base64.b64decode(source.split(",")[1]))) as embedded:
        found = embedded.convert("RGB").getpixel((102, 102))
    assert found == pytest.approx((213, 94, 0), abs=16)


def test_the_report_names_the_pages_of_a_paper(tmp_path: Path) -> None:
    (tmp_path / "xu2021").mkdir()
    (tmp_path / "xu2021" / "chapter8.md").write_text("# Eight\n", encoding="utf-8")
    file = pages.write([entry(SPEC)], tmp_path / "report.html", papers={})
    assert "<code>chapter8.md</code> in <code>results/xu2021</code>" in file.read_text("utf-8")


def test_the_page_asks_for_nothing_from_elsewhere(tmp_path: Path) -> None:
    text = pages.write([entry(SPEC)], tmp_path / "report.html", papers={}).read_text(
        encoding="utf-8"
    )
    for word in ("http", "@import", "url(", "fetch(", "<link", "import("):
        assert word not in text
    assert set(re.findall(r'src="(data:)?', text)) == {"data:"}
    assert "prefers-color-scheme" in text
    assert "width=device-width" in text


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for name in ("one", "other"):
        write_picture(tmp_path / name / FIGURE.artefact)
        files.append(
            pages.write([entry(SPEC), entry(FIGURE)], tmp_path / name / "report.html", papers={})
        )
    assert files[0].read_bytes() == files[1].read_bytes()
    assert str(tmp_path) not in files[0].read_text(encoding="utf-8")


def test_every_artefact_is_in_the_contents_and_names_its_files() -> None:
    page = pages.page([entry(SPEC), entry(FIGURE)], papers={})
    ids = re.findall(r'id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', page.split("<script>")[0])) <= set(ids)
    assert 'href="#xu2021-table8-1">Table 8.1: ' in page
    for file in (
        "experiments/xu2021/table8.1.yaml",
        "results/xu2021/table8.1/runs.jsonl",
        "results/xu2021/table8.1/table.csv",
        "results/xu2021/figure8.1/figure.csv",
        "results/xu2021/figure8.1/figure.png",
    ):
        assert f"<code>{file}</code>" in page


def test_every_link_of_the_report_stays_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "xu2021").mkdir()
    (tmp_path / "xu2021" / "chapter8.md").write_text("# Eight\n", encoding="utf-8")
    open_cell = ({"method": "LR", "kind": "open", "cause": "..."},)
    file = pages.write([entry(SPEC, 0.9, open_cell)], tmp_path / "report.html", papers={})
    links = re.findall(r'href="([^"]*)"', file.read_text(encoding="utf-8").split("<script>")[0])
    assert links
    assert all(link.startswith("#") for link in links)


def test_the_report_states_the_facts_that_identify_it(tmp_path: Path) -> None:
    facts = [Fact("dpfair", "version 1")]
    file = pages.write([entry(SPEC)], tmp_path / "report.html", papers={}, facts=facts)
    assert "<b>dpfair:</b> version 1" in file.read_text(encoding="utf-8")


def test_the_head_of_the_report_counts_cells_by_look() -> None:
    counts = pd.DataFrame(
        {"part": ["a"], "reproduced": [3], "differs (open)": [2], "differs": [1], "in all": [6]}
    )
    found = report.headline("numbers compared", counts)
    assert [(look.name, look.tone, number) for look, number in found.counts.items()] == [
        ("reproduced", "good", 3),
        ("differs, not explained", "bad", 3),
    ]


def test_verdict_data_set_and_method_of_rows_can_be_filtered() -> None:
    found = [entry(SPEC, 0.9, ({"method": "LR", "kind": "open", "cause": "..."},)), entry(SPEC)]
    page = pages.page(found, papers={})
    assert report.pack_cells(found[0].verdicts, {"table8.1-lr": 1}).filters == {
        "verdict": ["differs (open)"],
        "dataset": ["adult"],
        "method": ["LR"],
    }
    assert '<tr data-verdict="claim holds" data-dataset="adult" data-method="LR">' in page
    assert report.choices([one.verdicts for one in found]) == {
        "verdict": ["reproduced", "differs", "differs (open)", "claim holds"],
        "method": ["LR"],
        "dataset": ["adult"],
    }


def test_a_strip_shows_where_ours_is() -> None:
    (strip,) = map(report.strip_of, entry(SPEC, 0.81).verdicts.cells)
    assert strip[1:] == (-5.0, -5.0, -5.0, 0)  # a tenth of the half, 50 units
    (far,) = map(report.strip_of, entry(SPEC, 0.1).verdicts.cells)
    assert (far[1], far[-1]) == (report.HALF, 1)


def test_audits_are_counted_by_verdict() -> None:
    rows = [
        {"method": "a", "variant": "clip 2", "verdict": word}
        for word in ("holds", "refuted: 12.5", "refuted: 2", "holds", "holds")
    ]
    page = pages.page([entry(SPEC)], papers={}, audit=rows)
    assert lines(page, "Audits") == [
        ["part", "holds", "refuted", "in all"],
        ["every method and variant", "3", "2", "5"],
    ]
    assert "<summary>5 audits: 3 holds, 2 refuted; variants that hold are in audit.md" in page
    assert page.count("<td>clip 2</td>") == 2


def packed_tables(page: str, label: str) -> list[dict[str, Any]]:
    """The data of the packed tables with a label, in the order of the page."""
    pattern = f'aria-label="{label}"><table class="packed .*?json">(.*?)</script>'
    found = re.findall(pattern, page, flags=re.DOTALL)
    return [json.loads(data) for data in found]


def test_every_row_of_a_check_page_is_in_the_data_of_the_report() -> None:
    found = entry(SPEC, 0.9, ({"method": "LR", "kind": "open", "cause": "..."},))
    check = check_page.text(found.verdicts).split("## Every published cell")[1]
    (line,) = re.findall(r"^\| adult, LR.*$", check, flags=re.MULTILINE)
    (packed,) = packed_tables(pages.page([found], papers={}), "Every published cell")
    texts = {column[0] for column in packed["columns"] if isinstance(column[0], str)}
    missing = {word.strip() for word in line.strip("|").split("|")} - texts
    half = shown.by_default(shown.half_gap)(found.verdicts.cells[0])  # the report lacks this column
    assert missing == {half, "[[1]](#deviation-table8.1-lr)"}
    assert ["1", "table8.1-lr"] in [column[0] for column in packed["columns"]]


def test_what_rows_contain_cannot_end_their_data() -> None:
    found = entry(SPEC, 0.9, ({"method": "LR", "kind": "open", "cause": "..."},))
    lines = [["</script><img src=x>", "a & b"]] * (report.LONGEST_OPEN + 1)
    table = replace(found.table, formatted=pd.DataFrame(lines, columns=["<b>", "c"]))
    page = pages.page([replace(found, table=table)], papers={})
    assert "<img src=x>" not in page
    (packed,) = packed_tables(page, "The numbers")
    assert packed["columns"][0] == ["</script><img src=x>", -report.LONGEST_OPEN]


def test_a_page_without_script_names_the_files_of_the_rows_that_it_lacks() -> None:
    page = pages.page([entry(SPEC)], papers={})
    words = re.findall("<noscript>(.*?)</noscript>", page, flags=re.DOTALL)
    assert any("<code>results/xu2021/table8.1/check.md</code>" in one for one in words)
    assert any("<code>results/xu2021/table8.1/table.csv</code>" in one for one in words)


def test_a_paper_is_cited_by_the_heading_of_its_readme(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Xu 2021: Title\n\nMore.\n", encoding="utf-8")
    assert report.citation(tmp_path) == "Xu 2021: Title"
