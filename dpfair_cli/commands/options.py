"""The arguments and options of commands, each command's as one frozen record.

A record is a dataclass. Each field is an argument, an option, or a group of options that several
commands share, which is a record too:

    @dataclass(frozen=True)
    class Drawing:
        model: Path = argument()
        rows: int = option("--rows", "The number of records.", default=10)
        wide: bool = option("--wide", "Also write the columns of each step.")
        folders: Folders = group(Folders)

    @declared("draw", Drawing)
    def command(asked: Drawing) -> None: ...

The type of a field says how its value is read: a `bool` is a flag, a tuple may be given several
times, and what is not given is None where the type allows it, and else an empty text.

Below are the fields and groups that several commands share, and what the values of options and the
files that a command writes must not be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from dpfair_cli import papers, paths
from dpfair_cli.commands import FRESH
from dpfair_cli.contracts import files, training_context
from dpfair_cli.reproduction import runs
from dpfair_cli.running import artefact_names, pool

SMALLEST_EPSILON = 1e-9
LARGE_DELTA = 0.01  # published values of delta are 0.001 and less
PACKAGE = Path(__file__).resolve().parent.parent
LISTS = ("datasets", "methods", "tasks", "privacy", "artefacts", "arithmetic")  # of dpfair info
LEDGER = ".ledger"  # the end of the name of a privacy ledger
FOLDER = click.Path(file_okay=False, path_type=Path)

PARAMETER, GROUP = "parameter", "group"  # the keys of what a field stands for
SECOND_NAMES = {"--eps": "--epsilon"}

Record = TypeVar("Record")

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def option(name: str, help: str, **look: Any) -> Any:
    """A field with the value of the option `name`; `look` as of `click.Option`.

    A default that is stated in `look` is shown in the help.
    """

    def make(own: str, kind: Any) -> click.Parameter:
        given = {"show_default": "default" in look, **_reading(kind), **look}
        if look.get("required"):
            given.pop("default", None)  # else click would take it for a given value
        names = filter(None, (name, SECOND_NAMES.get(name), own))
        return click.Option([*names], help=help, **given)

    return field(metadata={PARAMETER: make})


def argument(**look: Any) -> Any:
    """A field with the value of the argument of the same name; `look` as of `click.Argument`."""

    def make(own: str, kind: Any) -> click.Parameter:
        # without it, click gives a text
        usual = {"type": click.Path(path_type=Path)} if kind is Path else {}
        return click.Argument([own], **(usual | look))

    return field(metadata={PARAMETER: make})


def group(record: type) -> Any:
    """A field with a record of options that several commands share."""
    return field(metadata={GROUP: record})


def declared(
    name: str, record: type[Record], cls: type[click.Command] = click.Command
) -> Callable[[Callable[[Record], None]], click.Command]:
    """A decorator: the command `name`, whose function gets its arguments and options as a record.

    The help lists the options in the order of the fields.
    """

    def decorate(function: Callable[[Record], None]) -> click.Command:
        @wraps(function)
        def call(**values: Any) -> None:
            function(filled(record, values))

        return click.command(name, cls=cls, params=parameters(record))(call)

    return decorate


def parameters(record: type) -> list[click.Parameter]:
    """The arguments and options of a record in the order of its fields, also those of groups."""
    kinds = get_type_hints(record)  # the annotations are texts
    found = []
    for one in fields(record):
        if GROUP in one.metadata:
            found += parameters(one.metadata[GROUP])
        else:
            found.append(one.metadata[PARAMETER](one.name, kinds[one.name]))
    return found


def filled(record: type[Record], values: Mapping[str, Any]) -> Record:
    """A record with the values of arguments and options, by name of the field."""
    chosen = {}
    for one in fields(record):  # type: ignore[arg-type] # mypy: a type variable is no dataclass
        inner = one.metadata.get(GROUP)
        # a group takes its values from the same mapping: a name stands once in a command
        chosen[one.name] = filled(inner, values) if inner else values[one.name]
    return record(**chosen)


def _reading(kind: Any) -> dict[str, Any]:
    """How click reads an option whose value has the type `kind`."""
    inner = next(iter(get_args(kind)), kind)  # of a tuple, or of a type that may be None
    read = click.Path(path_type=Path) if inner is Path else inner
    if kind is bool:
        return {"is_flag": True}
    if get_origin(kind) is tuple:
        return {"multiple": True, "type": read}
    return {"type": read, "default": "" if kind is str else None}


def _files_of(folder: str) -> set[str]:
    """The names of the modules in a folder of dpfair and of its papers, not imported."""
    package = (PACKAGE / folder).rglob("[!_]*.py")
    return {file.stem for file in (*package, *papers.modules(folder))}


def _artefacts() -> set[str]:
    """The names of all artefacts and of all papers."""
    names = set(artefact_names.artefacts())
    return names | {name.split("/")[0] for name in names}


def _topics() -> set[str]:
    """The topics of `dpfair info`."""
    files = map(_files_of, ("algorithms", "datasets", "tasks"))
    return _artefacts().union(LISTS, *files)


def _by_beginning(names: Callable[[], Iterable[str]]) -> Complete:
    """The completion of a word by those of the names that begin with it."""
    return lambda _, __, begun: sorted(name for name in names() if name.startswith(begun))


complete_method = _by_beginning(partial(_files_of, "algorithms"))
complete_task = _by_beginning(partial(_files_of, "tasks"))
complete_artefact = _by_beginning(_artefacts)
complete_topic = _by_beginning(_topics)


def complete_dataset(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    """The data sets whose name begins with the text `begun`, or files, for shell completion."""
    found = _by_beginning(partial(_files_of, "datasets"))(ctx, parameter, begun)
    return found or [CompletionItem(begun, type="file")]


def _note_fresh(ctx: click.Context, _: click.Parameter, wanted: bool) -> bool:
    """The value of --fresh, kept for the message of an interrupt: repeated, it starts over."""
    ctx.meta[FRESH] = wanted
    return wanted


DEVICES = click.Choice(training_context.NAMES)

# Fields of records. A dataclass writes the name and the type into a field, so that several records
# can have the same field only under the same name and with the same type.

DATA: Any = option(
    "--data-dir",
    "The folder of the data sets.  [env: DPFAIR_DATA; default: data, or the user's data folder]",
    type=FOLDER,
    default=paths.data_folder,
    show_default=False,  # its path is that of a machine
)
DELTA: Any = option(
    "--delta", "The delta of (epsilon, delta)-differential privacy, for methods with a delta."
)
DEVICE: Any = option(
    "--device",
    "The device on which networks are trained: the processor, a GPU of NVIDIA or of Apple.",
    type=DEVICES,
    default="cpu",
    callback=lambda _, __, name: training_context.Device(name),
)
FRESH_RUNS: Any = option(
    "--fresh",
    "Make all runs again; the old list of finished runs is kept as runs.jsonl.old.",
    callback=_note_fresh,
)
FORCE: Any = option("--force", "Replace the file that is to be written.")
JSON: Any = option("--json", "Print JSON.")
SETTINGS: Any = option(
    "--set",
    "A parameter of the method, such as fairness=shift, of the data set, such as nodes=20, or "
    "of the task, such as test_fraction=0.3.",
    metavar="KEY=VALUE",
)
TASK: Any = option(
    "--task",
    "The task (study protocol) that computes the scores; `dpfair info tasks` lists them.  "
    "[default: that of the data set]",
    metavar="NAME",
    shell_complete=complete_task,
)


def target(name: str, words: str, *, required: bool = False) -> Any:
    """The field of the option `name`: the path of a file to write; `words` are its help."""
    path = click.Path(dir_okay=False, path_type=Path)
    return option(name, words, type=path, required=required)


def names_argument(metavar: str) -> Any:
    """The field of the names of artefacts, of which there may be any number."""
    return argument(nargs=-1, metavar=metavar, shell_complete=complete_artefact)


def out_option(default: str = "results") -> Any:
    """The field of --out."""
    return option("--out", f"The folder of the results.  [default: {default}]", type=FOLDER)


def jobs_option(help: str = "The number of processes.") -> Any:
    """The field of --jobs."""
    words = f"{help}  [default: one for each processor]"
    return option("--jobs", words, type=click.IntRange(min=1))


def seed_option(help: str) -> Any:
    """The field of --seed."""
    return option("--seed", help, type=click.IntRange(min=0), default=0)


def cluster_option(does: str = "Read your table in parts") -> Any:
    """The field of --cluster; `does` says for what the cluster is used."""
    return option(
        "--cluster",
        f"{does} on the dask cluster at ADDRESS, such as tcp://host:8786. Everybody who reaches "
        "the cluster can read the data.",
        metavar="ADDRESS",
    )


@dataclass(frozen=True)
class ResultsFolder:
    """The folder of the results that a command reads without making a run."""

    out: Path | None = out_option()

    def reading(self, jobs: int | None = 1) -> runs.RunOptions:
        """The options of a command that makes no run, in a number of processes."""
        workers = pool.Workers(jobs or pool.default_jobs())
        results = self.out or paths.folder("results")
        return runs.RunOptions(paths.data_folder(), results, workers, collect=True)


@dataclass(frozen=True)
class Processes:
    """The processes that make runs, on this machine or on a cluster."""

    jobs: int | None = jobs_option()
    cluster: str = cluster_option("Make the runs")

    def workers(self) -> pool.Workers:
        """The processes, which start when they are needed."""
        return pool.Workers(self.jobs or pool.default_jobs(), self.cluster)


@dataclass(frozen=True)
class OwnFile:
    """The options that describe a user's own file."""

    label: str = option("--label", "The label column of your table.")
    protected: str = option(
        "--protected", "The column of your table that defines the groups, such as sex."
    )
    labels: Path | None = option("--labels", "The file with the class of each node of your graph.")
    positive: str = option(
        "--positive", "The favourable value of the label column, or a comparison such as >15."
    )
    domain: Path | None = option(
        "--domain",
        "YAML file with public ranges and levels of your table; `dpfair domain` drafts it.",
    )

    def given(self) -> dict[str, str]:
        """The options that were given, by name."""
        return {key: str(value) for key, value in vars(self).items() if value not in (None, "")}


@dataclass(frozen=True)
class Rendering:
    """The options of commands that make the runs of artefacts and write their files."""

    quick: bool = option(
        "--quick",
        "Make few runs, on synthetic replicas where data are missing. The verdicts of quick runs "
        "do not count.",
    )
    dry_run: bool = option(
        "--dry-run",
        "Make no run; print each run that would be made. For several artefacts, print one line "
        "for each artefact.",
    )
    as_json: bool = JSON
    fresh: bool = FRESH_RUNS
    collect: bool = option("--collect", "Make no run; render the finished runs.")
    data_dir: Path = DATA
    out: Path | None = out_option("results, or results/quick with --quick")
    processes: Processes = group(Processes)
    device: training_context.Device = DEVICE

    def require_plan_for_json(self) -> None:
        """Refuses --json of a command that prints only its plan as JSON.

        Raises:
            click.UsageError: --json is given without --dry-run.
        """
        if self.as_json and not self.dry_run:
            raise click.UsageError("--json can only be given together with --dry-run")

    def run_options(self) -> runs.RunOptions:
        """The runs to make, with what, and where their results go.

        Raises:
            click.UsageError: --fresh and --collect are given.
            DpfairError: the device of networks is not on this machine, which makes the runs.
        """
        if self.fresh and self.collect:
            raise click.UsageError(
                "--fresh and --collect exclude each other: --fresh makes every run again, "
                "--collect makes no run; give one of them"
            )
        results = paths.folder("results")
        if not (self.collect or self.processes.cluster):
            self.device.require()
        return runs.RunOptions(
            self.data_dir,
            self.out or (results / "quick" if self.quick else results),
            self.processes.workers(),
            quick=self.quick,
            fresh=self.fresh,
            collect=self.collect,
            device=self.device,
        )


def require_free(
    target: Path | None, name: str, *, inputs: Iterable[str | Path | None], force: bool
) -> None:
    """Refuses a target that would destroy a file of the user or that cannot be written.

    `target` is the value of the option `name`, and `inputs` are the files that the command reads.
    Inputs that are no files, such as the name of a data set, are allowed.

    Raises:
        click.UsageError: the target is an input, has the name of a privacy ledger, or exists
            while `force` is not set.
        OSError: no file can be written there.
    """
    if target is None:
        return
    require_no_ledger(target, name)
    if target.is_file():  # `/dev/stdout` and pipes replace nothing
        if any(_is_same(target, Path(source)) for source in inputs if source):
            raise click.UsageError(
                f"{target} is read by this command and is not overwritten: give {name} another file"
            )
        if not force:
            raise click.UsageError(
                f"{target} exists already: give {name} another file, or replace it with --force"
            )
    files.require_writable(target)  # else a fit of hours would end without its file


def require_no_ledger(target: Path, name: str) -> None:
    """Refuses a target with the name of a privacy ledger, which only `dpfair budget` writes.

    Raises:
        click.UsageError: the target has such a name.
    """
    if target.name.endswith(LEDGER):  # also with --force: what was spent must not be lost
        raise click.UsageError(
            f"{target} has the name of a privacy ledger and is not written: give {name} another "
            "file"
        )


def _is_same(target: Path, source: Path) -> bool:
    """Whether two paths lead to the same file; `target` exists."""
    return source.expanduser().exists() and target.samefile(source.expanduser())


def require_usable_epsilon(epsilon: float) -> None:
    """Refuses a positive epsilon that is so small that noise of scale 1/epsilon overflows.

    Raises:
        click.UsageError: epsilon is too small.
    """
    if 0 < epsilon < SMALLEST_EPSILON:
        raise click.UsageError(
            f"epsilon must be at least {SMALLEST_EPSILON:g}, got {epsilon:g}: noise of a "
            "smaller epsilon overflows"
        )


def require_network(device: training_context.Device, trains: bool, what: str) -> None:
    """Refuses an accelerator that no network is trained on; `what` says why there is none.

    Raises:
        click.UsageError: the option has no effect.
    """
    if not (trains or device.is_processor):
        raise click.UsageError(f"{what}, so --device {device.name} has no effect: leave it out")


def say_of_delta(given: Mapping[str, Any]) -> None:
    """Prints a warning if the settings have a delta too large for a meaningful guarantee."""
    delta = given.get("delta")
    if isinstance(delta, float) and LARGE_DELTA <= delta < 1:  # 1 is refused by the method
        words = f"with delta {delta:g} one fit in {1 / delta:.0f} may reveal everything"
        click.echo(f"Warning: {words}: use less than 1 / number of records", err=True)


def parse_settings(settings: Iterable[str]) -> dict[str, Any]:
    """The settings KEY=VALUE of `--set` as a mapping, as by `parse_pairs`.

    Raises:
        click.UsageError: as `parse_pairs`, or a name has another value by its own option.
    """
    pairs, context = parse_pairs(settings), click.get_current_context()
    for one in context.command.params:
        # --eps is --epsilon, too
        named = {name.removeprefix("--") for name in one.opts} & pairs.keys()
        if named and context.params.get(str(one.name)) not in (None, "", ()):
            name = named.pop()
            raise click.UsageError(
                f"--set {name} would be a second value: give {name} by {one.opts[0]} alone"
            )
    return pairs


def parse_pairs(settings: Iterable[str]) -> dict[str, Any]:
    """Texts KEY=VALUE as a mapping, with values read as YAML.

    Numbers such as 1e-5, which YAML reads as text, are accepted too.

    Raises:
        click.UsageError: a setting is no KEY=VALUE, is given twice, or its value is no YAML.
    """
    import yaml  # takes longer than `--help`

    pairs = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set must be KEY=VALUE, got {setting!r}")
        if name in pairs:
            raise click.UsageError(f"{name} is given twice by --set: give it once")
        try:
            pairs[name] = _value(text, yaml.safe_load)
        except yaml.YAMLError as error:
            raise click.UsageError(
                f"the value of --set {name} must be valid YAML, got {text!r}"
            ) from error
    return pairs


def _value(text: str, read: Callable[[str], Any]) -> Any:
    """A text as a number, or else as what `read` makes of it."""
    try:
        return float(text) if not text.lstrip("-").isdigit() else int(text)
    except ValueError:
        return read(text)
