"""Every committed file fits its JSON Schema, and mistakes do not."""

from __future__ import annotations

import json

import pytest
import yaml

from dpfair_cli.reproduction.file_schemas import FOLDER, texts
from dpfair_cli.running.artefact_names import is_spec
from tests.commands.invoking import ROOT, works
from tests.diff.toy_project import CLAIM, HOLDS, SPEC
from tests.receipts.schema_rules import NO_RULES, RULES, keywords, mistake

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
    return mistake(content, schema(kind), schema(kind))


def test_only_known_rules_occur():
    for text in TEXTS.values():
        assert keywords(json.loads(text)) <= {*RULES, *NO_RULES, "$ref"}


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
        ({"seeds": 0}, "at least 1"),
        ({"seed": 3}, "unknown key seed"),
        ({"algorithms": [{"name": "pflr", "epsilonn": 1}]}, "'epsilonn' not in"),
        ({"algorithms": [{"name": "pflr", "epsilon": -1}]}, "above 0"),
        ({"algorithms": []}, "wrong length"),
        ({"table": {"rows": "dataset", "values": ["accuracy"]}}, "no array"),
        ({"lines": {"x": "epsilon", "panels": ["accuracy"]}}, "not exactly one"),
        ({"printed": {"row": ["dataset"]}}, "unknown key row"),
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
        ({}, "not exactly one"),
        ({"holds": [HOLDS], "not_testable": "no run"}, "not exactly one"),
        ({"holds": [HOLDS | {"overr": "most"}]}, "unknown key overr"),
        ({"holds": [HOLDS | {"compare": ["LR", "=", "FM"]}]}, "'=' not in"),
        ({"parts": [{"artefact": "table1", "holds": [HOLDS]}]}, "unknown key artefact"),
    ],
)
def test_a_mistake_in_a_claim_is_seen(change, words):
    assert why("claims", [CLAIM | {"holds": [HOLDS]}]) == ""
    assert words in why("claims", [CLAIM | change])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "variant"}, "missing variant"),
        ({"kind": "impossible"}, "missing proof"),
        ({"kind": "unknown"}, "not in"),
        ({"epsilon": {"from": 1}}, "no ['string', 'number', 'boolean']"),
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
