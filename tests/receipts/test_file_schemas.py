"""Every committed file fits its JSON Schema, and mistakes do not."""

from __future__ import annotations

import json

import pytest
import yaml

from dpfair_cli.reproduction.file_schemas import FOLDER, texts
from dpfair_cli.running.artefact_names import is_spec
from tests.commands.invoking import ROOT, works
from tests.diff.toy_project import CLAIM, HOLDS, SPEC
from tests.receipts.schema_rules import mistake

TEXTS = texts()
KINDS = {"claims.yaml": "claims", "deviations.yaml": "deviations"}
FILES = [
    file
    for file in sorted(ROOT.glob("**/experiments/*/*.yaml"))
    if ".venv" not in file.parts and (is_spec(file) or file.name in KINDS)
]
DEVIATION = {"artefact": "table1", "method": "FM", "kind": "open", "cause": "Not known."}


def schema(kind):
    return json.loads(TEXTS[f"{kind}.schema.json"])


def why(kind, content):
    return mistake(content, schema(kind))


@pytest.mark.parametrize("paper", sorted({file.parent for file in FILES}), ids=lambda one: one.name)
def test_every_committed_file_fits_its_schema(paper):
    for file in FILES:
        if file.parent == paper:
            content = yaml.safe_load(file.read_text())
            assert why(KINDS.get(file.name, "spec"), content) == "", file


def test_a_new_paper_fits_the_schemas(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    works("new", "paper", "smith2024")
    folder = tmp_path / "smith2024" / "experiments" / "smith2024"
    for file in folder.glob("*.yaml"):
        assert why(KINDS.get(file.name, "spec"), yaml.safe_load(file.read_text())) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seeds": 0}, "less than the minimum of 1"),
        ({"seed": 3}, "'seed' was unexpected"),
        ({"algorithms": [{"name": "pflr", "epsilonn": 1}]}, "'epsilonn' is not one of"),
        (
            {"algorithms": [{"name": "pflr", "epsilon": -1}]},
            "or equal to the minimum of 0",
        ),
        ({"algorithms": []}, "should be non-empty"),
        ({"table": {"rows": "dataset", "values": ["accuracy"]}}, "is not of type 'array'"),
        ({"lines": {"x": "epsilon", "panels": ["accuracy"]}}, "is valid under each of"),
        ({"printed": {"row": ["dataset"]}}, "'row' was unexpected"),
    ],
)
def test_a_mistake_in_a_spec_is_seen(change, words):
    assert why("spec", SPEC) == ""
    assert words in why("spec", SPEC | change)


def test_a_list_of_values_and_a_method_of_another_package_fit():
    own = [{"name": "pflr", "epsilon": [0.1, 1, float("inf")]}, {"name": "ours", "speed": 3}, "pc"]
    assert why("spec", SPEC | {"algorithms": own}) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "is not valid under any of"),
        ({"holds": [HOLDS], "not_testable": "no run"}, "is valid under each of"),
        ({"holds": [HOLDS | {"overr": "most"}]}, "'overr' was unexpected"),
        ({"holds": [HOLDS | {"compare": ["LR", "=", "FM"]}]}, "'=' is not one of"),
        ({"parts": [{"artefact": "table1", "holds": [HOLDS]}]}, "'artefact' was unexpected"),
    ],
)
def test_a_mistake_in_a_claim_is_seen(change, words):
    assert why("claims", [CLAIM | {"holds": [HOLDS]}]) == ""
    assert words in why("claims", [CLAIM | change])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "variant"}, "'variant' is a required property"),
        ({"kind": "impossible"}, "'proof' is a required property"),
        ({"kind": "unknown"}, "is not one of"),
        ({"epsilon": {"from": 1}}, "is not of type 'string', 'number', 'boolean'"),
    ],
)
def test_a_mistake_in_a_deviation_is_seen(change, words):
    assert why("deviations", [DEVIATION | {"epsilon": [0.1, 1]}]) == ""
    assert words in why("deviations", [DEVIATION | change])


def test_empty_files_fit():
    assert why("claims", None) == ""
    assert why("deviations", []) == ""


def test_new_schemas_writes_them_into_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = works("new", "schemas").stdout.splitlines()
    assert lines == [f"{FOLDER}/{name}" for name in TEXTS]
    for name, text in TEXTS.items():
        assert (tmp_path / FOLDER / name).read_text() == text
