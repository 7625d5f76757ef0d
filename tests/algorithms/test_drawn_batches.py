"""The batches of every method that draws some, seen from what its releases depend on.

A record is in the batch of a step if a release of this step changes with its label, whatever a
method says of its batches.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpfair_cli import catalog
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.batches import ALL_RECORDS
from dpfair_cli.mechanisms.ledger import record, replay
from tests.algorithms.mixed_people import replaced
from tests.example_data import data_for

N, SIZE = 12, 4
SETTINGS = {"epsilon": 50.0, "epochs": 40, "batch_size": SIZE, "learning_rate": 0.01}
PARAMETERS = {name: catalog.algorithm(name).parameters for name in catalog.algorithms.names}
NAMES = [
    name
    for name, parameters in PARAMETERS.items()
    if catalog.algorithm(name).guarantee.neighbours is Neighbours.ADD_OR_REMOVE_ONE
    and "batch_size" in parameters
]


def in_batches(name, **options):
    """Whether each record is in the batch of each step, (N, steps), and how batches are drawn."""
    options |= {key: value for key, value in SETTINGS.items() if key in PARAMETERS[name]}
    algorithm, data = catalog.algorithm(name), data_for(name, N)
    with record() as tape:
        algorithm.fit(data, **options, rng=np.random.default_rng(0))
    drawn = [k for k, entry in enumerate(tape) if entry.draw != ALL_RECORDS]
    found = np.zeros((N, max(tape[k].draw.step for k in drawn)), dtype=bool)
    for row in range(N):
        # the label alone: features of a record may move those of others
        other = replaced(data, row, data.X[row], 1 - data.y[row], data.protected[row])
        with replay(tape) as again:
            algorithm.fit(other, **options, rng=np.random.default_rng(0))
        for k in drawn:
            changed = not np.array_equal(tape[k].value, again[k].value)
            found[row, tape[k].draw.step - 1] |= changed
    (sampling,) = {(tape[k].draw.sampling, tape[k].draw.sampling_rate) for k in drawn}
    return found, sampling


def probability(squares, degrees):
    """That of a sum of squares as far out as this one, by the law of chi squared."""
    return 2 * min(stats.chi2.cdf(squares, degrees), stats.chi2.sf(squares, degrees))


@pytest.mark.parametrize("name", NAMES)
def test_sizes_of_batches_have_the_variance_of_their_declared_sampling(name):
    """Poisson: binomial sizes, and binomial numbers of the batches that have a record."""
    found, (sampling, rate) = in_batches(name)
    assert (sampling, rate < 1) == ("poisson", True)
    found = found[found.any(axis=1)]  # some methods keep records for other steps
    for axis, coins in enumerate(found.shape):
        counts = found.sum(axis=axis)
        squares = ((counts - coins * rate) ** 2).sum() / (coins * rate * (1 - rate))
        assert probability(squares, len(counts)) > 1e-3


SHUFFLED = {name: {"batches": "shuffled"} for name in NAMES if "batches" in PARAMETERS[name]}
SHUFFLED |= {name: {} for name in ("dp_fermi", "dp_fermi_all_attributes")}


@pytest.mark.parametrize("name", SHUFFLED)
def test_shuffled_batches_have_every_record_once_a_pass(name):
    found, (sampling, rate) = in_batches(name, **SHUFFLED[name])
    assert (sampling, rate) == ("shuffled", SIZE / N)
    passes = found.reshape(N, -1, N // SIZE).sum(axis=2)
    np.testing.assert_array_equal(passes, np.ones_like(passes))
    assert len({batch.tobytes() for batch in found.T}) > N  # in a new order


def test_the_samples_of_sieves_have_their_size_and_are_drawn_anew():
    """Of sieve_pc: for each sieve a sample without replacement, of the declared share."""
    records, options = 200, {"epsilon": 2.0}
    fit, data = catalog.algorithm("sieve_pc").fit, data_for("sieve_pc", records)
    with record() as tape:
        fit(data, **options, rng=np.random.default_rng(0))
    drawn = [k for k, entry in enumerate(tape) if entry.draw != ALL_RECORDS]
    found = np.zeros((records, len(drawn)), dtype=bool)
    for row in range(records):
        for step in (1, 2):  # one other record may give the same statistics
            values = data.values.copy()
            values[row] = (values[row] + step) % np.array(data.levels)
            with replay(tape) as again:
                fit(replace(data, values=values), **options, rng=np.random.default_rng(0))
            found[row] |= [not np.array_equal(tape[k].value, again[k].value) for k in drawn]
    ((sampling, rate),) = {(tape[k].draw.sampling, tape[k].draw.sampling_rate) for k in drawn}
    assert (sampling, rate < 1) == ("without_replacement", True)
    np.testing.assert_array_equal(found.sum(axis=0), round(records * rate))
    assert len({sample.tobytes() for sample in found.T}) == len(drawn) > 5
