"""Records drawn from a joint distribution: frequencies, form, and a model file."""

import json

import numpy as np
import pytest
from scipy.stats import chisquare

from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution, restore
from dpfair_cli.models.tabular.encoding import decode
from tests.models.causal_fairness.made_records import codes_of, dag, people, random_joint, shares

GRAPH = dag("a>s a>y s>b s>y b>y")
DOMAIN = people([[0, 0, 0, 0]], GRAPH).domain


def distribution(joint=None):
    return RecordDistribution(random_joint(4, 0) if joint is None else joint, DOMAIN, GRAPH)


def drawn(model, n=1000, seed=0):
    return model.sample(n, rng=np.random.default_rng(seed))


def in_bytes(records):
    return records.X.tobytes(), records.y.tobytes(), records.protected.tobytes()


def test_frequencies_follow_the_joint():
    """Pearson's test over all 16 cells."""
    joint = random_joint(4, 1)
    n = 50_000
    found = shares(codes_of(drawn(distribution(joint), n))) * n
    assert chisquare(found.ravel(), joint.ravel() * n).pvalue > 0.001


def test_a_sample_from_an_uneven_joint_tells_its_axes_apart():
    """Independent a, b, s, y with shares 0.1, 0.3, 0.6, 0.9: swapped columns would be noticed."""
    chances = (0.1, 0.3, 0.6, 0.9)
    joint = np.ones((1, 1, 1, 1))
    for axis, chance in enumerate(chances):
        joint = joint * np.array([1 - chance, chance]).reshape(
            [2 if k == axis else 1 for k in range(4)]
        )
    found = codes_of(drawn(distribution(joint), 20_000))
    np.testing.assert_allclose(found.mean(axis=0), chances, atol=5 * 0.5 / 20_000**0.5)


def test_what_never_occurs_is_never_drawn():
    joint = random_joint(4, 2)
    joint[0, :, 1] = 0
    joint /= joint.sum()
    codes = codes_of(drawn(distribution(joint), 20_000))
    assert not ((codes[:, 0] == 0) & (codes[:, 2] == 1)).any()


@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_a_record_has_one_level_of_each_attribute_a_group_and_a_label(n):
    records = drawn(distribution(), n)
    assert len(records) == n
    assert records.domain == DOMAIN
    assert records.X.shape == (n, 4)
    assert set(np.unique(records.X)) <= {0.0, 1.0}
    for columns in DOMAIN.attributes.values():
        assert (records.X[:, columns].sum(axis=1) == 1).all()
    assert set(np.unique(records.y)) <= {0, 1}
    assert set(np.unique(records.protected)) <= {0, 1}


def test_records_can_be_decoded_to_the_columns_of_the_table():
    table = decode(drawn(distribution(), 50), rng=np.random.default_rng(0))
    assert list(table) == ["a", "b", "s", "y"]
    assert set(table["s"]) == {"women", "men"}
    assert set(table["y"]) == {"refused", "hired"}


def test_a_seed_gives_the_same_records_and_another_seed_others():
    model = distribution()
    first = in_bytes(drawn(model, seed=1))
    assert in_bytes(drawn(model, seed=2)) != first
    assert in_bytes(drawn(model, seed=1)) == first


def test_a_model_file_gives_the_same_records_to_the_byte():
    model = distribution()
    saved = model.saved()
    assert saved["form"] == "record_distribution"
    again = restore(json.loads(json.dumps(saved)))
    assert in_bytes(drawn(again)) == in_bytes(drawn(model))
    np.testing.assert_array_equal(again.joint, model.joint)
    assert dict(again.domain.values) == dict(DOMAIN.values)
    assert (again.domain.columns, again.domain.groups) == (DOMAIN.columns, DOMAIN.groups)
    assert again.domain.attributes == DOMAIN.attributes
    assert (again.graph.names, again.graph.protected, again.graph.label) == (GRAPH.names, "s", "y")
    np.testing.assert_array_equal(again.graph.arrows, GRAPH.arrows)


def test_the_description_says_not_private():
    assert "not private" in " ".join(distribution().described()).lower()
