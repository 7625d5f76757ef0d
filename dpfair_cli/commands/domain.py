"""`dpfair domain`: draft the domain file of a user's table, and say what each column becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import click

from dpfair_cli.commands import options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, option
from dpfair_cli.formats import domain_draft, domain_file, table_parts, user_table
from dpfair_cli.models.tabular import outside_values
from dpfair_cli.release import table_on_cluster

DRAFT = "is a draft that was read from the data: no fit is private until you confirm the draft"
SEPARATORS = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}
ROLES = ("label", "protected", "positive")  # the columns, and the value, that have a role


@dataclass(frozen=True)
class DomainOptions:
    """The arguments and options of the command."""

    file: str = argument(type=click.Path(dir_okay=False))
    label: str = option("--label", "The column to be predicted.", metavar="COLUMN")
    protected: str = option(
        "--protected", "The column that defines the groups, such as sex.", metavar="COLUMN"
    )
    positive: str = option(
        "--positive", "The favourable label, or a comparison such as >15.", metavar="VALUE"
    )
    separator: str = option(
        "--sep", "The sign between two cells: , ; | tab blank.  [default: detected]", metavar="SIGN"
    )
    missing: tuple[str, ...] = option(
        "--missing",
        'A text that means "no value", in addition to the usual ones; may be repeated.',
        metavar="SIGN",
    )
    encoding: str = option(
        "--encoding",
        "The encoding of FILE, such as latin-1.  [default: detected]",
        metavar="NAME",
    )
    header: str = option(
        "--header",
        "The names of the columns: in the first line, missing, or A,B,C.  [default: detected]",
        metavar="first|none|A,B,C",
    )
    confirm: bool = option(
        "--confirm",
        "FILE is a domain file whose ranges, levels and groups you declare public: write it again "
        "without the remarks of the draft.",
    )
    out: Path | None = options.target(
        "--out",
        "The domain file to write.  [default: the name of FILE with .yaml, in the working folder]",
    )
    force: bool = options.FORCE
    cluster: str = options.cluster_option()
    as_json: bool = options.JSON

    def roles(self) -> dict[str, str]:
        """The columns and the value with a role that were given, by role."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role)}

    def dialect(self) -> dict[str, Any]:
        """How FILE is written; empty texts stand for what is detected."""
        names: Any = self.header
        if names not in ("", "first", "none"):
            names = tuple(name.strip() for name in names.split(","))
        separator = SEPARATORS.get(self.separator, self.separator)
        return {"separator": separator, "encoding": self.encoding, "header": names}


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
    from dpfair_cli.contracts.files import write_text  # loads PyYAML

    own_data.keep_private()  # a draft holds values of the private table
    if asked.confirm:
        _confirm(asked.file, asked.out or Path(asked.file))
        return
    own = own_data.completed_by_project(asked.roles(), asked.file)
    file = own_data.regular_file(asked.file)
    # the name in dpfair.yaml, so that the next command finds the file
    drafted = own.get("domain", f"{Path(file).name.split('.')[0] or 'own'}.yaml")
    target = asked.out or Path(drafted)
    options.require_free(target, "--out", inputs=[file], force=asked.force)
    draft = _draft(file, own, asked)
    write_text(target, domain_draft.draft_text(draft))  # also if the reader of stdout stops
    _show(file, draft, as_json=asked.as_json)
    if not asked.as_json:
        click.echo(f"\n{target} {DRAFT}")
    click.echo(target, err=True)
    terminal.say_next(f"dpfair domain --confirm {quote(str(target))}")


def _draft(file: str, own: Mapping[str, str], asked: DomainOptions) -> domain_draft.TableDraft:
    """The draft for a table, whose columns with a role are in `own`."""
    missing = {*outside_values.MISSING_SIGNS, *asked.missing}
    roles = domain_draft.Roles(missing, **{name: own.get(name, "") for name in ROLES})
    if asked.cluster:
        table_parts.require_plain(file)
    form = _form(file, [roles.label, roles.protected], asked.dialect())
    if not asked.cluster:
        return domain_draft.draft_table(file, form, roles)
    workers = own_data.cluster_workers(asked.cluster)
    return table_on_cluster.draft_on_cluster(file, form, roles, workers)


def _form(file: str, names: Iterable[str], dialect: Mapping[str, Any]) -> user_table.TableForm:
    """The CSV dialect of a table; a first row with all `names` that are given is the heading."""
    found, wanted = user_table.find_form(file, **dialect), {*filter(None, names)}
    if dialect["header"] or not wanted or not found.header or wanted <= {*found.header}:
        return found
    # a heading with numbers as names, such as 0 and 007, looks like a row
    with_names = user_table.find_form(file, **{**dialect, "header": "first"})
    return with_names if wanted <= {*user_table.read_heading(file, with_names)} else found


def _confirm(file: str, target: Path) -> None:
    """Writes a domain file again as confirmed, without remarks, and prints what is now public.

    The mark of a privacy ledger stays.
    """
    from dpfair_cli.contracts.files import write_text  # loads PyYAML

    options.require_no_ledger(target, "--out")  # FILE itself may be replaced
    found = domain_file.read_draft(file)
    text, untouched = domain_file.confirmed_text(found), domain_file.left_as_drafted(file)
    write_text(target, domain_file.marked_text(text) if found.has_ledger else text)
    click.echo(f"you declare that everybody may know this without the table:\n\n{text}")
    if untouched:
        names = ", ".join(untouched)
        words = "as it was drafted from the table: is it known without the table?"
        terminal.echo(f"  ? {names}: each entry is {words}", indent=4)
    click.echo(target, err=True)
    given = f"FILE --label COLUMN --protected COLUMN --domain {quote(str(target))}"
    terminal.say_next(
        f"dpfair sweep {given}", f"dpfair budget init --eps E --delta D {quote(str(target))}"
    )


def _show(file: str, draft: domain_draft.TableDraft, *, as_json: bool) -> None:
    """Prints the proposed use of each column, and the questions that the user should answer."""
    if as_json:
        columns = [
            {
                "name": one.name,
                "use": one.use,
                "kind": vars(one.type) if one.type else None,  # of a column that is used
                "questions": one.questions,
            }
            for one in draft.columns
        ]
        found = {"file": file, "rows": draft.rows, "form": vars(draft.form), "columns": columns}
        terminal.echo_json(found | {"questions": draft.questions})
        return
    click.echo(f"{file}: {draft.rows:,} rows; {user_table.describe_form(draft.form)}\n")
    terminal.echo_fields({column.name: column.use for column in draft.columns})
    if draft.questions:
        click.echo("\nquestions to answer:")
    for question in draft.questions:
        terminal.echo(f"  ? {question}", indent=4)
