"""Priv-PC of Wang, Pang and Song: the sparse vector technique sieves the tests of PC.

Source: Wang, Pang and Song 2020, Towards practical differentially private causal graph discovery
    (NeurIPS).
Differs: A sieve is one use of the sparse vector technique: it looks for the next test that says
    independent, on a sample of the records. An examination repeats this test on all records.
    Categories are ordered codes, as in the authors' code. The authors' sensitivity of Kendall's z,
    6 / sqrt(n), is proved only without conditioning variables. With conditioning variables the
    sensitivity here depends on the number of possible strata (combinations of values of the
    conditioning variables), and tests with fewer than 32 records a stratum are left out. The
    authors stop at about the same number of conditioning variables. The authors report the epsilon
    that a run has spent. Here epsilon and delta are given, and the run ends after `hits_per_pair` p
    (p - 1) / 2 sieves and as many examinations, for p variables. A sieve costs as much as an
    examination, as in the paper, and the costs are composed by
    mechanisms/accounting/composition.py. All tests with conditioning sets of one size use the
    neighbours from before these tests, so that epsilon = infinity is PC with Kendall's test.
    p-values are two-sided. The level of the sieve is 0.8 `significance` (the authors use 0.08 for
    0.1). A test that passes the sieve is not sieved again. `statistic` "z" adds noise to |z|
    instead of the p-value. `sampling` "none" sieves on all records.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, expm1, inf, isinf
from typing import Literal

import numpy as np
from scipy.special import ndtri

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, Fraction, PositiveFinite, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.above_threshold import LARGEST_EXPONENT, above_threshold
from dpfair_cli.mechanisms.accounting.composition import step_epsilon
from dpfair_cli.mechanisms.batches import subsample
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.kendall_statistic import (
    kendall_sensitivity,
    p_value_sensitivity,
)
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.independence import kendall, strata_of
from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import questions

SIEVE = 0.8  # level of the sieve, relative to that of the examination
ENOUGH = 32  # records for each stratum
RATES = np.arange(0.05, 1.0001, 0.01)  # sampling rates to choose from; the authors stop at 1/20 too
Statistic = Literal["p_value", "z"]
Sampling = Literal["optimised", "none"]


@checked
def fit(
    observations: Observations,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-5,
    significance: Fraction = 0.01,
    hits_per_pair: PositiveFinite = 1.0,
    statistic: Statistic = "p_value",
    sampling: Sampling = "optimised",
    rng: np.random.Generator,
) -> CausalGraph:
    """The causal graph that Priv-PC of Wang, Pang and Song finds for ordered categories.

    Args:
        significance: The significance level of the independence tests.
        hits_per_pair: The number of sieves, and of examinations, for each pair of variables.
        statistic: The quantity that gets noise, the p-value or the absolute value of z.
        sampling: Whether a sieve uses a sample of the records, of the best size, or all records.

    Raises:
        ValueError: the variables are numbers.
    """
    if not observations.categorical:
        raise ValueError(
            "sieve_pc must be fitted to ordered categorical variables, got numerical ones"
        )
    n, p = max(len(observations), 1), len(observations.names)  # no record counts as one
    steps = 2 * ceil(hits_per_pair * p * (p - 1) / 2)
    epsilon_step, left = (
        step_epsilon(epsilon, delta, max(steps, 1)),
        inf if isinf(epsilon) else steps,
    )
    sampled = max(1, int(_sampling_rate(epsilon_step) * n)) if sampling == "optimised" else n
    graph, given, tests, reads = ~np.eye(p, dtype=bool), {}, 0, 0
    for asked in _blocks(graph, sampled, observations.levels):
        if left < 2:
            break
        while len(asked) and left >= 2:
            part = subsample(n, size=sampled, rng=rng)
            sample = observations.take(part.rows) if sampled < n else observations
            # query, in units of its sensitivity
            values = _evidence(sample, asked, SIEVE * significance, statistic)
            # release
            first = above_threshold(
                values, sensitivity=1, epsilon=epsilon_step, draw=part.draw, rng=rng
            )
            left, tests, reads = left - 1, tests + len(asked), reads + len(asked) * sampled
            if first == len(asked):
                break
            question, asked = asked[first], asked[first + 1 :]
            # query: a question that passed the sieve, on all records
            value = _evidence(observations, question[None], significance, statistic)
            # release
            noisy = laplace(value, l1_sensitivity=1, epsilon=epsilon_step, rng=rng)
            left, tests, reads = left - 1, tests + 1, reads + n
            if noisy[0] > 0:
                i, j, *separator = question.tolist()
                graph[i, j] = graph[j, i] = False
                given[i, j] = frozenset(separator)
                asked = asked[graph[asked[:, 0], asked[:, 1]]]
    return orient(graph, given, observations.names, tests=tests, reads=reads)


def _blocks(graph: Mask, records: int, levels: tuple[int, ...]) -> Iterator[Ints]:
    """Yields, order by order, blocks of independence questions (i, j, conditioning variables ...).

    A question whose strata are too many for `records` is left out. `graph` is the current graph (p,
    p), from which the caller removes edges between the blocks.
    """
    order, most = 0, max(records / ENOUGH, 1)  # strata
    while graph.sum(axis=1).max(initial=0) > order and np.prod(sorted(levels)[:order]) <= most:
        for block in questions(graph.copy(), order):
            yield block[strata_of(block, levels) <= most]
        order += 1


def _evidence(
    observations: Observations, asked: Ints, significance: float, statistic: Statistic
) -> Floats:
    """The scaled result of the independence test of each of the m questions `asked`, (m,).

    The result is (statistic - level) / sensitivity, where the level is the value of the statistic
    at `significance`. The result is positive where the test says independent.
    """
    strata, question = np.unique(strata_of(asked, observations.levels), return_inverse=True)
    moves = np.array([kendall_sensitivity(len(observations), k) for k in strata.tolist()])[question]
    test = kendall(observations)
    if statistic == "z":
        return np.asarray((-ndtri(significance / 2) - np.abs(test.statistics(asked))) / moves)
    return np.asarray((test.p_values(asked) - significance) / p_value_sensitivity(moves))


def _sampling_rate(epsilon: float) -> float:
    """The sampling rate at which one run of the sparse vector technique has the least noise.

    The run costs `epsilon`. A smaller sample has a larger sensitivity, proportional to 1 /
    sqrt(rate), and a larger epsilon on the sample (amplification by sampling).
    """
    if isinf(epsilon):
        return 1.0
    growth = expm1(min(epsilon, LARGEST_EXPONENT))
    return float(RATES[np.argmin(1 / (np.sqrt(RATES) * np.log1p(growth / RATES)))])


ALGORITHM = Algorithm(
    fit,
    source=(
        "Wang, Pang and Song 2020, Towards practical differentially private causal graph "
        "discovery (NeurIPS)"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="the graph",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records and the levels of the variables",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/kendall_statistic.py, mechanisms/accounting/composition.py",
    ),
)
