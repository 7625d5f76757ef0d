"""The RO-Crate follows the rules of the specification 1.3, and says what was checked."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from urllib.parse import unquote

import pytest

from tests.commands.invoking import ROOT, mistake, works

CONTEXT = "https://w3id.org/ro/crate/1.3/context"
DATE = ("--date", "2026-11-27")


def crate_of(folder):
    document = json.loads((folder / "ro-crate-metadata.json").read_text())
    return document, {entity["@id"]: entity for entity in document["@graph"]}


@pytest.fixture
def toy(project):
    """The crate of the toy project: its folder, the document, and the entities by their id."""
    works("receipt", "toy2020", "--out", "crate", *DATE)
    return (project / "crate", *crate_of(project / "crate"))


def references(value):
    """The ids to which a property refers."""
    values = value if isinstance(value, list) else [value]
    return [one["@id"] for one in values if isinstance(one, dict)]


def test_the_document_is_flat_with_the_context_by_reference(toy):
    _, document, entities = toy
    assert set(document) == {"@context", "@graph"}
    assert document["@context"] == CONTEXT
    assert len(entities) == len(document["@graph"])
    for entity in document["@graph"]:
        assert entity["@type"]
        for value in entity.values():
            values = value if isinstance(value, list) else [value]
            nested = [one for one in values if isinstance(one, dict)]
            assert all(set(one) == {"@id"} for one in nested)


def test_the_descriptor_is_about_the_root(toy):
    _, _, entities = toy
    assert entities["ro-crate-metadata.json"] == {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.3"},
    }


def test_the_root_has_all_that_is_required(toy):
    _, _, entities = toy
    root = entities["./"]
    assert root["@type"] == "Dataset"
    assert root["name"] == "Checked results of toy2020"
    assert "1 differ" in root["description"]
    assert date.fromisoformat(root["datePublished"]) == date(2026, 11, 27)
    (licence,) = references(root["license"])
    assert entities[licence]["name"] == "No licence"
    assert entities[licence]["description"]


def test_every_reference_leads_to_an_entity(toy):
    _, document, entities = toy
    outside = {"https://w3id.org/ro/crate/1.3"}
    for entity in document["@graph"]:
        for value in entity.values():
            assert {*references(value)} <= {*entities, *outside}, entity["@id"]


def test_every_file_is_there_and_belongs_to_the_root(toy):
    folder, _, entities = toy
    inside, waiting = set(), ["./"]
    while waiting:
        parts = references(entities[waiting.pop()].get("hasPart", []))
        inside.update(parts)
        waiting += parts
    files = {name for name, one in entities.items() if one["@type"] == "File" and name[0] != "#"}
    folders = {name for name, one in entities.items() if one["@type"] == "Dataset"} - {"./"}
    assert files | folders == inside
    for name in files:
        content = (folder / unquote(name)).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entities[name]["sha256"]
        assert str(len(content)) == entities[name]["contentSize"]
    for name in folders:
        assert name.endswith("/")
        assert (folder / name).is_dir()
    assert "results/toy2020/table1/runs.jsonl" in files
    assert "experiments/toy2020/published.csv" in files


def test_data_files_are_described_and_not_contained(toy):
    folder, _, entities = toy
    data = entities["#data-adult/adult.data"]
    assert data["sha256"].startswith("5b00264637db")
    assert data["contentUrl"][0].startswith("https://archive.ics.uci.edu/")
    assert references(data["license"]) == ["https://creativecommons.org/licenses/by/4.0/"]
    assert not (folder / "data").exists()


def test_an_artefact_is_made_from_its_spec_and_its_data(toy):
    _, _, entities = toy
    action = entities["#reproduce-toy2020/table1"]
    assert action["@type"] == "CreateAction"
    assert references(action["object"]) == [
        "experiments/toy2020/table1.yaml",
        "#data-adult/adult.data",
        "#data-adult/adult.test",
    ]
    assert references(action["result"]) == ["results/toy2020/table1/"]


def test_the_paper_is_cited_with_its_authors(toy):
    _, _, entities = toy
    assert references(entities["./"]["citation"]) == ["https://doi.org/10.1000/toy"]
    paper = entities["https://doi.org/10.1000/toy"]
    assert paper["name"] == "A Paper about Toys"
    assert [entities[one]["name"] for one in references(paper["author"])] == [
        "Ann Toy",
        "Bob van Toy",
    ]


def test_the_verdicts_are_counted(toy):
    _, _, entities = toy
    counts = {
        one["name"]: one["value"] for one in entities.values() if one["@type"] == "PropertyValue"
    }
    assert counts["published numbers: differs"] == 1
    assert counts["claims: holds"] == 1
    assert sum(count for name, count in counts.items() if name.startswith("published")) == 2


def test_a_project_without_a_commit_needs_a_date(project):
    assert "an RO-Crate needs a date" in mistake("receipt", "--format", "ro-crate")
    assert "must be a date" in mistake("receipt", "--date", "yesterday")
    assert not (project / "receipt").exists()


def test_every_committed_paper_is_cited_by_its_key():
    from dpfair_cli.addons.receipts.citation import read_citation

    cited = read_citation(ROOT / "CITATION.cff").references
    papers = {file.parent.name for file in (ROOT / "experiments").glob("*/published.csv")}
    assert papers == set(cited)
