"""The examples of the documentation run as they stand there: files of docs/adding.md and new-
paper.md, the notebook.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dpfair_cli import catalog
from tests.commands.invoking import works
from tests.mutants.planting import Copy

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "first-steps.ipynb"
PLACED = re.compile(
    r"^`([\w/.]+\.(?:py|toml|yaml|csv))`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def forget_entry_points():
    """Lets the catalog look for entry points again."""
    for registry in (catalog.algorithms, catalog.data_sources, catalog.studies):
        vars(registry).pop("modules", None)


def declare(site, groups):
    """What pip writes of a package with these entry points: group -> name -> module."""
    info = site / "added-1.0.dist-info"
    info.mkdir()
    lines = [
        line
        for group, names in groups.items()
        for line in (f"[{group}]", *map(" = ".join, names.items()))
    ]
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def files_of_the_page():
    """path -> text of the files that docs/adding.md prints."""
    texts = dict(PLACED.findall((ROOT / "docs" / "adding.md").read_text(encoding="utf-8")))
    assert list(texts) == [
        f"experiments/smith2024/{name}"
        for name in (
            "methods/noisy_majority.py",
            "tests/test_noisy_majority.py",
            "tests/mutants.yaml",
            "data/coin_flips.py",
            "table1.yaml",
        )
    ]
    return texts


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The files of docs/adding.md in a project: the modules as a package of entry points, the spec
    where specs are.
    """
    texts = {Path(name).name: text for name, text in files_of_the_page().items()}
    site = tmp_path / "site"
    site.mkdir()
    for name in ("noisy_majority.py", "coin_flips.py"):
        (site / f"added_{name}").write_text(texts[name], encoding="utf-8")
    groups = {"algorithms": "noisy_majority", "datasets": "coin_flips"}
    declare(site, {f"dpfair.{group}": {name: f"added_{name}"} for group, name in groups.items()})
    spec = tmp_path / "experiments" / "smith2024" / "table1.yaml"
    spec.parent.mkdir(parents=True)
    spec.write_text(texts["table1.yaml"], encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(tmp_path)
    forget_entry_points()
    yield tmp_path
    forget_entry_points()
    for module in ("added_noisy_majority", "added_coin_flips"):
        sys.modules.pop(module, None)


def test_the_three_files_of_the_page_make_a_table(added):
    printed = works("table", "smith2024/table1", "--jobs", "1", "--out", "out").stdout
    (out,) = (added / "out").rglob("runs.jsonl")
    runs = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    accuracies = {(run["algorithm"], run["params"].get("epsilon")): [] for run in runs}
    for run in runs:
        accuracies[run["algorithm"], run["params"].get("epsilon")].append(run["scores"]["accuracy"])
    assert set(accuracies) == {
        ("majority_class", None),
        *(("noisy_majority", eps) for eps in (0.1, 1.0, 10.0)),
    }
    # three quarters have a one: at epsilon = 1 noise of scale 1 does not bring 120 of 160 below 80
    assert accuracies["noisy_majority", 1.0] == accuracies["majority_class", None]
    assert "noisy_majority" in printed


def test_the_method_of_the_page_has_a_guarantee(added):
    assert catalog.algorithm("noisy_majority").guarantee.status_with({}) == "proved"
    assert (
        "epsilon-differential privacy of the noisy count" in works("info", "noisy_majority").stdout
    )


def test_the_method_of_the_page_passes_the_tests_of_every_method(tmp_path):
    copy = Copy(tmp_path)
    for name, text in files_of_the_page().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    tests = ["tests/test_contract.py", "tests/catalog/test_registry.py"]
    tests += ["tests/release/test_guarantee.py", "tests/mutants/test_catalogue.py"]
    chosen = "noisy_majority or smith2024 or test_catalogue or every_file_of_a_folder"
    options = ("-m", "pytest", "-x", "-p", "no:cacheprovider", "-k", chosen)
    code, printed = copy.run(*options, *tests, "experiments/smith2024/tests", seconds=200)
    assert code == 0, printed


def forget(package):
    """Whatever was imported of a package is read anew."""
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        sys.modules.pop(module)


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """The files of docs/new-paper.md in the project that `dpfair new paper` makes, its package
    declared as pip does.
    """
    monkeypatch.chdir(tmp_path)
    works("new", "paper", "uci1996")
    project = tmp_path / "uci1996"
    page = (ROOT / "docs" / "new-paper.md").read_text(encoding="utf-8")
    texts = dict(PLACED.findall(page))
    assert list(texts) == [
        "experiments/uci1996/published.csv",
        "experiments/uci1996/claims.yaml",
        "adult_methods/naive_bayes.py",
        "adult_methods/classification_ratio.py",
        "pyproject.toml",
        "experiments/uci1996/table1.yaml",
        "experiments/uci1996/deviations.yaml",
    ]
    for name, text in texts.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    declared = tomllib.loads(texts["pyproject.toml"])
    assert declared["tool"]["setuptools"]["packages"] == ["adult_methods"]
    declare(project, declared["project"]["entry-points"])
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.chdir(project)
    forget_entry_points()
    forget("adult_methods")  # that of examples/uci1996
    yield project
    forget_entry_points()
    forget("adult_methods")


@pytest.mark.usefixtures("paper")
def test_method_and_score_of_the_page_of_another_paper_make_a_table():
    """A quick run, on the replica of Adult."""
    works("table", "uci1996/table1", "--quick", "--jobs", "1", "--data-dir", "none", "--out", "out")
    lines = Path("out/uci1996/table1/runs.jsonl").read_text(encoding="utf-8").splitlines()
    runs = {
        (run["algorithm"], run["params"].get("sees_group")): run["scores"]
        for run in map(json.loads, lines)
    }
    assert set(runs) == {("majority_class", None), ("naive_bayes", True), ("naive_bayes", False)}
    assert runs["majority_class", None]["disparate_impact_ratio"] == 1.0  # nobody is selected
    for scores in (runs["naive_bayes", True], runs["naive_bayes", False]):
        assert scores["accuracy"] > 0.7
        assert (
            0 < scores["disparate_impact_ratio"] < 0.8
        )  # fewer women than men earn more than 50,000 dollars
    assert len({runs["naive_bayes", sees]["disparate_impact_ratio"] for sees in (True, False)}) == 2


def test_the_notebook_runs_from_its_first_cell_to_its_last(tmp_path):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert codes
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in codes), (
        "outputs are not committed"
    )
    (tmp_path / "notebook.py").write_text(
        "\n\n".join("".join(cell["source"]) for cell in codes), encoding="utf-8"
    )
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "notebook.py"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "proved\n" in ended.stdout
    assert "not private: bounds from data\n" in ended.stdout
