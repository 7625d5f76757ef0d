"""The toy project: our LR is as published, and our FM differs by 0.1 from what is published."""

from __future__ import annotations

import pytest

from tests.diff.toy_project import HEADER, rows, write_project

PUBLISHED = (HEADER, "table1,adult,LR,1,accuracy,0.8,0.001", "table1,adult,FM,1,accuracy,0.6,0.001")
CITATION = """\
cff-version: 1.2.0
message: Cite it.
title: toys
authors:
  - name: toy makers
references:
  - type: article
    title: A Paper about Toys
    abbreviation: toy2020
    authors:
      - {given-names: Ann, family-names: Toy}
      - {given-names: Bob, family-names: van Toy}
    year: 2020
    doi: 10.1000/toy
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The folder of the project, which is the working folder and in no repository."""
    folder = tmp_path / "project"
    write_project(folder, rows(), published=PUBLISHED)
    (folder / "CITATION.cff").write_text(CITATION)
    (folder / "results" / "toy2020" / "table1" / "table.csv").write_text(
        "dataset,epsilon,method,accuracy_mean,accuracy_std\n"
        "adult,1.0,FM,0.7,0.01\nadult,10.0,FM,0.7,0.01\nadult,1.0,LR,0.8,0.01\n"
    )
    monkeypatch.chdir(folder)
    return folder
