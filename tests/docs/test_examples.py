"""The examples of the documentation run as they stand there: the three files of docs/adding.md, and the notebook."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli import catalog
from tests.commands.invoking import works

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "first-steps.ipynb"
NAMED = re.compile(r"^`(?:dpfair_cli/\w+/|experiments/)(\S+)`.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The files of docs/adding.md in a project: the modules as a package of entry points, the spec where specs are."""
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    texts = {Path(name).name: text for name, text in NAMED.findall(page)}
    assert list(texts) == ["noisy_majority.py", "coin_flips.py", "table1.yaml"]
    info = tmp_path / "site" / "added-1.0.dist-info"
    info.mkdir(parents=True)
    for name in ("noisy_majority.py", "coin_flips.py"):
        (info.parent / f"added_{name}").write_text(texts[name], encoding="utf-8")
    groups = {"algorithms": "noisy_majority", "datasets": "coin_flips"}
    points = "\n".join(f"[dpfair.{group}]\n{name} = added_{name}" for group, name in groups.items())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    spec = tmp_path / "experiments" / "smith2024" / "table1.yaml"
    spec.parent.mkdir(parents=True)
    spec.write_text(texts["table1.yaml"], encoding="utf-8")
    monkeypatch.syspath_prepend(str(info.parent))
    monkeypatch.chdir(tmp_path)
    catalog.modules.cache_clear()
    yield tmp_path
    catalog.modules.cache_clear()
    for module in ("added_noisy_majority", "added_coin_flips"):
        sys.modules.pop(module, None)


def test_the_three_files_of_the_page_make_a_table(added):
    printed = works("table", "smith2024/table1", "--jobs", "1", "--out", "out").stdout
    (out,) = (added / "out").rglob("runs.jsonl")
    runs = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    accuracies = {(run["algorithm"], run["params"].get("epsilon")): [] for run in runs}
    for run in runs:
        accuracies[run["algorithm"], run["params"].get("epsilon")].append(run["scores"]["accuracy"])
    assert set(accuracies) == {("majority_class", None), *(("noisy_majority", eps) for eps in (0.1, 1.0, 10.0))}
    # three quarters have a one: at epsilon = 1 noise of scale 1 does not bring 120 of 160 below 80
    assert accuracies["noisy_majority", 1.0] == accuracies["majority_class", None]
    assert "noisy_majority" in printed


def test_the_method_of_the_page_states_what_it_claims(added):
    assert catalog.standing("noisy_majority", {}) == "proved"
    assert "epsilon-differential privacy of the label" in works("info", "noisy_majority").stdout


def test_the_notebook_runs_from_its_first_cell_to_its_last(tmp_path):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert codes
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in codes), "outputs are not committed"
    (tmp_path / "notebook.py").write_text("\n\n".join("".join(cell["source"]) for cell in codes), encoding="utf-8")
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "notebook.py"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "proved\n" in ended.stdout
    assert "not private: bounds from data\n" in ended.stdout
