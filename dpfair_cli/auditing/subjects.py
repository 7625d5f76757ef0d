"""Chooses the data and the parameters with which a method is audited."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import DataSet
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import load, locate
from dpfair_cli.kinds import Data, Population

# data sets for audits, in order of preference; a method uses those that it can be fitted to
FIRST = ("adult", "synthetic_categorical", "synthetic_gaussian", "mnist")


def completed(method: str, dataset: DataSet, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """All parameters of a method that is audited on a data set, of which some are `given`.

    Raises:
        DpfairError: a name is unknown, the method has no guarantee, or the data do not fit.
    """
    algorithm = catalog.algorithm(method)
    if not algorithm.guarantee.is_private:
        raise DpfairError(
            f"{method} has no privacy guarantee that can be audited: choose a private method"
        )
    params = algorithm.complete(given)
    if not matching.can_fit(algorithm, dataset.source):
        raise DpfairError(
            f"{method} cannot be fitted to the data set {dataset.name}: choose one of "
            f"{', '.join(candidates(method))}"
        )
    return params


def load_data(dataset: DataSet, data_dir: Path, *, seed: int) -> tuple[str, Data]:
    """The name or the file of a data set, and its data.

    If the data folder lacks the data, its replica is used. For a population, a sample is drawn.
    """
    # an audit needs neighbours, and not the real records
    located = locate(dataset, data_dir=data_dir, replica_ok=True)
    data: Data = load(located)
    if isinstance(data, Population):
        data = data.draw(np.random.default_rng(seed))[0]
    name = str(dataset.options.get("file", dataset.name))
    return f"{name}, a synthetic replica" if located.replica else name, data


def candidates(method: str) -> list[str]:
    """The names of the data sets on which a method can be audited.

    These are the data sets of FIRST that the method can be fitted to or, without any, all others.
    """
    algorithm = catalog.algorithm(method)
    sources = map(catalog.data_source, catalog.data_sources.names)
    fitting = [source for source in sources if matching.can_fit(algorithm, source)]
    here = [source.name for source in fitting if not source.own_files]
    return [name for name in FIRST if name in here] or here
