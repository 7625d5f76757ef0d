"""The command line: one file per subcommand, loaded only when it is called."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import click

# name -> help; written here so that `dpfair --help` loads no command
COMMANDS = {
    "reproduce": "Every table and figure, then check, then one HTML report.",
    "table": "Regenerate tables beside the published values.",
    "plot": "Regenerate figures.",
    "check": "Published against ours; exit 1 on an unexplained difference.",
    "domain": "Draft the domain file of your own table, for you to confirm.",
    "sweep": "Accuracy and fairness of methods over a range of epsilon.",
    "train": "Train one method on one data set and say what it costs.",
    "predict": "Decisions of a saved model about the people of a file.",
    "sample": "New people from a saved generator, as a table.",
    "audit": "Replay every release of a method on neighbouring data.",
    "fetch-data": "Fetch data sets, checking the SHA-256 of each file.",
    "info": "What there is: data sets, methods, artefacts; what computes here.",
}


class Lazy(click.Group):
    """Commands by name; a user's mistake is one line, without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; unknown names are left to click, which proposes none, so we do."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"dpfair_cli.commands.{cmd_name.replace('-', '_')}")
        return module.command  # type: ignore[no-any-return]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Propose the nearest command for a misspelt one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from dpfair_cli.contracts.errors import nearest

            raise click.UsageError(f"no command {args[0]!r}: {nearest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their help, loading none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Turn what the user can mend into one line on stderr and exit code 1."""
        warnings.showwarning = _show_warning
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click knows what to do with these
        except OSError as error:
            name = f" {error.filename}" if error.filename else ""
            raise click.ClickException(f"cannot use{name}: {error.strerror or error}") from error
        except Exception as error:
            from dpfair_cli.contracts.errors import DpfairError

            if isinstance(error, DpfairError):
                raise click.ClickException(str(error)) from error
            raise


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    click.echo(f"{category.__name__}: {message}", err=True)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"dpfair {version('dpfair')}")
        ctx.exit()


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version."
)
def main() -> None:
    """Every table and figure of four works on private and fair learning, beside the published value.

    \b
    dpfair reproduce --quick            everything, small, in minutes
    dpfair table xu2021/table8.1        one table, ours beside the published
    dpfair sweep adult --eps 0.01..10   methods against the privacy budget
    """
