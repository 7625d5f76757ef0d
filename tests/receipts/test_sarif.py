"""The findings of the check in SARIF: rules, levels and lines; no finding is left out."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.commands.invoking import works
from tests.diff.toy_project import CLAIM, HEADER, HOLDS, SPEC, rows, write_project

OPEN = {"artefact": "table1", "method": "FM", "kind": "open", "cause": "Not known."}
PROOF = {"artefact": "table1", "method": "FM", "kind": "impossible", "cause": "It cannot be."}


def log():
    document = json.loads(works("receipt", "--format", "sarif", "--date", "2026-11-27").stdout)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run


def findings(rule):
    run = log()
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])
    return [one for one in run["results"] if one["ruleId"] == rule]


def place(finding):
    (location,) = finding["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    return physical["artifactLocation"]["uri"], physical.get("region", {}).get("startLine")


def deviations(folder, *entries):
    file = folder / "experiments" / "toy2020" / "deviations.yaml"
    file.write_text(yaml.safe_dump(list(entries), sort_keys=False))


def test_a_cell_that_differs_is_an_error_at_its_line(project):
    (finding,) = findings("cell-differs")
    assert place(finding) == ("experiments/toy2020/published.csv", 3)
    assert finding["level"] == "error"
    assert "adult, FM, epsilon 1, accuracy" in finding["message"]["text"]
    assert "published 0.6" in finding["message"]["text"]


def test_a_cell_without_a_known_cause_is_a_warning(project):
    deviations(project, OPEN)
    (finding,) = findings("cell-differs")
    assert finding["level"] == "warning"
    assert finding["message"]["text"].endswith("Not known.")


def test_an_explained_cell_is_a_note(project):
    (project / "experiments" / "toy2020" / "README.md").write_text("# Toy\n\n## Why\n")
    deviations(project, PROOF | {"proof": "README.md#why"})
    (finding,) = findings("cell-differs")
    assert finding["level"] == "note"
    assert findings("deviation-unsupported") == []


def test_a_deviation_without_its_evidence_is_an_error(project):
    deviations(project, PROOF | {"proof": "README.md#nowhere"})
    (finding,) = findings("deviation-unsupported")
    assert place(finding) == ("experiments/toy2020/deviations.yaml", None)
    assert finding["level"] == "error"


def test_a_claim_that_fails_is_at_its_line(project):
    fails = {"compare": ["FM", ">", "LR"], "metric": "accuracy"}
    parts = [{"part": part, "artefact": "table1", "holds": [fails]} for part in ("one", "two")]
    split = {key: CLAIM[key] for key in ("claim", "quote", "place")}
    claims = [CLAIM | {"holds": [HOLDS]}, {"id": "worse", **split, "parts": parts}]
    text = yaml.safe_dump(claims, sort_keys=False)
    (project / "experiments" / "toy2020" / "claims.yaml").write_text(text)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "part: " in line]
    found = findings("claim-fails")
    assert [place(one) for one in found] == [
        ("experiments/toy2020/claims.yaml", line) for line in lines
    ]
    assert [one["level"] for one in found] == ["error", "error"]


def test_no_finding_is_left_out_and_each_keeps_its_fingerprint(project):
    values = [round(1.1**step, 4) for step in range(25)]
    many = SPEC | {"algorithms": [{**SPEC["algorithms"][0], "epsilon": values}]}
    lines = [f"table1,adult,FM,{value},accuracy,0.5,0.001" for value in values]
    write_project(project, rows(many), spec=many, published=(HEADER, *lines), claims=())
    before = findings("cell-differs")
    assert len(before) == 25
    prints = {one["partialFingerprints"]["dpfair/v1"] for one in before}
    assert len(prints) == 25
    published = (HEADER, *reversed(lines))
    write_project(project, rows(many), spec=many, published=published, claims=())
    assert {one["partialFingerprints"]["dpfair/v1"] for one in findings("cell-differs")} == prints


@pytest.mark.parametrize("name", ["message", "level", "ruleId", "locations"])
def test_every_finding_has_what_a_code_host_shows(project, name):
    assert all(name in one for one in log()["results"])


def test_a_file_that_differs_from_its_checksum_is_an_error(project):
    paper = project / "experiments" / "toy2020"
    (paper / "checksums.json").write_text(
        json.dumps({"published.csv": {"rows": 5, "sha256": "0" * 64}})
    )
    found = findings("checksum-differs")
    assert [place(one)[0] for one in found] == ["experiments/toy2020/checksums.json"] * 2
    assert "has 2 rows, the checksum manifest says 5" in found[0]["message"]["text"]
    assert {one["level"] for one in found} == {"error"}
