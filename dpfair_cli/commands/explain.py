"""`dpfair explain`: everything about one published cell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

import click

from dpfair_cli import paths
from dpfair_cli.commands import MISTAKEN, Stopped, input_validation, options, terminal
from dpfair_cli.commands.check import not_run, refuse_incomplete, relative, say_whose
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.reporting import check_page, explanation, json_writer, text_writer
from dpfair_cli.reproduction import artefact as artefacts
from dpfair_cli.running import spec

OWN_OPTIONS = ("dataset", "method", "metric", "epsilon")  # all other names are given with --set


@dataclass(frozen=True)
class ExplainOptions:
    """The arguments and options of the command."""

    name: str = argument(metavar="ARTEFACT", shell_complete=options.complete_artefact)
    method: str = option("--method", "The name of the method in the paper, such as PFLR.")
    dataset: str = option("--dataset", "The data set, such as adult.")
    metric: str = option(
        "--metric", "The score, such as accuracy, or its name in the table, such as RD."
    )
    epsilon: float | None = option("--eps", "The epsilon of the cell.")
    settings: tuple[str, ...] = option(
        "--set", "Another parameter of the cell, such as records=10000.", metavar="NAME=VALUE"
    )
    as_json: bool = options.JSON
    results: options.ResultsFolder = group(options.ResultsFolder)

    def query(self) -> explanation.CellQuery:
        """The published cells that are asked for."""
        parameters = options.parse_settings(self.settings)
        parameters |= {} if self.epsilon is None else {"epsilon": self.epsilon}
        return explanation.CellQuery(self.method, self.dataset, self.metric, parameters)


@declared("explain", ExplainOptions)
def command(asked: ExplainOptions) -> None:
    """Explain the verdict on one published number (a cell), without making a run.

    \b
    dpfair explain xu2021/table8.2 --method PFLR --eps 1 --metric accuracy

    The command prints the published value and ours, the verdict and the rule behind the verdict,
    the score of each run, the verdict under every variant of the method, the explanation with its
    evidence, the claims about the cell, and the files that hold these facts. If several cells fit
    the options, the command lists these cells, each with the options that choose it.
    """
    query, run_options = asked.query(), asked.results.reading()
    say_whose()  # before anything is read, which may fail
    loaded = spec.load(asked.name)
    input_validation.check_premises([loaded], run_options.paper)
    found = explanations(artefacts.Artefact(loaded, run_options), query)
    form = text_writer.TextForm(terminal.width(), terminal.paint)
    if asked.as_json:
        terminal.echo_json(list(map(json_writer.explanation, found)))
    elif len(found) == 1:
        click.echo(explanation.text(found[0], form), nl=False)
    else:
        cells = [one.cell for one in found]
        click.echo(f"{asked.name}: {len(cells)} published cells fit; add the options of one cell:")
        words = list(map(_options, explanation.distinguishing(cells, loaded)))
        click.echo("\n".join(explanation.candidate_lines(cells, words, form)))


def explanations(
    artefact: artefacts.Artefact, query: explanation.CellQuery
) -> list[explanation.CellExplanation]:
    """The explanations of the published cells that fit a query.

    Raises:
        Stopped: the artefact lacks runs.
        DpfairError: no cell fits.
    """
    refuse_incomplete([artefact])  # a verdict on a part of the runs would be another one
    if not artefact.runs.number:
        raise Stopped(f"{artefact.spec.artefact} has no runs: {not_run(artefact)}", MISTAKEN)
    verdicts = artefact.verdicts()
    cells = explanation.find_cells(verdicts.cells, artefact.spec, query)
    # the files are those of this machine, whoever made the runs
    files, claims = files_of(artefact), verdicts.claims
    return [explanation.explain(cell, artefact.spec, claims, files) for cell in cells]


def files_of(artefact: artefacts.Artefact) -> dict[str, str]:
    """Paths of files about an artefact that exist, by description of the file."""
    name = artefact.spec.name
    sources, results = paths.paper_folder(artefact.spec.paper), artefact.folder.parent
    files = {
        "spec": sources / f"{name}.yaml",
        "published values": sources / "published.csv",
        "deviations": sources / "deviations.yaml",
        "runs": artefact.folder / "runs.jsonl",
        "all verdicts": artefact.folder / "check.md",
    }
    for page in check_page.sources(sources):
        if f'"{name}"' in page.read_text(encoding="utf-8"):  # as templates name artefacts
            files[f"page {page.stem}"] = results / page.name
    return {name: relative(file).as_posix() for name, file in files.items() if file.exists()}


def _options(chosen: Mapping[str, str]) -> str:
    """The command options that select the cell, such as "--epsilon 1" and "--set nodes=10"."""
    words = []
    for name, value in chosen.items():
        own = name in OWN_OPTIONS
        words += [f"--{name if own else 'set'}", shlex.quote(value if own else f"{name}={value}")]
    return " ".join(words)
