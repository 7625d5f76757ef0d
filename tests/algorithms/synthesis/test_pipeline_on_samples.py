"""A scikit-learn pipeline trained on generated records predicts real ones."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402

from dpfair_cli import catalog, data_access  # noqa: E402
from dpfair_cli.algorithms.synthesis import fair_gan_plus  # noqa: E402
from dpfair_cli.contracts.schemas import Numeric  # noqa: E402
from dpfair_cli.datasets import adult  # noqa: E402
from dpfair_cli.models.tabular.encoding import decode  # noqa: E402

NUMBERS = [name for name, kind in adult.DOMAIN.attributes.items() if isinstance(kind, Numeric)]
WORDS = [name for name in adult.DOMAIN.attributes if name not in NUMBERS]


@pytest.fixture
def people(tmp_path):
    """5,000 records of Adult, or of its replica."""
    dataset = catalog.data_set("adult", {"encoding": "binned"})
    located = data_access.locate(dataset, data_dir=tmp_path, replica_ok=True)
    return data_access.load(located).take(np.arange(5_000))


def pipeline():
    encoded = make_column_transformer(
        (StandardScaler(), NUMBERS), (OneHotEncoder(handle_unknown="ignore"), WORDS)
    )
    return make_pipeline(encoded, LogisticRegression(max_iter=1000))


def test_a_pipeline_trained_on_samples_predicts_real_records(people, capsys):
    learned, held_out = people.take(np.arange(4_000)), people.take(np.arange(4_000, 5_000))
    rng = np.random.default_rng
    model = fair_gan_plus.fit(learned, epochs=15, pretraining_epochs=3, rng=rng(0))
    made = decode(model.sample(4_000, rng=rng(1)), rng=rng(2))
    real = decode(held_out, rng=rng(3))
    fitted = pipeline().fit(made[NUMBERS + WORDS], made["income"] == ">50K")
    decided = fitted.predict(real[NUMBERS + WORDS])
    accuracy = float(np.mean(decided == (real["income"] == ">50K")))
    rates = [decided[real["sex"] == sex].mean() for sex in ("Male", "Female")]
    with capsys.disabled():
        print(
            f"\non real people: accuracy {accuracy:.3f}, risk difference {rates[0] - rates[1]:.3f}"
        )
    assert list(made) == list(real) == [*adult.DOMAIN.attributes, "sex", "income"]
    assert accuracy > 0.6  # a coin has 0.5
    assert np.isfinite(rates).all()
