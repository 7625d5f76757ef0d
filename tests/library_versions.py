"""Tests with the lowest and with the newest versions of the libraries that dpfair needs.

    python -m tests.library_versions

makes a virtual environment for each in `.venv-lowest` and `.venv-newest`, runs the tests of TESTS
there, and makes a sample of the committed runs of ARTEFACTS again. The command ends with exit code
1 if a test fails or a score differs by more than the tolerance between processors. The runs need
real data, so without DPFAIR_DATA only the tests run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import NamedTemporaryFile

from tests.committed_sample import gaps_above_tolerance

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/mechanisms", "tests/test_estimator.py", "tests/commands/test_train.py")
ARTEFACTS = (
    *("ding2020/figure1", "xu2021/table4.3", "xu2021/table4.8", "xu2021/table5.2"),
    *("xu2021/table6.2", "xu2021/table8.1"),
)
LIBRARIES = ("dp-accounting", "hypothesis", "mpmath", "pytest", "pytest-xdist")  # of the tests
REQUIREMENT = re.compile(r"([\w-]+)>=([\d.]+)")


def lowest_versions() -> str:
    """The lower bounds of pyproject.toml as constraints of pip, with the newest bug fixes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pairs = map(REQUIREMENT.fullmatch, project["dependencies"])
    return "".join(f"{pair[1]}=={pair[2]}.*\n" for pair in pairs if pair)


def environment(name: str, constraints: str) -> Path:
    """The Python of a virtual environment with dpfair and the libraries of its tests."""
    place = ROOT / f".venv-{name}"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    python = place / "bin" / "python"
    with NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(constraints)
        file.flush()
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        own = ["-c", file.name, "-e", f"{ROOT}[parquet]"]
        subprocess.run([*pip, *own, *LIBRARIES], check=True)
    return python


def failures(python: Path) -> list[str]:
    """The tests and the artefacts that fail with the libraries of `python`, as texts."""
    found = []
    run = subprocess.run(
        [python, "-m", "pytest", "-q", "-n", "auto", *TESTS], cwd=ROOT, check=False
    )
    if run.returncode:
        found.append("tests")
    for name in ARTEFACTS if os.environ.get("DPFAIR_DATA") else ():
        sample = subprocess.run(
            [python, "-m", "tests.committed_sample", ROOT / "results", "no", name],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        rows = json.loads(sample.stdout.splitlines()[-1])["artefacts"][name]
        if gaps_above_tolerance(rows["rows"], rows["committed"]):
            found.append(name)
    return found


def main() -> int:
    """The exit code, after the failures with both sets of versions were printed."""
    broken = False
    for name, constraints in (("lowest", lowest_versions()), ("newest", "")):
        found = failures(environment(name, constraints))
        print(f"{name} versions: {', '.join(found) or 'nothing fails'}")
        broken |= bool(found)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
