"""The HTML page of a comparison: facts, filter, and the look of the report."""

from __future__ import annotations

import re

import pytest

from dpfair_cli.diff import rendering
from dpfair_cli.diff.comparing import compare
from dpfair_cli.diff.sides import read_side
from dpfair_cli.reporting.html_page import Fact
from tests.commands.invoking import works
from tests.diff.toy_project import NAME, commit, git, rows, write_project
from tests.reporting import browser

CHOOSE = """(() => {
  form.elements.%s.value = "%s";
  form.dispatchEvent(new Event("input"));
  return [all("tr[data-verdict]").filter(row => !row.hidden).length, location.hash];
})()"""


@pytest.fixture
def page(tmp_path):
    """The page of a change of FM, whose verdict changes, and of a number without a verdict."""
    write_project(tmp_path / "a", rows())
    write_project(tmp_path / "b", rows(means={"FM": 0.75}))
    sides = [read_side(str(tmp_path / name), tmp_path) for name in ("a", "b")]
    return rendering.page(compare(*sides), [Fact("dpfair", "version 1")])


def test_the_page_counts_changes_and_changed_verdicts(page):
    assert "<strong>3</strong> changes" in page
    assert "<strong>1</strong> changed verdicts" in page
    assert "<b>dpfair:</b> version 1" in page


def test_rows_with_a_changed_verdict_come_first(page):
    kinds = re.findall(r'<tr( class="other")? data-verdict', page)
    assert kinds == [' class="other"', "", ""]


def test_a_page_has_no_more_rows_and_pictures_than_fit(tmp_path, monkeypatch):
    for name, mean in (("a", 0.7), ("b", 0.75)):
        project = write_project(tmp_path / name, rows(means={"FM": mean}))
        for picture, size in (("figure", 500), ("difference", 5000)):
            file = project / "results" / NAME / f"{picture}.png"
            file.write_bytes(name.encode() * size)
    found = compare(*(read_side(str(tmp_path / name), tmp_path) for name in ("a", "b")))
    monkeypatch.setattr(rendering, "ROWS", 1)
    whole = len(rendering.page(found).encode())
    monkeypatch.setattr(rendering, "PAGE_BYTES", whole - 5000)
    page = rendering.page(found)
    assert len(page.encode()) <= rendering.PAGE_BYTES
    assert page.count("data:image/png") == 3  # of two pairs
    assert page.count("not shown: the picture is missing, or the page would be too large") == 1
    assert page.count("data-verdict=") == 1
    assert "2 smaller changes are not listed" in page


def test_rows_have_their_verdicts_method_and_data_set(page):
    found = re.findall(r'data-verdict="([^"]*)" data-dataset="([^"]*)" data-method="([^"]*)"', page)
    assert sorted(found) == [
        ("", "adult", "FM"),  # the number at epsilon 10 is not published
        ("claim holds", "", ""),
        ("reproduced|differs|verdict changed", "adult", "FM"),
    ]


def test_every_link_of_the_page_is_an_anchor_in_it(page):
    links = re.findall(r'href="([^"]*)"', page.split("<script>")[0])
    ids = re.findall(r' id="([^"]*)"', page)
    assert "#toy2020-table1" in links
    assert {link.removeprefix("#") for link in links} <= {*ids}


def test_the_page_is_filtered_by_verdict_and_method(page, tmp_path):
    asked = CHOOSE % ("verdict", "verdict changed")
    assert browser.outcome(page, asked, tmp_path) == [1, "#verdict=verdict+changed"]
    asked = CHOOSE % ("method", "FM")
    assert browser.outcome(page, asked, tmp_path) == [2, "#method=FM"]


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_page(page, tmp_path, width):
    assert browser.outcome(page, browser.TOO_WIDE, tmp_path, width=width) == []


def test_the_page_of_two_commits_names_them_with_dates(repository):
    write_project(repository, rows(means={"LR": 0.85}))
    commit(repository, "two")
    works("diff", "HEAD~1", "--html", "d.html")
    asked = ("log", "-2", "--format=%h of %cs")
    after, before = git(repository, *asked).splitlines()
    page = (repository / "d.html").read_text()
    assert f"<b>before:</b> commit {before}" in page
    assert f"<b>after:</b> working folder at commit {after}" in page
