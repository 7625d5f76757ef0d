"""Without torch or tabfairgdt everything else works, and what needs them says in one line what to
install.
"""

import sys

import numpy as np
import pytest
from click.testing import CliRunner

from dpfair_cli.algorithms.synthesis import tabfairgdt
from dpfair_cli.algorithms.training import dpsgd
from dpfair_cli.commands import main
from dpfair_cli.commands.making import run_with_progress
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain
from dpfair_cli.release import model_files
from dpfair_cli.reproduction import runs
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import spec
from tests.algorithms.synthesis.made_tables import people

CLASSES = tuple(f"class{k}" for k in range(10))
CONTENT = {
    "title": "t",
    "source": "s",
    "task": "private_training",
    "datasets": ["mnist", "adult"],
    "algorithms": [{"method": "data", "name": "majority_class"}],
    "seeds": 2,
    "table": {"rows": ["group", "method"], "values": ["accuracy"]},
}


@pytest.fixture
def no_torch(monkeypatch):
    monkeypatch.setitem(
        sys.modules, "dpfair_cli.models.training.cnn", None
    )  # its import fails, as it does without torch
    monkeypatch.setattr(runs, "find_spec", lambda name: None)


@pytest.fixture
def no_trees(monkeypatch):
    monkeypatch.setitem(sys.modules, "tabfairgdt", None)
    monkeypatch.setattr(runs, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_torch")
def test_training_on_images_says_what_to_install():
    zeros = np.zeros(4, dtype=int)
    images = Images(
        np.zeros((4, 784), np.uint8),
        zeros,
        zeros,
        np.zeros(4, bool),
        (28, 28),
        CLASSES,
        Domain((), {}, CLASSES),
    )
    with pytest.raises(DpfairError, match=r"need torch: pip install torch"):
        dpsgd.fit(images, batch_size=2, rng=np.random.default_rng(0))


@pytest.mark.usefixtures("no_torch")
def test_a_model_file_of_a_network_says_so_too(tmp_path):
    (tmp_path / "model.json").write_text(
        '{"format": 4, "model": {"form": "cnn", "parameters": [0.5]}}'
    )
    with pytest.raises(DpfairError, match=r"need torch: pip install torch"):
        model_files.load(tmp_path / "model.json")


@pytest.mark.usefixtures("no_torch")
def test_the_command_line_says_so_in_one_line(tmp_path):
    result = CliRunner().invoke(
        main, ["train", "mnist", "--method", "sgd", "--data-dir", str(tmp_path)]
    )
    assert result.exit_code == 2
    assert (
        result.output.splitlines()[-1] == "Error: networks for images need torch: pip install torch"
    )


@pytest.mark.usefixtures("no_torch")
def test_the_runs_that_need_it_are_left_out_and_the_others_made(tmp_path, capsys):
    artefact = Artefact(
        spec.parse(CONTENT, "xu2021/table9"), RunOptions(tmp_path, tmp_path, quick=True)
    )
    assert artefact.runs.runs_to_make == 2
    assert run_with_progress(artefact) == []
    assert "runs of mnist are left out: pip install torch (torch)" in capsys.readouterr().err
    assert set(artefact.runs.rows()["dataset"]) == {"adult"}


@pytest.mark.usefixtures("no_trees")
def test_trees_of_another_package_say_what_to_install_for_them(tmp_path):
    with pytest.raises(DpfairError, match=r"needs the package tabfairgdt: pip install tabfairgdt$"):
        tabfairgdt.fit(people(50), rng=np.random.default_rng(0))


@pytest.mark.usefixtures("no_trees")
def test_runs_that_need_either_are_left_out_with_one_command_for_both(tmp_path, capsys):
    content = CONTENT | {
        "task": "real_data_classification",
        "datasets": [{"name": "adult", "encoding": "binned"}],
        "algorithms": [
            {"method": name, "name": name} for name in ("majority_class", "acgan", "tabfairgdt")
        ],
        "table": {"rows": ["method"], "values": ["accuracy"]},
    }
    artefact = Artefact(
        spec.parse(content, "xu2021/table6"), RunOptions(tmp_path, tmp_path, quick=True)
    )
    assert run_with_progress(artefact) == []
    told = (
        "runs of acgan, tabfairgdt are left out: pip install tabfairgdt torch (tabfairgdt, torch)"
    )
    assert told in capsys.readouterr().err
    assert set(artefact.runs.rows()["method"]) == {"majority_class"}


@pytest.mark.usefixtures("no_torch")
def test_a_sweep_of_which_nothing_can_be_run_says_what_to_install(tmp_path):
    result = CliRunner().invoke(main, ["sweep", "mnist", "--eps", "1", "--out", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: sweeps/mnist-")
    assert line.endswith("runs of mnist are left out: pip install torch (torch)")


@pytest.mark.usefixtures("no_torch")
def test_a_sweep_of_which_only_baselines_can_be_run_says_so_too(tmp_path):
    arguments = [
        "sweep",
        "adult",
        "--method",
        "adversarial_debiasing",
        "--eps",
        "1",
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(
        "runs of adversarial_debiasing are left out: pip install torch (torch)\n"
    )
