"""Chooses the data and the parameters with which a method is audited."""

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

# data sets for audits, in order of preference; a method uses those that it can be fitted to
FIRST = ("adult", "synthetic_categorical", "synthetic_gaussian", "mnist")
EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Subject:
    """The data and the parameters with which a method is audited."""

    params: Mapping[str, Any]
    """All parameters of the method."""
    dataset: str
    """The name of the data set."""
    data: Data
    """The data."""


def subject(
    method: str,
    dataset: str,
    given: Mapping[str, Any],
    data_dir: Path,
    *,
    loading: Mapping[str, Any] = EMPTY,
    seed: int,
) -> Subject:
    """The data and all parameters with which a method can be audited.

    If the data are not in the data folder, their synthetic replica is used. For a population, a
    sample is drawn.

    Args:
        method: The name of the method.
        dataset: The name of a data set, or "" for the first data set that fits.
        given: Parameters of the method.
        data_dir: The data folder.
        loading: Options of the data set.
        seed: The seed for data drawn from a population.

    Raises:
        DpfairError: a name is unknown, the method has no guarantee, or the data do not fit.
    """
    algorithm = catalog.algorithm(method)
    if not algorithm.guarantee.is_private:
        raise DpfairError(
            f"{method} has no privacy guarantee that can be audited: choose a private method"
        )
    params = algorithm.complete(given)
    dataset = dataset or candidates(method)[0]
    if not matching.can_fit(algorithm, catalog.data_source(dataset)):
        raise DpfairError(
            f"{method} cannot be fitted to the data set {dataset}: choose one of "
            f"{', '.join(candidates(method))}"
        )
    known = catalog.data_source(dataset).parameters
    wanted = {key: value for key, value in algorithm.data_options.items() if key in known}
    data = load_data(dataset, data_dir, {**wanted, **loading}, seed=seed)
    return Subject(params, dataset, data)


def load_data(
    dataset: str, data_dir: Path, loading: Mapping[str, Any] = EMPTY, *, seed: int
) -> Data:
    """The data of the data set `dataset`, or its replica if the data folder lacks the data.

    For a population, a sample is drawn.
    """
    found = catalog.data_set(dataset, loading)
    data: Data = load(locate(found, data_dir=data_dir, replica_ok=True))
    if isinstance(data, Population):
        data = data.draw(np.random.default_rng(seed))[0]
    return data


def candidates(method: str) -> list[str]:
    """The names of the data sets on which a method can be audited.

    These are the data sets of FIRST that the method can be fitted to. If there are none, all data
    sets that the method can be fitted to.
    """
    algorithm = catalog.algorithm(method)
    sources = map(catalog.data_source, catalog.data_sources.names)
    fitting = [source for source in sources if matching.can_fit(algorithm, source)]
    here = [source.name for source in fitting if not source.own_files]
    return [name for name in FIRST if name in here] or here
