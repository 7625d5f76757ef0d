"""The committed pages are what their templates and the journals give, and no reference dangles."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from dpfair_cli.reporting import check_page
from dpfair_cli.reporting.chapter_pages import PageFunctions, measured_text
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.reproduction.whole_paper import page_functions
from dpfair_cli.running import artefact_names
from dpfair_cli.verdicts.paper import read_paper
from dpfair_cli.verdicts.references import measured_references
from tests.rendered_results import RESULTS, ROOT, printed_text, rendered

PAPERS = sorted(folder.name for folder in (ROOT / "experiments").iterdir() if folder.is_dir())


@pytest.fixture(scope="module", params=PAPERS)
def functions(request: pytest.FixtureRequest) -> PageFunctions:
    return page_functions(request.param, RunOptions(ROOT / "data", RESULTS, collect=True))


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed results, rendered again."""
    found = rendered(tmp_path_factory, Path(os.environ.get("DPFAIR_DATA", ROOT / "data")))
    printed_text(found)
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_the_pages_are_what_their_templates_give(paper: str, copies: Path) -> None:
    sources = check_page.sources(ROOT / "experiments" / paper)
    committed = sorted((RESULTS / paper).glob("*.md"))
    assert [file.name for file in committed] == [file.name for file in sources]
    for file in committed:
        text = (copies / paper / file.name).read_text(encoding="utf-8")
        assert text == file.read_text(encoding="utf-8"), file


def test_every_artefact_is_on_one_page(functions: PageFunctions) -> None:
    files = (ROOT / "experiments" / functions.paper).glob("*.yaml")
    names = {file.stem for file in files if artefact_names.is_spec(file)}
    texts = [file.read_text(encoding="utf-8") for file in (RESULTS / functions.paper).glob("*.md")]
    for name in names if texts else ():  # a page about a paper may be written later
        found = re.compile(rf"^##+ {re.escape(name)}$", re.MULTILINE)
        assert sum(len(found.findall(text)) for text in texts) == 1, name


def test_what_deviations_measured_is_in_the_journals(functions: PageFunctions) -> None:
    paper = read_paper(ROOT / "experiments" / functions.paper)
    claims = {part.id: part.artefact for part in paper.claims}
    for deviation in paper.deviations:
        artefact = claims[deviation.claim] if deviation.claim else deviation.artefact[0]
        if deviation.measured:
            items = measured_references(deviation, artefact)
            named = {one.artefact for item in items for one in item}
            numbers = {name: functions.numbers_of(name) for name in named}
            assert measured_text(items, artefact, numbers)
