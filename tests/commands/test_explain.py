"""dpfair explain: one cell with everything behind it, several as a list, mistakes as one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy import stats

from dpfair_cli.commands import options
from tests.commands.invoking import ROOT, dpfair, mistake, works
from tests.diff.toy_project import CLAIM, HOLDS, NAME, PUBLISHED, SPEC, rows, write_project

FM = ("explain", NAME, "--method", "FM")
TIGHT = {"name": "functional_mechanism", "method": "FM", "epsilon": [1, 10]}
TIGHT |= {"variants": {"tight": {"sensitivity": "tight"}}, "chosen_by": "the printed text"}
VARIANTS = SPEC | {"algorithms": [TIGHT, SPEC["algorithms"][1]]}
PRINTED = (
    "artefact,dataset,method,epsilon,metric,mean,std,printed,place",
    "table1,adult,LR,1,accuracy,0.8,0.001,,",
    "table1,adult,FM,1,accuracy,0.7,0.001,70.0 ± 0.1,p. 7",
    "table1,adult,FM,10,accuracy,0.78,,,",
)
CAUSE = {"artefact": "table1", "method": "FM", "kind": "variant", "variant": "tight"}
CAUSE |= {"cause": "The paper does not print its sensitivity."}


@pytest.fixture(autouse=True)
def project(place):
    """FM at 0.70 and FM, tight at 0.78, at both epsilons; LR at 0.80."""
    lines = rows(VARIANTS, means={"FM, tight": 0.78})
    write_project(
        place,
        lines,
        spec=VARIANTS,
        published=PRINTED,
        claims=(CLAIM | {"holds": [HOLDS]}, CLAIM | {"id": "other", "holds": [SELECTION]}),
        deviations=(CAUSE,),
    )
    return place


SELECTION = HOLDS | {"metric": "selection_rate", "compare": ["LR", "~", "FM"], "margin": 0.01}


def labelled(text):
    """The text behind each label."""
    pairs = [line.split(None, 1) for line in text.splitlines() if line.startswith("  ")]
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def parts(text):
    """The parts of an explanation by their titles; that of the numbers has none."""
    _, numbers, *others = text.split("\n\n")
    titled = (part.split("\n", 1) for part in others)
    return {"": numbers} | {title: f"{rest}\n" for title, rest in titled}


def test_the_numbers_of_a_cell_are_those_worked_by_hand():
    # the runs are 0.69, 0.70, 0.71: mean 0.70, deviation 0.01; published 0.7 ± 0.001 over 10 runs;
    # sqrt(0.01^2 / 3 + 0.001^2 / 10) = sqrt(3.33333e-5 + 1e-7) = 0.00578215, and the degrees of
    # freedom are 3.34333e-5^2 / (3.33333e-5^2 / 2 + 1e-7^2 / 9) = 2.01202
    text = works(*FM, "--epsilon", "1").stdout
    assert text.startswith(f"{NAME}: adult, FM, epsilon 1, accuracy\nA toy (Toy 2020)\n")
    found = labelled(parts(text)[""])
    assert found["published"] == '0.7000 ± 0.0010, 10 runs (printed as "70.0 ± 0.1"; p. 7)'
    assert found["ours"] == "0.7000 ± 0.0100, 3 runs"
    assert found["difference"] == "+0.0000"
    width = f"± {stats.t.ppf(0.95, 2.01202) * 0.00578215:.4f}"
    assert found["90"].endswith(f" {width}")
    assert found["verdict"].startswith(f"reproduced: the difference is 0.0000 {width} (90 %")
    runs = labelled(parts(text)["runs of the default variant, by seed"])
    assert runs["0:"] == "0.6900   1: 0.7000   2: 0.7100"


def test_the_cause_of_a_difference_stands_with_every_variant():
    # 0.70 against 0.78: 0.08 apart, and 2.92 standard errors of 0.01 sqrt(1 / 3 + 1 / 10) = 0.0066
    text = works(*FM, "--epsilon", "10").stdout
    assert "differs (variant): the difference is 0.0800 ± 0.0192 (90 % interval)" in text
    variants = parts(text)["variants"].splitlines()
    assert [line.split() for line in variants[1:3]] == [
        ["default", "0.7000", "±", "0.0100", "-0.0800", "differs"],
        ["tight", "0.7800", "±", "0.0100", "+0.0000", "reproduced"],
    ]
    assert variants[3].split(None, 3)[-1] == "the printed text"
    deviation = labelled(parts(text)["deviation"])
    assert deviation["id"] == "table1-fm"
    assert deviation["kind"] == "variant: another variant of the method agrees"
    assert deviation["cause"] == CAUSE["cause"]
    assert deviation["variant"] == "tight"


def test_only_the_claims_that_look_at_the_cell_are_named():
    text = works(*FM, "--epsilon", "1").stdout
    assert "\nclaims about this cell\n  better: holds\n    LR is better\n" in text
    assert "other:" not in text


def test_files_and_the_command_that_runs_it_again_are_named():
    Path("experiments/toy2020/chapter1.md").write_text('{{ artefacts("table1") }}\n')
    Path("experiments/toy2020/chapter2.md").write_text("Nothing of it.\n")
    dpfair("reproduce", "toy2020", "--collect")  # writes check.md and the page of the chapter
    text = works(*FM, "--epsilon", "1").stdout
    assert [line.split()[-1] for line in parts(text)["files"].splitlines()] == [
        "experiments/toy2020/table1.yaml",
        "experiments/toy2020/published.csv",
        "experiments/toy2020/deviations.yaml",
        f"results/{NAME}/runs.jsonl",
        f"results/{NAME}/check.md",
        "results/toy2020/chapter1.md",
    ]
    assert text.endswith(f"\nmakes the runs again\n  dpfair table {NAME} --fresh\n")


def test_several_cells_are_listed_with_the_options_that_tell_them_apart():
    title, heading, *lines = works(*FM).stdout.splitlines()
    assert title == f"{NAME}: 2 published cells fit; add the options of one cell:"
    assert heading.split() == ["options", "ours", "published", "verdict"]
    assert [line.split() for line in lines] == [
        ["--epsilon", "1", "0.7000", "0.7000", "reproduced"],
        ["--epsilon", "10", "0.7000", "0.7800", "differs", "(variant)"],
    ]
    everything = works("explain", NAME).stdout.splitlines()[2:]
    assert everything[0].split()[:4] == ["--method", "LR", "--epsilon", "1"]


@pytest.mark.parametrize(
    "words",
    [
        ("--method", "functional_mechanism", "--epsilon", "1"),
        ("--method", "FM, tight", "--epsilon", "1.0"),
        ("--method", "fm", "--set", "epsilon=1", "--metric", "Accuracy", "--dataset", "adult"),
        ("--method", "FM", "--epsilon", "1", "--set", "sensitivity=published"),
    ],
)
def test_a_cell_is_found_by_any_of_its_names(words):
    assert works("explain", NAME, *words).stdout.startswith(f"{NAME}: adult, FM, epsilon 1, ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "MF"), f"{NAME} has no published cell with method 'MF': did you mean 'FM'?"),
        (("--dataset", "wiki"), "with data set 'wiki': there are: adult"),
        (("--metric", "acuracy"), "with score 'acuracy': did you mean 'accuracy'?"),
        (("--method", "LR", "--epsilon", "10"), "of method 'LR' with epsilon 10: there are: 1"),
        (("--set", "epsilom=1"), "has no parameter 'epsilom': did you mean 'epsilon'?"),
        (("--set", "epsilon"), "--set must be KEY=VALUE, got 'epsilon'"),
        (("--epsilon", "one"), "'one' is not a valid float"),
    ],
)
def test_what_no_cell_has_is_one_line(words, message):
    assert message in mistake("explain", NAME, *words)


def test_a_misspelt_artefact_proposes_the_nearest():
    assert mistake("explain", "toy2020/tabel1") == (
        "unknown artefact 'toy2020/tabel1': did you mean 'toy2020/table1'?"
    )


def test_an_artefact_without_cells_or_runs_says_so(project):
    write_project(project, rows(), published=PUBLISHED[:1])
    assert mistake("explain", NAME) == f"{NAME} has no published cells: name another artefact"
    write_project(project, rows()[:3])
    assert mistake("explain", NAME).startswith(f"{NAME} is not complete: run `dpfair reproduce")


def test_an_explanation_is_there_as_json():
    (found,) = json.loads(works(*FM, "--epsilon", "10", "--json").stdout)
    assert (found["artefact"], found["method"], found["verdict"]) == (NAME, "FM", "differs")
    assert found["published"] == {
        "mean": 0.78,
        "std": None,
        "runs": 10,
        "printed": "",
        "place": "",
        "line": 4,
    }
    default, tight = found["variants"]
    assert default["scores by seed"] == pytest.approx({"0": 0.69, "1": 0.70, "2": 0.71})
    assert (default["is default"], default["chosen by"]) == (True, "the printed text")
    assert (tight["variant"], tight["verdict"]) == ("tight", "reproduced")
    assert tight["difference"] == pytest.approx(0)
    assert found["deviation"]["kind"] == "variant"
    assert [claim["id"] for claim in found["claims"]] == ["better"]
    assert found["files"]["spec"] == "experiments/toy2020/table1.yaml"
    assert len(json.loads(works(*FM, "--json").stdout)) == 2


def test_names_of_artefacts_are_completed():
    from dpfair_cli.commands.explain import command

    (argument,) = [one for one in command.params if one.name == "name"]
    found = argument.shell_complete(None, "toy2020/t")
    assert [item.value for item in found] == [NAME]
    assert options.complete_artefact(None, None, "toy2020/t") == [NAME]


@pytest.mark.parametrize("metric", ["rd", "risk difference", "demographic_parity_difference"])
def test_a_cell_that_one_test_would_decide_names_the_level(metric):
    # 0.0242 less 0.0038 is above the margin 0.02, and the cell is undecided among all of its paper
    cell = ("--dataset", "adult", "--method", "LR", "--metric", metric)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        text = works("explain", "xu2021/table8.1", *cell).stdout
    assert "at the stricter level that allows for all cells of the paper" in " ".join(text.split())
