"""What `dpfair check` must not believe: scores that no run has, rows that were lost, changed or
cannot be read.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.commands.invoking import dpfair, mistake, works
from tests.diff.toy_project import CLAIMS, HEADER, HOLDS, NAME, PUBLISHED, rows, write_project

PAPER = Path("experiments/toy2020")
JOURNAL = Path(f"results/{NAME}/runs.jsonl")
CHECK = ("check", NAME)


@pytest.fixture(autouse=True)
def project(place):
    """A project whose journal is complete and agrees with what was published."""
    write_project(place, rows())
    return place


def failing(*arguments, code=1):
    """What a check says that must fail, without a traceback."""
    result = dpfair(*arguments)
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    return result


def test_the_project_as_it_is_passes():
    text = works(*CHECK).stdout
    assert text.splitlines()[:4] == [
        "toy2020/table1: 2 numbers compared",
        "Order of methods: 1 confirmed.",
        "  reproduced         2  100 %",
        "claims and their parts: 1 holds",
    ]


def test_an_accuracy_of_seven_and_a_half_is_no_result_of_a_run(project):
    lines = rows()
    lines[0]["scores"]["accuracy"] = 7.5
    write_project(project, lines)
    text = failing(*CHECK).stdout
    assert "  no run gives that: adult, FM, seed 0: accuracy 7.5 is not in 0 to 1\n" in text
    assert "reproduced" not in text.partition("claims and")[0]  # nor does its spread hide it


def test_a_negative_rate_is_no_result_of_a_run_either(project):
    lines = rows()
    lines[-1]["scores"]["accuracy"] = -0.1
    write_project(project, lines)
    assert "adult, LR, seed 2: accuracy -0.1 is not in 0 to 1" in failing(*CHECK).stdout


def test_a_wide_spread_of_our_own_makes_a_cell_undecided(project):
    lines = rows(seeds=10)
    for line in lines:
        if line["algorithm"] == "logistic_regression" and line["seed"] < 2:
            line["scores"]["accuracy"] = 0.0  # a score that a run can have
    write_project(project, lines, spec=None)
    spec = (PAPER / "table1.yaml").read_text().replace("seeds: 3", "seeds: 10")
    (PAPER / "table1.yaml").write_text(spec)
    (line,) = (one for one in works(*CHECK).stdout.splitlines() if one.startswith("adult, LR"))
    assert line.split()[5:8] == ["0.6400", "0.8000", "-0.1600"]
    assert re.search(r"  undecided \(needs seeds\)  \d+ seeds would decide$", line)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("table1,adult,FM,1,accuracy,,0.001", "the mean must be a number, got ''"),
        ("table1,adult,FM,1,accuracy,0.7 ± 0.1,", "the mean must be a number, got '0.7 ± 0.1'"),
        ("table1,adult,FM,1,accuracy,nan,", "the mean must be a number, got 'nan'"),
        ("table1,adult,FM,1,accuracy,0.7,x", "the std must be a number, got 'x'"),
        ("table1,adult,FM,1,accuracy,0.7", "the line has 6 fields, but the header has 7"),
        ("table1,adult,FM,1,accuracy,0.7,0.1,0.7", "the line has 8 fields, but the header has 7"),
        (",adult,FM,1,accuracy,0.7,", "the column artefact must not be empty"),
        ("table1,adult,,1,accuracy,0.7,", "the column method must not be empty"),
        (PUBLISHED[1].replace("0.8", "0.9"), "the same cell as in line 2: delete one"),
        ("tabel1,adult,FM,1,accuracy,0.7,", "unknown artefact 'tabel1': did you mean 'table1'?"),
        (
            "table1,adult,FM,1,accuracy,70.5,",
            "accuracy 70.5 is not in 0 to 1: is this a percentage?",
        ),
        ("table1,adult,FM,1,accuracy,-0.7,", "accuracy -0.7 is not in 0 to 1"),
    ],
)
def test_a_published_row_that_would_vanish_is_one_line_with_its_place(project, line, why):
    write_project(project, rows(), published=(*PUBLISHED[:2], "", line))
    assert mistake(*CHECK).removeprefix("toy2020/") == f"published.csv, line 4: {why}"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"artefact": "tabel1"}, "toy2020/claims.yaml, better: unknown artefact 'tabel1': did you "
                                 "mean 'table1'?"),
        ({"holds": [HOLDS | {"compare": ["LR", ">", "FN"]}]},
         "toy2020/claims.yaml, better: unknown method 'FN' in table1: did you mean 'FM'?"),
        ({"quote": ""}, "toy2020/claims.yaml, better: the claim must have a quote"),
        ({"holds": [HOLDS | {"metric": "acuracy"}]},
         (
             "toy2020/claims.yaml, better: unknown score 'acuracy' in table1: did you mean "
             "'accuracy'?"
         )),
    ],
)  # fmt: skip
def test_a_claim_that_would_never_be_tested_is_one_line(project, changed, why):
    write_project(project, rows(), claims=(CLAIMS[0] | changed,))
    result = failing(*CHECK, code=2)
    assert result.stderr == f"Error: {why}\n"


def test_a_deviation_of_no_artefact_is_one_line(project):
    entry = {"artefact": ["table1", "tabel2"], "method": "FM", "kind": "open", "cause": "not known"}
    write_project(project, rows(), deviations=(entry,))
    assert mistake(*CHECK).endswith(
        ", kind open: unknown artefact 'tabel2': did you mean 'table1'?"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("table1,adult,FN,1,accuracy,0.7,",
         "adult, FN, epsilon 1, accuracy: missing (no method 'FN' here: did you mean 'FM'?)"),
        ("table1,adlut,FM,1,accuracy,0.7,",
         "adlut, FM, epsilon 1, accuracy: missing (no data set 'adlut' here: did you mean "
         "'adult'?)"),
        ("table1,adult,FM,1,acuracy,0.7,",
         "adult, FM, epsilon 1, acuracy: missing (no score 'acuracy' here: did you mean "
         "'accuracy'?)"),
        ("table1,adult,FM,2,accuracy,0.7,", "adult, FM, epsilon 2, accuracy: missing"),
        ("table1,adult,Bayes,1,accuracy,0.7,", "adult, Bayes, epsilon 1, accuracy: missing"),
    ],
)  # fmt: skip
def test_a_published_row_that_none_of_ours_answers_says_what_it_may_mean(project, line, told):
    write_project(project, rows(), published=(*PUBLISHED, line))
    assert f"  not in deviations.yaml: {told}\n" in failing(*CHECK).stdout


def test_what_would_be_refused_in_the_end_is_refused_before_anything_runs(project):
    write_project(project, [], claims=(CLAIMS[0] | {"holds": [HOLDS | {"metric": "acuracy"}]},))
    for command in ("table", "reproduce"):
        assert (
            "unknown score 'acuracy' in table1" in failing(command, "toy2020/table1", code=2).stderr
        )


def test_an_entry_about_a_claim_is_about_the_artefacts_of_the_claim(project):
    failing_claim = CLAIMS[0] | {"holds": [HOLDS | {"compare": ["FM", ">", "LR"]}]}
    entry = {"claim": "better", "kind": "open", "cause": "not known"}
    write_project(project, rows(), claims=(failing_claim,), deviations=(entry,))
    assert "\nbetter: fails (open)\n    not known\n" in works(*CHECK).stdout
    write_project(
        project, rows(), claims=(failing_claim,), deviations=(entry | {"claim": "bettr"},)
    )
    assert mistake(*CHECK).endswith("no claim 'bettr': did you mean 'better'?")


def test_a_file_that_is_refused_is_not_sealed(project):
    entry = {"artefact": "table1", "method": "FM", "kind": "guess", "cause": "not known"}
    write_project(project, rows(), deviations=(entry,))
    mistake(*CHECK, "--update-checksums")
    assert not (PAPER / "checksums.json").exists()


def test_a_file_of_another_ending_is_said(project):
    write_project(project, rows())
    (PAPER / "table2.yml").write_text((PAPER / "table1.yaml").read_text())
    assert (
        "ignored, because the file is no artefact: toy2020/table2.yml is not a spec: "
        "its name must end in .yaml\n" in works(*CHECK).stderr
    )


def test_a_file_that_is_no_artefact_for_its_name_alone_is_said(project):
    write_project(project, rows())
    (PAPER / "tabel2.yaml").write_text((PAPER / "table1.yaml").read_text())
    why = (
        "toy2020/tabel2.yaml is not a spec: its name must begin with table, figure, theorem "
        "or section"
    )
    assert f"ignored, because the file is no artefact: {why}\n" in works(*CHECK).stderr


@pytest.mark.parametrize("column", ["artefact", "dataset", "method", "metric", "mean", "std"])
def test_a_column_that_is_missing_is_named(project, column):
    write_project(project, rows(), published=(HEADER.replace(column, "other"), *PUBLISHED[1:]))
    assert mistake(*CHECK) == f"toy2020/published.csv must have a column {column!r}"


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("table1.yaml", "seeds: 3"),
        ("claims.yaml", "  claim: ..."),
        ("deviations.yaml", "  kind: open"),
    ],
)
def test_a_yaml_key_that_stands_twice_is_one_line_with_its_place(file, key):
    entry = "- artefact: table1\n  method: FM\n  kind: open\n  cause: not known\n"
    if file == "deviations.yaml":
        (PAPER / file).write_text(entry)
    lines = (PAPER / file).read_text().splitlines()
    name = key.split(":")[0]
    first = next(k for k, line in enumerate(lines, start=1) if line.startswith(f"{name}:"))
    (PAPER / file).write_text("\n".join([*lines, key]) + "\n")
    message = mistake(*CHECK)
    place = file if file == "table1.yaml" else f"toy2020/{file}"
    assert (
        message
        == f"{place}, line {len(lines) + 1}: the key {name.strip()!r} stands twice, first in "
        f"line {first}"
    )


def checksums():
    works(*CHECK, "--update-checksums")
    return json.loads((PAPER / "checksums.json").read_text())


def test_checksums_hold_counts_and_digests_and_a_check_passes():
    recorded = checksums()
    assert {name: entry["rows"] for name, entry in recorded.items()} == {
        "published.csv": 2,
        "table1": 9,
    }
    assert all(len(entry["sha256"]) == 64 for entry in recorded.values())
    assert "checksum" not in works(*CHECK).stdout


def test_a_published_row_that_was_deleted_breaks_the_seal(project):
    checksums()
    write_project(project, rows(), published=PUBLISHED[:2])
    text = failing(*CHECK).stdout
    assert (
        text.splitlines()[-1]
        == "  checksum mismatch: toy2020/published.csv: has 1 rows, the checksum manifest says 2"
    )


def test_a_score_changed_by_hand_breaks_the_checksums_although_it_agrees(project):
    checksums()
    write_project(project, rows(means={"LR": 0.801}))
    text = failing(*CHECK).stdout
    assert "reproduced         2  100 %" in text
    assert (
        "  checksum mismatch: toy2020/table1: its content differs from the checksum manifest"
        in text
    )
    checksums()
    assert works(*CHECK).exit_code == 0


def test_a_seal_that_is_no_seal_is_one_line():
    (PAPER / "checksums.json").write_text("[]")
    assert "toy2020/checksums.json is not a checksum manifest" in mistake(*CHECK)


def test_one_incomplete_artefact_does_not_hide_the_others(project):
    second = (PAPER / "table1.yaml").read_text().replace("A toy", "Another")
    (PAPER / "table2.yaml").write_text(second)
    result = failing("check", "toy2020", code=2)
    assert "toy2020/table1: 2 numbers compared\n" in result.stdout
    assert "\n  reproduced         2" in result.stdout
    assert "result: fails (exit code 2): not complete: 1\n" in result.stdout
    assert (
        result.stderr
        == "Error: toy2020/table2 is not complete: run `dpfair reproduce toy2020` first\n"
    )


@pytest.mark.parametrize("damage", [(b"0.8", b"0.9"), (b"{", b"\xff"), (b"\n", b" ")])
def test_one_damaged_journal_does_not_hide_the_others(damage):
    second = (PAPER / "table1.yaml").read_text().replace("A toy", "Another")
    (PAPER / "table2.yaml").write_text(second)
    other = JOURNAL.parent.with_name("table2")
    other.mkdir()
    (other / JOURNAL.name).write_bytes(JOURNAL.read_bytes().replace(*damage, 1))
    text = failing("check", "toy2020").stdout
    assert text.startswith("toy2020/table1: 2 numbers compared\n")
    assert "\n  reproduced         2" in text
    assert "result: fails (exit code 1): files that differ from their checksum: 1\n" in text
    *_, last = text.splitlines()
    assert last.startswith("  checksum mismatch: toy2020/table2/runs.jsonl: line ")
    assert "toy2020/table2/runs.jsonl: line" in mistake("table", "toy2020/table2", "--collect")


def test_a_damaged_journal_of_another_folder_does_not_hide_the_verdicts(project):
    before = project / "before"
    for folder in ("experiments", "results"):
        shutil.copytree(project / folder, before / folder)
    damaged = before / JOURNAL
    damaged.write_bytes(JOURNAL.read_bytes().replace(b"0.8", b"0.9", 1))
    text = failing("check", "toy2020", "--against", str(before)).stdout
    assert text.startswith("toy2020/table1: 2 numbers compared\n")
    assert f"not compared with {before}: there toy2020/table1/runs.jsonl: line " in text


def test_a_check_is_there_as_json_with_every_cell_and_whatever_fails(project):
    found = json.loads(works(*CHECK, "--json").stdout)
    (one,) = found["artefacts"]
    assert (one["artefact"], one["state"], one["not in deviations.yaml"]) == (NAME, "compared", [])
    cells = {cell["cell"]: cell for cell in one["cells"]}
    assert cells["adult, LR, epsilon 1, accuracy"]["published_mean"] == 0.8
    assert cells["adult, LR, epsilon 1, accuracy"]["mean"] == pytest.approx(0.8)
    assert {cell["verdict"] for cell in cells.values()} == {"reproduced"}
    assert [(claim["id"], claim["verdict"]) for claim in one["claims"]] == [("better", "holds")]
    assert found["scoreboard"]["cells"][0]["in all"] == 2
    write_project(project, rows(means={"FM": 0.75}))
    checksums = {
        "table1": {"rows": 1, "sha256": "0" * 64},
        "published.csv": {"rows": 1, "sha256": "0" * 64},
    }
    (PAPER / "checksums.json").write_text(json.dumps(checksums))
    (PAPER / "table2.yaml").write_text(
        (PAPER / "table1.yaml").read_text().replace("A toy", "Another")
    )
    result = failing("check", "toy2020", "--json", code=2)
    found = json.loads(result.stdout)
    assert [one["state"] for one in found["artefacts"]] == ["compared", "incomplete"]
    assert found["artefacts"][0]["not in deviations.yaml"] == [
        "adult, FM, epsilon 1, accuracy: differs"
    ]
    assert found["artefacts"][1]["missing runs"] == 9
    assert len(found["checksum mismatches"]) == 2
    assert (
        result.stderr
        == "Error: toy2020/table2 is not complete: run `dpfair reproduce toy2020` first\n"
    )
    assert "give one of them" in mistake(*CHECK, "--json", "--format", "github")
