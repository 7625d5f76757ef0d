"""dpfair info: lists, descriptions, and a reader that stops variant."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter

import pytest

from dpfair_cli import catalog
from dpfair_cli.running import artefact_names
from tests.commands.invoking import mistake, works


@pytest.mark.usefixtures("own")
def test_info_alone_is_one_screen_with_every_paper_and_the_counts():
    text = works("info").stdout
    lines = text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    counts = Counter(name.split("/")[0] for name in artefact_names.artefacts())
    for paper, count in counts.items():
        assert re.search(rf"^  {paper} +{count}  \w", text, flags=re.MULTILINE)
    assert f"\nmethods ({len(catalog.algorithms.names)}; * marks a private one): " in text
    assert f"\ndata sets ({len(catalog.data_sources.names)}): " in text
    assert f"\ntasks (study protocols; {len(catalog.studies.names)}): " in text
    assert re.search(r"\n  your graph \(\d+\): dpm\*, ", text)


@pytest.mark.usefixtures("own")
def test_methods_are_grouped_by_what_they_run_on():
    where, text = "", works("info", "methods").stdout
    found = {}
    for line in text.splitlines()[1:]:
        if line.startswith("    "):
            found[line.split()[0]] = where
        else:
            where = line.strip(" :")
    assert sorted(found) == sorted(catalog.algorithms.names)
    assert found["pflr"] == "your table with label and groups"
    assert found["dpsgd"] == "your table with label and groups, or images"
    assert found["priv_pc"] == "your table of categories or numbers"
    assert found["dpm"] == "your graph"
    lines = json.loads(works("info", "methods", "--json").stdout)["methods"]
    assert {line["method"]: line["runs on"] for line in lines} == found


@pytest.mark.usefixtures("own")
def test_a_parameter_has_default_values_and_meaning():
    text = works("info", "dp_oracle_learner").stdout
    rounds = "rounds = 100    a whole number of at least 1\n      The number of rounds of the game,"
    assert rounds in text
    found = json.loads(works("info", "pflr", "--json").stdout)["parameters"]
    assert found["bound"]["values"] == "one of 'box', 'ball'"
    assert found["bound"]["default"] == "'box'"
    assert found["bound"]["meaning"].startswith("The set to which records are clipped")


@pytest.mark.usefixtures("own")
def test_a_paper_has_a_title_artefacts_and_commands():
    text = works("info", "xu2021").stdout
    assert text.startswith("Xu 2021: Achieving Differential Privacy and Fairness")
    assert "  xu2021/table8.1 " in text
    commands = json.loads(works("info", "xu2021", "--json").stdout)["run"]
    assert "dpfair reproduce xu2021 --quick" in commands
    assert all(f"  {command} " in text for command in commands)


DESCRIBED = {
    "pflr": "promise     epsilon-differential privacy of the weights",
    "adult": "encoding = 'one_hot'",
    "csv": "file = (must be given)",
    "synthetic_categorical": "sparseness = 0.2",
    "classification": "\n\nscores:\n  accuracy\n",
    "xu2021/table8.1": "title: Accuracy",
}


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("topic", DESCRIBED)
def test_info_describes_one_thing(topic):
    assert DESCRIBED[topic] in works("info", topic).stdout


@pytest.mark.usefixtures("own")
def test_a_data_set_says_what_it_holds_and_what_it_does_not():
    facts = json.loads(works("info", "adult", "--json").stdout)["data"]
    assert facts["rows"] == "45,222"  # of the real data, whatever is here
    assert facts["groups"] == "Female 14,695, Male 30,527"
    assert facts["columns"].startswith("40, of age, workclass, ")
    assert facts["columns"].endswith("; the group is none of them")
    assert "\ndata:\n  rows " in works("info", "adult").stdout
    assert "class0 92, class1 406" in works("info", "wiki").stdout
    assert "\n  nodes       8\n" in works("info", "asia").stdout
    assert "\ndata:" not in works("info", "csv").stdout


def test_what_a_data_set_holds_is_said_where_it_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("DPFAIR_DATA", str(tmp_path))
    text = works("info", "adult_discretised").stdout
    assert "\n  rows    48,842\n  levels  4, 4, 2, " in text
    assert (
        "names   the data set adult_discretised is not in the data folder: run `dpfair "
        "fetch-data adult_discretised`"
    ) in text


@pytest.mark.usefixtures("own")
def test_tasks_are_listed_with_their_parameters_and_scores():
    text = works("info", "tasks").stdout
    (line,) = [line for line in text.splitlines() if line.startswith("  classification ")]
    assert line.split(maxsplit=2)[1:] == [
        "test_fraction",
        ", ".join(catalog.study("classification").scores),
    ]
    assert ", and 47 more\n" in text  # of the 55 of training_curves
    (as_json,) = [one for one in json.loads(works("info", "tasks", "--json").stdout)["tasks"]
                  if one["task"] == "training_curves"]  # fmt: skip
    assert as_json["scores"].split(", ") == list(catalog.study("training_curves").scores)
    assert json.loads(works("info", "in_sample", "--json").stdout)["scores"] == list(
        catalog.study("in_sample").scores
    )


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "unknown topic 'method': did you mean 'methods'?" in mistake("info", "method")


def test_a_reader_that_stops_variant_is_no_mistake(own):
    command = [
        sys.executable,
        "-c",
        "from dpfair_cli.commands import main; main()",
        "info",
        "methods",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        running.stdout.close()  # as `dpfair info methods | head -0` does
        assert running.stderr.read() == ""
