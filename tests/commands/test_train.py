"""dpfair train: scores and the price on stdout, a model that can be saved, and one line for every
mistake.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.commands import train as commands_train
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.release import model_files
from tests.commands.invoking import dpfair, mistake, process, without_preview, works
from tests.commands.material import COLUMNS, PUBLIC, people


@pytest.mark.usefixtures("own")
def test_train_prints_scores_and_the_price_on_stdout_and_paths_on_stderr():
    result = works(
        "train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "2", "--save", "model.json"
    )
    lines = dict(line.split(None, 1) for line in result.stdout.splitlines() if line)
    assert 0 <= float(lines["accuracy"]) <= 1
    assert lines["epsilon"] == "2"
    assert lines["status"] == catalog.algorithm("pflr").guarantee.status
    assert lines["neighbours"].startswith("replace-one")
    assert lines["public"].endswith(f"declared by the user, in the file of domain; {OUTSIDE_RULE}")
    assert without_preview(result.stderr).splitlines() == [
        "model.json",
        "model.card.md",
        "next: dpfair predict model.json FILE",
        "      dpfair audit pflr",
    ]


@pytest.mark.usefixtures("own")
def test_train_repeats_its_bytes_for_the_same_known_seed_only():
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        works(
            "train",
            "own.csv",
            *PUBLIC,
            "--method",
            "pflr",
            "--seed",
            seed,
            "--save",
            f"{name}.json",
        )
    works("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "secret.json")
    models = [
        json.loads(Path(f"{name}.json").read_text())["model"]
        for name in ("one", "two", "other", "secret")
    ]
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert models[0] != models[2]
    assert models[3] not in models[:3]


@pytest.mark.usefixtures("own")
def test_the_path_of_the_table_does_not_enter_the_noise_of_a_known_seed():
    """The options that name the fit are those that its file says."""
    Path("elsewhere").mkdir()
    Path("elsewhere/other.csv").write_bytes(Path("own.csv").read_bytes())
    for table in ("own.csv", "elsewhere/other.csv"):
        works(
            "train",
            table,
            *PUBLIC,
            "--method",
            "pflr",
            "--seed",
            3,
            "--save",
            f"{Path(table).stem}.json",
        )
    assert Path("own.json").read_bytes() == Path("other.json").read_bytes()


@pytest.mark.usefixtures("own")
def test_what_breaks_a_claim_is_said_where_its_status_stands():
    printed = [
        works("train", "own.csv", *given, "--method", method, *more).stdout
        for given, method, *more in (
            (PUBLIC, "pflr"),
            (PUBLIC, "pflr", "--seed", "7"),
            (COLUMNS, "pflr"),
            (COLUMNS, "pflr", "--seed", "7"),
            (COLUMNS, "output_perturbation_released_code"),
            (PUBLIC, "pflr", "--eps", "inf"),
            (PUBLIC, "logistic_regression", "--seed", "7"),
        )
    ]
    lines = [dict(line.split(None, 1) for line in text.splitlines() if line) for text in printed]
    assert [line["status"] for line in lines] == [
        "proved",
        "void: known seed 7",
        "not private: bounds from data",
        "not private: bounds from data, known seed 7",
        "refuted",
        "not private",
        "not private",
    ]


def longest(value):
    """The length of the longest list anywhere in a JSON document."""
    if isinstance(value, dict):
        return max(map(longest, value.values()), default=0)
    return max([len(value), *map(longest, value)]) if isinstance(value, list) else 0


@pytest.mark.usefixtures("own")
def test_a_saved_model_holds_no_data_and_no_path_and_predicts_the_same():
    works(
        "train",
        "own.csv",
        *PUBLIC,
        "--method",
        "functional_mechanism",
        "--eps",
        "1e6",
        "--save",
        "model.json",
    )
    text = Path("model.json").read_text()
    saved, n = json.loads(text), len(people())
    assert longest(saved) == len(saved["columns"]) == 3 < n * 0.2
    assert str(Path.cwd()) not in text
    X = np.random.default_rng(1).random((50, 3))
    nobody = np.zeros(50, dtype=np.int64)
    domain = Domain(
        tuple(saved["columns"]), {name: (j,) for j, name in enumerate(saved["columns"])}, ("f", "m")
    )
    found = model_files.load("model.json").predict(Records(X, nobody, nobody, domain))
    np.testing.assert_array_equal(
        found, X @ saved["model"]["weights"] + saved["model"]["intercept"] > 0
    )
    assert set(found) == {0.0, 1.0}


@pytest.mark.usefixtures("own")
def test_a_number_may_be_written_as_people_write_it():
    result = works(
        "train", "own.csv", *PUBLIC, "--method", "adfc", "--set", "delta=1e-5", "--eps", "1e1"
    )
    assert "delta                          1e-05" in result.stdout
    assert "epsilon                        10\n" in result.stdout
    assert works("train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "inf").exit_code == 0


@pytest.mark.usefixtures("own")
def test_an_own_table_without_a_domain_is_warned_about_in_one_line():
    result = works("train", "own.csv", *COLUMNS, "--method", "pflr")
    warning = (
        "PrivacyLeakWarning: own.csv: ranges and levels are read from the data: give domain=FILE\n"
    )
    assert without_preview(result.stderr) == warning
    assert "bounds: read from the private data, a leak\n" in result.stdout
    assert re.search(r"^promise +none$", result.stdout, flags=re.MULTILINE)
    assert "PrivacyLeakWarning" not in works("train", "own.csv", *PUBLIC, "--method", "pflr").stderr


def test_warnings_of_a_command_leave_the_filters_of_the_caller_alone(own):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert works("train", "own.csv", *PUBLIC, "--method", "pflr").exit_code == 0


@pytest.mark.usefixtures("own")
def test_train_on_a_replica_says_replica():
    assert "REPLICA" in works("train", "adult", "--method", "pflr", "--data-dir", "none").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "adult", "--method", "pflr", "--eps", "0"), "epsilon must be positive"),
        (("train", "adult", "--method", "pflr", "--eps", "-1"), "epsilon must be positive"),
        (
            ("train", "adult", "--method", "pflr", "--eps", "nan"),
            "epsilon must be positive, got nan",
        ),
        (
            ("train", "adult", "--method", "pflr", "--set", "epsilon=nan"),
            "epsilon must be positive, got nan",
        ),
        (("train", "adult", "--method", "adfc", "--delta", "0"), "delta must lie between 0 and 1"),
        (("train", "adult", "--method", "adfc", "--delta", "1"), "delta must lie between 0 and 1"),
        (
            ("train", "adult", "--method", "adfc", "--delta", "nan"),
            "delta must lie between 0 and 1, got nan",
        ),
        (
            ("train", "adult", "--method", "pflr", "--delta", "0.1"),
            "pflr: unknown parameter 'delta'",
        ),
        (("train", "adult", "--method", "pflt"), "unknown method 'pflt': did you mean 'pflr'?"),
        (("train", "adlut", "--method", "pflr"), "unknown data set 'adlut': did you mean 'adult'?"),
        (
            ("train", "adult", "--method", "pflr", "--set", "alhpa=1"),
            "unknown parameter 'alhpa': did you mean 'alpha'?",
        ),
        (
            ("train", "adult", "--method", "pflr", "--set", "fairness=shfit"),
            "fairness 'shfit': did you mean 'shift'?",
        ),
        (
            ("train", "adult", "--method", "pflr", "--set", "alpha=much"),
            "alpha must be a number, got 'much'",
        ),
        (("train", "adult", "--method", "pflr", "--set", "alpha="), "alpha must be a number"),
        (("train", "adult", "--method", "pflr", "--set", "alpha={"), "alpha"),
        (
            ("train", "adult", "--method", "pflr", "--label", "rich"),
            "adult: unknown parameter 'label'",
        ),
        (
            ("train", "csv", "--method", "pflr"),
            "csv: missing parameters: give a value for file, label, protected",
        ),
        (("train", "gone.csv", "--method", "pflr", *COLUMNS), "gone.csv does not exist"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_wrong_name_or_number_is_one_line_that_says_what_would_be_right(arguments, message):
    assert message in mistake(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "adult", "--method", "pflr", "--eps", "one"), "'one' is not a valid float"),
        (
            ("train", "adult", "--method", "pflr", "--seed", "-1"),
            "--seed must be a number, got '-1'",
        ),
        (
            ("train", "adult", "--method", "pflr", "--seed", "secret"),
            "leave out --seed for a secret seed",
        ),
        (
            ("train", "adult", "--method", "pflr", "--set", "alpha"),
            "--set must be KEY=VALUE, got 'alpha'",
        ),
        (
            ("train", "adult", "--method", "pflr", "--set", "=1"),
            "--set must be KEY=VALUE, got '=1'",
        ),
    ],
)
@pytest.mark.usefixtures("own")
def test_wrong_usage_is_one_line_with_exit_code_2(arguments, message):
    assert message in mistake(*arguments, code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "own.csv", "--method", "pflr", *PUBLIC, "--set", "alpha=-1"),
        ("train", "own.csv", "--method", "pflr_star", *PUBLIC, "--set", "objective_share=2"),
        ("train", "own.csv", "--method", "pdfc", *PUBLIC, "--set", "attribute=height"),
        ("train", "own.csv", "--method", "logistic_regression", *PUBLIC, "--set", "l2=0"),
    ],
    ids=lambda arguments: arguments[-1],
)
@pytest.mark.usefixtures("own")
def test_a_value_that_only_the_method_can_judge_is_refused_in_one_line_too(arguments):
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")


def test_a_mistake_in_a_real_process_is_one_line_as_well(own):
    result = process("train", "own.csv", "--method", "pflt", *PUBLIC)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "Error: unknown method 'pflt': did you mean 'pflr'?\n"


@pytest.mark.usefixtures("own")
def test_a_model_that_cannot_be_saved_is_one_line():
    result = dpfair("train", "own.csv", *PUBLIC, "--method", "pflr", "--save", "nowhere/model.json")
    assert result.exit_code == 2
    assert (
        without_preview(result.stderr)
        == "Error: cannot use nowhere/model.json: No such file or directory\n"
    )


@pytest.mark.usefixtures("own")
def test_a_refused_method_is_answered_with_methods_that_can_run():
    lines = Path("own.csv").read_text().splitlines()
    Path("own.csv").write_text(
        "\n".join([*lines, *(row.replace(",f,", ",x,") for row in lines[1:])])
    )
    Path("domain.yaml").write_text(Path("domain.yaml").read_text().replace("[f, m]", "[f, m, x]"))
    facts = ("--label", "rich", "--protected", "sex", "--domain", "domain.yaml")
    said = mistake("train", "own.csv", *facts, "--method", "pflr")
    named = said.partition("private methods that can run: ")[2].split(", ")
    assert "functional_mechanism" in named
    assert "output_perturbation_released_code" not in named  # its guarantee is refuted
    assert "accuracy" in works("train", "own.csv", *facts, "--method", named[0]).stdout


@pytest.mark.usefixtures("own")
def test_a_rule_that_decides_the_same_for_all_is_named():
    found = works("train", "own.csv", *PUBLIC, "--method", "majority_class", "--json").stdout
    assert json.loads(found)["remark"].startswith("majority_class decides ")


@pytest.mark.parametrize(
    ("name", "epsilon", "rate_without_noise", "cause"),
    [
        ("dpsgd", 1.0, 0.0, "also without noise: train it with larger and more steps"),
        ("dpsgd", 1.0, 0.4, "but not without noise: it needs more records or a larger epsilon"),
        ("dpsgd", np.inf, None, "for nearly all records: train it with larger and more steps"),
        ("pflr", 1.0, 0.0, "also without noise"),
    ],
)
def test_a_constant_rule_is_named_with_its_cause(name, epsilon, rate_without_noise, cause):
    def train(method):
        assert method.params["epsilon"] == np.inf
        return SimpleNamespace(scores={"selection_rate": rate_without_noise})

    constant = SimpleNamespace(scores={"selection_rate": 0.001})
    remark = commands_train._remark(constant, catalog.method(name, {"epsilon": epsilon}), train)
    assert remark.startswith(f"{name} decides 0 for nearly all records")
    assert cause in remark


def test_a_rule_below_the_more_frequent_label_is_named():
    scores = {"selection_rate": 0.4, "accuracy": 0.7, "majority_accuracy": 0.8}
    remark = commands_train._remark(SimpleNamespace(scores=scores), catalog.method("pflr"), None)
    assert remark == "pflr is no more accurate than always deciding for the more frequent label"


@pytest.mark.usefixtures("own")
def test_a_model_is_saved_if_nobody_reads_the_scores():
    options = [*PUBLIC, "--method", "pflr", "--save", "model.json"]
    command = [sys.executable, "-m", "dpfair_cli", "train", "own.csv", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        started.stdout.close()
        started.wait()
    assert json.loads(Path("model.json").read_text())["algorithm"] == "pflr"
