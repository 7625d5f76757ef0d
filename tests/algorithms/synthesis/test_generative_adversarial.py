"""FairGAN and its extensions: valid records, equal bytes by seed, and refusals."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli import catalog  # noqa: E402
from dpfair_cli.contracts.guarantees import NOT_PRIVATE  # noqa: E402
from dpfair_cli.contracts.training_context import TrainingContext  # noqa: E402
from dpfair_cli.kinds.records import Records  # noqa: E402
from tests.algorithms.synthesis.made_tables import people, with_a_number, without_cell  # noqa: E402

NAMES = ("fair_gan", "fair_gan_plus", "acgan")
BRIEF = {"epochs": 2, "pretraining_epochs": 1, "batch_size": 50}
every = pytest.mark.parametrize("name", NAMES)


def fitted(name, data=None, seed=0, **options):
    """The result after two epochs, by name."""
    fit = catalog.algorithm(name).fit
    return fit(
        people(300) if data is None else data,
        **{**BRIEF, **options},
        rng=np.random.default_rng(seed),
    )


def drawn(result, n=200, seed=1):
    return result.sample(n, rng=np.random.default_rng(seed))


def in_bytes(records):
    return records.X.tobytes(), records.y.tobytes(), records.protected.tobytes()


@every
def test_generated_records_have_one_level_of_each_attribute(name):
    """Records are valid after any training: the form of the generator makes them so."""
    data, result = people(300), fitted(name)
    for n in (1, 7, 500):
        records = drawn(result, n)
        assert len(records) == n
        assert records.domain == data.domain
        assert set(np.unique(records.X)) == {0.0, 1.0}
        for attribute, places in records.domain.attributes.items():
            assert (records.X[:, places].sum(axis=1) == 1).all(), attribute
        assert set(np.unique(records.y)) <= {0, 1}
        assert set(np.unique(records.protected)) <= {0, 1}


@every
def test_predictions_are_zero_or_one_and_look_at_features_alone(name):
    """The dissertation's eta: X -> Y sees neither the group nor the label."""
    data, result = people(300), fitted(name)
    output = result.predict(data)
    assert output.shape == (300,)
    assert set(output) <= {0.0, 1.0}
    flipped = Records(data.X, 1 - data.y, 1 - data.protected, data.domain)
    np.testing.assert_array_equal(result.predict(flipped), output)
    rows = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(result.predict(data.take(rows)), output[rows])


@every
def test_a_seed_determines_records_and_predictions(name):
    data = people(300)
    one, again, other = (fitted(name, data, seed) for seed in (0, 0, 1))
    assert in_bytes(drawn(one)) == in_bytes(drawn(again))
    assert one.predict(data).tobytes() == again.predict(data).tobytes()
    assert in_bytes(drawn(one)) != in_bytes(drawn(other))


@every
def test_a_sample_depends_on_its_seed_alone(name):
    result = fitted(name)
    first = drawn(result, seed=1)
    other = drawn(result, seed=2)
    assert in_bytes(first) != in_bytes(other)
    assert in_bytes(drawn(result, seed=1)) == in_bytes(first)


@every
def test_the_fit_neither_reads_nor_moves_torchs_own_generator(name):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    one = drawn(fitted(name))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert in_bytes(drawn(fitted(name))) == in_bytes(one)


@every
def test_what_surrounds_the_training_does_not_move_a_byte_of_it(name):
    watched = fitted(name, context=TrainingContext(fit_name=name, measure=lambda epoch: None))
    assert in_bytes(drawn(watched)) == in_bytes(drawn(fitted(name)))


@every
def test_the_records_are_not_changed(name):
    data = people(300)
    before = data.fingerprint()
    fitted(name, data)
    assert data.fingerprint() == before


@every
def test_a_number_that_is_not_binned_is_refused(name):
    with pytest.raises(ValueError, match="encoding=binned") as error:
        fitted(name, with_a_number())
    assert "\n" not in str(error.value)


@every
def test_fewer_records_than_a_batch_are_refused(name):
    with pytest.raises(ValueError, match="batch_size"):
        fitted(name, people(49))
    assert len(drawn(fitted(name, people(60)))) == 200


@pytest.mark.parametrize("name", ["fair_gan_plus", "acgan"])
@pytest.mark.parametrize(
    ("label", "group"), [(0, "north"), (1, "north"), (0, "south"), (1, "south")]
)
def test_a_group_without_records_of_a_label_is_refused(name, label, group):
    """X is generated from P(X | Y, S): there is nothing to learn it from."""
    with pytest.raises(ValueError, match=group) as error:
        fitted(name, without_cell(label, ["north", "south"].index(group)))
    assert str(label) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fair_gan", {"data_fairness": -0.1}),
        ("fair_gan_plus", {"data_fairness": -0.1}),
        ("fair_gan_plus", {"classifier_fairness": -0.1}),
        *((name, {"epochs": 0}) for name in NAMES),
        *((name, {"pretraining_epochs": -1}) for name in NAMES),
        *((name, {"batch_size": 0}) for name in NAMES),
        *((name, {"epochs": 1.5}) for name in NAMES),
    ],
    ids=str,
)
def test_a_setting_outside_its_range_is_refused_by_its_name(name, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        fitted(name, **options)


@every
def test_it_may_do_without_pretraining(name):
    assert len(drawn(fitted(name, pretraining_epochs=0))) == 200


@every
def test_it_has_no_privacy_guarantee(name):
    assert catalog.algorithm(name).guarantee is NOT_PRIVATE
    assert "epsilon" not in catalog.algorithm(name).parameters
