"""`dpfair audit`: tests the privacy guarantee of a method on neighbouring data sets."""

from __future__ import annotations

from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import DIFFERS, entry_points, options, terminal
from dpfair_cli.commands.json_output import echo_json

WIDE = 120  # columns of the text that does not go to a terminal

if TYPE_CHECKING:
    from dpfair_cli.auditing.report import Result
    from dpfair_cli.auditing.survey_rows import Audited


@click.command("audit")
@click.argument("method", default="", shell_complete=options.complete_method)
@click.argument("dataset", default="", shell_complete=options.complete_dataset)
@click.option(
    "--eps", "epsilon", type=float, default=1.0, show_default=True, help="The claimed epsilon."
)
@click.option(
    "--neighbours",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="The number of pairs of neighbouring data sets to try.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=60,
    show_default=True,
    help="Do not begin another pair after this time, or another epoch of --one-run on DATASET.",
)
@click.option(
    "--trials",
    type=click.IntRange(min=0),
    default=0,
    help="The number of fits on the worst pair, for a lower bound of epsilon.  [default: no bound]",
)
@click.option(
    "--one-run",
    is_flag=True,
    help="Train METHOD once on artificial records or on DATASET, for a lower bound of epsilon.",
)
@click.option(
    "--canaries",
    type=click.IntRange(min=5),
    default=500,
    show_default=True,
    help="With --one-run: the number of records whose use is guessed.",
)
@click.option(
    "--relation",
    type=click.Choice(["replace-one", "add-or-remove-one"]),
    default=None,
    help="The kind of neighbours for MODULE:FUNCTION.  [default: replace-one]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed of the audit.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Audit every private method and variant, and write results/audit.md.",
)
@options.settings
@options.as_json
@options.own_file
@options.data_dir
@options.out
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="The number of processes for --all.  [default: one for each processor]",
)
def command(
    method: str,
    dataset: str,
    epsilon: float,
    neighbours: int,
    seconds: float,
    trials: int,
    one_run: bool,
    canaries: int,
    relation: str | None,
    seed: int,
    everything: bool,
    settings: tuple[str, ...],
    as_json: bool,
    data_dir: Path,
    out: Path | None,
    jobs: int | None,
    **own: Any,
) -> None:
    """Test the privacy guarantee of METHOD on neighbouring data sets; exit 1 if refuted.

    The audit fits METHOD on small samples of DATASET, and again on a neighbour of each sample: for
    example, one record is replaced by a random or an extreme record. The second fit gets the noisy
    values of the first fit, and everything else must be equal. The audit prints three values of
    epsilon: the claimed one, the one that follows from the declared sensitivities, and the largest
    one found between two neighbours.

    The default of DATASET is the first data set that METHOD can be fitted to: adult,
    synthetic_categorical, or another one. For methods of numeric variables, give
    synthetic_gaussian. If files of DATASET are missing, the audit uses its synthetic replica.
    DATASET may be the path of your own CSV file, with --label, --protected and --domain.

    METHOD may also be released_scores, the noisy scores that the command train can publish, or
    choice_of_a_method, one try of the command choose.

    METHOD may be code of another project, as MODULE:FUNCTION. The function must take (X, y,
    epsilon, rng), and delta if --set gives a delta. The audit follows noise of rng.laplace,
    rng.normal, diffprivlib and Opacus. If it cannot follow the noise, it counts the outcomes of
    many fits to two neighbours, for a lower bound of epsilon with 99.9 % confidence.

    With --one-run, METHOD is trained once on artificial records (canaries). A coin decides for each
    canary whether the training sees the canary, or which label the canary has. The audit guesses
    the coins from the weights; the share of right guesses gives a lower bound of epsilon with 95 %
    confidence. If DATASET is given, the canaries are records of DATASET with shuffled labels, and
    the coins are guessed from the losses: for DPSGD, also of networks on images.
    """
    if everything:
        _survey(out, jobs, seed, as_json=as_json)
        return
    if not method:
        raise click.UsageError("a method is missing: name a method, such as pflr, or give --all")
    from dpfair_cli.auditing import report
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.running import progress

    options.require_usable_epsilon(epsilon)
    if epsilon == inf:
        raise DpfairError(
            "an audit tests a finite epsilon: without a privacy budget there is no guarantee to "
            "audit; give --eps a number"
        )
    given = options.parse_settings(settings) | {"epsilon": epsilon}
    try:
        if one_run:
            used, found = _trained_once(
                method, dataset, own, given, data_dir, canaries=canaries, seconds=seconds, seed=seed
            )
        else:
            with progress.bar(total=neighbours, desc=method, unit="pair", delay=1) as bar:
                amounts = {
                    "neighbours": neighbours,
                    "seconds": seconds,
                    "trials": trials,
                    "tick": bar.update,
                }
                used, found = _audited(
                    method, dataset, own, given, data_dir, relation, seed=seed, **amounts
                )
    except ValueError as error:
        raise DpfairError(f"{method}: {error}") from error
    if as_json:
        echo_json(report.plain(found, used))
    else:
        width = terminal.width() or WIDE
        click.echo("\n".join(report.lines(found, used, width)))
    if not found.holds:
        raise click.exceptions.Exit(DIFFERS)


def _audited(
    method: str,
    dataset: str,
    own: dict[str, Any],
    given: dict[str, Any],
    data_dir: Path,
    relation: str | None,
    *,
    seed: int,
    **amounts: Any,
) -> tuple[str, Result]:
    """The name of the data, and the finding of an audit of a method or of MODULE:FUNCTION."""
    from dpfair_cli import catalog
    from dpfair_cli.auditing.audit import audit
    from dpfair_cli.auditing.published import PUBLISHED, audit_published
    from dpfair_cli.auditing.subjects import candidates, load_data, subject
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.contracts.guarantees import Neighbours

    if ":" in method:
        data, params = options.resolve_data_set(dataset or "adult", own, given, [])
        records: Any
        used, records = load_data(data, data_dir, seed=seed)
        neighbours = Neighbours(relation or Neighbours.REPLACE_ONE)
        audit_function = entry_points.load(entry_points.AUDITS)["functions"]
        return used, audit_function(
            method, records, relation=neighbours, params=params, seed=seed, **amounts
        )
    if relation:
        raise DpfairError(
            f"--relation can only be given with MODULE:FUNCTION: the method {method} "
            "declares its neighbours itself"
        )
    if method in PUBLISHED:
        data, params = options.resolve_data_set(dataset or "adult", own, given, [])
        used, records = load_data(data, data_dir, seed=seed)
        return used, audit_published(method, records, params=params, seed=seed, **amounts)
    algorithms = [catalog.algorithm(method)]
    data, params = options.resolve_data_set(
        dataset or candidates(method)[0], own, given, algorithms
    )
    chosen = subject(method, data, params, data_dir, seed=seed)
    amounts |= {"params": chosen.params, "seed": seed}
    if method in catalog.algorithms.own_modules:
        return chosen.dataset, audit(method, chosen.data, **amounts)
    audit_registered = entry_points.load(entry_points.AUDITS)["algorithms"]
    return chosen.dataset, audit_registered(algorithms[0], chosen.data, **amounts)


def _trained_once(
    method: str,
    dataset: str,
    own: dict[str, Any],
    given: dict[str, Any],
    data_dir: Path,
    *,
    canaries: int,
    seconds: float,
    seed: int,
) -> tuple[str, Result]:
    """The name of the data, and the result of an audit that trains a method once on canaries."""
    from dpfair_cli import catalog
    from dpfair_cli.auditing.one_run import one_run
    from dpfair_cli.auditing.one_run_on_data import one_run_on_data
    from dpfair_cli.auditing.subjects import subject
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.running import progress

    if ":" in method:
        raise DpfairError(
            "--one-run can only be given with a method of dpfair: audit MODULE:FUNCTION without it"
        )
    algorithm = catalog.algorithm(method)
    limit = "without a limit of time"
    if dataset:
        limit = f"stopped at the end of the epoch after {seconds:g} seconds"
    click.echo(f"{method}: one training on {canaries} records, {limit}", err=True)
    amounts: Any = {"canaries": canaries, "seed": seed}
    if not dataset:
        with progress.clock(method):
            return "artificial records", one_run(
                method, params=algorithm.complete(given), **amounts
            )
    data, params = options.resolve_data_set(dataset, own, given, [algorithm])
    chosen = subject(method, data, params, data_dir, seed=seed)
    records: Any = chosen.data
    with progress.clock(method):
        found = one_run_on_data(method, records, params=chosen.params, seconds=seconds, **amounts)
    return chosen.dataset, found


def _survey(out: Path | None, jobs: int | None, seed: int, *, as_json: bool) -> None:
    """Audits all methods and writes the results; exits with 1 on a contradiction.

    A contradiction is an audit whose verdict does not fit the privacy status of the method.
    """
    from dataclasses import asdict

    from dpfair_cli import paths
    from dpfair_cli.auditing import survey_rows
    from dpfair_cli.reporting.audit_counts import describe_outcomes

    audited = _audited_under_a_bar(jobs, seed)
    for path in survey_rows.write(audited, out or paths.folder("results")):
        click.echo(path, err=True)
    wrong = [row for row in audited if row.contradicts]
    if as_json:
        echo_json([asdict(row) | {"against its label": row.contradicts} for row in audited])
    else:
        for row in wrong:
            click.echo(f"{row.method} {row.variant}: {row.label}, and the audit says {row.verdict}")
        counts = describe_outcomes(row.verdict for row in audited)
        click.echo(f"{counts}; {len(wrong)} against their label")
    if wrong:
        raise click.exceptions.Exit(DIFFERS)


def _audited_under_a_bar(jobs: int | None, seed: int) -> list[Audited]:
    """The audit of every method in a fixed order, computed in parallel under a progress bar.

    The order does not depend on which audit ends first.
    """
    from concurrent.futures import as_completed

    from dpfair_cli.auditing import survey
    from dpfair_cli.auditing.published import PUBLISHED
    from dpfair_cli.running import progress
    from dpfair_cli.running.pool import Workers, default_jobs

    plans = survey.plans()
    total = len(plans) + len(PUBLISHED)
    look = {"desc": "every method and variant", "unit": "audit", "delay": 1}
    with Workers(jobs or default_jobs()) as workers, progress.bar(total=total, **look) as bar:
        futures = [workers.submit(partial(survey.surveyed, plan, seed=seed)) for plan in plans]
        futures += [
            workers.submit(partial(survey.surveyed_published, name, seed=seed))
            for name in PUBLISHED
        ]
        for future in as_completed(futures):
            future.result()  # a fault ends the command at once
            progress.advance(bar, 1)
    return [future.result() for future in futures]
