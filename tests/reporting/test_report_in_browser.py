"""The script of the report in headless Chromium: filters, address, sorting, keys, no error; skipped
where there is none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpfair_cli.reporting import report
from tests.reporting import browser
from tests.reporting.test_report import SPEC, entry

PROBE = """(async () => {
const said = [];
addEventListener("error", event => said.push(event.message));
const shown = selector => all(selector).filter(found => !found.closest("[hidden]")).length;
const choose = (name, value) => {
  form.elements[name].value = value;
  form.dispatchEvent(new Event("input"));
  const links = shown(".contents li a[href*='table']");
  return [shown("section.artefact"), shown("tr[data-verdict]"), links];
};
const press = key =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const seenText = () => form.querySelector("output").textContent;
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


@pytest.fixture(scope="module")
def page() -> str:
    """A report of two tables, one of which has a cell that differs."""
    other = replace(SPEC, artefact="ding2020/table8.1", source="Ding2020/Table8.1")
    open_cell = ({"method": "LR", "kind": "open", "cause": "..."},)
    return report.page([entry(SPEC), entry(other, 0.9, open_cell)], papers={})


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


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_page(page: str, tmp_path: Path, width: int) -> None:
    assert browser.outcome(page, browser.TOO_WIDE, tmp_path, width=width) == []
