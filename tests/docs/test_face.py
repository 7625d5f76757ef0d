"""What stands beside the code: changes, citation, typing, licence, and the pages that are made from
the project.
"""

from __future__ import annotations

import fnmatch
import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml

from dpfair_cli.running import artefact_names
from dpfair_cli.verdicts.score.distinct import CHAPTER

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages():
    """docs/pages.py, which needs nothing but the project."""
    found = spec_from_file_location("pages_of_the_docs", ROOT / "docs" / "pages.py")
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_changes_begin_with_the_current_version():
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", text_of("CHANGELOG.md"), flags=re.MULTILINE)
    assert versions[0] == PROJECT["version"]
    assert versions == sorted(
        versions, key=lambda version: [*map(int, version.split("."))], reverse=True
    )


def test_the_citation_is_of_the_current_version_and_names_every_paper():
    cited = yaml.safe_load(text_of("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(
        cited
    )  # what the format, 1.2.0, requires
    assert (cited["title"], str(cited["version"])) == (PROJECT["name"], PROJECT["version"])
    references = {work["abbreviation"]: work["title"] for work in cited["references"]}
    papers = {
        file.parent.name: text_of(file).partition("\n")[0]
        for file in ROOT.glob("experiments/*/README.md")
    }
    assert references == {name: heading.partition(": ")[2] for name, heading in papers.items()}


def test_the_package_is_typed():
    assert (ROOT / "dpfair_cli" / "py.typed").is_file()
    tools = tomllib.loads(text_of("pyproject.toml"))["tool"]
    assert "py.typed" in tools["setuptools"]["package-data"]["dpfair_cli"]


def test_the_readme_says_that_there_is_no_licence_as_long_as_there_is_none():
    said = "There is no licence yet" in text_of("README.md")
    named = "license" in PROJECT or "license" in yaml.safe_load(text_of("CITATION.cff"))
    assert (any(ROOT.glob("LICEN[CS]E*")), named) == ((False, False) if said else (True, True))


def test_every_artefact_is_on_the_page_of_its_paper_or_chapter(pages):
    texts = dict(pages.papers())
    for artefact in artefact_names.artefacts():
        paper, _, name = artefact.partition("/")
        commands = (f"`dpfair table {artefact}`:", f"`dpfair plot {artefact}`:")
        (found,) = [
            page for page, text in texts.items() if any(command in text for command in commands)
        ]
        chapter = CHAPTER.match(name)
        assert found.startswith(f"papers/{paper}-")
        assert paper != "xu2021" or not chapter or found == f"papers/{paper}-chapter{chapter[1]}"


def test_a_chapter_has_its_artefacts_in_order_and_ours_too(pages):
    texts = dict(pages.papers())
    shown = {page: re.findall(r"^### (\S+)$", text, re.MULTILINE) for page, text in texts.items()}
    ours = {"table5.1", "table5.3-kept", "figure-links", "figure-plane"}
    assert ours <= {*shown["papers/xu2021-chapter5"]}
    assert {"figure-tradeoff", "table9.5"} <= {*shown["papers/xu2021-chapter9"]}
    tables = [name for name in shown["papers/xu2021-chapter4"] if name.startswith("table4")]
    assert tables[-3:] == ["table4.9", "table4.10", "table4.11"]


def test_links_of_a_page_hold_where_the_documentation_puts_it(pages):
    for page, text in pages.papers():
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if not target.startswith("http"):
                assert (ROOT / "docs" / page).parent.joinpath(target).resolve().exists(), target


def test_every_page_that_the_contents_list_is_made(pages):
    index = text_of("docs/index.md")
    made = {name for make in (pages.papers, pages.notebooks, pages.reference) for name, _ in make()}
    lines = re.findall(r"^(?:papers|notebooks|reference)/\S+$", index, flags=re.MULTILINE)
    listed = {name for line in lines for name in fnmatch.filter(made, line)}
    assert all(fnmatch.filter(made, line) for line in lines)
    assert {f"papers/{file.parent.name}" for file in ROOT.glob("experiments/*/README.md")} <= listed
    # those of a paper are listed on the page of their paper
    assert all(re.search("-(chapter\\d+|paper)$", name) for name in made - listed)
