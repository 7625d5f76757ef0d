"""One fit and everything that can be said of it: scores, what it claims, what it used."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpfair_cli import arithmetic, catalog, download, runner
from dpfair_cli.contracts import DpfairError, Observations, Records, Score
from dpfair_cli.models.descent import Forgetful, kept
from dpfair_cli.progress import EpochBar
from dpfair_cli.spec import Part, Run


@dataclass(frozen=True, eq=False)
class Trained:
    """A model with its scores, its privacy statement in words, and what a model file says about it."""

    model: Any
    scores: Mapping[str, Score]
    statement: Mapping[str, str]
    about: Mapping[str, Any]


def train(
    dataset: str,
    options: Mapping[str, Any],
    method: str,
    params: Mapping[str, Any],
    *,
    seed: int | None,
    data_dir: Path,
) -> Trained:
    """Fit `method` on a split of `dataset`: the same fit as the runner's with this seed, or with a secret one (None).

    Raises:
        DpfairError: an unknown name or parameter, the data are not here, or the method refuses them.
    """
    catalog.require_fit(dataset, method)
    task = catalog.task_of(dataset)
    run = Run(
        Part(task, catalog.complete("tasks", task, {})),
        Part(dataset, catalog.complete("datasets", dataset, options)),
        Part(method, catalog.complete("algorithms", method, params)),
        secrets.randbits(128) if seed is None else seed,
    )
    located = download.locate(dataset, run.dataset.params, data_dir=data_dir, replica_ok=True)
    try:
        case = runner.split(download.load(located, run.dataset.params), run)
        with kept(EpochBar(f"{dataset}, {method}", Forgetful())):
            model, scores = runner.fit_and_score(case, run)
    except ValueError as error:
        raise DpfairError(f"{method} on {dataset}: {error}") from error
    arithmetic.warn(arithmetic.unsettled())
    identity = runner.identity(run, located, {part: runner.as_json(part.params) for part in run[:3]})
    noise = "from a secret seed" if seed is None else f"from the known seed {seed}: not for release, use --seed secret"
    columns, bounds = _known(case.train)
    statement = _statement(run, bounds, replica=located.replica) | {"noise": noise}
    about = {**identity, "seed": seed, "columns": list(columns), "privacy": statement, "scores": scores}
    return Trained(model, scores, statement, about)


def _known(train: Records | Observations) -> tuple[tuple[str, ...], str]:
    """The names of what a fit saw, and where their ranges and levels are from."""
    if isinstance(train, Observations):
        return train.names, train.bounds
    return train.domain.columns, train.domain.bounds


def _statement(run: Run, bounds: str, *, replica: bool) -> dict[str, str]:
    stated = catalog.statement(run.algorithm.name)
    budget = {key: f"{run.algorithm.params[key]:g}" for key in ("epsilon", "delta") if key in run.algorithm.params}
    words = {
        "public": "public (from the data set's documentation)",
        "data": "data (read from the private data: a leak)",
    }
    source = {"data": "REPLICA: not the real data"} if replica else {}
    fields = {key.lower(): stated[key] for key in ("Privacy", "Neighbours", "Status", "Source")}
    fields["status"] = catalog.status(run.algorithm.name, run.algorithm.params)
    return {**source, **budget, **fields, "bounds": words[bounds]}
