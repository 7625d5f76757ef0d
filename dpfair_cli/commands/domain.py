"""`dpfair domain`: draft the domain file of a user's table, and say what each column becomes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import options, output_file, own_data, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpfair_cli.formats.domain_draft import TableDraft

DRAFT = "is a draft that was read from the data: no fit is private until you confirm the draft"
SEPARATORS = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True)
class DomainOptions:
    """The arguments and options of the command."""

    file: str = argument(type=click.Path(dir_okay=False))
    label: str = option("--label", default="", metavar="COLUMN", help="The column to be predicted.")
    protected: str = option(
        "--protected",
        default="",
        metavar="COLUMN",
        help="The column that defines the groups, such as sex.",
    )
    positive: str = option(
        "--positive", default="", metavar="VALUE", help="The favourable value of the label."
    )
    separator: str = option(
        "--sep",
        default="",
        metavar="SIGN",
        help="The sign between two cells: , ; | tab blank.  [default: detected]",
    )
    missing: tuple[str, ...] = option(
        "--missing",
        multiple=True,
        metavar="SIGN",
        help='A text that means "no value", in addition to the usual ones; may be repeated.',
    )
    encoding: str = option(
        "--encoding",
        default="",
        metavar="NAME",
        help="The encoding of FILE, such as latin-1.  [default: detected]",
    )
    header: str = option(
        "--header",
        default="",
        metavar="first|none|A,B,C",
        help="The names of the columns: in the first line, missing, or A,B,C.  [default: detected]",
    )
    confirm: bool = option(
        "--confirm",
        is_flag=True,
        help="FILE is a domain file whose ranges, levels and groups you declare public: write it "
        "again without the remarks of the draft.",
    )
    out: Path | None = output_file.target(
        "--out",
        "The domain file to write.  [default: the name of FILE with .yaml, in the working folder]",
    )
    force: bool = output_file.force()
    cluster: str = options.cluster_option()
    as_json: bool = options.json_option()

    def roles(self) -> dict[str, str]:
        """The columns and the value with a role that were given, by role."""
        named = {"label": self.label, "protected": self.protected, "positive": self.positive}
        return {role: name for role, name in named.items() if name}

    def dialect(self) -> dict[str, Any]:
        """How FILE is written; empty texts stand for what is detected."""
        return {
            "separator": SEPARATORS.get(self.separator, self.separator),
            "encoding": self.encoding,
            "header": _header(self.header),
        }


@declared("domain", DomainOptions)
def command(asked: DomainOptions) -> None:
    """Draft the domain file of your table: the types, levels and ranges of the columns.

    \b
    dpfair domain people.csv --label hired --protected sex
    dpfair domain --confirm people.yaml
    dpfair sweep people.csv --label hired --protected sex --domain people.yaml

    The command detects and prints the separator, the encoding and the header of FILE. The levels
    and ranges in the draft were read from the data, so no fit with the draft is private. Replace
    the levels and ranges by facts that are known without the table. Then confirm the draft: the
    domain file counts as public from then on. A file dpfair.yaml in the working folder gives
    the label, the protected column and the name of the domain file.
    """
    from dpfair_cli.contracts.files import write_text
    from dpfair_cli.formats.domain_draft import draft_text

    own_data.keep_private()
    if asked.confirm:
        _confirm(asked.file, asked.out or Path(asked.file))
        return
    own = own_data.completed_by_project(asked.roles(), asked.file)
    file = own_data.regular_file(asked.file)
    drafted = own.get("domain", f"{Path(file).name.split('.')[0] or 'own'}.yaml")
    target = asked.out or Path(drafted)
    output_file.require_free(target, "--out", inputs=[file], force=asked.force)
    draft = _draft(file, own, asked)
    write_text(target, draft_text(draft))  # also if the reader of stdout stops
    echo_json(_plain(file, draft)) if asked.as_json else _print(file, draft)
    if not asked.as_json:
        click.echo(f"\n{target} {DRAFT}")
    click.echo(target, err=True)


def _draft(file: str, own: Mapping[str, str], asked: DomainOptions) -> TableDraft:
    """The draft for a table, whose columns with a role are in `own`."""
    from dpfair_cli.formats.domain_draft import Roles, draft_table
    from dpfair_cli.formats.user_table import find_form
    from dpfair_cli.models.tabular.outside_values import MISSING_SIGNS

    named = {name: own.get(name, "") for name in ("label", "protected", "positive")}
    roles, dialect = Roles({*MISSING_SIGNS, *asked.missing}, **named), asked.dialect()
    if not asked.cluster:
        return draft_table(file, find_form(file, **dialect), roles)
    from dpfair_cli.formats.table_parts import find_long_form
    from dpfair_cli.release.table_on_cluster import draft_on_cluster

    workers = own_data.cluster_workers(asked.cluster)
    return draft_on_cluster(file, find_long_form(file, **dialect), roles, workers)


def _confirm(file: str, target: Path) -> None:
    """Writes a domain file again as confirmed, without remarks, and prints what is now public.

    The mark of a privacy ledger stays.
    """
    from dpfair_cli.contracts.files import write_text
    from dpfair_cli.formats.domain_file import confirmed_text, marked_text, read_draft

    output_file.require_no_ledger(target, "--out")
    found = read_draft(file)
    text = confirmed_text(found)
    write_text(target, marked_text(text) if found.has_ledger else text)
    click.echo(f"you declare that everybody may know this without the table:\n\n{text}")
    click.echo(target, err=True)


def _print(file: str, draft: TableDraft) -> None:
    """Prints the proposed use of each column, and the questions that the user should answer."""
    from dpfair_cli.formats import user_table

    click.echo(f"{file}: {draft.rows:,} rows; {user_table.describe_form(draft.form)}\n")
    width = max(len(column.name) for column in draft.columns)
    for column in draft.columns:
        terminal.echo(f"{column.name:{width}}  {column.use}", indent=width + 2)
    if draft.questions:
        click.echo("\nquestions to answer:")
    for question in draft.questions:
        terminal.echo(f"  ? {question}", indent=4)


def _plain(file: str, draft: TableDraft) -> dict[str, Any]:
    """The draft as mappings and lists for JSON; the type of an unused column is None."""
    columns = [
        {
            "name": one.name,
            "use": one.use,
            "kind": vars(one.type) if one.type else None,
            "questions": one.questions,
        }
        for one in draft.columns
    ]
    form = vars(draft.form)
    return {
        "file": file,
        "rows": draft.rows,
        "form": form,
        "columns": columns,
        "questions": draft.questions,
    }


def _header(text: str) -> Any:
    """The value of `--header`: a list of column names, or one of the words that it accepts."""
    return (
        text if text in ("", "first", "none") else tuple(name.strip() for name in text.split(","))
    )
