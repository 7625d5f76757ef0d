"""`dpfair diff`: what changed between two commits, folders or journals, and why."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from dpfair_cli.commands import options
from dpfair_cli.commands.options import argument, declared, option
from dpfair_cli.diff import comparing, rendering, sides
from dpfair_cli.reporting import html_page


@dataclass(frozen=True)
class DiffOptions:
    """The arguments and options of the command."""

    before: str = argument(metavar="A")
    after: str | None = argument(metavar="[B]", required=False)
    names: tuple[str, ...] = argument(nargs=-1, metavar="[ARTEFACT|PAPER]...")
    as_json: bool = option("--json", "Print every change as JSON, with all digits.")
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

    A and B are commits, folders or journals (lists of the finished runs of an artefact). Without B,
    A is compared with the working folder. Reading a commit does not change the working folder. The
    rule of the installed version of dpfair decides the verdicts of both A and B. The cause of a
    change is the difference between the runs of A and B: code version, data, options or seeds. If
    these are equal, the cause is a difference of the libraries that made the results.
    """
    from dpfair_cli.contracts.files import write_text  # loads PyYAML

    before, after, html = asked.before, asked.after, asked.html
    options.require_free(html, "--html", inputs=[before, after], force=asked.force)
    # a name is that of an artefact or of a whole paper, and * stands for any text
    patterns = [*asked.names, *(f"{name}/*" for name in asked.names)] or ["*"]
    # a commit is read into a folder of its own, not into the working folder
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        old = sides.read_side(before, Path(one))
        new = sides.read_side(after, Path(other)) if after else sides.working_side()
        found = comparing.compare(
            old, new, lambda artefact: any(fnmatchcase(artefact, one) for one in patterns)
        )
        if html:
            write_text(html, rendering.page(found, _facts(before, after)))  # in full
            click.echo(html, err=True)
        render = rendering.as_json if asked.as_json else rendering.text
        click.echo(render(found), nl=False)


def _facts(before: str, after: str | None) -> list[html_page.Fact]:
    """The version of dpfair and the compared commits; a folder or a journal has no fact."""
    found = {"dpfair": f"version {version('dpfair')}"}
    for title, name in (("before", before), ("after", after)):
        if name is None:
            line = sides.present_commit()
            found |= {title: f"working folder at commit {line}"} if line else {}
        elif not Path(name).exists():
            found[title] = f"commit {sides.describe_commit(name)}"
    return [html_page.Fact(title, words) for title, words in found.items()]
