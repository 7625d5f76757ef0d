"""One fit and everything that can be said of it: scores, what it claims, what it used."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli import arithmetic, catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.results import PeopleGenerator
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.specs import Part, Run
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import locate
from dpfair_cli.models.tabular.decoding import decode
from dpfair_cli.running import plan, runner
from dpfair_cli.running.progress import EpochBar


@dataclass(frozen=True, eq=False)
class Trained:
    """A model with its scores, its privacy statement in words, and what a model file says of where it comes from."""

    model: Any
    scores: Mapping[str, Any]
    statement: Mapping[str, str]
    provenance: Mapping[str, Any]


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
    task = catalog.task_for(dataset, method)
    run = Run(
        Part(task, catalog.complete("tasks", task, {})),
        Part(dataset, catalog.complete("datasets", dataset, options)),
        Part(method, catalog.complete("algorithms", method, params)),
        secrets.randbits(128) if seed is None else seed,
    )
    located = locate(dataset, run.dataset.params, data_dir=data_dir, replica_ok=True)
    try:
        case = runner.split(load(located, run.dataset.params), run)
        outcome = runner.fit_and_score(case, run, TrainingContext(progress=EpochBar(f"{dataset}, {method}")))
    except ValueError as error:
        raise DpfairError(f"{method} on {dataset}: {error}") from error
    arithmetic.warn(arithmetic.unsettled())
    identity = plan.identity(run, located, {part: plan.as_json(part.params) for part in run[:3]})
    noise = "from a secret seed" if seed is None else f"from the known seed {seed}: not for release, use --seed secret"
    train = case.train
    statement = _statement(run, train.bounds, replica=located.replica) | {"noise": noise}
    scores = runner.as_results(outcome)
    provenance = {**identity, "seed": seed, "columns": list(train.columns), "privacy": statement, **scores}
    return Trained(outcome.model, scores["scores"] | scores.get("curves", {}), statement, provenance)


def sampled_table(generator: PeopleGenerator, rows: int, *, seed: int) -> pd.DataFrame:
    """So many new people, as a table with the columns that the generator's data had before they were encoded."""
    people_rng, table_rng = np.random.default_rng(seed).spawn(2)
    return decode(generator.sample(rows, rng=people_rng), rng=table_rng)


def _statement(run: Run, bounds: str, *, replica: bool) -> dict[str, str]:
    stated = catalog.statement(run.algorithm.name)
    budget = {key: f"{run.algorithm.params[key]:g}" for key in ("epsilon", "delta") if key in run.algorithm.params}
    source = {"data": "REPLICA: not the real data"} if replica else {}
    fields = {key.lower(): stated[key] for key in ("Privacy", "Neighbours", "Status", "Source")}
    fields["status"] = catalog.status(run.algorithm.name, run.algorithm.params)
    return {**source, **budget, **fields, **_public_facts(run, bounds)}


def _public_facts(run: Run, bounds: str) -> dict[str, str]:
    """Where ranges, levels, groups and labels come from, and what became of values outside."""
    if bounds == "data":
        return {"bounds": "data (read from the private data: void)"}
    options = run.dataset.params
    given = [name for name in catalog.dataset(run.dataset.name).public_files if options[name]]
    files = [f"the {name} file {Path(options[name]).name}" for name in given]
    outside = {"outside": OUTSIDE_RULE} if "domain" in given else {}
    source = " and ".join(files) or "the data set's documentation"
    return {"bounds": f"public (from {source})"} | outside
