"""`dpfair explain`: everything about one published cell."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import MISTAKEN, Stopped, options, terminal
from dpfair_cli.commands.check import refuse_incomplete, say_whose
from dpfair_cli.commands.check_output import shown
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, group, option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpfair_cli.contracts.specs import Spec
    from dpfair_cli.reporting.explanation import CellExplanation
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.verdicts.cells.finding import CellQuery
    from dpfair_cli.verdicts.cells.judged import JudgedCell

OWN_OPTIONS = ("dataset", "method", "metric", "epsilon")  # all other names are given with --set


@dataclass(frozen=True)
class ExplainOptions:
    """The arguments and options of the command."""

    name: str = argument(metavar="ARTEFACT", shell_complete=options.complete_artefact)
    method: str = option(
        "--method", default="", help="The name of the method in the paper, such as PFLR."
    )
    dataset: str = option("--dataset", default="", help="The data set, such as adult.")
    metric: str = option(
        "--metric",
        default="",
        help="The score, such as accuracy, or its name in the table, such as RD.",
    )
    epsilon: float | None = option(
        "--epsilon", type=float, default=None, help="The epsilon of the cell."
    )
    settings: tuple[str, ...] = option(
        "--set",
        multiple=True,
        metavar="NAME=VALUE",
        help="Another parameter of the cell, such as records=10000.",
    )
    as_json: bool = options.json_option()
    results: options.ResultsFolder = group(options.ResultsFolder)

    def query(self) -> CellQuery:
        """The published cells that are asked for."""
        from dpfair_cli.verdicts.cells.finding import CellQuery

        parameters = options.parse_settings(self.settings)
        parameters |= {} if self.epsilon is None else {"epsilon": self.epsilon}
        return CellQuery(self.method, self.dataset, self.metric, parameters)


@declared("explain", ExplainOptions)
def command(asked: ExplainOptions) -> None:
    """Explain the verdict on one published number (a cell), without making a run.

    \b
    dpfair explain xu2021/table8.2 --method PFLR --epsilon 1 --dataset adult --metric accuracy

    The command prints the published value and ours, the verdict and the rule behind the verdict,
    the score of each run, the verdict under every variant of the method, the explanation with its
    evidence, the claims about the cell, and the files that hold these facts. If several cells fit
    the options, the command lists these cells, each with the options that choose it.
    """
    from dpfair_cli.commands.input_validation import check_premises
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.running import spec

    query, run_options = asked.query(), asked.results.reading()
    say_whose()
    loaded = spec.load(asked.name)
    check_premises([loaded], run_options.paper)
    artefact = Artefact(loaded, run_options)
    found = explanations(artefact, query)
    if asked.as_json:
        print_json(found)
    elif len(found) == 1:
        print_text(found[0])
    else:
        print_candidates([one.cell for one in found], loaded)


def explanations(artefact: Artefact, query: CellQuery) -> list[CellExplanation]:
    """The explanations of the published cells that fit a query.

    Raises:
        Stopped: the artefact lacks runs.
        DpfairError: no cell fits.
    """
    from dpfair_cli.reporting.explanation import explain
    from dpfair_cli.verdicts.cells.finding import find_cells

    if artefact.judgement.missing_runs:
        refuse_incomplete([artefact])
    if not artefact.runs.number:
        why = "; ".join(sorted(set(artefact.judgement.not_run.values())))
        raise Stopped(f"{artefact.spec.artefact} has no runs: {why}", MISTAKEN)
    rows = artefact.runs.rows()
    verdicts = artefact.judgement.decide_with_findings()
    cells = find_cells(verdicts.cells, artefact.spec, query)
    files = files_of(artefact)
    return [explain(cell, artefact.spec, rows, verdicts.claims, files) for cell in cells]


def files_of(artefact: Artefact) -> dict[str, str]:
    """Paths of files about an artefact that exist, by description of the file."""
    from dpfair_cli import paths
    from dpfair_cli.reporting import check_page

    spec = artefact.spec
    sources, results = paths.paper_folder(spec.paper), artefact.folder.parent
    files = {
        "spec": sources / f"{spec.name}.yaml",
        "published values": sources / "published.csv",
        "deviations": sources / "deviations.yaml",
        "runs": artefact.folder / "runs.jsonl",
        "all verdicts": artefact.folder / "check.md",
    }
    for page in check_page.sources(sources):
        if f'"{spec.name}"' in page.read_text(encoding="utf-8"):
            files[f"page {page.stem}"] = results / page.name
    return {name: shown(file).as_posix() for name, file in files.items() if file.exists()}


def print_json(found: Sequence[CellExplanation]) -> None:
    """Prints explanations of published cells as a list in JSON."""
    from dpfair_cli.reporting import json_writer

    echo_json([json_writer.explanation(one) for one in found])


def print_text(found: CellExplanation) -> None:
    """Prints the explanation of a published cell as text."""
    from dpfair_cli.reporting import explanation
    from dpfair_cli.reporting.text_writer import TextForm

    form = TextForm(terminal.width(), terminal.paint)
    click.echo(explanation.text(found, form), nl=False)


def print_candidates(cells: Sequence[JudgedCell], spec: Spec) -> None:
    """Prints published cells with the command options that select each of them."""
    from dpfair_cli.reporting.explanation import candidate_lines, distinguishing
    from dpfair_cli.reporting.text_writer import TextForm

    click.echo(f"{spec.artefact}: {len(cells)} published cells fit; add the options of one cell:")
    words = list(map(_options, distinguishing(cells, spec)))
    for line in candidate_lines(cells, words, TextForm(terminal.width(), terminal.paint)):
        click.echo(line)


def _options(chosen: Mapping[str, str]) -> str:
    """The command options that select the cell with these names and values."""
    return " ".join(_option(name, value) for name, value in chosen.items())


def _option(name: str, value: str) -> str:
    """The command option for a name of a cell, such as "--epsilon 1" or "--set nodes=10"."""
    if name in OWN_OPTIONS:
        return f"--{name} {shlex.quote(value)}"
    return f"--set {shlex.quote(f'{name}={value}')}"
