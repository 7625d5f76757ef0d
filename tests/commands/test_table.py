"""dpfair table: ours beside the published value, runs that fail, and one line for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.commands.invoking import dpfair, mistake, works
from tests.commands.material import COMMON, PLACE, TABLE, TOY


@pytest.mark.usefixtures("project")
def test_table_prints_ours_beside_the_published_value():
    result = works("table", "toy2020/table1", *COMMON)
    assert result.stderr == "out/toy2020/table1\n"
    assert "accuracy published" in result.stdout
    assert "0.8000 ± 0.1000" in result.stdout
    texts = {"runs.jsonl", "table.md", "table.csv", "table.tex", "check.md"}
    assert {path.name for path in PLACE.iterdir()} == texts | {"difference.png"}


@pytest.mark.usefixtures("project")
def test_that_nothing_has_to_run_is_said():
    works("table", "toy2020/table1", *COMMON)
    result = works("table", "toy2020/table1", *COMMON)
    assert result.stderr.splitlines()[0].endswith(
        " runs are in the journal: --fresh runs them again"
    )


@pytest.mark.usefixtures("project")
def test_quick_runs_less_and_has_a_folder_of_its_own():
    result = works("table", "toy2020/table1", "--quick", "--jobs", "1")
    assert result.stderr == f"{Path.cwd()}/results/quick/toy2020/table1\n"
    lines = Path("results/quick/toy2020/table1/runs.jsonl").read_text().splitlines()
    assert len(lines) == 3


@pytest.mark.usefixtures("project")
def test_a_failed_run_is_named_and_the_table_of_the_others_is_written():
    file = Path("experiments/toy2020/table1.yaml")
    entry = {"name": "pdfc", "method": "PDFC", "epsilon": 1, "attribute": "height"}
    file.write_text(
        yaml.safe_dump(TOY | {"table": TABLE, "algorithms": [*TOY["algorithms"], entry]})
    )
    result = dpfair("table", "toy2020/table1", *COMMON)
    assert result.exit_code == 3
    assert "unknown attribute 'height'" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: 3 runs failed, first: csv, pdfc(")
    assert "FM" in (PLACE / "table.md").read_text()


@pytest.mark.usefixtures("project")
def test_a_table_asked_for_with_a_figure_does_not_drop_the_figure():
    found = works("table", "toy2020/table1", "toy2020/figure2", "--json", *COMMON).stdout
    assert {*json.loads(found)} == {"toy2020/table1", "toy2020/figure2"}


@pytest.mark.usefixtures("project")
def test_a_spec_with_a_mistake_is_one_line_with_its_file():
    file = Path("experiments/toy2020/table1.yaml")
    file.write_text(file.read_text().replace("epsilon", "epsilom", 1))
    assert mistake("table", "toy2020", *COMMON).startswith("table1.yaml: ")


@pytest.mark.usefixtures("own")
def test_missing_data_are_named_with_the_command_that_fetches_them():
    message = mistake("table", "xu2021/table8.1", "--data-dir", "empty", "--out", "out")
    assert "run `dpfair fetch-data adult`" in message


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "unknown artefact 'xu2021/table8.11': did you mean 'xu2021/table8.1'?" in mistake(
        "table", "xu2021/table8.11"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("table",), "or all of them by '*'"),
    ],
)
@pytest.mark.usefixtures("own")
def test_wrong_usage_is_one_line_with_exit_code_2(arguments, message):
    assert message in mistake(*arguments, code=2)
