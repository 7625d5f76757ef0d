"""dpfair check: what is not complete, and a difference with and without a cause."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.commands.invoking import dpfair, mistake, works
from tests.commands.material import COMMON


@pytest.mark.usefixtures("project")
def test_check_of_an_incomplete_artefact_says_what_to_run():
    message = mistake("check", "toy2020/table1", "--out", "out")
    assert message == "toy2020/table1 is not complete: run `dpfair reproduce toy2020` first"


@pytest.mark.usefixtures("project")
def test_check_exits_with_1_on_a_difference_without_a_cause_and_with_0_on_one_with():
    works("table", "toy2020/table1", *COMMON)
    result = dpfair("check", "toy2020/table1", "--out", "out")
    assert result.exit_code == 1
    assert "  unexplained: csv, FM, epsilon 1, accuracy: differs" in result.stdout
    cause = [{"artefact": "table1", "method": "FM", "cause": "No accuracy is 9.9.", "measured": "It is at most 1."}]
    Path("experiments/toy2020/deviations.yaml").write_text(yaml.safe_dump(cause))
    assert "unexplained" not in works("check", "toy2020/table1", "--out", "out").stdout


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "no artefact 'xu2012': did you mean 'xu2021'?" in mistake("check", "xu2012")


@pytest.mark.usefixtures("own")
def test_without_a_name_it_is_wrong_usage():
    assert "or give --all" in mistake("check", code=2)
