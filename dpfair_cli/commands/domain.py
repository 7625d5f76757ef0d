"""`dpfair domain`: draft the domain file of your own table, and say what becomes of each of its columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

SEPARATORS = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}


@click.command("domain")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--label", default="", metavar="COLUMN", help="What is to be predicted: its levels, favourable one last.")
@click.option("--protected", default="", metavar="COLUMN", help="Who is to be treated alike: its levels are groups.")
@click.option("--positive", default="", metavar="VALUE", help="The label value that is favourable.")
@click.option("--sep", default="", metavar="SIGN", help="Between cells: , ; | tab blank.  [default: found out]")
@click.option("--missing", multiple=True, metavar="SIGN", help="No value, beside the usual signs; may be repeated.")
@click.option("--encoding", default="", metavar="NAME", help="Such as utf-8 or latin-1.  [default: found out]")
@click.option("--header", default="", metavar="first|none|A,B,C", help="The columns' names.  [default: found out]")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="[default: FILE.yaml, here]")
def command(file: str, out: Path | None, **given: Any) -> None:
    """Draft the domain file of your own table: types, levels and ranges of its columns, for you to confirm.

    \b
    dpfair domain people.csv --label hired --protected sex
    dpfair sweep people.csv --label hired --protected sex --domain people.yaml

    How the file is written is found out and said: the sign between cells, the encoding, whether there is a heading.
    The draft holds what was read from the data. Nothing is private by it until you have put in its place what is known
    without the table, and written `confirmed: yes` into it.
    """
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.formats import domain_draft, own_table
    from dpfair_cli.formats.domain_text import as_yaml

    target = out or Path(f"{Path(file).name.split('.')[0] or 'own'}.yaml")
    if target.exists():
        raise DpfairError(f"{target} is there already, perhaps confirmed: give another --out, or delete it")
    separator, header = SEPARATORS.get(given["sep"], given["sep"]), _header(given["header"])
    form = own_table.find_form(file, separator=separator, encoding=given["encoding"], header=header)
    roles = {name: given[name] for name in ("label", "protected", "positive")}
    draft = domain_draft.draft_table(file, form, missing={*own_table.EMPTY, *given["missing"]}, **roles)
    click.echo(f"{file}: {draft.rows:,} rows; {own_table.describe_form(form)}\n")
    width = max(len(column.name) for column in draft.columns)
    for column in draft.columns:
        click.echo(f"{column.name:{width}}  {column.use}")
    if draft.questions:
        click.echo("\nto look at:")
    for question in draft.questions:
        click.echo(f"  ? {question}")
    target.write_text(as_yaml(Path(file).name, draft), encoding="utf-8")
    click.echo(f"\n{target} is a draft, read from the data: nothing is private by it until you confirm what it says.")
    click.echo(target, err=True)


def _header(text: str) -> Any:
    """The names in `--header`, or one of its words."""
    return text if text in ("", "first", "none") else tuple(name.strip() for name in text.split(","))
