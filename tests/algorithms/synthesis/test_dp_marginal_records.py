"""dp_marginal_records: its releases and their cost, and the records that it draws."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.algorithms.synthesis.dp_marginal_records import NOISE_KEPT, _worth_measuring
from dpfair_cli.mechanisms.ledger import replay
from dpfair_cli.models.synthesis import mixture_records
from dpfair_cli.models.synthesis.column_cells import GRID
from dpfair_cli.models.synthesis.spikes import LEVELS
from tests.algorithms import mixed_people
from tests.algorithms.mixed_people import EXTREME, fitted, mixed, replaced
from tests.algorithms.synthesis import made_tables

METHOD = catalog.algorithm("dp_marginal_records")
SMALL = {"components": 20, "steps": 10}


def codes(records):
    """The levels of a job, the tertile of age, the level of sex and the label, (n, 4)."""
    X = records.X
    return np.column_stack([X[:, :3].argmax(axis=1), (3 * X[:, 3]).astype(int), X[:, 4], records.y])


def largest_gap(made, real):
    """The largest total variation distance of the tables of two of the columns."""
    gaps = []
    for i in range(4):
        for j in range(i):
            tables = [np.zeros((4, 4)), np.zeros((4, 4))]
            for table, records in zip(tables, (made, real), strict=True):
                found = codes(records).astype(int)
                np.add.at(table, (found[:, i], found[:, j]), 1 / len(records))
            gaps.append(np.abs(tables[0] - tables[1]).sum() / 2)
    return max(gaps)


def spiky(n=2000, columns=(3,)):
    """Records of whom half have the number 0.3 in some columns."""
    people = mixed(n)
    X = people.X.copy()
    X[: n // 2, columns] = 0.3
    return type(people)(X, people.y, people.protected, people.domain)


def test_one_release_of_cells_and_two_rounds_of_distances_and_tables():
    """Six columns, two of them numbers at three resolutions, make 15 pairs."""
    people = mixed()
    _, tape = fitted(METHOD, people, **SMALL)
    assert [entry.mechanism for entry in tape] == ["gaussian"] * 5
    cells, first, tables, second, _ = tape
    assert cells.sensitivity == pytest.approx(math.sqrt(4 + 2 * 3))
    sums = len(GRID) + math.ceil(len(GRID) / 8) + math.ceil(len(GRID) / 64)
    assert np.size(cells.value) == 2 * sums + 4 + 2 + 2 + 2
    assert np.sum(cells.value) == 60 * (4 + 2 * 3)
    for distances in (first, second):
        assert np.shape(distances.value) == (15,)
        assert distances.sensitivity == pytest.approx(math.sqrt(15))
    assert tables.sensitivity == pytest.approx(1)  # the squares of the weights add up to 1


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (4.0, 1e-3)])
def test_all_releases_cost_epsilon_by_dp_accounting(epsilon, delta):
    _, tape = fitted(METHOD, spiky(), epsilon=epsilon, delta=delta, **SMALL)
    found = [entry.scale / entry.sensitivity for entry in tape]
    assert len(found) == 5 + LEVELS
    assert mixed_people.cost_by_dp_accounting(found, delta) == pytest.approx(epsilon, rel=1e-3)


def test_the_noise_has_its_declared_deviation():
    tapes = [fitted(METHOD, mixed(), seed, **SMALL)[1] for seed in range(3)]
    noise = np.concatenate([mixed_people.noise_in_deviations(tape) for tape in tapes])
    assert noise.mean() == pytest.approx(0, abs=4 / np.sqrt(len(noise)))
    assert noise.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(noise)))


@pytest.mark.parametrize("x", EXTREME.values(), ids=EXTREME)
def test_a_record_is_read_by_its_releases_alone(x):
    people = replaced(mixed(), 7, x)
    moves = mixed_people.check_that_releases_are_all(METHOD, people, 7, **SMALL)
    assert moves[0] == pytest.approx(1)  # one cell in each of the tables
    assert moves[2] == pytest.approx(1)


def test_pairs_are_chosen_by_their_noisy_distances():
    """The last pair is that of group and label, whose table has four cells."""
    people = mixed(400)
    _, tape = fitted(METHOD, people, **SMALL)
    distances = np.append(np.full(14, -1.0), 1e9)
    steered = [tape[0], replace(tape[1], output=distances), *tape[2:]]
    assert np.size(tape[2].value) != 4
    with replay(steered) as again, pytest.raises(ValueError, match="counterpart"):
        METHOD.fit(people, rng=np.random.default_rng(0), **SMALL)
    assert np.size(again[2].value) == 4


def test_without_noise_the_tables_are_those_of_the_records():
    people = mixed(3000)
    model, tape = fitted(METHOD, people, epsilon=math.inf, components=200, steps=400)
    for entry in tape:
        assert entry.scale == 0
        np.testing.assert_array_equal(entry.output, entry.value)
    made = model.sample(3000, rng=np.random.default_rng(1))
    assert largest_gap(made, people) < 0.04
    for column in (3, 5):  # numbers keep their means
        assert made.X[:, column].mean() == pytest.approx(people.X[:, column].mean(), abs=0.01)
    agreed = np.mean(model.predict(people) == people.y)
    assert agreed > max(people.y.mean(), 1 - people.y.mean()) + 0.1


def test_half_of_the_numbers_stay_zero():
    people = mixed(2000)
    X = people.X.copy()
    X[::2, 3] = 0.0
    people = type(people)(X, people.y, people.protected, people.domain)
    model, _ = fitted(METHOD, people, epsilon=4.0, **SMALL)
    made = model.sample(2000, rng=np.random.default_rng(1))
    assert np.mean(made.X[:, 3] == 0) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("k", [0, 1999])
def test_a_spike_reads_a_record_by_its_releases_alone(k):
    """Half of the records, the first ones, have one number in both columns."""
    people, options = spiky(columns=(3, 5)), {"epsilon": 8.0, **SMALL}
    _, tape = fitted(METHOD, people, **options)
    moves = mixed_people.check_that_releases_are_all(METHOD, people, k, **options)
    steps = slice(1, 1 + LEVELS)
    assert [entry.sensitivity for entry in tape[steps]] == [pytest.approx(math.sqrt(2))] * LEVELS
    assert moves[steps] == [pytest.approx(1.0 if k == 0 else 0.0)] * LEVELS


def test_half_of_the_numbers_stay_three_tenths():
    people = spiky()
    model, _ = fitted(METHOD, people, epsilon=4.0, **SMALL)
    again = mixture_records.restore(json.loads(json.dumps(model.saved())))
    made = again.sample(2000, rng=np.random.default_rng(1)).X[:, 3].round(12)
    assert np.mean(made == 0.3) == pytest.approx(0.5, abs=0.06)


def test_numbers_that_are_spread_over_a_cell_are_no_spike():
    people = spiky()
    X = people.X.copy()
    X[:1000, 3] = 0.3 + np.linspace(0, 1 / 512, 1000)
    even = type(people)(X, people.y, people.protected, people.domain)
    model, tape = fitted(METHOD, even, epsilon=4.0, **SMALL)
    assert len(tape) == 5 + 1  # the search ends after the first step
    assert not any(bins.spikes for bins in model.generator.bins)


def test_with_noise_it_is_near_to_many_records():
    people = mixed(20_000)
    model, _ = fitted(METHOD, people, epsilon=1.0, steps=300, components=100)
    assert largest_gap(model.sample(20_000, rng=np.random.default_rng(1)), people) < 0.04


def test_the_pairs_that_are_worth_their_noise_are_measured_by_hand():
    """Tables of 8 cells: the noise of k of them is NOISE_KEPT sqrt(2/pi) (4 k)^1.5 multipliers."""
    unit = NOISE_KEPT * math.sqrt(2 / math.pi) * 8
    first, second = unit, unit * (2**1.5 - 1)
    cells = np.full(3, 8.0)
    chosen, weights = _worth_measuring(np.array([1.0, first + 9, second + 1]), cells, 1.0)
    assert sorted(chosen) == [1, 2]
    np.testing.assert_allclose(weights, math.sqrt(0.5))
    chosen, _ = _worth_measuring(np.array([1.0, first + 9, second - 1]), cells, 1.0)
    assert chosen == [1]
    assert len(_worth_measuring(np.array([1.0, 2, 3]), cells, 0.0)[0]) == 3


def test_a_larger_table_has_the_smaller_share_of_a_cell():
    _, weights = _worth_measuring(np.array([100.0, 100.0]), np.array([8.0, 64.0]), 0.1)
    assert weights[0] ** 2 / weights[1] ** 2 in (pytest.approx(1 / 4), pytest.approx(4))


def test_a_saved_model_draws_and_decides_as_before():
    people = mixed(300)
    model, _ = fitted(METHOD, people, **SMALL)
    again = mixture_records.restore(json.loads(json.dumps(model.saved())))
    one, other = (some.sample(200, rng=np.random.default_rng(2)) for some in (model, again))
    assert np.mean(np.isclose(one.X, other.X, atol=1e-3).all(axis=1)) > 0.9  # it is rounded
    np.testing.assert_array_equal(model.predict(people), again.predict(people))
    broken = model.saved() | {"probabilities": [[1.0]]}
    with pytest.raises(ValueError, match="a probability for each bin"):
        mixture_records.restore(broken)


def test_records_with_bins_are_refused():
    with pytest.raises(ValueError, match="encoding=one_hot"):
        fitted(METHOD, made_tables.people(50))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_one_record_or_one_label_or_one_group_is_enough(epsilon):
    people = mixed(40)
    same = type(people)(people.X, np.ones(40, int), np.zeros(40, int), people.domain)
    for some in (same, people.take(np.array([3]))):
        model, _ = fitted(METHOD, some, epsilon=epsilon, **SMALL)
        assert np.isfinite(model.sample(5, rng=np.random.default_rng(0)).X).all()
