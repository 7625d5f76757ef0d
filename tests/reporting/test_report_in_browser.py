"""The script of the report in headless Chromium: filters, sorting, keys, no error; skipped where
there is none.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from dpfair_cli.reporting import report
from tests.reporting.test_report import SPEC, entry

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--virtual-time-budget=2000",
    "--dump-dom",
)
PROBE = """<script>
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
setTimeout(() => {
  const outcome = document.createElement("pre");
  outcome.id = "outcome";
  outcome.textContent = JSON.stringify({ ...steps, said });
  document.body.append(outcome);
}, 300);
</script>"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the probe saw in the page."""
    if CHROMIUM is None:
        pytest.skip(
            "no chromium, chromium-browser or google-chrome on the path: the report's script "
            "is not run"
        )
    other = replace(SPEC, artefact="ding2020/table8.1", source="Ding2020/Table8.1")
    open_cell = ({"method": "LR", "kind": "open", "cause": "..."},)
    page = report.page([entry(SPEC), entry(other, 0.9, open_cell)], papers={}).replace(
        "</body>", f"{PROBE}</body>"
    )
    folder = tmp_path_factory.mktemp("page")
    (folder / "report.html").write_text(page, encoding="utf-8")
    command = [
        CHROMIUM,
        *OPTIONS,
        f"--user-data-dir={folder / 'profile'}",
        (folder / "report.html").as_uri(),
    ]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'<pre id="outcome">(.*?)</pre>', seen, flags=re.DOTALL)
    assert found is not None, seen[-2000:]
    result: dict[str, Any] = json.loads(found[1])
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
