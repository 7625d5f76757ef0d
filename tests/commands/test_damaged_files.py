"""Files that are too deep, too long or damaged are refused in one line that names them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.invoking import ROOT, mistake, works
from tests.commands.material import COLUMNS, PUBLIC

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.usefixtures("own")
def test_a_domain_file_of_lists_in_lists_is_refused():
    Path("domain.yaml").write_text(f"age: {DEEP[95_000:-95_000]}\n")
    said = mistake("train", "own.csv", *PUBLIC, "--method", "pflr")
    assert said.startswith("domain.yaml has lists or mappings inside each other")


@pytest.mark.usefixtures("own")
def test_a_model_file_of_lists_in_lists_is_refused():
    Path("model.json").write_text(DEEP)
    assert "model.json must be a dpfair model" in mistake("predict", "model.json", "own.csv")


@pytest.mark.usefixtures("own")
def test_a_cell_of_too_many_characters_is_refused_with_its_row():
    lines = Path("own.csv").read_text().splitlines()
    Path("own.csv").write_text("\n".join([*lines, f"{'x' * 140_000},a,f,no"]) + "\n")
    said = mistake("domain", "own.csv", *COLUMNS)
    assert said.startswith(f"row {len(lines) + 1} of the table cannot be read")


def test_an_epsilon_whose_exponential_overflows_is_no_error(networks):
    options = ("--method", "sieve_pc", "--eps", "1e6", *networks)
    assert "epsilon" in works("train", "asia", *options).stdout


def twice(place, key):
    place[key].append(place[key][-1])


def emptied(place, key):
    place[key] = type(place[key])()


def huge(place, key):
    place[key] = float("inf")


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("path", "damage"),
    [
        (("table", "label", "levels"), emptied),
        (("table", "label", "levels"), twice),
        (("table", "protected", "groups"), twice),
        (("table", "protected", "levels"), emptied),
        (("table", "attributes"), emptied),
        (("table", "attributes", 0, "levels"), emptied),
        (("table", "attributes", 0, "levels"), twice),
        (("table", "attributes", 0, "low"), huge),
        (("model", "weights"), twice),
        (("model", "weights"), emptied),
        (("model", "weights", 0), huge),
        (("columns",), twice),
    ],
)
def test_a_damaged_model_is_refused_in_one_line(path, damage):
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    content = json.loads(Path("model.json").read_text())
    del content["crc32"]  # as in older files, whose content alone is checked
    place = content
    for key in path[:-1]:
        if isinstance(place, dict) and key == 0:  # the first column with such an entry
            key = next(name for name in place if path[-1] in place[name])
        place = place[key]
    damage(place, path[-1])
    Path("model.json").write_text(json.dumps(content))
    said = mistake("predict", "model.json", "own.csv")
    assert said.startswith("model.json ")
    assert said.count("\n") <= 1


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "damage", [("intercept", "0.25"), ("high", "91.0"), ("epsilon", "2.0"), ("algorithm", "5")]
)
def test_a_model_with_a_changed_number_is_refused(damage):
    name, number = damage
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    text = Path("model.json").read_text()
    changed, times = re.subn(rf'("{name}": )-?[\d.e-]+', rf"\g<1>{number}", text, count=1)
    assert times == 1
    Path("model.json").write_text(changed)
    assert mistake("predict", "model.json", "own.csv") == (
        "model.json is damaged, it was changed after it was written: restore the file, or train "
        "and save the model again"
    )


@pytest.mark.usefixtures("own")
def test_a_model_with_a_damaged_name_of_the_checksum_is_refused():
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    text = Path("model.json").read_text()
    Path("model.json").write_text(text.replace('"crc32"', '"crc33"'))
    assert mistake("predict", "model.json", "own.csv").startswith("model.json is damaged")


@pytest.mark.usefixtures("own")
def test_a_model_without_a_checksum_decides_as_one_with_a_checksum():
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    content = json.loads(Path("model.json").read_text())
    del content["crc32"]
    Path("older.json").write_text(json.dumps(content))
    said = works("predict", "older.json", "own.csv").stdout
    assert said == works("predict", "model.json", "own.csv").stdout


@pytest.mark.usefixtures("own")
def test_the_name_of_a_file_is_no_workflow_command_of_github():
    Path("own.csv").rename("::error::own.csv")
    for github in ("", "true"):
        ended = subprocess.run(
            [sys.executable, "-m", "dpfair_cli", "domain", "::error::own.csv", *COLUMNS, "--force"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "GITHUB_ACTIONS": github, "PYTHONPATH": str(ROOT)},
        )
        lines = [line.lstrip() for line in (ended.stdout + ended.stderr).splitlines()]
        assert any("error::own." in line for line in lines)
        assert any(line.startswith("::") for line in lines) == (not github)
