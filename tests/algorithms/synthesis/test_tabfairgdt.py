"""TabFairGDT: the call of the package, and the effect of lambda."""

import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd
import pytest

package = pytest.importorskip("tabfairgdt", reason="tabfairgdt is not here: pip install tabfairgdt")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import tabfairgdt  # noqa: E402
from dpfair_cli.contracts.errors import DpfairError  # noqa: E402
from tests.algorithms.synthesis.made_tables import (  # noqa: E402
    SIZES,
    VALUES,
    people,
    risk_difference,
    rows,
    total_variation,
    with_a_number,
    without_cell,
)


def fitted(data, seed=0, **options):
    return tabfairgdt.fit(data, **options, rng=np.random.default_rng(seed))


def drawn(data, seed=0, **options):
    return fitted(data, seed, **options).sample(len(data), rng=np.random.default_rng(seed + 100))


def called_with_text(data, strength, seed):
    """The result of the package for levels as words, with label and group as pandas categories."""
    codes = {
        name: data.X[:, list(places)].argmax(axis=1)
        for name, places in data.domain.attributes.items()
    }
    table = pd.DataFrame({
        "proxy": np.array(VALUES["proxy"])[codes["proxy"]],
        "skill": np.array([low for low, _ in VALUES["skill"]])[codes["skill"]],
        "other": np.array(VALUES["other"])[codes["other"]],
        "region": np.array(VALUES["region"])[data.protected],
        "decision": np.array(VALUES["decision"])[data.y],
    }).astype({"region": "category", "decision": "category"})  # fmt: skip
    kinds = dict.fromkeys(table, "category") | {"skill": "int"}
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        model = package.TABFAIRGDT(
            protected_attribute="region",
            target="decision",
            dtype_map=kinds,
            seed=seed,
            parallel=False,
        )
        model.fit(table, lamda=strength)
        return model.generate(k=len(table))


@pytest.mark.parametrize("strength", [0.0, 0.7])
def test_records_are_those_of_the_package(strength):
    data = people(600)
    made = fitted(data, data_fairness=strength).records
    theirs = called_with_text(data, strength, seed=int(np.random.default_rng(0).integers(2**32)))
    for name, places in data.domain.attributes.items():
        levels = np.array([value if isinstance(value, str) else value[0] for value in VALUES[name]])
        assert list(levels[made.X[:, list(places)].argmax(axis=1)]) == list(theirs[name]), name
    assert list(np.array(VALUES["region"])[made.protected]) == list(theirs["region"])
    assert list(np.array(VALUES["decision"])[made.y]) == list(theirs["decision"])


def test_there_are_as_many_generated_records_as_real_ones():
    data = people(300)
    made = drawn(data)
    assert len(made) == 300
    assert made.domain == data.domain
    assert rows(made) != rows(data)
    for name, places in data.domain.attributes.items():
        assert (made.X[:, list(places)].sum(axis=1) == 1).all(), name


@pytest.mark.parametrize("name", SIZES)
def test_the_shares_of_the_levels_are_those_of_the_data(name):
    assert total_variation(drawn(people(2000)), people(2000), name) < 0.08


def test_lambda_lowers_the_risk_difference():
    data = people(4000)
    free, half, fair = (
        np.mean(
            [
                risk_difference(made.y, made.protected)
                for made in (drawn(data, seed, data_fairness=strength) for seed in range(3))
            ]
        )
        for strength in (0.0, 0.5, 1.0)
    )
    assert free > half > fair


def test_a_seed_determines_the_records():
    data = people(300)
    one, again, other = (rows(drawn(data, seed)) for seed in (0, 0, 1))
    assert one == again
    assert one != other


def test_the_package_is_not_heard(capfd):
    fitted(people(100))
    assert capfd.readouterr() == ("", "")


def test_unusable_records_are_refused():
    with pytest.raises(ValueError, match="encoding=binned"):
        fitted(with_a_number())
    everybody = people(200)
    with pytest.raises(ValueError, match="records of both groups and records with both labels"):
        fitted(everybody.take(np.flatnonzero(everybody.protected == 1)))
    assert len(drawn(without_cell(0, 1)))  # one empty cell is no obstacle


@pytest.mark.parametrize(("strength", "message"), [(-0.1, "at least 0"), (1.1, "at most 1")])
def test_a_lambda_beyond_nothing_and_everything_is_refused(strength, message):
    with pytest.raises(ValueError, match=f"^data_fairness must be {message}"):
        fitted(people(100), data_fairness=strength)


def test_it_is_not_saved():
    with pytest.raises(DpfairError, match="cannot be saved in a model file"):
        fitted(people(100)).saved()


def test_it_does_without_torch():
    code = (
        "import sys; from dpfair_cli.algorithms.synthesis import tabfairgdt; sys.exit('torch' "
        "in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
