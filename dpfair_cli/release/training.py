"""One fit and everything that can be said of it: scores, what it promises, and the public facts of
its file.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.results import RecordGenerator
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import locate
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.models.tabular.decoding import decode
from dpfair_cli.provenance import arithmetic
from dpfair_cli.release import guarantee, saving
from dpfair_cli.running.plan import public_options
from dpfair_cli.running.progress import EpochBar
from dpfair_cli.running.runner import as_results


@dataclass(frozen=True, eq=False)
class Trained:
    """A model with its scores, which are not private, and the public facts that its file may say."""

    model: Any
    scores: Mapping[str, Any]
    origin: saving.Origin


@dataclass(frozen=True, eq=False)
class ReleasedFit(BoundFit):
    """A fit that draws from a generator of its own, which nothing but a release uses, whatever a
    study works with.
    """

    noise: np.random.Generator = field(kw_only=True)

    def __call__(self, data: Any, *, rng: np.random.Generator, **changed: Any) -> Any:
        """The algorithm fitted to `data`; `rng` is not used."""
        return super().__call__(data, rng=self.noise, **changed)


def train(
    dataset: str,
    options: Mapping[str, Any],
    method: str,
    params: Mapping[str, Any],
    *,
    seed: int | None,
    data_dir: Path,
) -> Trained:
    """Fit `method` on a split of `dataset`, with the operating system's noise or, given a seed,
    with noise known by it.

    Raises:
        DpfairError: an unknown name or parameter, the data are not here, or the method refuses
            them.
    """
    catalog.algorithm(method).require_complete(method)
    options = catalog.complete("datasets", dataset, options)
    params = catalog.complete("algorithms", method, params)
    located = locate(dataset, options, data_dir=data_dir, replica_ok=True)
    names: dict[str, Any] = {
        "dataset": dataset, "options": public_options(dataset, options), "algorithm": method, "params": params
    }  # fmt: skip
    name = catalog.task_for(dataset, method)
    task, protocol, algorithm = (
        catalog.task(name),
        catalog.complete("tasks", name, {}),
        catalog.algorithm(method),
    )
    noise = saving.release_generator(seed, {**names, "data": located.sha256})
    rng = np.random.default_rng(noise.integers(2**32, size=8))  # of split and scores
    context = TrainingContext(progress=EpochBar(f"{dataset}, {method}"))
    fit = ReleasedFit(method, algorithm, params, context, noise=noise)
    try:
        case = task.split(load(located, options), **protocol, rng=rng)
        with mechanisms_used() as mechanisms:
            outcome = task.study(fit, case, rng=rng)
    except ValueError as error:
        raise DpfairError(f"{method} on {dataset}: {error}") from error
    arithmetic.warn(arithmetic.unsettled())
    broken, bounds = guarantee.broken_by_bounds(case.train.bounds), _bounds(dataset, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said when the data were loaded
        table = catalog.dataset(dataset).table(**options)
    promised = guarantee.of_fit(
        method, params, bounds=bounds, mechanisms=mechanisms, seed=seed, broken=broken
    )
    versions = {
        "dataset": catalog.dataset(dataset).version,
        "task": task.version,
        "algorithm": algorithm.version,
    }
    origin = saving.Origin(
        **names,
        replica=located.replica,
        versions=versions,
        columns=case.train.columns,
        guarantee=promised,
        table=table,
    )
    scores = as_results(outcome)
    return Trained(outcome.model, scores["scores"] | scores.get("curves", {}), origin)


def _bounds(dataset: str, options: Mapping[str, Any]) -> str:
    """Where ranges, levels or nodes are from, in words."""
    declared = catalog.dataset(dataset)
    if declared.reads_bounds(options):
        return "read from the private data, a leak"
    files = " and ".join(declared.public_files)
    outside = f"; {OUTSIDE_RULE}" if "domain" in declared.public_files else ""
    return (
        f"by the user's word, in the file of {files}{outside}"
        if files
        else "of the data set's documentation"
    )


def sampled_table(generator: RecordGenerator, rows: int, *, seed: int) -> pd.DataFrame:
    """So many new records, as a table with the columns that the generator's data had before they
    were encoded.
    """
    records_rng, table_rng = np.random.default_rng(seed).spawn(2)
    return decode(generator.sample(rows, rng=records_rng), rng=table_rng)
