"""The requirements files have the versions of constraints.txt, each with hashes."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.hashed_requirements import EXTRAS, FOLDER, ROOT, TORCH

FILES = sorted(path.stem for path in FOLDER.glob("*.txt"))
PIN = re.compile(r"([\w.-]+)==([\w.+]+)(?: ; .+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")
OF_BENCHMARKS = {"opacus", "opt-einsum"}  # benchmarks/process.py makes an environment for them


def normalised(name: str) -> str:
    """The name as package indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def constrained() -> dict[str, str]:
    """The version of each package of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    return {normalised(name): version for name, version in (line.split("==") for line in lines)}


def hashed(file: str) -> dict[str, str]:
    """The version of each package of a requirements file; fails where a line is no pin."""
    text = (FOLDER / f"{file}.txt").read_text(encoding="utf-8")
    comment, rest = text.split("\n", 1)
    assert comment.startswith("# Written by `make hashes`")
    assert PIN.sub("", rest) == "", f"not a version with hashes: {PIN.sub('', rest)[:200]}"
    return {name: version for name, version, _ in PIN.findall(rest)}


def needed(extras: tuple[str, ...]) -> set[str]:
    """The packages that pyproject.toml names for dpfair, its build and extras."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    project = document["project"]
    lines = [*document["build-system"]["requires"], *project["dependencies"]]
    lines += [line for extra in extras for line in project["optional-dependencies"][extra]]
    return {normalised(re.match(r"[\w.-]+", line)[0]) for line in lines}


def test_there_is_a_file_for_each_target_and_two_for_torch():
    assert sorted([*EXTRAS, "torch", "torch-cpu"]) == FILES


@pytest.mark.parametrize("file", FILES)
def test_every_version_is_that_of_the_constraints(file):
    pins = {name: version.removesuffix("+cpu") for name, version in hashed(file).items()}
    assert pins == {name: constrained().get(name) for name in pins}


def test_every_constraint_has_hashes_but_those_of_benchmarks():
    assert constrained().keys() - {name for file in FILES for name in hashed(file)} == OF_BENCHMARKS


@pytest.mark.parametrize("target", EXTRAS)
def test_each_target_has_what_the_project_names(target):
    others = hashed("setup").keys() | {"torch"}
    assert needed(EXTRAS[target]) - others <= hashed(target).keys()


def test_torch_and_its_cuda_libraries_are_in_files_of_their_own():
    names = {file: {name for name in hashed(file) if TORCH.match(f"{name}==")} for file in FILES}
    assert names.pop("torch-cpu") == {"torch"}
    assert "torch" in names["torch"]
    assert names.pop("torch") == hashed("torch").keys()
    assert set().union(*names.values()) == set()
