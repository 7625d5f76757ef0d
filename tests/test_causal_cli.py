"""Causal discovery from the command line: edges are printed, a user's own file works, mistakes are one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from dpfair_cli import catalog
from dpfair_cli.commands import main
from dpfair_cli.running import sweeps


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=400)
    b = np.where(rng.random(400) < 0.9, a, 1 - a)
    rows = [f"{'xy'[i]},{'uv'[j]},{k}" for i, j, k in zip(a, b, rng.integers(3, size=400), strict=True)]
    Path("own.csv").write_text("\n".join(["a,b,c", *rows]) + "\n", encoding="utf-8")
    Path("domain.yaml").write_text("a: {levels: [x, y]}\nb: {levels: [u, v]}\nc: {levels: ['0', '1', '2']}\n")
    return tmp_path


def dpfair(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def works(*words: str) -> Result:
    result = dpfair(*words)
    assert result.exit_code == 0, result.output
    return result


def mistake(*words: str) -> str:
    result = dpfair(*words)
    assert result.exit_code == 1
    *warned, said = result.stderr.splitlines()
    assert all(line.startswith("PrivacyLeakWarning: ") for line in warned)
    assert said.startswith("Error: ")
    return said


def test_train_on_made_data_prints_scores_edges_and_the_statement() -> None:
    text = works("train", "synthetic_categorical", "--method", "priv_pc", "--eps", "5").stdout
    assert "skeleton_recall" in text
    assert any(f" {edge} " in text for edge in ("->", "-"))
    assert "epsilon-differential privacy" in text
    assert "bounds" in text


def test_train_on_a_users_own_file_prints_edges_and_no_score_that_needs_a_truth() -> None:
    text = works("train", "own.csv", "--method", "pc", "--domain", "domain.yaml").stdout
    assert "a - b" in text.splitlines()
    assert "edges  " in text
    assert "recall" not in text
    assert "public" in text


@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
def test_levels_from_a_users_own_data_are_said_to_be_a_leak() -> None:
    text = works("train", "own.csv", "--method", "priv_pc", "--eps", "10").stdout
    assert "read from the private data: a leak" in text


def test_a_graph_can_be_saved() -> None:
    works("train", "own.csv", "--method", "pc", "--domain", "domain.yaml", "--save", "graph.json")
    content = json.loads(Path("graph.json").read_text())
    assert content["model"] == {"variables": ["a", "b", "c"], "edges": ["a - b"]}
    assert content["algorithm"] == "pc"


def test_a_sweep_of_made_data_has_a_table_and_a_plot(folder: Path) -> None:
    given = ("--method", "pc", "--method", "priv_pc", "--eps", "1..10", "--runs", "2", "--jobs", "1", "--out", "out")
    text = works("sweep", "synthetic_categorical", *given).stdout
    assert "skeleton recall" in text
    assert {file.name for file in (folder / "out/sweeps/synthetic_categorical").iterdir()} >= {"table.md", "figure.png"}


def test_a_sweep_of_a_users_own_file_counts_edges_and_draws_nothing(folder: Path) -> None:
    given = ("--method", "priv_pc", "--eps", "1,10", "--runs", "2", "--jobs", "1", "--out", "out")
    text = works("sweep", "own.csv", *given, "--domain", "domain.yaml").stdout
    assert "edges" in text
    assert "recall" not in text
    assert not (folder / "out/sweeps/own/figure.png").exists()


def test_an_audit_replays_on_neighbouring_observations() -> None:
    text = works("audit", "priv_pc_star", "synthetic_gaussian", "--neighbours", "6").stdout
    assert "the claim holds as far as tried" in text


def test_a_method_of_another_kind_is_refused_with_those_that_there_are() -> None:
    message = mistake("train", "synthetic_categorical", "--method", "pflr")
    assert "pflr is no method for synthetic_categorical (causal_discovery): there are" in message
    assert "pc" in message
    assert "no method for adult (classification)" in mistake("train", "adult", "--method", "pc")
    assert "no method for adult" in mistake("sweep", "adult", "--method", "pc")
    assert "no method for adult" in mistake("audit", "priv_pc", "adult")


def test_a_table_that_nothing_can_be_found_in_is_refused_in_one_line() -> None:
    Path("same.csv").write_text("a,b\nx,1\nx,2\n")
    assert "column 'a' is the same in all 2 rows" in mistake("train", "same.csv", "--method", "pc")
    Path("gap.csv").write_text("a,b\nx,1\n,2\n")
    assert "column 'a' has no value in 1 of 2 rows" in mistake("train", "gap.csv", "--method", "pc")
    Path("short.csv").write_text("a,b\nx,1\ny,2\n")
    assert "more records than variables" in mistake("train", "short.csv", "--method", "pc")
    assert "gone.csv is not there" in mistake("train", "gone.csv", "--method", "pc")


def test_info_and_fetch_data_list_what_is_made() -> None:
    assert "synthetic_gaussian" in works("info", "datasets").stdout
    assert "priv_pc" in works("info", "methods").stdout
    assert "sparseness = 0.2" in works("info", "synthetic_categorical").stdout
    lines = works("fetch-data", "--list").stdout.splitlines()
    assert next(line for line in lines if line.startswith("synthetic_gaussian")).split()[3] == "made"
    assert next(line for line in lines if line.startswith("asia")).split()[1] == "-"


def test_a_setting_of_the_data_set_is_its_own(folder: Path) -> None:
    asked = ("--set", "nodes=4", "--set", "records=200", "--set", "freedom=adjusted")
    works("sweep", "synthetic_categorical", "--method", "pc", *asked, "--runs", "1", "--out", str(folder))
    row = json.loads((folder / "sweeps" / "synthetic_categorical" / "runs.jsonl").read_text().splitlines()[0])
    assert (row["options"]["nodes"], row["options"]["records"], row["params"]["freedom"]) == (4, 200, "adjusted")
    text = works("train", "synthetic_categorical", "--method", "pc", "--set", "nodes=2", "--set", "sparseness=1").stdout
    assert "true_edges 1.0000" in " ".join(text.split())
    assert "nodes must be int" in mistake("train", "synthetic_categorical", "--method", "pc", "--set", "nodes=four")


def test_every_data_set_can_be_swept() -> None:
    for name in catalog.names("datasets"):
        assert catalog.task_of(name) in sweeps.VIEWS
