"""The command line: one file per subcommand, which is imported only when it is called."""

from __future__ import annotations

import atexit
import difflib
import errno
import gc
import os
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# heading -> name of a command -> help text of one line; written here so that `dpfair --help`
# imports no command. Those of add-ons are entry points (entry_points.py)
GROUPS = {
    "Papers": {
        "reproduce": "Regenerate everything, check it, and write one HTML report.",
        "table": "Regenerate tables next to the published values.",
        "plot": "Regenerate figures.",
        "check": "Compare our values with the published ones.",
        "judge": "Judge a published table of any field by a table of yours.",
        "explain": "Explain the verdict on one published value.",
        "diff": "Show what changed between two commits or folders, and why.",
        "new": "Make the files for another paper, with an example that runs.",
    },
    "Your table": {
        "domain": "Draft the file of public facts about your table.",
        "sweep": "Compare methods on one data set over a range of epsilon.",
        "train": "Train one method, save its model, and state what is private.",
        "choose": "Choose the best of several methods with differential privacy.",
        "predict": "Print the decisions of a saved model about records.",
        "gaps": "Compare the decisions about several groups, with intervals.",
        "sample": "Draw new records from a saved generator, as a table.",
    },
    "Privacy": {
        "audit": "Test the privacy guarantee of a method on neighbouring data.",
        "budget": "Set the privacy budget of your table, or show what is left.",
    },
    "Names": {
        "info": "List papers, methods, data sets and tasks, or describe one.",
        "fetch-data": "Download data sets, and check the SHA-256 of each file.",
    },
}
COMMANDS = dict(chain.from_iterable(map(dict.items, GROUPS.values())))
ADDED = "More"  # the heading of the commands of add-ons
GIVEN_ONCE = ("--method", "--eps", "--delta")  # a second value is no correction, but another fit
SIMILAR = 0.6  # least similarity of a proposed command; that of "mistake" and "table" is 0.5
HELP = "help"  # `dpfair help COMMAND` is `dpfair COMMAND --help`
KEPT = {  # command that continues where it stopped -> what it keeps
    "reproduce": "finished runs",
    "table": "finished runs",
    "plot": "finished runs",
    "sweep": "finished runs",
    "fetch-data": "fetched files",
}
NO_MEMORY = "not enough memory: close other programs, or use fewer rows or fewer --jobs"
DAMAGED_MODULE = (
    "a compiled file of Python is truncated, as a full disk leaves one: delete the folders "
    "__pycache__ of dpfair, which Python makes again"
)
TRUNCATED = "a compressed file is truncated: copy or fetch the file again"
NOT_LOADED = "failed to map segment"  # in the error of a library for which there is no memory
DIFFERS, MISTAKEN, FAILED, INTERRUPTED = 1, 2, 3, 130
EPILOG = (
    "`dpfair help COMMAND` describes a command, with examples. "
    "Exit codes: 0 done; 1 a failure found by check, reproduce or audit; 2 a mistake in the "
    "command, a name or a file, or missing runs; 3 a run failed; 130 interrupted."
)


SAY_LESS, SAY_MORE, FRESH = "dpfair.quiet", "dpfair.verbose", "dpfair.fresh"  # keys of ctx.meta
STDERR = "dpfair.stderr"  # what standard error was before -q


class OnUse:
    """Finds the modules of dpfair, and has each executed when one of its names is first used.

    A command can therefore import what it needs at the top of its file, and its help and the
    completion of its options wait for no scientific library.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """The module named `name`; None for the modules of commands and of other packages."""
        if not name.startswith("dpfair_cli.") or name.startswith(f"{__name__}."):
            return None  # Python asks the next finder
        found = PathFinder.find_spec(name, path, target)
        if found and found.loader:
            found.loader = LazyLoader(found.loader)
        return found


@contextmanager
def imports_on_use() -> Iterator[None]:
    """A context in which an imported module of dpfair is executed when it is first used."""
    sys.meta_path.insert(0, OnUse)
    try:
        yield
    finally:
        sys.meta_path.remove(OnUse)


class Lazy(click.Group):
    """A group of commands whose modules are imported only when a command is called.

    Errors of the user are printed as one line without a traceback.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs the command line; a closed standard stream is the null device."""
        _open_closed_streams()
        atexit.register(gc.freeze)  # else the end of the process searches all objects for 0.3 s
        try:
            return super().main(*args, **extra)
        except SystemExit as ended:
            # what is interrupted after `invoke`, click ends with 1
            if _signals and ended.code == 1:
                raise SystemExit(INTERRUPTED) from ended
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands in the order of the help text, those of add-ons last."""
        return [*COMMANDS, *_added()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command named `cmd_name`, imported from its module; None for an unknown name."""
        with imports_on_use():
            if cmd_name in COMMANDS:
                module = import_module(f"dpfair_cli.commands.{cmd_name.replace('-', '_')}")
                return inheriting(module.command)
            point = _added().get(cmd_name)
            return inheriting(point.load()) if point else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The remaining arguments; `help COMMAND` is read as `COMMAND --help`."""
        given = [*args[1:], "--help"] if args[:1] == [HELP] else args
        return super().parse_args(ctx, given)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The name of the command, the command, and its remaining arguments.

        A misspelt name is refused with the most similar name as a hint.
        """
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from dpfair_cli.commands.entry_points import INSTALL_AGAIN
            from dpfair_cli.contracts.errors import nearest

            names = self.list_commands(ctx)
            if args[0] not in names:
                close = difflib.get_close_matches(args[0], names, n=1, cutoff=SIMILAR)
                hint = nearest(args[0], close) if close else f"there are: {', '.join(names)}"
                # without any entry point, the name may be that of an add-on's command
                hint = hint if len(names) > len(COMMANDS) else INSTALL_AGAIN
                raise click.UsageError(f"unknown command {args[0]!r}: {hint}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command:  # always, but while a shell completes a word
            _refuse_repeated(click.Context(command, ctx, name, resilient_parsing=True), rest)
        return name, command, rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands below the headings of their groups, and then the options.

        The commands are not imported.
        """
        from dpfair_cli.commands.entry_points import summary

        groups = GROUPS | {ADDED: {name: summary(point) for name, point in _added().items()}}
        width = max(map(len, chain.from_iterable(groups.values())))  # texts begin in one column
        for heading, commands in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in commands.items()])
        click.Command.format_options(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; an error of the user becomes one line and an exit code."""
        # one line, without the place in the code of a library
        warnings.showwarning = lambda message, category, *_, **__: click.echo(
            f"{category.__name__}: {message}", err=True
        )
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # for encodings that lack a character
        _listen()
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # handled by click
        except (KeyboardInterrupt, Exception) as error:
            # pandas, for example, raises its own error when it is interrupted
            stopped = _stopped(KeyboardInterrupt() if _signals else error, ctx)
            if stopped is None:
                raise
            if ctx.meta.get(SAY_MORE):
                click.echo("".join(traceback.format_exception(error)), err=True)
            raise stopped from error


def _added() -> Mapping[str, EntryPoint]:
    """The entry points of the commands of add-ons, by name."""
    # here, because the commands of dpfair itself need not wait for the entry points
    from dpfair_cli.commands import entry_points

    return entry_points.find(entry_points.COMMANDS)


def _refuse_repeated(ctx: click.Context, args: Sequence[str]) -> None:
    """Refuses a second value of an option that decides what is fitted; click would take the last.

    The context `ctx` of the command parses resiliently: other mistakes are found later.

    Raises:
        click.UsageError: one of GIVEN_ONCE has two values.
    """
    _, _, given = ctx.command.make_parser(ctx).parse_args(list(args))
    for one, count in Counter(given).items():
        if count > 1 and not one.multiple and one.opts[0] in GIVEN_ONCE:
            raise click.UsageError(f"{one.opts[0]} is given {count} times: give it once", ctx)


def inheriting(command: click.Command) -> click.Command:
    """The same command, which also takes the options of `dpfair` itself: -q and -v."""

    def get_params(ctx: click.Context) -> list[click.Parameter]:
        own = type(command).get_params(command, ctx)
        last = len(command.params)  # after it, click adds --help
        return [*own[:last], QUIET, VERBOSE, *own[last:]]

    # of the object, because an add-on may declare its command by any class of click
    command.get_params = get_params  # type: ignore[method-assign]
    return command


_signals: list[int] = []  # received by the present command


def _listen() -> None:
    """Makes SIGTERM end a command as Ctrl-C does, and notes both; an ignored Ctrl-C stays so."""
    _signals.clear()
    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Notes the number of a signal and raises KeyboardInterrupt."""
    _signals.append(number)
    signal.default_int_handler(number, frame)


def _open_closed_streams() -> None:
    """Opens the null device as each standard stream that is closed, such as stdout by `>&-`.

    Otherwise the next opened file would have the number of the stream, and a text for the stream
    would be written into the file.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))


class Stopped(click.ClickException):
    """The message and exit code with which a command ends."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]


def _stopped(error: BaseException, ctx: click.Context) -> Stopped | None:
    """The message and exit code for an error of the user or the machine; None for other errors.

    An error for which None is returned is a bug of dpfair and is shown with its traceback.
    """
    from dpfair_cli.contracts.errors import DpfairError, RunsFailedError

    kept = KEPT.get(ctx.invoked_subcommand or "", "")
    without = " without --fresh" if ctx.meta.get(FRESH) else ""
    match error:
        case KeyboardInterrupt():
            again = f": {kept} are kept, run the same command again{without} to continue"
            return Stopped(f"interrupted{again if kept else ''}", INTERRUPTED)
        case OSError():
            return _unusable(_named(error), f"{without}, {kept} are kept" if kept else "")
        case MemoryError():
            return Stopped(NO_MEMORY, FAILED)
        case ImportError() if _lacks_memory(error):
            return Stopped(NO_MEMORY, FAILED)
        case EOFError() if "marshal" in str(error):  # the reader of compiled files of Python
            return Stopped(DAMAGED_MODULE, FAILED)
        case EOFError():
            return Stopped(TRUNCATED, MISTAKEN)
        case DpfairError():
            return Stopped(str(error), FAILED if isinstance(error, RunsFailedError) else MISTAKEN)
    return None


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether an import failed because there is no memory for a library.

    Some libraries raise another error in response to the one that says so.
    """
    if error is None:
        return False
    return NOT_LOADED in str(error) or _lacks_memory(error.__cause__ or error.__context__)


def _named(error: OSError) -> OSError:
    """The same error, which names standard output if writing there failed.

    Standard output is then redirected to the null device. Otherwise Python would write the rest of
    the output at exit and fail again.
    """
    echoing = [
        frame.f_locals
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if frame.f_code is click.echo.__code__
    ]
    if error.filename or not echoing or echoing[-1].get("err"):
        return error
    error.filename = "standard output"
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    return error


def _unusable(error: OSError, kept: str) -> Stopped:
    """The message and exit code for a file or an address that cannot be used.

    `kept` ends the advice to run the command once more.
    """
    name = f" {error.filename}" if error.filename else ""
    message = f"cannot use{name}: {error.strerror or error}"
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return Stopped(message, MISTAKEN)
    advice = f"delete files to make room and run the command again{kept}"
    return Stopped(f"{message}: {advice}", FAILED)


def _be_quiet(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Silences stderr while a command runs with `-q`; an error is shown after the command ends."""
    if wanted and not ctx.meta.get(SAY_LESS):
        ctx.meta[SAY_LESS] = True
        ctx.meta[STDERR] = sys.stderr
        nowhere = ctx.with_resource(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - the context closes it
        ctx.with_resource(redirect_stderr(nowhere))


def _be_verbose(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Notes `-v`, which may stand before or after the name of the command."""
    if wanted:
        ctx.meta[SAY_MORE] = True


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Prints the version for `--version`, and ends."""
    if wanted:
        from importlib.metadata import version  # takes a fifth of the time of `--help`

        click.echo(f"dpfair {version('dpfair')}")
        ctx.exit()


QUIET = click.Option(
    ["-q", "--quiet"],
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print only results and errors.",
)
VERBOSE = click.Option(
    ["-v", "--verbose"],
    is_flag=True,
    expose_value=False,
    callback=_be_verbose,
    help="Print every planned run, every variant in a table, every cell of a check, and the "
    "traceback of an error.",
)


@click.group(
    cls=Lazy,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[QUIET, VERBOSE],  # which each command takes, too
)
@click.option(
    "--version",
    is_flag=True,
    callback=_version,
    expose_value=False,
    is_eager=True,
    help="Print the version.",
)
def main() -> None:
    """Regenerate tables and figures of works on private and fair learning.

    \b
    dpfair reproduce                    everything, from the committed runs
    dpfair table xu2021/table8.1        one table, next to the published values
    dpfair sweep adult --eps 0.01..10   methods on one data set over epsilon
    """
