"""`dpfair audit`: tests the privacy guarantee of a method on neighbouring data sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import DIFFERS, entry_points, options, own_data, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, group, option

WIDE = 120  # columns of the text that does not go to a terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpfair_cli.auditing.finding import AuditResult
    from dpfair_cli.auditing.survey_rows import Audited


@dataclass(frozen=True)
class Effort:
    """How long an audit looks for a violation."""

    neighbours: int = option(
        "--neighbours",
        type=click.IntRange(min=1),
        default=200,
        show_default=True,
        help="The number of pairs of neighbouring data sets to try.",
    )
    seconds: float = option(
        "--seconds",
        type=click.FloatRange(min=0),
        default=60,
        show_default=True,
        help="Do not begin another pair after this time, or another epoch of --one-run on DATASET.",
    )
    trials: int = option(
        "--trials",
        type=click.IntRange(min=0),
        default=0,
        help="The number of fits on the worst pair, for a lower bound of epsilon.  [default: no "
        "bound]",
    )


@dataclass(frozen=True)
class AuditOptions:
    """The arguments and options of the command."""

    method: str = argument(default="", shell_complete=options.complete_method)
    dataset: str = argument(default="", shell_complete=options.complete_dataset)
    epsilon: float = option(
        "--eps", type=float, default=1.0, show_default=True, help="The claimed epsilon."
    )
    effort: Effort = group(Effort)
    one_run: bool = option(
        "--one-run",
        is_flag=True,
        help="Train METHOD once on artificial records or on DATASET, for a lower bound of epsilon.",
    )
    canaries: int = option(
        "--canaries",
        type=click.IntRange(min=5),
        default=500,
        show_default=True,
        help="With --one-run: the number of records whose use is guessed.",
    )
    relation: str | None = option(
        "--relation",
        type=click.Choice(["replace-one", "add-or-remove-one"]),
        default=None,
        help="The kind of neighbours for MODULE:FUNCTION.  [default: replace-one]",
    )
    seed: int = option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="The seed of the audit.",
    )
    everything: bool = option(
        "--all",
        is_flag=True,
        help="Audit every private method and variant, and write results/audit.md.",
    )
    settings: tuple[str, ...] = options.set_option()
    as_json: bool = options.json_option()
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.data_option()
    out: Path | None = options.out_option()
    jobs: int | None = options.jobs_option("The number of processes for --all.")

    def params(self) -> dict[str, Any]:
        """The parameters of the method and the options of the data that were given."""
        return options.parse_settings(self.settings) | {"epsilon": self.epsilon}


@declared("audit", AuditOptions)
def command(asked: AuditOptions) -> None:
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
    if asked.everything:
        _survey(asked)
        return
    method = asked.method
    if not method:
        raise click.UsageError("a method is missing: name a method, such as pflr, or give --all")
    from dpfair_cli.auditing.finding import lines
    from dpfair_cli.contracts.errors import DpfairError

    options.require_usable_epsilon(asked.epsilon)
    if asked.epsilon == inf:
        raise DpfairError(
            "an audit tests a finite epsilon: without a privacy budget there is no guarantee to "
            "audit; give --eps a number"
        )
    try:
        used, found = _trained_once(asked) if asked.one_run else _audited_with_progress(asked)
    except ValueError as error:
        raise DpfairError(f"{method}: {error}") from error
    if asked.as_json:
        echo_json({"data": used, **found.plain()})
    else:
        width = terminal.width() or WIDE
        click.echo("\n".join(lines(found, used, width)))
    if not found.holds:
        raise click.exceptions.Exit(DIFFERS)


def _audited_with_progress(asked: AuditOptions) -> tuple[str, AuditResult]:
    """As `_audited`, under a progress bar of the pairs."""
    from dpfair_cli.running import progress

    given, effort = asked.params(), asked.effort
    with progress.bar(total=effort.neighbours, desc=asked.method, unit="pair", delay=1) as bar:
        amounts = vars(effort) | {"tick": bar.update, "seed": asked.seed}
        return _audited(asked, given, amounts)


def _audited(
    asked: AuditOptions, given: Mapping[str, Any], amounts: dict[str, Any]
) -> tuple[str, AuditResult]:
    """The name of the data, and the finding of an audit of a method or of MODULE:FUNCTION.

    `amounts` are the seed and the effort of the audit.
    """
    from dpfair_cli import catalog
    from dpfair_cli.auditing.audit import audit
    from dpfair_cli.auditing.published import PUBLISHED, audit_published
    from dpfair_cli.auditing.subjects import candidates, completed, load_data
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.contracts.guarantees import Neighbours

    method, data_dir, seed = asked.method, asked.data_dir, asked.seed
    is_foreign = ":" in method
    if asked.relation and not is_foreign:
        raise DpfairError(
            f"--relation can only be given with MODULE:FUNCTION: the method {method} "
            "declares its neighbours itself"
        )
    if is_foreign or method in PUBLISHED:
        data, params = own_data.resolve_data_set(asked.dataset or "adult", asked.own, given, [])
        records: Any
        used, records = load_data(data, data_dir, seed=seed)
        amounts |= {"params": params}
        if not is_foreign:
            return used, audit_published(method, records, **amounts)
        neighbours = Neighbours(asked.relation or Neighbours.REPLACE_ONE)
        audit_function = entry_points.load(entry_points.AUDITS)["functions"]
        return used, audit_function(method, records, relation=neighbours, **amounts)
    algorithms = [catalog.algorithm(method)]
    name = asked.dataset or candidates(method)[0]
    data, params = own_data.resolve_data_set(name, asked.own, given, algorithms)
    amounts |= {"params": completed(method, data, params)}
    used, records = load_data(data, data_dir, seed=seed)
    if method in catalog.algorithms.own_modules:
        return used, audit(method, records, **amounts)
    audit_registered = entry_points.load(entry_points.AUDITS)["algorithms"]
    return used, audit_registered(algorithms[0], records, **amounts)


def _trained_once(asked: AuditOptions) -> tuple[str, AuditResult]:
    """The name of the data, and the result of an audit that trains a method once on canaries."""
    from dpfair_cli import catalog
    from dpfair_cli.auditing.one_run import one_run, one_run_on_data
    from dpfair_cli.auditing.subjects import completed, load_data
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.running import progress

    given, method, seconds = asked.params(), asked.method, asked.effort.seconds
    if ":" in method:
        raise DpfairError(
            "--one-run can only be given with a method of dpfair: audit MODULE:FUNCTION without it"
        )
    algorithm = catalog.algorithm(method)
    limit = "without a limit of time"
    if asked.dataset:
        limit = f"stopped at the end of the epoch after {seconds:g} seconds"
    click.echo(f"{method}: one training on {asked.canaries} records, {limit}", err=True)
    amounts: Any = {"canaries": asked.canaries, "seed": asked.seed}
    if not asked.dataset:
        params = algorithm.complete(given)
        with progress.clock(method):
            return "artificial records", one_run(method, params=params, **amounts)
    data, params = own_data.resolve_data_set(asked.dataset, asked.own, given, [algorithm])
    amounts |= {"params": completed(method, data, params), "seconds": seconds}
    records: Any
    used, records = load_data(data, asked.data_dir, seed=asked.seed)
    with progress.clock(method):
        return used, one_run_on_data(method, records, **amounts)


def _survey(asked: AuditOptions) -> None:
    """Audits all methods and writes the results; exits with 1 on a contradiction.

    A contradiction is an audit whose verdict does not fit the privacy status of the method.
    """
    from dpfair_cli import paths
    from dpfair_cli.auditing import survey_rows
    from dpfair_cli.reporting.audit_counts import describe_outcomes

    audited = _audited_under_a_bar(asked.jobs, asked.seed)
    for path in survey_rows.write(audited, asked.out or paths.folder("results")):
        click.echo(path, err=True)
    wrong = [row for row in audited if row.contradicts]
    if asked.as_json:
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
