"""The script of the report in headless Chromium: filters, address, sorting, keys, no error; skipped
where there is none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.reporting import report, tables
from dpfair_cli.reporting.figures.pictures import HoverPoint
from dpfair_cli.reporting.html_page import Image
from dpfair_cli.reporting.shown import ReportedArtefact
from tests.reporting import browser, pages
from tests.reporting.compared_paper import ALL, ROWS, verdicts
from tests.reporting.compared_paper import SPEC as COMPARED
from tests.reporting.test_report import FIGURE, SPEC, entry

PROBE = """(async () => {
const said = [];
addEventListener("error", event => said.push(event.message));
const shown = selector => all(selector).filter(found => !found.closest("[hidden]")).length;
const seenText = () => form.querySelector("output").textContent;
const choose = (name, value) => {
  form.elements[name].value = value;
  form.dispatchEvent(new Event("input"));
  const links = shown(".contents li a[href*='table']");
  return [shown("section.artefact"), parseInt(seenText().split(", ")[1]), links];
};
const press = key =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const steps = {
  all: choose("verdict", ""),
  differs: choose("verdict", "differs"),
  holds: choose("verdict", "claim holds"),
  nothing: choose("text", "no such words"),
  again: (press("Escape"), choose("text", "")),
  words: seenText(),
  title: choose("text", "DING2020/TABLE8.1"),
  reset: (press("Escape"), choose("text", "")),
  search: (press("/"), document.activeElement.name),
  next: (document.activeElement.blur(), press("j"), document.activeElement.id),
  sorted: (() => {
    const table = document.createElement("table");
    const rows = ["10 ± 2", "", "9", "-1"].map(text => `<tr><td>${text}</td></tr>`).join("");
    table.innerHTML = `<thead><tr><th>x</th></tr></thead><tbody>${rows}</tbody>`;
    const read = () => all("td", table).map(cell => cell.textContent);
    const heading = table.querySelector("th");
    sortTable(heading); const up = read();
    sortTable(heading); return [up, read(), heading.getAttribute("aria-sort")];
  })(),
};
const pause = () => new Promise(done => setTimeout(done, 300));
const chosenNow = () => [form.elements.verdict.value, form.elements.method.value];
choose("verdict", "differs");
const one = location.hash;
choose("method", "LR");
const both = location.hash;
history.back();
await pause();
const back = chosenNow();
history.back();
await pause();
const first = [...chosenNow(), location.hash];
return { ...steps, one, both, back, first, said };
})()"""
STATE = """({
  verdict: form.elements.verdict.value,
  shown: sections.filter(one => !one.hidden).map(one => one.id),
  top: Math.round(sections.find(one => !one.hidden).getBoundingClientRect().top),
  filter: Math.round(form.getBoundingClientRect().bottom),
  overview: getComputedStyle(document.querySelector("#ding2020-table8-1 .overview")).display,
})"""

PACKED = """(async () => {
  const pause = () => new Promise(done => setTimeout(done, 300));
  const list = document.querySelector("details.list"), table = list.querySelector("table");
  const rows = () => Array.from(table.tBodies[0].rows);
  const texts = () => rows().map(row => Array.from(row.cells).map(cell => cell.textContent));
  const folded = rows().length;
  list.open = true;
  await pause();
  const [explained, differs] = rows(), opened = texts(), heading = table.tHead.rows[0].cells[5];
  const link = explained.cells[1].querySelector("a").getAttribute("href");
  const sorted = () => (sortTable(heading), texts().map(row => row[5]));
  const up = sorted(), down = sorted();
  list.open = false;
  dispatchEvent(new Event("beforeprint"));
  const printed = all("table.packed").map(table => table.tBodies[0].rows.length);
  dispatchEvent(new Event("afterprint"));
  const closed = all("main details").every(list => !list.open);
  location.hash = link;
  await pause();
  return {
    folded, opened, link, up, down, printed, closed,
    tones: [explained, differs].map(row => row.cells[8].className),
    marks: [explained, differs].map(row => row.cells[2].querySelector("svg").lastChild.outerHTML),
    images: all("img, script", document.querySelector("main")).length,
    target: document.getElementById(link.slice(1)).closest("details").open,
  };
})()"""
LINE = "</script><img src=x>"
POINTS = """(async () => {
  const picture = document.querySelector(".picture"), marks = () => all("circle", picture);
  const before = marks().length;
  picture.dispatchEvent(new Event("pointerenter"));
  picture.dispatchEvent(new Event("pointerenter"));
  return [before, marks().map(mark => [mark.getAttribute("cx"), mark.textContent])];
})()"""


@pytest.fixture(scope="module")
def page() -> str:
    """A report of two tables, one of which has a cell that differs."""
    other = replace(SPEC, artefact="ding2020/table8.1", source="Ding2020/Table8.1")
    open_cell = ({"method": "LR", "kind": "open", "cause": "..."},)
    return pages.page([entry(SPEC), entry(other, 0.9, open_cell)], papers={})


@pytest.fixture(scope="module")
def outcome(page: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the probe saw in the page."""
    result: dict[str, Any] = browser.outcome(page, PROBE, tmp_path_factory.mktemp("page"))
    return result


def test_a_filter_leaves_the_artefacts_rows_and_contents_that_match(
    outcome: dict[str, Any],
) -> None:
    assert outcome["all"] == [2, 4, 2]  # a cell and a claim each
    assert outcome["differs"] == [1, 1, 1]
    assert outcome["holds"] == [2, 2, 2]
    assert outcome["nothing"] == [0, 0, 0]
    assert outcome["title"] == [1, 2, 1]


def test_escape_shows_everything_again_and_the_page_says_how_much(outcome: dict[str, Any]) -> None:
    assert outcome["again"] == outcome["reset"] == [2, 4, 2]
    assert outcome["words"] == "2 of 2 artefacts, 4 cells and claims"


def test_keys_go_to_the_search_and_to_the_next_artefact(outcome: dict[str, Any]) -> None:
    assert outcome["search"] == "text"
    assert outcome["next"] in ("xu2021-table8-1", "ding2020-table8-1")


def test_numbers_are_sorted_as_numbers_and_empty_cells_are_last(outcome: dict[str, Any]) -> None:
    assert outcome["sorted"] == [["-1", "9", "10 ± 2", ""], ["10 ± 2", "9", "-1", ""], "descending"]


def test_the_script_raises_nothing(outcome: dict[str, Any]) -> None:
    assert outcome["said"] == []


def test_the_filter_is_in_the_address_and_back_undoes_it(outcome: dict[str, Any]) -> None:
    assert outcome["one"] == "#verdict=differs"
    assert outcome["both"] == "#verdict=differs&method=LR"
    assert outcome["back"] == ["differs", ""]
    assert outcome["first"] == ["", "", ""]


def test_an_address_with_a_filter_shows_its_first_match(page: str, tmp_path: Path) -> None:
    state = browser.outcome(page, STATE, tmp_path, address="#verdict=differs")
    assert state["verdict"] == "differs"
    assert state["shown"] == ["ding2020-table8-1"]
    assert state["filter"] <= state["top"] < 800  # below the filter, in the window
    assert state["overview"] == "none"  # only the rows that match are shown


def test_an_address_with_an_unknown_choice_shows_everything(page: str, tmp_path: Path) -> None:
    state = browser.outcome(page, STATE, tmp_path, address="#verdict=unheard")
    assert (state["verdict"], len(state["shown"]), state["overview"]) == ("", 2, "block")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a list of five published cells did when it was opened, sorted, printed and left."""
    found = verdicts(*ALL)
    table = tables.make(ROWS, COMPARED, found.cells, statuses=[])
    numbers = pd.DataFrame([[LINE]] * (report.LONGEST_OPEN + 1), columns=["<b>"])
    shown = ReportedArtefact(found, replace(table, formatted=numbers))
    page = pages.page([shown], papers={})
    result: dict[str, Any] = browser.outcome(page, PACKED, tmp_path_factory.mktemp("packed"))
    return result


def test_rows_are_made_when_their_list_is_opened(packed: dict[str, Any]) -> None:
    assert packed["folded"] == 0
    explained, differs = packed["opened"][:2]
    assert explained[:4] == ["us, LR, accuracy", "1", "", "0.8000 ± 0.0012"]
    assert [differs[5], differs[8]] == ["+0.2000", "differs (hypothesis)"]
    assert packed["tones"] == ["middle", "bad"]
    assert packed["marks"][0].startswith('<circle r="2.4" cx="-50"')  # 0.1 less: the left end
    assert packed["marks"][1].startswith('<polygon points="50,0 45,-4 45,4"')  # beyond the right


def test_made_rows_are_sorted_as_numbers(packed: dict[str, Any]) -> None:
    assert packed["up"] == ["-0.1000", "-0.0100", "+0.0100", "+0.0400", "+0.2000"]
    assert packed["down"] == packed["up"][::-1]


def test_a_print_has_every_row_and_folds_them_again(packed: dict[str, Any]) -> None:
    assert packed["printed"][:2] == [report.LONGEST_OPEN + 1, len(ALL)]
    assert packed["closed"]


def test_texts_of_rows_make_no_elements(packed: dict[str, Any]) -> None:
    assert packed["images"] == 0


def test_a_link_in_a_made_row_opens_the_deviation(packed: dict[str, Any]) -> None:
    assert packed["link"].startswith("#xu2021-table8-2-deviation-")
    assert packed["target"]


def test_a_picture_has_its_points_when_the_pointer_comes(tmp_path: Path) -> None:
    figure = entry(FIGURE)
    points = [HoverPoint(10, 20, "LR: share 1, accuracy 0.8"), HoverPoint(30, 20, "<b>: share 2")]
    images = {figure.picture: Image("data:,", 1000, 500, points)}
    page = pages.page([figure], papers={}, images=images)
    drawn = [["10", "LR: share 1, accuracy 0.8"], ["30", "<b>: share 2"]]
    assert browser.outcome(page, POINTS, tmp_path) == [0, drawn]


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_page(page: str, tmp_path: Path, width: int) -> None:
    assert browser.outcome(page, browser.TOO_WIDE, tmp_path, width=width) == []
