"""Every link of a check page and of a chapter page leads to a file, and to an anchor in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpfair_cli.reporting import chapter_pages, check_page
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.reproduction.whole_paper import page_functions

ROOT = Path(__file__).parent.parent.parent
LINK = re.compile(r"\]\(([^()\s]+)\)")
ANCHOR = re.compile(r'<a id="([^"]+)"')


def project(folder: Path, paper: str) -> Path:
    """A folder with links to the files of a paper; returns the folder of its results."""
    (folder / "experiments").symlink_to(ROOT / "experiments")
    (folder / "docs").symlink_to(ROOT / "docs")
    for file in (ROOT / "results" / paper).glob("*/*"):
        place = folder / "results" / paper / file.parent.name
        place.mkdir(parents=True, exist_ok=True)
        (place / file.name).symlink_to(file)
    for page in (ROOT / "results").glob("*/*.md"):
        (folder / "results" / page.parent.name).mkdir(exist_ok=True)
        (folder / "results" / page.parent.name / page.name).symlink_to(page)
    return folder / "results" / paper


def dangling(page: Path) -> list[str]:
    """The links of a page to a file or an anchor that does not exist."""
    found = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        exists = target.exists()
        if exists and anchor.startswith("deviation-"):
            exists = anchor in ANCHOR.findall(target.read_text(encoding="utf-8"))
        if not exists:
            found.append(link)
    return found


@pytest.mark.parametrize(
    ("paper", "artefacts"),
    [("ding2020", ["table1", "figure3a"]), ("xu2021", ["table9.3", "table5.1"])],
)
def test_links_of_rendered_pages_lead_to_files(
    tmp_path: Path, paper: str, artefacts: list[str]
) -> None:
    source = page_functions(paper, RunOptions(ROOT / "data", ROOT / "results", collect=True))
    results, experiments = project(tmp_path, paper), ROOT / "experiments" / paper
    for artefact in artefacts:
        (results / artefact / "check.md").unlink()
        page = check_page.page_of(experiments, artefact)
        file = check_page.write(source.verdicts_of(artefact), results / artefact, page=page)
        assert dangling(file) == []
    names = ", ".join(f'"{artefact}"' for artefact in artefacts)
    chapter = results / "chapter.md"
    chapter.write_text(chapter_pages.page(f"{{{{ artefacts({names}) }}}}", source))
    assert "[[1]](" in chapter.read_text(encoding="utf-8")
    assert dangling(chapter) == []
