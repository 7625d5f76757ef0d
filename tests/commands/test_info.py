"""dpfair info: lists, descriptions, and a reader that stops reading."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dpfair_cli import catalog
from tests.commands.invoking import mistake, works


@pytest.mark.usefixtures("own")
def test_info_lists_what_there_is():
    text = works("info").stdout
    for name in (*catalog.names("algorithms"), *catalog.names("datasets"), "xu2021/table8.1"):
        assert f"  {name} " in text
    assert works("info", "datasets").stdout in text
    assert "  priv_pc " in works("info", "methods").stdout


DESCRIBED = {
    "pflr": "Privacy: epsilon",
    "adult": "encoding = 'one_hot'",
    "csv": "file = (must be given)",
    "synthetic_categorical": "sparseness = 0.2",
    "xu2021/table8.1": "title: Accuracy",
}


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("topic", DESCRIBED)
def test_info_describes_one_thing(topic):
    assert DESCRIBED[topic] in works("info", topic).stdout


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "nothing is called 'method': did you mean 'methods'?" in mistake("info", "method")


def test_a_reader_that_stops_reading_is_no_mistake(own):
    command = [sys.executable, "-c", "from dpfair_cli.commands import main; main()", "info", "methods"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()  # as `dpfair info methods | head -0` does
        assert running.stderr.read() == ""
