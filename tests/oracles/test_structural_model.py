"""The enumerated noise itself: one model worked by hand, and why a recanting witness is refused."""

import numpy as np
import pytest

from tests.models.causal_fairness.made_records import dag, places
from tests.oracles.structural_model import StructuralModel

FIGURE = dag("a>s a>y s>b s>y b>y")  # a, b, s, y: Figure 7.3
KITE = dag("s>m m>n m>y n>y s>y")  # m, n, s, y


def by_hand():
    """A variable is 1 if its noise, of eight values, is below eight times its chance.

    P(a) = 1/2; P(s | a) = 1/4, 3/4; P(b | s) = 1/4, 3/4; P(y | a, b, s) = (1 + a + 2 a s + 4 b s) /
    8.
    """
    below = (
        np.array(4),
        np.array([2, 6]),
        np.array([2, 6]),
        np.array([[[1, 1], [1, 5]], [[2, 4], [2, 8]]]),
    )
    functions = tuple(np.arange(8) < chance[..., None] for chance in below)
    return StructuralModel(
        FIGURE.arrows, functions, np.full((4, 8), 1 / 8), FIGURE.place("s"), FIGURE.place("y")
    )


def test_the_joint_by_hand():
    """a = 1, b = 0, s = 1, y = 0: 1/2 * 1/4 * 3/4 * 1/2."""
    joint = by_hand().joint()
    assert joint[1, 0, 1, 0] == pytest.approx(3 / 64, abs=1e-15)
    assert joint.sum() == pytest.approx(1, abs=1e-12)


def test_effects_by_hand():
    """do(s = 1): 4/8 if a = 0, 7/8 if a = 1; do(s = 0): 1/8 and 2/8; direct: 2/8 and 5/8."""
    model = by_hand()
    assert model.total_effect() == pytest.approx((3 / 8 + 5 / 8) / 2, abs=1e-12)
    assert model.counterfactual_effect({0: 0}) == pytest.approx(3 / 8, abs=1e-12)
    assert model.counterfactual_effect({0: 1}) == pytest.approx(5 / 8, abs=1e-12)
    assert model.path_specific_effect(places(FIGURE, "s y")) == pytest.approx(
        (1 / 8 + 3 / 8) / 2, abs=1e-12
    )
    assert model.path_specific_effect(places(FIGURE, "s b y")) == 0


def test_a_context_behind_s_keeps_the_noise_that_brought_it_about():
    """b is 1 if s is and its own coin says so; y copies b.

    Who has b = 1 has s = 1 and such a coin: with s = 0 all of them lose y, and of everybody only
    one in two.
    """
    graph = dag("s>b b>y")
    copied = np.array([[False, False], [True, True]])
    functions = (np.array([[False, False], [False, True]]), np.array([False, True]), copied)
    model = StructuralModel(graph.arrows, functions, np.full((3, 2), 0.5), 1, 2)
    assert model.total_effect() == pytest.approx(1 / 2)
    assert model.counterfactual_effect({0: 1}) == pytest.approx(1)


def test_what_a_recanting_witness_hides_is_hidden():
    """Two structural models of one joint whose effects along s -> m -> n -> y differ.

    m is a coin in both: by itself whatever s is, or the coin turned by s. n = m, and y = 1 if m and
    n differ. Always m = n, so that y = 0; but if n alone sees s, it differs from m in the second
    model. Data cannot distinguish the two models.
    """
    s, m, n, y = (KITE.place(name) for name in "smny")
    coin = np.tile([False, True], (2, 1))  # m by s and its noise
    turned = np.array([[False, True], [True, False]])
    copied = np.array([[False, False], [True, True]])  # n by m
    differ = np.zeros((2, 2, 2, 2), dtype=bool)  # y by m, n, s
    differ[0, 1], differ[1, 0] = True, True
    effects, joints = [], []
    for how in (coin, turned):
        functions = dict(
            zip((m, n, s, y), (how, copied, np.array([False, True]), differ), strict=True)
        )
        world = StructuralModel(
            KITE.arrows, tuple(functions[v] for v in range(4)), np.full((4, 2), 0.5), s, y
        )
        joints.append(world.joint())
        effects.append(world.path_specific_effect(places(KITE, "s m n y")))
    np.testing.assert_allclose(joints[0], joints[1], atol=1e-15)
    assert effects == [0.0, 1.0]
