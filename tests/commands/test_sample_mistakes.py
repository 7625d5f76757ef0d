"""dpfair sample, given what is no model of people or cannot be sampled: one line; and what is said
without torch.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli.release import model_files
from tests.commands.invoking import dpfair, works
from tests.commands.material import PUBLIC

SAMPLE = ("--rows", "5", "--out", "fair.csv")


def refused(*arguments):
    """The last line of a refusal: no traceback, exit code 1 or 2, nothing on stdout, no file."""
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert not Path("fair.csv").exists()
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert "No such command" not in last
    return last


NO_MODELS = {
    "a table": "a,b\n1,2\n",
    "no JSON": "{",
    "nothing": "",
    "a list": "[1, 2]",
    "another format": json.dumps({"format": 1, "model": {"form": "linear"}}),
    "an unknown form": json.dumps({"format": 2, "model": {"form": "oracle"}}),
    "no form": json.dumps({"format": 2, "model": {}}),
    "no model": json.dumps({"format": 2}),
}


@pytest.mark.parametrize("content", NO_MODELS)
@pytest.mark.usefixtures("place")
def test_a_file_that_is_no_model_is_refused_by_its_name(content):
    Path("model.json").write_text(NO_MODELS[content])
    assert "model.json" in refused("sample", "model.json", *SAMPLE)


@pytest.mark.usefixtures("place")
def test_bytes_that_are_no_text_are_refused_too():
    Path("model.json").write_bytes(bytes(range(128, 256)))
    assert "model.json" in refused("sample", "model.json", *SAMPLE)


@pytest.mark.usefixtures("place")
def test_a_file_that_is_not_there_is_refused_by_its_name():
    assert "gone.json" in refused("sample", "gone.json", *SAMPLE)


@pytest.mark.usefixtures("own")
def test_a_linear_rule_cannot_be_sampled():
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    last = refused("sample", "model.json", *SAMPLE)
    assert "model.json" in last or "linear" in last


def put(content, path, value):
    """Replaces the part of a model file at `path`, or deletes it for None; the checksum fits."""
    *inside, last = path
    place = content
    for key in inside:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    del content["crc32"]
    Path("model.json").write_text(json.dumps(content | {"crc32": model_files._checksum(content)}))


HOSTILE = {  # what is wrong -> the part of the file, and what is put there
    "no probabilities": (("model", "joint"), [[0.5, 0.9], [0.1, 0.1]]),
    "a probability of no number": (("model", "joint", 0, 0), 10**400),
    "a column that is none": (("model", "root"), 99),
    "a level of no text": (("model", "domain", "values", "sex"), [1, 2]),
    "no groups": (("model", "domain", "groups"), ["f"]),
    "no description of the table": (("table", "label"), []),
    "an unknown coding of texts": (("table", "form", "encoding"), "utf-0"),
    "no text of a separator": (("table", "form", "separator"), [";"]),
    "no guarantee": (("guarantee",), None),
    "a guarantee of one word": (("guarantee",), "proved"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("own")
def test_a_changed_generator_with_a_valid_checksum_is_one_line(name):
    works(*("train", "own.csv", *PUBLIC, "--method", "tree_augmented_records"), "--seed", 0,
          "--save", "model.json")  # fmt: skip
    put(json.loads(Path("model.json").read_text()), *HOSTILE[name])
    assert "model.json" in refused("sample", "model.json", *SAMPLE)


@pytest.mark.usefixtures("own")
def test_the_file_to_write_is_needed():
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "model.json")
    assert "--out" in refused("sample", "model.json", "--rows", "5")


@pytest.mark.usefixtures("own")
def test_without_torch_a_generator_is_refused_with_what_to_install():
    """In a process of its own, in which torch cannot be imported."""
    code = (
        "import sys, importlib.abc as abc\n"
        "class NoTorch(abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name.split('.')[0] == 'torch': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, NoTorch())\n"
        "from dpfair_cli.commands import main; main()"
    )
    arguments = ("train", "own.csv", *PUBLIC, "--method", "fair_gan", "--set", "batch_size=20")
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert "pip install torch" in result.stderr.splitlines()[-1]
