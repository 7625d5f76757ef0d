"""dpfair info: lists, descriptions, and a reader that stops variant."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dpfair_cli import catalog
from tests.commands.invoking import mistake, works


@pytest.mark.usefixtures("own")
def test_info_lists_what_there_is():
    text = works("info").stdout
    registries = (catalog.algorithms, catalog.data_sources, catalog.studies)
    declared = [name for registry in registries for name in registry.names]
    for name in (*declared, "xu2021/table8.1"):
        assert f"  {name} " in text
    assert works("info", "datasets").stdout in text
    assert "  priv_pc " in works("info", "methods").stdout


DESCRIBED = {
    "pflr": "promise     epsilon-differential privacy of the weights",
    "adult": "encoding = 'one_hot'",
    "csv": "file = (must be given)",
    "synthetic_categorical": "sparseness = 0.2",
    "classification": "parameters:\n  test_fraction = 0.2\n\nscores:\n  accuracy\n",
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


def test_what_a_data_set_holds_is_said_where_it_is_not_here(tmp_path):
    text = works("info", "adult_discretised", "--data-dir", str(tmp_path)).stdout
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
