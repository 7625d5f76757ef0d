"""`dpfair new`: makes the files of another paper, whose spec runs unchanged, and schemas."""

from __future__ import annotations

import re
from pathlib import Path

import click

from dpfair_cli.commands import MISTAKEN, Stopped, terminal
from dpfair_cli.reporting import markup
from dpfair_cli.reproduction import file_schemas

FILES = {  # template -> file of the paper's folder
    "new_paper_table1.yaml.j2": "table1.yaml",
    "new_paper_published.csv.j2": "published.csv",
    "new_paper_claims.yaml.j2": "claims.yaml",
    "new_paper_deviations.yaml.j2": "deviations.yaml",
    "new_paper_readme.md.j2": "README.md",
}
WORKFLOW = {"new_paper_workflow.yml.j2": ".github/workflows/reproduce.yml"}  # of a new project
IGNORED = {"new_paper_gitignore.j2": ".gitignore"}  # of a project without this file
NAME = re.compile(r"[a-z][a-z0-9_-]*")


@click.group("new")
def command() -> None:
    """Make the files of a new project.

    \b
    dpfair new paper smith2024    files for another paper
    dpfair new schemas            schemas for your editor
    """


@command.command("paper")
@click.argument("name")
def paper(name: str) -> None:
    """Make the files for the paper NAME, such as smith2024, with an example that runs.

    \b
    dpfair new paper smith2024

    The files are a spec (what a table runs and shows), published values, claims, deviations and a
    README that says what to change. If the working folder has a folder experiments/, the files are
    written to experiments/NAME. Otherwise the command makes a new project folder NAME/ with the
    files in NAME/experiments/NAME, and with a workflow for GitHub. If the project has no
    .gitignore, the command writes one.
    """
    from dpfair_cli.contracts.files import write_text  # loads PyYAML

    if not NAME.fullmatch(name):
        raise Stopped(
            "the name of a paper must consist of small letters and digits, such as "
            f"smith2024, got {name!r}",
            MISTAKEN,
        )
    is_project = Path("experiments").is_dir()
    project = Path() if is_project else Path(name)
    folder = project / "experiments" / name
    taken = folder if is_project else project  # a project is made as a whole or not at all
    if taken.exists():
        raise Stopped(
            f"{taken} exists already, so no file was written: give another name or delete the "
            "folder",
            MISTAKEN,
        )
    around = {} if is_project else WORKFLOW
    around = around if (project / ".gitignore").exists() else around | IGNORED
    targets = {template: folder / file for template, file in FILES.items()}
    targets |= {template: project / file for template, file in around.items()}
    # before anything is written: a mistake in a template leaves no half of a project
    texts = {file: markup.render(template, name=name) for template, file in targets.items()}
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, text)
        click.echo(file)
    enter = [] if is_project else [f"cd {name}"]
    readme = Path("experiments") / name / "README.md"
    terminal.say_next(*enter, f"dpfair table {name}/table1 --quick", f"less {readme}")


@command.command("schemas")
def schemas() -> None:
    """Write JSON Schemas of specs, claims.yaml and deviations.yaml to experiments/schema.

    \b
    dpfair new schemas

    An editor checks a file whose first line is, for example,

    # yaml-language-server: $schema=../schema/claims.schema.json

    The schemas know the methods, data sets, tasks and layouts that are installed. Write them again
    after you add one.
    """
    for file in file_schemas.write(Path()):
        click.echo(file)
