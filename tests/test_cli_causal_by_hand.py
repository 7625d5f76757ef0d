"""Causal discovery from the command line: what is printed, and one line for every mistake."""

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dpfair_cli import paths
from dpfair_cli.commands import main
from dpfair_cli.contracts.errors import PrivacyLeakWarning

ROOT = Path(__file__).parent.parent
DOMAIN = "a: {levels: [x, y]}\nb: {levels: [x, y]}\nc: {levels: [p, q, r]}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a table of categories; whatever is written to default places stays in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("experiments", "data"):
        (checkout / name).symlink_to(ROOT / name, target_is_directory=True)
    monkeypatch.setattr(paths, "CHECKOUT", checkout)
    rng = np.random.default_rng(0)
    a, c = rng.choice(["x", "y"], 400), rng.choice(["p", "q", "r"], 400)
    b = np.where(rng.random(400) < 0.9, a, rng.choice(["x", "y"], 400))
    Path("own.csv").write_text("a,b,c\n" + "\n".join(",".join(row) for row in zip(a, b, c, strict=True)) + "\n")
    Path("domain.yaml").write_text(DOMAIN)
    return tmp_path


@pytest.fixture
def networks(folder, real_data):
    """A data folder with asia and alarm alone."""
    if not (real_data / "bnlearn" / "asia.bif").is_file():
        pytest.skip("the networks are not here")
    (folder / "real" / "bnlearn").mkdir(parents=True)
    for name in ("asia", "alarm"):
        shutil.copy(real_data / "bnlearn" / f"{name}.bif", folder / "real" / "bnlearn")
    return ("--data-dir", str(folder / "real"))


def dpfair(*arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="dpfair")


def works(*arguments):
    result = dpfair(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def mistake(*arguments):
    """The one line that is said to a mistake: exit code 1, nothing on stdout, no traceback."""
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith("PrivacyLeakWarning: ")]
    assert len(lines) == 1, lines
    return lines[0].removeprefix("Error: ")


OWN = ("train", "csv_variables", "--file", "own.csv")


def test_an_edge_of_ones_own_table_is_found_and_printed(folder):
    assert "\na - b\n" in works(*OWN, "--domain", "domain.yaml", "--method", "pc")
    assert "\na - b\n" in works(*OWN, "--domain", "domain.yaml", "--method", "priv_pc", "--eps", "inf")


def test_bounds_say_where_the_levels_come_from(folder):
    assert "bounds      data" in works(*OWN, "--method", "priv_pc")
    assert "bounds      public" in works(*OWN, "--domain", "domain.yaml", "--method", "priv_pc")


def test_training_prints_scores_edges_and_the_statement(networks):
    text = works("train", "asia", "--method", "priv_pc", "--eps", 10, *networks)
    for word in ("skeleton_precision", "structural_hamming_distance", "true_edges", "privacy", "status", "smoke"):
        assert word in text
    again = works("train", "asia", "--method", "priv_pc", "--eps", 10, *networks)
    assert text == again


def test_a_saved_graph_is_json_that_names_its_privacy(networks):
    works("train", "asia", "--method", "priv_pc", "--save", "graph.json", *networks)
    saved = json.loads(Path("graph.json").read_text())
    assert saved["algorithm"] == "priv_pc"
    assert "epsilon" in saved["privacy"]
    assert len(saved["columns"]) == 8


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--eps", 0), ("epsilon", "positive", "0")),
        (("--eps", -1), ("epsilon", "positive", "-1")),
        (("--eps", "nan"), ("epsilon", "nan")),
        (("--set", "significance=0"), ("significance",)),
        (("--set", "significance=nan"), ("significance",)),
        (("--set", "score=exactt"), ("exactt", "exact")),
        (("--set", "scoree=exact"), ("scoree", "score")),
        (("--set", "orders=0"), ("orders",)),
        (("--set", "records_per_freedom=-1"), ("records_per_freedom",)),
    ],
    ids=str,
)
def test_a_wrong_option_of_priv_pc_is_one_line(option, words, folder):
    line = mistake("train", "synthetic_categorical", "--method", "priv_pc", *option)
    assert all(word in line for word in words), line


def test_pc_refuses_a_significance_that_is_no_level(folder):
    assert "significance" in mistake("train", "synthetic_categorical", "--method", "pc", "--set", "significance=2")


def test_misspelt_names_propose_the_nearest(networks):
    assert "'asia'" in mistake("train", "assia", "--method", "priv_pc", *networks)
    assert "'priv_pc'" in mistake("train", "asia", "--method", "privpc", *networks)
    assert "'lap_mech'" in mistake("train", "asia", "--method", "lapmech", *networks)


def test_a_method_of_another_task_is_refused_with_those_that_fit(networks):
    assert "priv_pc" in mistake("train", "asia", "--method", "pflr", *networks)
    line = mistake("train", "adult", "--method", "priv_pc", *networks)
    assert "pflr" in line


def test_the_wrong_kind_of_variables_names_the_method_for_them(folder):
    assert "priv_pc_star" in mistake("train", "synthetic_gaussian", "--method", "priv_pc")
    assert "priv_pc" in mistake("train", "synthetic_categorical", "--method", "priv_pc_star")


def test_a_network_that_is_not_here_says_how_to_get_it(folder):
    line = mistake("train", "asia", "--method", "pc", "--data-dir", folder)
    assert "dpfair fetch-data asia" in line


def test_a_damaged_network_is_refused(networks):
    path = Path(networks[1]) / "bnlearn" / "asia.bif"
    path.write_text(path.read_text().replace("0.05, 0.95", "0.06, 0.94"))
    assert "damaged" in mistake("train", "asia", "--method", "pc", *networks)


def test_lap_mech_on_alarm_is_refused_with_the_size_of_its_table(networks):
    assert "17,332,899,271,409,664 cells" in mistake("train", "alarm", "--method", "lap_mech", *networks)


TABLES = {
    "text among numbers": "a,b\n" + "\n".join(f"{k / 7},{k * k / 3}" for k in range(40)) + "\nhello,1.5\n",
    "missing": "a,b\nx,y\ny,\nx,x\ny,y\n",
    "infinite": "a,b\n" + "\n".join(f"{k / 7},{k * k / 3}" for k in range(40)) + "\ninf,1.5\n",
    "constant": "a,b\nx,y\nx,x\nx,y\n",
    "a copy": "a,b\nx,x\ny,y\nx,x\ny,y\n",
    "mixed": "a,b\n" + "\n".join(f"{k / 7},{'xy'[k % 2]}" for k in range(40)) + "\n",
    "one column": "a\nx\ny\nx\n",
    "no rows": "a,b\n",
    "nothing": "",
    "ragged": "a,b\nx,y\nx,y,z,w\n",
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_a_graph_is_one_line(table, folder):
    Path("own.csv").write_text(TABLES[table])
    mistake(*OWN, "--method", "pc")


def test_a_table_and_a_domain_that_are_not_there_are_one_line(folder):
    assert "nowhere.csv" in mistake("train", "csv_variables", "--file", "nowhere.csv", "--method", "pc")
    assert "nowhere.yaml" in mistake(*OWN, "--domain", "nowhere.yaml", "--method", "pc")
    assert "file" in mistake("train", "csv_variables", "--method", "pc")


def test_a_level_outside_the_domain_is_named(folder):
    Path("domain.yaml").write_text(DOMAIN.replace("p, q, r", "p, q"))
    line = mistake(*OWN, "--domain", "domain.yaml", "--method", "priv_pc")
    assert "'c'" in line
    assert "'r'" in line


def test_readings_that_are_refuted_are_not_printed_as_proved(folder):
    for method, reading in [
        ("priv_pc", "score=published"),
        ("priv_pc", "separators=read"),
        ("lap_mech", "noise=published"),
    ]:
        text = works(*OWN, "--domain", "domain.yaml", "--method", method, "--set", reading)
        (status,) = [line for line in text.splitlines() if line.startswith("status")]
        assert "proved" not in status, (method, reading, status)


def test_a_sweep_over_epsilon_prints_a_row_for_each(networks):
    text = works("sweep", "asia", "--method", "priv_pc", "--eps", "1,10", "--runs", 1, "--out", "sweep", *networks)
    assert [line.split()[1] for line in text.splitlines() if line.startswith("priv_pc ")] == ["1", "10"]


def test_an_audit_of_the_default_finds_nothing_and_of_the_published_score_a_broken_claim(networks):
    text = works("audit", "priv_pc", "asia", "--neighbours", 20, *networks)
    assert "holds" in text
    result = dpfair("audit", "priv_pc", "asia", "--neighbours", 60, "--set", "score=published", *networks)
    assert result.exit_code == 1, result.output
