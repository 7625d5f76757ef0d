"""dpfair referee: two toy papers that print different numbers, and mistakes as one line."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from tests.commands.invoking import mistake, works
from tests.diff.toy_project import CLAIM, HOLDS, SPEC, rows, write_project

FM = {"name": "functional_mechanism", "method": "FM", "epsilon": [1, 10]}
FM |= {"variants": {"tight": {"sensitivity": "tight"}}, "chosen_by": "the printed text"}
VARIANTS = SPEC | {"algorithms": [FM, SPEC["algorithms"][1]], "seeds": 12}
HEADER = "artefact,dataset,method,epsilon,metric,mean,std,printed,place"
FIRST = (HEADER, "table1,adult,FM,1,accuracy,0.7,0.01,0.70,p. 7")
SECOND = (HEADER, "table1,adult,FM,1,accuracy,0.78,0.01,0.78,p. 9")
CELL = {"work": "toy2020", "artefact": "table1", "dataset": "adult", "method": "FM"}
CELL |= {"metric": "accuracy", "epsilon": 1}
STEP = {"aspect": "noise", "a": "the printed", "b": "a tight one", "runs": {"method": "FM, tight"}}
NUMBERS = {
    "id": "fm-accuracy",
    "family": "C1",
    "quantity": {"data": "Adult", "method": "FM", "score": "accuracy", "epsilon": 1},
    "a": {"cell": CELL, "runs": {"work": "toy2020"}},
    "b": {"cell": CELL | {"work": "toy2021"}},
    "differences": [STEP],
}
CLAIMS = {
    "id": "better",
    "family": "C2",
    "quantity": {"data": "Adult", "method": "LR", "score": "accuracy"},
    "a": {"claim": {"work": "toy2020", "id": "better"}},
}


@pytest.fixture(autouse=True)
def project(place):
    """Two papers with FM at 0.70 and FM, tight at 0.78; the first prints 0.70, the other 0.78."""
    lines = rows(VARIANTS, means={"FM, tight": 0.78})
    claims = (CLAIM | {"holds": [HOLDS]},)
    write_project(place, lines, spec=VARIANTS, published=FIRST, claims=claims)
    for folder in ("experiments", "results"):
        shutil.copytree(place / folder / "toy2020", place / folder / "toy2021")
    published = place / "experiments" / "toy2021" / "published.csv"
    published.write_text("\n".join(SECOND) + "\n")
    write_entries(place, NUMBERS, CLAIMS)
    return place


def write_entries(place, *entries):
    text = yaml.safe_dump(list(entries), sort_keys=False)
    (place / "experiments" / "contradictions.yaml").write_text(text)


def test_the_table_has_both_numbers_the_gap_and_the_state():
    text = works("referee").stdout
    assert "fm-accuracy: settled\n    accuracy of FM on Adult, epsilon 1\n" in text
    assert "toy2020: 0.70; toy2021: 0.78; gap +0.0800, noise 0.0" in text
    assert "better: no contradiction" in text
    assert text.endswith("2 entries: 1 settled, 1 no contradiction\n")


def test_an_entry_has_its_sentence_its_steps_and_its_evidence():
    text = works("referee", "fm-accuracy").stdout
    sentences = " ".join(text.split())
    assert "toy2020 publishes 0.70, toy2021 publishes 0.78: a gap of +0.0800" in sentences
    assert "+0.0800 noise: from the printed to a tight one" in sentences
    assert "That is 100 % of the gap" in sentences
    assert "our runs: toy2020/table1, adult, FM, tight, accuracy, epsilon 1" in text
    assert "better" not in text


def test_json_has_the_gap_and_the_share():
    (entry, claim) = json.loads(works("referee", "--json").stdout)
    assert entry["state"] == "settled"
    assert entry["gap"]["value"] == pytest.approx(0.08)
    assert entry["share"] == pytest.approx(1)
    assert [side["number"] for side in entry["sides"]] == [0.7, 0.78]
    assert claim["sides"][0]["verdict"] == "holds"
    assert claim["gap"] is None


def test_no_file_is_written(project):
    before = sorted(project.rglob("*"))
    works("referee")
    works("referee", "fm-accuracy", "--json")
    works("referee", "fm-accuracy", "--letter")
    assert sorted(project.rglob("*")) == before


def test_a_letter_has_the_numbers_the_causes_a_question_and_the_command():
    text = works("referee", "fm-accuracy", "--letter").stdout
    assert text.startswith("To the authors of ")
    assert "- toy2020: 0.70\n- toy2021: 0.78\n" in text
    assert (
        "- noise: the printed (toy2020), a tight one (toy2021); changes our runs by +0.0800" in text
    )
    assert "a mistake of ours" in text
    assert "Our question: " in text
    assert "    dpfair referee fm-accuracy\n    dpfair check toy2020/table1\n" in text
    assert "better" not in text


def test_letters_of_two_entries_are_apart_and_a_sentence_has_no_number():
    first, second = works("referee", "better", "fm-accuracy", "--letter").stdout.split("\n---\n\n")
    assert "read your numbers" in first  # in the order of the file
    assert "read your sentences" in second


def test_unknown_names_get_the_nearest(project):
    assert mistake("referee", "fm-acuracy") == (
        "unknown entry 'fm-acuracy': did you mean 'fm-accuracy'?"
    )
    wrong = NUMBERS | {"b": {"cell": CELL | {"work": "toy2022"}}}
    write_entries(project, wrong)
    assert "contradictions.yaml, fm-accuracy: unknown work 'toy2022'" in mistake("referee")
    wrong = NUMBERS | {"a": {"cell": CELL, "runs": {"method": "FM, tigt"}}}
    write_entries(project, wrong)
    assert "the journal has no method 'FM, tigt', did you mean 'FM, tight'?" in mistake("referee")
    wrong = NUMBERS | {"a": {"cell": CELL, "runs": {"artefact": "table2"}}}
    write_entries(project, wrong)
    unknown = "unknown artefact 'toy2020/table2': did you mean 'toy2020/table1'?"
    assert unknown in mistake("referee")


def test_no_entries_and_two_forms_are_refused(project):
    for given in (["--letter"], ["fm-accuracy", "--letter", "--json"]):
        assert "give ENTRY and no --json" in mistake("referee", *given)
    (project / "experiments" / "contradictions.yaml").unlink()
    assert "contradictions.yaml has no entries" in mistake("referee")
