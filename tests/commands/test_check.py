"""dpfair check: what is not complete, a difference that nobody named, and an entry that its
evidence does not bear.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from dpfair_cli.auditing import survey_rows
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.commands import main, terminal
from tests.commands.invoking import ROOT, dpfair, mistake, snapshot, works
from tests.commands.material import COMMON, PUBLISHED, TABLE, TOY, people, write

NAME = "toy2020/table1"
CHECK = ("check", NAME, "--out", "out")
COLLECT = ("reproduce", NAME, "--collect", "--out", "out")  # writes check.md
PAPER = Path("experiments/toy2020")
OPEN = {"kind": "open", "cause": "No accuracy is 0.01."}
HYPOTHESIS = {"kind": "hypothesis", "cause": "...", "unsettled": "..."}
# tight: one of FM's variants, under which no accuracy is 0.01 either
VARIANTS = TOY | {
    "algorithms": [
        TOY["algorithms"][0] | {"variants": {"tight": {"sensitivity": "tight"}}},
        TOY["algorithms"][1],
    ]
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder for the results of the table, which the first test makes for all others."""
    return tmp_path_factory.mktemp("results") / "out"


@pytest.fixture
def ran(project, results):
    """That project with its table run, whose FM has another variant."""
    (PAPER / "table1.yaml").write_text(yaml.safe_dump(VARIANTS | {"table": TABLE}))
    if not results.exists():
        works("table", NAME, *COMMON)
        copytree("out", results)
    copytree(results, "out", dirs_exist_ok=True)
    return project


def deviations(*entries):
    found = [{"artefact": "table1", **entry} for entry in entries]
    (PAPER / "deviations.yaml").write_text(yaml.safe_dump(found, sort_keys=False))


def claims(*predicates, **words):
    (PAPER / "claims.yaml").write_text(
        yaml.safe_dump(
            [
                {
                    "id": "c",
                    "artefact": "table1",
                    "claim": "...",
                    "quote": "...",
                    "place": "p. 1",
                    "holds": list(predicates),
                    **words,
                }
            ]
        )
    )


def counts(text):
    """Each verdict of the summary with its number of cells and what is said of its deviations."""
    found = {}
    for line in text.splitlines()[1:]:
        words = line.split()
        if "%" not in words:
            if found:
                break
            continue  # orders and columns stand above the cells
        percent = words.index("%")
        found[" ".join(words[: percent - 2])] = [words[percent - 2], *words[percent + 1 :]]
    return found


@pytest.mark.usefixtures("project")
def test_check_of_an_incomplete_artefact_says_what_to_run():
    message = mistake("check", NAME, "--out", "out")
    assert message == "toy2020/table1 is not complete: run `dpfair reproduce toy2020` first"


@pytest.mark.usefixtures("ran")
def test_check_exits_with_1_on_an_unexplained_difference_only():
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    assert "  not in deviations.yaml: csv, FM, epsilon 1, accuracy: differs\n" in result.stdout
    assert counts(result.stdout) == {
        "undecided": ["1", "not", "decidable", "1"],
        "differs": ["1", "no", "deviation", "1"],
    }
    assert "claims and their parts: none\n" in result.stdout
    assert "fails (exit code 1): cells and claims without a deviation: 1\n" in result.stdout
    deviations({"method": "FM", **OPEN})
    named = works(*CHECK).stdout
    assert "not in deviations.yaml" not in named
    assert counts(named) == {
        "undecided": ["1", "not", "decidable", "1"],
        "differs": ["1", "open", "1"],
    }
    assert "(exit code 0): 0 of 1 differences have a known cause; the others: 1 open\n" in named


@pytest.mark.usefixtures("ran")
def test_verbose_prints_every_cell_and_the_scoreboard():
    deviations({"method": "FM", **OPEN})
    text = works(*CHECK, "-v").stdout
    cells, board = text.split("\npublished cells\n")
    assert [line.split(",")[1] for line in cells.splitlines() if line.startswith("csv, ")] == [
        " LR",
        " FM",
    ]
    lines, tests, left_out = board.split("\n\n")
    verdicts = ["undecided", "(not", "decidable)", "differs", "(open)"]
    assert [line.split() for line in lines.splitlines()] == [
        ["part", "data", "published", "numbers", *verdicts, "in", "all"],
        ["toy2020", "the", "paper's", "data", *["printed", "in", "the", "paper"], "1", "1", "2"],
        ["in", "all", "1", "1", "2"],
    ]
    (wrong,) = [line for line in tests.splitlines() if line.startswith("false matches: our")]
    assert wrong.split()[-5:] == ["2", "reproduced", "0", "0", "%"]
    counts = [line.split()[-1] for line in left_out.splitlines()[1:]]
    assert counts == ["0", "0", "0", "0"]  # agree, chose a default, repeated, numbers of records


@pytest.mark.usefixtures("ran")
def test_the_cells_of_a_named_artefact_that_do_not_agree_are_listed():
    deviations({"method": "FM", **OPEN})
    listed = works(*CHECK).stdout.split("\n\n")[1].splitlines()
    name, heading, first, second = listed
    assert name == NAME
    assert heading.split() == ["cell", "ours", "published", "difference", "verdict", "cause"]
    assert first.startswith("csv, LR, epsilon 1, accuracy")
    ours = means_at_epsilon_1()["FM"]
    assert second.split()[-10:] == [
        "accuracy",
        *(f"{ours:.4f}", "0.0100", f"{ours - 0.01:+.4f}", "differs", "(open)"),
        *("No", "accuracy", "is", "0.01."),
    ]


@pytest.mark.usefixtures("ran")
def test_quiet_prints_the_result_and_what_fails():
    assert dpfair(*CHECK, "-q").stdout.splitlines() == [
        "fails (exit code 1): cells and claims without a deviation: 1",
        "  not in deviations.yaml: csv, FM, epsilon 1, accuracy: differs",
    ]
    deviations({"method": "FM", **OPEN})
    (line,) = works(*CHECK, "-q").stdout.splitlines()
    assert line.startswith("passes (exit code 0)")


def whole_paper():
    """The check of the paper, with the one table that was run and the one cell that differs."""
    (PAPER / "figure2.yaml").unlink()
    heading, _, fm = PUBLISHED.splitlines()
    (PAPER / "published.csv").write_text(f"{heading}\n{fm}\n")
    return "check", "toy2020", "--out", "out"


@pytest.mark.usefixtures("ran")
def test_recorded_means_let_a_check_pass_until_a_mean_moves():
    paper, file = whole_paper(), PAPER / "covered.json"
    deviations({"method": "FM", **OPEN})
    result = works(*paper, "--record")
    assert f"recorded: {file.resolve()}" in result.stderr
    (artefact,) = json.loads(works(*paper, "--json").stdout)["artefacts"]
    mean = artefact["cells"][0]["mean"]
    key = "table1: csv, FM, epsilon 1, accuracy"
    assert json.loads(file.read_text()) == {"table1-fm": {key: pytest.approx(mean, abs=1e-6)}}
    for moved, code in ((0.015, 0), (0.025, 1)):
        file.write_text(json.dumps({"table1-fm": {key: mean + moved}}))
        result = dpfair(*paper)
        assert result.exit_code == code
    assert "not the one that was recorded for the deviation table1-fm" in result.stdout
    assert works(*paper, "--record").exit_code == 0


@pytest.mark.usefixtures("ran")
@pytest.mark.parametrize("name", [NAME, "toy2020", "--all"])
@pytest.mark.parametrize("also", [(), ("--json",), ("-v",)])
def test_a_check_writes_no_file(name, also):
    (PAPER / "figure2.yaml").unlink()
    (PAPER / "paper.md").write_text('{{ artefacts("table1") }}\n')
    before = snapshot(".")
    works("check", name, "--out", "out", *also)  # no cell differs at the level of the paper
    assert snapshot(".") == before


@pytest.mark.usefixtures("ran")
def test_a_check_by_the_rule_of_the_paper_needs_no_file_of_it():
    (PAPER / "figure2.yaml").unlink()
    before = dpfair("check", "toy2020", "--out", "out", "--json").stdout
    dpfair("reproduce", "toy2020", "--collect", "--out", "out")
    assert Path("out/toy2020/rule.json").is_file()
    assert dpfair("check", "toy2020", "--out", "out", "--json").stdout == before


@pytest.mark.usefixtures("ran")
def test_a_report_with_other_verdicts_is_named_with_its_remedy():
    place = "report: out/toy2020/table1/check.md"
    assert f"{place}\n" in dpfair(*CHECK).stdout
    deviations({"method": "FM", **OPEN})
    remedy = "not up to date: update with `dpfair reproduce toy2020/table1 --collect`"
    assert f"{place}, {remedy}\n" in works(*CHECK).stdout
    works(*COLLECT)
    assert f"{place}\n" in works(*CHECK).stdout


@pytest.mark.usefixtures("ran")
def test_means_are_recorded_of_whole_papers_only():
    deviations({"method": "FM", **OPEN})
    assert "--record needs whole papers, such as xu2021, or --all" in mistake(
        *CHECK, "--record", code=2
    )
    assert not (PAPER / "covered.json").exists()
    assert not Path("out/toy2020/rule.json").exists()


@pytest.mark.usefixtures("ran")
def test_the_rule_is_written_for_whole_papers_only():
    deviations({"method": "FM", **OPEN})
    dpfair(*COLLECT)
    assert not Path("out/toy2020/rule.json").exists()
    (PAPER / "figure2.yaml").unlink()
    dpfair("reproduce", "toy2020", "--collect", "--out", "out")
    # of two cells, neither is decided at 0.05 / 2
    assert json.loads(Path("out/toy2020/rule.json").read_text()) == {
        "levels": {"equivalent": 0.025, "different": 0.025},
        "claim_levels": {"holds": 0.05, "fails": 0.05},
        "order_levels": {"holds": 0.05, "fails": 0.05},
        "column_levels": {"holds": 0.05, "fails": 0.05},
        "chosen": {},
    }


@pytest.mark.usefixtures("ran")
def test_the_check_of_a_paper_lists_what_nothing_explains():
    paper = whole_paper()
    assert "\ncsv, FM, epsilon 1, accuracy" in dpfair(*paper).stdout
    deviations({"method": "FM", **OPEN})
    text = works(*paper).stdout
    assert "\ncsv, " not in text
    assert "`dpfair check toy2020/table1` lists those of an artefact" in text
    assert "\npublished cells\n" in text


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
@pytest.mark.usefixtures("ran")
def test_verdicts_are_in_colour_in_a_terminal_only(monkeypatch, no_color, coloured):
    assert "\x1b[" not in dpfair(*CHECK).stdout
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    result = CliRunner().invoke(main, CHECK, color=True)
    assert ("\x1b[31mdiffers" in result.stdout) == coloured


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"kind": "variant", "variant": "loose", "cause": "..."}, "there is no variant 'loose'"),
        (
            {"kind": "variant", "variant": "tight", "cause": "..."},
            "FM: of 1 cells 0 agree under 'tight', not more than the 0 by default",
        ),
        ({"kind": "data", "cause": "..."}, "csv: the paper's own data"),
        ({"kind": "impossible", "proof": "PROOF.md", "cause": "..."}, "no heading is at PROOF.md"),
        (
            {"kind": "impossible", "proof": "README.md", "cause": "..."},
            "no heading is at README.md",
        ),
        (
            {"kind": "impossible", "proof": "README.md#proofs", "cause": "..."},
            "no heading is at README.md#proofs",
        ),
    ],
    ids=[
        "no such variant",
        "a variant that differs too",
        "own data",
        "no file",
        "no heading named",
        "no heading",
    ],
)
@pytest.mark.usefixtures("ran")
def test_check_exits_with_1_on_an_entry_that_its_evidence_does_not_bear(entry, why):
    (PAPER / "README.md").write_text("# Toy 2020\n\n## Proof\n\nAn accuracy is at most 1.\n")
    deviations({"method": "FM", **entry})
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    assert ("not in deviations.yaml" in result.stdout) == (
        entry["kind"] == "variant"
    )  # it covers what it brings out
    start = "  without evidence in deviations.yaml: "
    (line,) = [line for line in result.stdout.splitlines() if line.startswith(start)]
    assert why in line


@pytest.mark.usefixtures("project")
def test_a_variant_of_the_data_is_one_that_an_entry_may_name():
    write("others.csv", people(50))
    (data,) = VARIANTS["datasets"]
    both = [data, data | {"file": "others.csv", "variant": "others"}]
    (PAPER / "table1.yaml").write_text(
        yaml.safe_dump(VARIANTS | {"datasets": both, "table": TABLE})
    )
    works("table", NAME, *COMMON)
    deviations({"method": "FM", "kind": "variant", "variant": "others", "cause": "..."})
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    assert "FM: of 2 cells 0 agree under 'others', not more than the 0 by default" in result.stdout
    page = Path("out/toy2020/table1/check.md").read_text()
    variants = [line.split(" | ")[1] for line in page.splitlines() if line.startswith("| FM | ")]
    assert variants == ["default", "tight", "others", "tight, others"]


@pytest.mark.usefixtures("ran")
def test_an_impossibility_with_its_proof_beside_the_spec_is_borne():
    (PAPER / "README.md").write_text("# Toy 2020\n\n## Proof\n\nAn accuracy is at most 1.\n")
    deviations(
        {
            "method": "FM",
            "kind": "impossible",
            "proof": "README.md#proof",
            "cause": "An accuracy is at most 1.",
        }
    )
    assert counts(works(*CHECK).stdout)["differs"] == ["1", "impossible", "1"]


@pytest.mark.usefixtures("ran")
def test_a_failing_claim_needs_a_variant_under_which_it_holds():
    claims({"compare": ["FM", ">", 2], "metric": "accuracy"})
    deviations({"method": "FM", **OPEN})
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    assert "  not in deviations.yaml: c: fails\n" in result.stdout
    deviations(
        {"method": "FM", **OPEN},
        {"claim": "c", "kind": "variant", "variant": "tight", "cause": "..."},
    )
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    assert (
        "claim c, kind variant, variant tight: the claim does not hold under the variant 'tight'"
        in result.stdout
    )
    deviations({"method": "FM", **OPEN}, {"claim": "c", **OPEN})
    assert works(*CHECK).exit_code == 0


@pytest.mark.usefixtures("ran")
def test_an_unneeded_entry_is_reported_with_the_reason_without_failure():
    claims({"compare": ["LR", "~", "LR"], "metric": "accuracy", "margin": 1})
    useless = ({"method": "LR"}, {"method": "RL"}, {"claim": "c"}, {"claim": "cc"})
    deviations({"method": "FM", **OPEN}, *(entry | OPEN for entry in useless))
    text = works(*CHECK).stdout
    assert "claims and their parts: 1 holds\n" in text
    assert "deviations that nothing needs: 4\n" in text
    told = [line for line in text.splitlines() if "not needed" in line]
    assert told == [
        f"  not needed in deviations.yaml: artefact table1, {entry}, kind open: {why}"
        for entry, why in (
            ("method LR", "matches no cell that differs"),
            ("method RL", "matches no published cell: did you mean 'LR'?"),
            ("claim c", "the claim does not fail"),
            ("claim cc", "there is no claim 'cc': did you mean 'c'?"),
        )
    ]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"kind": "guess", "cause": "..."}, "kind 'guess'"),
        ({"kind": "open"}, "give a value for cause"),
        ({"not_run": "why"}, "give a value for kind, cause"),
        ({"kind": "data", "cause": "LR has 0.57"}, "numbers of runs"),
        (
            {"kind": "open", "cause": "...", "unsettled": "no"},
            "open cannot have the key `unsettled`",
        ),
        ({**HYPOTHESIS, "measured": "0.57"}, "a list of references"),
        (
            {**HYPOTHESIS, "measured": ["0.57"]},
            "a reference must be a mapping",
        ),
    ],
)
@pytest.mark.usefixtures("ran")
def test_a_malformed_entry_is_one_line(entry, message):
    deviations({"method": "FM", **entry})
    result = dpfair(*CHECK)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: toy2020/deviations.yaml: ")
    assert message in line


def means_at_epsilon_1():
    table = pd.read_csv("out/toy2020/table1/table.csv")
    return table[table["epsilon"] == 1].set_index("method")["accuracy_mean"]


@pytest.mark.usefixtures("ran")
def test_what_a_hypothesis_measured_is_looked_up_in_the_journal():
    item = {"method": ["FM", "FM, tight"], "epsilon": 1, "metric": "accuracy"}
    deviations({"method": "FM", **HYPOTHESIS, "measured": [item]})
    works(*COLLECT)
    table = means_at_epsilon_1()
    page = Path("out/toy2020/table1/check.md").read_text()
    for method in ("FM", "FM, tight"):
        assert f"{method} {table[method]:.4f}" in page
    misspelt = item | {"metric": "acuracy"}
    deviations({"method": "FM", **HYPOTHESIS, "measured": [misspelt]})
    assert "the journal has no score 'acuracy', did you mean 'accuracy'?" in mistake(*CHECK)


@pytest.mark.usefixtures("ran")
def test_the_pages_of_a_whole_paper_are_rendered_and_checked():
    (PAPER / "figure2.yaml").unlink()
    deviations({"method": "FM", **OPEN})
    template = '{{ ours("table1", "FM", "csv", "accuracy", epsilon=1, digits=4) }}\n'
    (PAPER / "paper.md").write_text(template)
    works("reproduce", "toy2020", "--collect", "--out", "out")
    table = means_at_epsilon_1()
    assert Path("out/toy2020/paper.md").read_text() == f"{table['FM']:.4f}\n"
    (PAPER / "paper.md").write_text(template.replace("FM", "MF"))
    message = mistake("check", "toy2020", "--out", "out")
    assert "the journal has no method 'MF'" in message


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "unknown artefact 'xu2012': did you mean 'xu2021'?" in mistake("check", "xu2012")


def test_a_check_in_a_folder_without_specs_says_whose_it_looks_at(tmp_path, monkeypatch):
    copytree(ROOT / "results" / "ding2020" / "table1", tmp_path / "copy" / "ding2020" / "table1")
    monkeypatch.chdir(tmp_path)
    result = works("check", "ding2020/table1", "--out", "copy")
    assert result.stderr.startswith(
        "no specs in experiments/ here: the papers that came with dpfair are used\n"
    )


@pytest.mark.usefixtures("own")
def test_without_a_name_it_is_wrong_usage():
    assert "or give --all" in mistake("check", code=2)


@pytest.mark.parametrize("named", ["--all", "toy2020", "toy2020/results1"])
def test_a_spec_whose_name_is_no_artefacts_is_named_with_the_reason(project, named):
    why = (
        "toy2020/results1.yaml is not a spec: its name must begin with table, figure, theorem "
        "or section"
    )
    (PAPER / "table1.yaml").rename(PAPER / "results1.yaml")
    (PAPER / "claims.yaml").write_text("[]")
    if named == "toy2020/results1":
        assert mistake("check", named) == f"unknown artefact {named!r}: {why}"  # beside figure2
    (PAPER / "figure2.yaml").unlink()
    assert (
        mistake("check", named)
        == f"the folder {project / 'experiments'} has no spec of a table or figure: {why}"
    )


def test_the_rule_of_a_whole_paper_has_the_levels_of_its_claims(ran):
    """One claim, which holds: no claim fails at any level."""
    claims({"compare": ["FM", ">", 0.01], "metric": "accuracy"})
    (PAPER / "figure2.yaml").unlink()
    again = ("reproduce", "toy2020", "--collect", "--out", "out")
    assert "claims and their parts: 1 holds" in dpfair("-v", *again).output
    rule = json.loads(Path("out/toy2020/rule.json").read_text())
    assert rule["claim_levels"] == {"holds": 0.05, "fails": 0.05}


def test_a_theorem_is_decided_by_the_audit_of_its_method(ran):
    words = "pflr,,adult,replace-one,proved,epsilon 1,1,0.5,1,1,1,holds"
    row = Audited(*words.split(","))
    refuted = replace(row, method="dpm", label="refuted", verdict="refuted: neighbours cost 2")
    survey_rows.write([row, refuted], Path("out"))
    claims(theorem=["pflr"])
    assert "claims and their parts: 1 holds" in dpfair("-v", *COLLECT).output
    page = Path("out/toy2020/table1/check.md").read_text()
    assert "proof in mechanisms/sensitivity/objective.py; the audit on adult" in page
    claims(theorem=["pflr", "dpm"])
    assert "c: fails" in dpfair(*CHECK).output
    claims(theorem=["dmp"])
    assert "unknown theorem 'dmp'" in dpfair(*CHECK).output
