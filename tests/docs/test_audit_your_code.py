"""The tests of docs/audit-your-code.md and of examples/audits run as they are, but shorter.

One is left out here: five hundred principal components of OpenDP take twenty seconds.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "audit-your-code.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(\w+\.py)`:\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
MESSAGES = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LIBRARIES = {"test_diffprivlib.py": "diffprivlib", "test_opacus.py": "opacus"}
LIBRARIES |= {"test_opendp.py": "opendp"}
EXAMPLES = ROOT / "examples" / "audits"
FILES |= {name: (EXAMPLES / name).read_text(encoding="utf-8") for name in LIBRARIES}
LONG = "test_principal_component"
# audits by outcomes take all of the time that they are given, so here they are given less
SHORTER = {"test_opendp.py": ("seconds=5", "seconds=1")}
SHORTER |= {"test_largest.py": ("neighbours=PAIRS", "neighbours=PAIRS, seconds=1")}


def run_pytest(folder: Path, name: str, text: str) -> subprocess.CompletedProcess[str]:
    """Runs the tests of a file with this name and text, with the plug-in."""
    (folder / name).write_text(text, encoding="utf-8")
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    command = [sys.executable, "-m", "pytest", "-p", "pytest_dpfair", "--dpfair-audit", name]
    command += ["-k", f"not {LONG}"]
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def test_the_page_has_the_files_that_are_run() -> None:
    assert set(FILES) == {"test_sums.py", "test_largest.py", "test_marked.py", *LIBRARIES}
    assert FILES["test_opendp.py"].count("seconds=5") == 3
    assert FILES["test_largest.py"].count("neighbours=PAIRS") == 2


@pytest.mark.parametrize("name", FILES)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    library = LIBRARIES.get(name)
    if library and not find_spec(library):
        pytest.skip(f"needs {library}: pip install {library}")
    text = FILES[name].replace(*SHORTER[name]) if name in SHORTER else FILES[name]
    done = run_pytest(tmp_path, name, text)
    assert done.returncode == 0, done.stdout
    if name == "test_marked.py":
        assert MESSAGES[1] in done.stdout


def test_the_message_of_a_failure_is_the_one_on_the_page(tmp_path: Path) -> None:
    broken = FILES["test_sums.py"].replace("X.shape[1] / epsilon", "1 / epsilon")
    done = run_pytest(tmp_path, "test_broken.py", broken)
    assert done.returncode == 1
    printed = [line.removeprefix("E").strip() for line in done.stdout.splitlines()]
    for line in MESSAGES[0].splitlines():
        assert any(one.endswith(line.strip()) for one in printed), line
