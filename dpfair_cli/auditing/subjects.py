"""What a method is audited on: its parameters, and data that it can be fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import locate
from dpfair_cli.kinds import Data, Population

# what a method is audited on, if it can be fitted to one of them
FIRST = ("adult", "synthetic_categorical", "synthetic_gaussian", "mnist")
EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Subject:
    """All parameters of a method, and the data set, named and loaded."""

    params: Mapping[str, Any]
    dataset: str
    data: Data


def subject(
    method: str,
    dataset: str,
    given: Mapping[str, Any],
    data_dir: Path,
    *,
    loading: Mapping[str, Any] = EMPTY,
    seed: int,
) -> Subject:
    """The method with the parameters that are `given`, on a data set of that name or else the first
    that fits.

    `loading` are options of the data set. A replica serves where the data are not here; from a
    population, data are drawn.

    Raises:
        DpfairError: an unknown name, a method without a guarantee, or data that it cannot be fitted to.
    """
    algorithm = catalog.algorithm(method)
    if not algorithm.guarantee.is_private:
        raise DpfairError(f"{method} has no privacy guarantee: there is nothing to audit")
    params = algorithm.complete(given)
    dataset = dataset or candidates(method)[0]
    if not matching.can_fit(algorithm, catalog.data_source(dataset)):
        raise DpfairError(
            f"{method} cannot be fitted to {dataset}: name one of {', '.join(candidates(method))}"
        )
    return Subject(params, dataset, load_data(dataset, data_dir, loading, seed=seed))


def load_data(
    dataset: str, data_dir: Path, loading: Mapping[str, Any] = EMPTY, *, seed: int
) -> Data:
    """A data set by name, its replica where the data are not here, or data drawn from a population."""
    found = catalog.data_set(dataset, loading)
    data = load(locate(found, data_dir=data_dir, replica_ok=True))
    drawn: Data = (
        data.draw(np.random.default_rng(seed))[0] if isinstance(data, Population) else data
    )
    return drawn


def candidates(method: str) -> list[str]:
    """The data sets that a method is audited on, if it can be fitted to them; else all that it can
    be fitted to.
    """
    algorithm = catalog.algorithm(method)
    sources = map(catalog.data_source, catalog.data_sources.names)
    fitting = [source for source in sources if matching.can_fit(algorithm, source)]
    here = [source.name for source in fitting if not source.own_files]
    return [name for name in FIRST if name in here] or here
