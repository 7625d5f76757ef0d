"""`dpfair audit`: tests the privacy guarantee of a method on neighbouring data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import click

from dpfair_cli import catalog, paths
from dpfair_cli.auditing import audit, finding, one_run, survey, survey_rows
from dpfair_cli.commands import DIFFERS, check, entry_points, options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.contracts import guarantees
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting import score_tables
from dpfair_cli.running import pool, progress

EFFORT = ("neighbours", "seconds", "trials", "seed")  # options that an audit takes as they are
CANARIES = 500  # of --one-run, by default
WIDE = 120  # columns of the text that does not go to a terminal


@dataclass(frozen=True)
class AuditOptions:
    """The arguments and options of the command."""

    method: str = argument(default="", shell_complete=options.complete_method)
    dataset: str = argument(default="", shell_complete=options.complete_dataset)
    epsilon: float = option("--eps", "The claimed epsilon.", default=1.0)
    neighbours: int = option(
        "--neighbours",
        "The number of pairs of neighbouring data sets to try.",
        type=click.IntRange(min=1),
        default=200,
    )
    seconds: float = option(
        "--seconds",
        "Do not begin another pair after this time, or another epoch of --one-run on DATASET.",
        type=click.FloatRange(min=0),
        default=60,
    )
    trials: int = option(
        "--trials",
        "The number of fits on the worst pair, for a lower bound of epsilon; with --one-run, the "
        "number of records whose use is guessed.  [default: no bound; with --one-run 500]",
        type=click.IntRange(min=0),
        default=0,
        show_default=False,
    )
    one_run: bool = option(
        "--one-run",
        "Train METHOD once on artificial records or on DATASET, for a lower bound of epsilon.",
    )
    relation: str | None = option(
        "--relation",
        "The kind of neighbours for MODULE:FUNCTION.  [default: replace-one]",
        type=click.Choice(["replace-one", "add-or-remove-one"]),
    )
    seed: int = options.seed_option("The seed of the audit.")
    everything: bool = option(
        "--all", "Audit every private method and variant, and write results/audit.md."
    )
    settings: tuple[str, ...] = options.SETTINGS
    as_json: bool = options.JSON
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.DATA
    out: Path | None = options.out_option()
    jobs: int | None = options.jobs_option("The number of processes for --all.")

    def params(self) -> dict[str, Any]:
        """The parameters of the method and the options of the data that were given."""
        return options.parse_settings(self.settings) | {"epsilon": self.epsilon}


@declared("audit", AuditOptions)
def command(asked: AuditOptions) -> None:
    """Test the privacy guarantee of METHOD on neighbouring data sets; exit 1 if refuted.

    \b
    dpfair audit pflr                             fits to neighbouring samples
    dpfair audit dpsgd --one-run                  a bound from a single training
    dpfair audit my_module:my_function --eps 1    a function of yours

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
    if asked.everything:
        _survey(asked)
        return
    method = asked.method
    if not method:
        raise click.UsageError("a method is missing: name a method, such as pflr, or give --all")
    options.require_usable_epsilon(asked.epsilon)  # before data are loaded
    if asked.epsilon == inf:
        raise DpfairError(
            "an audit tests a finite epsilon: without a privacy budget there is no guarantee to "
            "audit; give --eps a number"
        )
    try:
        used, found = _trained_once(asked) if asked.one_run else _audited(asked)
    except ValueError as error:
        raise DpfairError(f"{method}: {error}") from error
    if asked.as_json:
        terminal.echo_json({"data": used, **found.plain()})
    else:
        click.echo("\n".join(finding.lines(found, used, terminal.width() or WIDE)))
    if not found.holds:
        raise click.exceptions.Exit(DIFFERS)


def _audited(asked: AuditOptions) -> tuple[str, finding.AuditResult]:
    """The name of the data, and the finding of an audit, made under a progress bar of the pairs.

    Raises:
        DpfairError: a name is unknown, or --relation is given for a method of dpfair.
    """
    method = asked.method
    if asked.relation and ":" not in method:
        raise DpfairError(
            f"--relation can only be given with MODULE:FUNCTION: the method {method} "
            "declares its neighbours itself"
        )
    used, records, params = _subject(asked)  # not a part of the time of the bar
    audit_subject = _audit_of(asked)
    look = {"desc": method, "unit": "pair", "delay": 1}
    left = progress.steady(limit=asked.seconds)
    with progress.bar(total=asked.neighbours, left=left, **look) as bar:
        effort = {name: getattr(asked, name) for name in EFFORT}
        return used, audit_subject(records, params=params, tick=bar.update, **effort)


def _audit_of(asked: AuditOptions) -> Callable[..., finding.AuditResult]:
    """The function that audits METHOD on records.

    METHOD is a method of dpfair or of a package that registers methods, code of another project, or
    what is published besides models.
    """
    method = asked.method
    if method in survey.PUBLISHED:
        return partial(survey.audit_published, method)
    if method in catalog.algorithms.own_modules:
        return partial(audit.audit, method)
    audits = entry_points.load(entry_points.AUDITS)  # add-ons, which nothing imports
    if ":" not in method:
        return partial(audits["algorithms"], catalog.algorithm(method))
    relation = guarantees.Neighbours(asked.relation or guarantees.Neighbours.REPLACE_ONE)
    return partial(audits["functions"], method, relation=relation)


def _subject(asked: AuditOptions) -> tuple[str, Any, Mapping[str, Any]]:
    """The name of the data that are used, the data, and the parameters of the method."""
    method, name = asked.method, asked.dataset
    if ":" in method or method in survey.PUBLISHED:
        data, params = own_data.resolve_data_set(name or "adult", asked.own, asked.params(), [])
    else:
        algorithms = [catalog.algorithm(method)]  # an unknown name is refused here
        name = name or survey.candidates(method)[0]
        data, left = own_data.resolve_data_set(name, asked.own, asked.params(), algorithms)
        params = {**survey.completed(method, data, left)}
    return *survey.load_data(data, asked.data_dir, seed=asked.seed), params


def _trained_once(asked: AuditOptions) -> tuple[str, finding.AuditResult]:
    """The name of the data, and the result of an audit that trains a method once on canaries.

    Raises:
        DpfairError: a name is unknown, or is that of another project's function.
    """
    method = asked.method
    if ":" in method:
        raise DpfairError(
            "--one-run can only be given with a method of dpfair: audit MODULE:FUNCTION without it"
        )
    canaries = asked.trials or CANARIES
    amounts: Any = {"canaries": canaries, "seed": asked.seed}
    if asked.dataset:
        limit = f"stopped at the end of the epoch after {asked.seconds:g} seconds"
        used, records, params = _subject(asked)
        train = partial(one_run.one_run_on_data, method, records, seconds=asked.seconds)
    else:
        limit, used = "without a limit of time", "artificial records"  # these are few
        params = catalog.algorithm(method).complete(asked.params())
        train = partial(one_run.one_run, method)
    click.echo(f"{method}: one training on {canaries} records, {limit}", err=True)
    with progress.clock(method):
        return used, train(params=params, **amounts)


def _survey(asked: AuditOptions) -> None:
    """Audits all methods and writes the results; exits with 1 on a contradiction.

    A contradiction is an audit whose verdict does not fit the privacy status of the method.
    """
    audits = [partial(survey.surveyed, plan, seed=asked.seed) for plan in survey.plans()]
    names = survey.PUBLISHED
    audits += [partial(survey.surveyed_published, name, seed=asked.seed) for name in names]
    look = {"desc": "every method and variant", "unit": "audit", "delay": 1}
    workers = pool.Workers(asked.jobs or pool.default_jobs())
    with workers, progress.bar(total=len(audits), **look) as bar:
        futures = list(map(workers.submit, audits))
        for future in as_completed(futures):
            future.result()  # a fault ends the command at once
            progress.advance(bar, 1)
    # in a fixed order, whichever audit ends first
    audited = [future.result() for future in futures]
    for path in survey_rows.write(audited, asked.out or paths.folder("results")):
        click.echo(path, err=True)
    wrong = [row for row in audited if row.contradicts]
    if asked.as_json:
        terminal.echo_json(check.audits_as_json(audited))
    else:
        for row in wrong:  # what agrees is only counted: there are some hundred audits
            click.echo(f"{row.method} {row.variant}: {row.label}, and the audit says {row.verdict}")
        counts = score_tables.describe_outcomes(row.verdict for row in audited)
        click.echo(f"{counts}; {len(wrong)} against their label")
    if wrong:
        raise click.exceptions.Exit(DIFFERS)
