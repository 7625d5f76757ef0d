"""What the options and names that several commands share stand for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from dpfair_cli.contracts.devices import Device
    from dpfair_cli.reproduction.artefact import RunOptions


def run_options(
    *,
    data_dir: Path,
    out: Path | None,
    jobs: int | None,
    quick: bool = False,
    fresh: bool = False,
    collect: bool = False,
    cluster: str = "",
    device: Device | None = None,
    replicas: bool = False,
) -> RunOptions:
    """The options that several commands share, as one record.

    Without `out`, the results go to the folder results, and those of quick runs to results/quick.
    Replicas stand in for missing data in quick runs, and in other runs if `replicas` is set.

    Raises:
        DpfairError: the device of networks is not on this machine, which makes the runs.
    """
    from dpfair_cli import paths
    from dpfair_cli.contracts.devices import CPU
    from dpfair_cli.reproduction.artefact import RunOptions
    from dpfair_cli.running.pool import Workers, default_jobs

    out = out or (paths.folder("results") / "quick" if quick else paths.folder("results"))
    workers = Workers(jobs or default_jobs(), cluster)
    device = device or CPU
    if not (collect or cluster):
        device.require()
    return RunOptions(data_dir, out, workers, quick, fresh, collect, replicas, device)


def parse_shared_options(given: dict[str, Any]) -> tuple[RunOptions, dict[str, bool]]:
    """The run options, and `dry_run` and `as_json`, from the options that commands share."""
    form = {name: given.pop(name) for name in ("dry_run", "as_json")}
    if form["as_json"] and not form["dry_run"]:
        raise click.UsageError("--json can only be given together with --dry-run")
    if given["fresh"] and given["collect"]:
        raise click.UsageError(
            "--fresh and --collect exclude each other: --fresh makes every run again, "
            "--collect makes no run; give one of them"
        )
    return run_options(**given), form


def artefacts_of_kind(names: tuple[str, ...], everything: bool, kind: str) -> list[str]:
    """The names of the requested artefacts of a kind, `table` or `figure`.

    Raises:
        click.UsageError: no artefact is named, or an artefact is of another kind.
    """
    from dpfair_cli.running.artefact_names import artefacts, artefacts_named

    if not names and not everything:
        first = next((name for name in artefacts() if _kind(name) == kind), "one of a paper")
        raise click.UsageError(
            f"no artefact is named: name {kind}s, such as {first}, or give --all"
        )
    found = artefacts_named(names)
    others = [name for name in found if _kind(name) != kind]
    for name in set(others) & set(names):
        instead = "plot" if kind == "table" else "table"
        raise click.UsageError(f"{name} is not a {kind}: use `dpfair {instead}` instead")
    chosen = [name for name in found if name not in others]
    if not chosen:
        raise click.UsageError(
            f"the names {', '.join(found)} include no {kind}: use `dpfair reproduce` instead"
        )
    return chosen


def _kind(artefact: str) -> str:
    """`table` or `figure`: the kind of an artefact, given by the layout of its spec."""
    from dpfair_cli.running.spec import load

    return "figure" if load(artefact).layout.picture else "table"
