"""The lines of claims, and the fields of CITATION.cff, read from files written by hand."""

from __future__ import annotations

import pytest

from dpfair_cli.addons.receipts.citation import Author, read_citation
from dpfair_cli.addons.receipts.collecting import claim_lines
from dpfair_cli.contracts.errors import DpfairError

CLAIMS = """\
# a comment
- id: a
  artefact: table1

- {id: b, artefact: table1}
- id: c
  parts:
  - part: x
    artefact: table1
  - {artefact: table1, part: y}
"""


def test_each_part_of_a_claim_has_its_line(tmp_path):
    file = tmp_path / "claims.yaml"
    file.write_text(CLAIMS)
    assert claim_lines(file) == {"a": 2, "b": 5, "c (x)": 8, "c (y)": 10}


def test_no_file_and_no_list_have_no_lines(tmp_path):
    file = tmp_path / "claims.yaml"
    assert claim_lines(file) == {}
    file.write_text("")
    assert claim_lines(file) == {}


def test_a_reference_has_the_address_of_its_doi(tmp_path):
    file = tmp_path / "CITATION.cff"
    file.write_text(
        "title: t\nlicense: MIT\nrepository-code: https://example.org/t\nauthors: [{name: us}]\n"
        "references:\n- {title: x, abbreviation: x2020, doi: 10.1/x, url: https://x, year: 2020}\n"
        "- {title: y, abbreviation: y2020, url: https://y}\n- {title: without a key}\n"
    )
    found = read_citation(file)
    assert (found.title, found.licence, found.address) == ("t", "MIT", "https://example.org/t")
    assert found.authors == (Author("", "us"),)
    assert set(found.references) == {"x2020", "y2020"}
    assert found.references["x2020"].address == "https://doi.org/10.1/x"
    assert found.references["y2020"].address == "https://y"


def test_a_reference_without_a_title_is_refused(tmp_path):
    file = tmp_path / "CITATION.cff"
    file.write_text("title: t\nreferences: [{abbreviation: x2020}]\n")
    with pytest.raises(DpfairError, match="references with titles"):
        read_citation(file)
