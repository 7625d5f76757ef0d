"""The game of chapter 7: the weight of each record in J2, and the effect of that weight."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import cfgan  # noqa: E402
from dpfair_cli.models.causal_fairness.causal_game import weigh_contexts  # noqa: E402
from tests.models.causal_fairness.made_records import (  # noqa: E402
    dag,
    people,
    random_joint,
    rows_of,
)

BRIEF = {"epochs": 2, "batch_size": 50}
# three of four contexts, of 6, 3 and 1 records
KNOWN = torch.tensor([[1.0, 1.0]] * 6 + [[1.0, 0.0]] * 3 + [[0.0, 1.0]])


def test_equal_weights_give_each_context_of_a_batch_a_third():
    found = weigh_contexts(KNOWN, "equal").tolist()
    assert found == pytest.approx([1 / 18] * 6 + [1 / 9] * 3 + [1 / 3])


def test_proportional_weights_give_each_record_a_tenth():
    assert weigh_contexts(KNOWN, "proportional").tolist() == pytest.approx([0.1] * 10)


@pytest.mark.parametrize(
    "known", [torch.ones(5, 2), torch.zeros(5, 0)], ids=["one context", "nothing known"]
)
def test_without_contexts_both_weightings_are_a_mean_over_records(known):
    for weights in ("equal", "proportional"):
        assert weigh_contexts(known, weights).tolist() == pytest.approx([0.2] * 5)


def joint_after(effect, weights):
    """The distribution after two epochs on a few records with a context of one variable."""
    counts = (
        np.random.default_rng(0).multinomial(100, random_joint(4, 0).ravel()).reshape((2,) * 4) + 1
    )
    known = people(rows_of(counts), dag("a>m a>y s>m m>y s>y"), context=("a",))
    options = {"effect": effect, "context_weights": weights, **BRIEF}
    return cfgan.fit(known, **options, rng=np.random.default_rng(0)).joint.tobytes()


def test_the_weights_move_the_counterfactual_effect_and_no_other():
    assert joint_after("counterfactual", "equal") != joint_after("counterfactual", "proportional")
    assert joint_after("total", "equal") == joint_after("total", "proportional")


def test_an_unknown_weighing_is_refused_with_the_nearest_word():
    with pytest.raises(ValueError, match="proportional"):
        joint_after("counterfactual", "proportionate")
