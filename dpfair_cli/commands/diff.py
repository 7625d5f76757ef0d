"""`dpfair diff`: what changed between two commits, folders or journals, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from dpfair_cli.commands import options, page_facts
from dpfair_cli.commands.records import argument, declared, option
from dpfair_cli.diff import comparing, rendering, sides


@dataclass(frozen=True)
class DiffOptions:
    """The arguments and options of the command."""

    before: str = argument(metavar="A")
    after: str | None = argument(metavar="[B]", required=False)
    names: tuple[str, ...] = argument(nargs=-1, metavar="[ARTEFACT|PAPER]...")
    as_json: bool = option("--json", "Print every change as JSON, with all digits.")
    as_markdown: bool = option("--markdown", "Print Markdown tables, for a pull request.")
    html: Path | None = options.target(
        "--html", "Also write an HTML page with the pictures of both states."
    )
    force: bool = options.FORCE


@declared("diff", DiffOptions)
def command(asked: DiffOptions) -> None:
    """Show which values, verdicts, claims and pictures differ between A and B, and why.

    \b
    dpfair diff HEAD~3                   a commit against the working folder
    dpfair diff v1 v2 xu2021             two commits; one paper
    dpfair diff old/ new/ --html d.html  two folders of results, or two projects
    dpfair diff a/runs.jsonl b/runs.jsonl

    A and B are commits, folders or journals (lists of finished runs). Without B, A is compared with
    the working folder. Reading a commit does not change the working folder. The rule of the
    installed version of dpfair decides the verdicts of both A and B. The cause of a change is the
    difference between the runs of A and B: code version, data, options or seeds. If these are
    equal, the cause is a difference of the libraries that made the results.
    """
    from dpfair_cli.contracts.files import write_text  # loads PyYAML

    if asked.as_json and asked.as_markdown:
        raise click.UsageError("--json and --markdown are two forms: give one of them")
    before, after, html = asked.before, asked.after, asked.html
    options.require_free(html, "--html", inputs=[before, after], force=asked.force)
    # a commit is read into a folder of its own, not into the working folder
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        old = sides.read_side(before, Path(one))
        new = sides.read_side(after, Path(other)) if after else sides.working_side()
        found = comparing.compare(old, new, _filter(asked.names))
        if html:
            facts = [page_facts.version_fact(), *page_facts.sides_facts(before, after)]
            write_text(html, rendering.page(found, facts))
            click.echo(html, err=True)
        plain = rendering.markdown if asked.as_markdown else rendering.text
        render = rendering.as_json if asked.as_json else plain
        click.echo(render(found), nl=False)


def _filter(names: tuple[str, ...]) -> Callable[[str], bool]:
    """A function that returns whether the name of an artefact matches one of `names`.

    A name is that of an artefact or of a paper, in which * stands for any text. Without names every
    artefact matches.
    """
    patterns = [*names, *(f"{name}/*" for name in names)] or ["*"]
    return lambda artefact: any(fnmatchcase(artefact, pattern) for pattern in patterns)
