"""Private synthetic records from noisy tables of pairs of columns, which are chosen with noise.

Source: ours, in the manner of PrivSyn (Zhang et al. 2021), AIM (McKenna et al. 2022) and GEM
    (Liu, Vietri and Wu 2021).
Differs: The choice of pairs and the division of the noise among them are as in PrivSyn, the
    comparison with the model so far as in AIM, and a mixture of products is the model as in GEM.
    All noise is Gaussian, also that of the choice of pairs. The bins of numbers follow noisy
    counts on a public grid, of which a cell with many records is narrowed down to a single number
    if most of these records have it. Independence, measured at first with noisy shares, is the
    model of the first round, and the mixture that of the second round. A logistic regression is
    fitted to a sample of the mixture, so that the rule costs no further budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.gaussian_shares import shared_multipliers
from dpfair_cli.mechanisms.batches import subsample
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.sensitivity.tables_of_counts import l2_distances, l2_tables
from dpfair_cli.models.synthesis import spikes
from dpfair_cli.models.synthesis.column_cells import (
    CellBins,
    CountedColumn,
    bins_of_levels,
    bins_of_number,
    codes_of,
    columns_of,
    estimated_counts,
)
from dpfair_cli.models.synthesis.fixed_records import label_rule
from dpfair_cli.models.synthesis.mixture_records import DrawnRecords, MixtureRecords
from dpfair_cli.models.synthesis.pair_tables import PairTables
from dpfair_cli.models.synthesis.product_mixture import Measured, MixtureFit, Pair
from dpfair_cli.models.synthesis.spikes import SpikeSearch

# of cells, of spikes, and of the distances and tables of each round
SHARES = 0.15, 0.02, 0.06, 0.38, 0.05, 0.34
NOISE_KEPT = 0.5  # share of the noise of a table that is left when the mixture is fitted; ours


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    bins: Count = 10,
    components: Count = 150,
    steps: Count = 150,
    rng: np.random.Generator,
) -> MixtureRecords:
    """The private generator of records, with a rule that predicts the label of a record.

    Args:
        bins: The number of bins of a number whose values are all rare.
        components: The number of components of the mixture.
        steps: The number of steps of the fit of the mixture in each round; more follow the noise.

    Raises:
        ValueError: the records have the encoding "binned".
    """
    columns = columns_of(records.domain)
    # all, but for a record that an audit takes away
    present = subsample(len(records), size=len(records), rng=rng).rows
    n = max(len(records), 1)
    records = records.take(present)
    codes = codes_of(records, columns)
    m_cells, m_spikes, *m_rounds = shared_multipliers(epsilon, delta, *SHARES)

    # bound: a record is in one cell of each column; query: the counts of all cells and their sums
    counts = [column.counts(found) for column, found in zip(columns, codes, strict=True)]
    # release
    delta_2 = l2_tables([1.0] * sum(column.resolutions for column in columns))
    sigma = m_cells * delta_2
    noisy = gaussian(np.concatenate(counts), l2_sensitivity=delta_2, sigma=sigma, rng=rng)
    # post-process
    of_columns = _bins(noisy, columns, n, bins, sigma)
    least = max(n / bins, spikes.CERTAIN * m_spikes * math.sqrt(spikes.LEVELS))
    searches = spikes.searches(columns, of_columns, least)
    of_columns = spikes.with_spikes(of_columns, _narrowed(searches, records, m_spikes, rng=rng))

    places = [one.places[found] for one, found in zip(of_columns, codes, strict=True)]
    tables = PairTables(places, [one.size for one in of_columns], n)
    source = rng.spawn(1)[0]
    fitted = MixtureFit([one.shares for one in of_columns], components, source)
    model = fitted.independent
    measured: dict[Pair, Measured] = {}
    for multipliers in (m_rounds[:2], m_rounds[2:]):
        for pair, found in _measure(tables, model, *multipliers, rng=rng):
            measured[pair] = found.joined(measured.get(pair))
        mixture = fitted.fit(measured, steps)
        model = mixture.tables
    generator = DrawnRecords(mixture, of_columns, records.domain)
    return MixtureRecords(generator, label_rule(generator.sample(n, rng=source)))


def _narrowed(
    searches: list[SpikeSearch], records: Records, multiplier: float, *, rng: np.random.Generator
) -> list[SpikeSearch]:
    """The searches that end in a spike; the multiplier is that of all their releases together."""
    for _ in range(spikes.LEVELS):
        if not searches:
            break
        # bound: a record is in one part of each column; query: (searches, PARTS)
        query = np.array([search.counts(records) for search in searches])
        # release
        delta_2 = l2_tables([1.0] * len({search.column for search in searches}))
        sigma = multiplier * math.sqrt(spikes.LEVELS) * delta_2
        noisy = gaussian(query, l2_sensitivity=delta_2, sigma=sigma, rng=rng)
        # post-process
        pairs = zip(searches, noisy, strict=True)
        searches = [part for search, own in pairs if (part := search.narrowed(own, sigma))]
    return searches


def _measure(
    tables: PairTables,
    model: Floats,
    m_distances: float,
    m_tables: float,
    *,
    rng: np.random.Generator,
) -> list[tuple[Pair, Measured]]:
    """The noisy tables of the pairs that are far from the model, with noise of two multipliers."""
    # bound: a record is in one cell of each table; query: (pairs,)
    distances = tables.distances(model)
    # release
    delta_2 = l2_distances(len(tables.pairs))
    noisy = gaussian(distances, l2_sensitivity=delta_2, sigma=m_distances * delta_2, rng=rng)
    # post-process
    chosen, weights = _worth_measuring(noisy, tables.cells, m_tables)

    # bound: a record is in one cell of each table; query: the chosen tables times their weights
    query = tables.weighted(chosen, weights)
    # release
    delta_2 = l2_tables(weights)
    sigma = m_tables * delta_2
    noisy = gaussian(query, l2_sensitivity=delta_2, sigma=sigma, rng=rng)
    # post-process
    return list(tables.measured(noisy, chosen, weights, sigma))


def _bins(
    noisy: Floats, columns: Sequence[CountedColumn], n: int, most: int, sigma: float
) -> tuple[CellBins, ...]:
    """The bins of each column, from the noisy counts of all columns."""
    ends = np.cumsum([column.measured for column in columns])[:-1]
    found = []
    for column, own in zip(columns, np.split(noisy, ends), strict=True):
        counts = estimated_counts(own, column, n, sigma)
        is_number = column.is_number
        found.append(bins_of_number(counts, most) if is_number else bins_of_levels(counts, sigma))
    return tuple(found)


def _worth_measuring(
    distances: Floats, cells: Floats, multiplier: float
) -> tuple[list[int], Floats]:
    """The indices of the pairs to measure, and the weights of their tables, whose squares add to 1.

    Pairs are added one by one, as long as the sum of all errors falls: the noisy distances of the
    pairs that are not measured, and the expected noise of the others. Noise that is divided among
    tables adds to the smallest error if the square of a weight grows with cells^(2/3).
    """
    parts = cells ** (2 / 3)
    # the expected L1 norm of the noise is `multiplier` sqrt(2/pi) times the root of (sum parts)^3
    noise = NOISE_KEPT * multiplier * np.sqrt(2 / np.pi)
    gains, chosen, total = distances.clip(0.0), [int(np.argmax(distances / parts))], 0.0
    while len(chosen) < len(cells):
        total = parts[chosen].sum()
        others = np.setdiff1d(np.arange(len(cells)), chosen)
        costs = noise * ((total + parts[others]) ** 1.5 - total**1.5)
        best = int(np.argmax(gains[others] - costs))
        if gains[others[best]] <= costs[best]:
            break
        chosen.append(int(others[best]))
    weights = np.sqrt(parts[chosen] / parts[chosen].sum())
    return chosen, weights


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        "ours, in the manner of PrivSyn (Zhang et al. 2021), AIM (McKenna et al. 2022) and GEM "
        "(Liu, Vietri and Wu 2021)"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="the mixture, any number of records drawn from it, and a rule fitted to such",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof=(
            "mechanisms/sensitivity/tables_of_counts.py, mechanisms/accounting/gaussian_shares.py"
        ),
    ),
)
