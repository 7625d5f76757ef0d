"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli import papers, paths
from dpfair_cli.commands import FRESH
from dpfair_cli.commands.records import group, option

if TYPE_CHECKING:
    from dpfair_cli.contracts.training_context import Device
    from dpfair_cli.reproduction.runs import RunOptions
    from dpfair_cli.running.pool import Workers

SMALLEST_EPSILON = 1e-9
LARGE_DELTA = 0.01  # published values of delta are 0.001 and less
PACKAGE = Path(__file__).resolve().parent.parent


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _files_of(folder: str) -> set[str]:
    """The names of the modules in a folder of dpfair and of its papers, not imported."""
    package = (PACKAGE / folder).rglob("[!_]*.py")
    return {file.stem for file in (*package, *papers.modules(folder))}


def _artefacts() -> set[str]:
    """The names of all artefacts and of all papers."""
    from dpfair_cli.running.artefact_names import artefacts

    names = set(artefacts())
    return names | {name.split("/")[0] for name in names}


def complete_method(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The methods whose name begins with the text `incomplete`, for shell completion."""
    return _beginning(incomplete, _files_of("algorithms"))


def complete_task(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The tasks whose name begins with the text `incomplete`, for shell completion."""
    return _beginning(incomplete, _files_of("tasks"))


def complete_dataset(_: click.Context, __: click.Parameter, incomplete: str) -> list[Any]:
    """The data sets whose name begins with `incomplete`, or files, for shell completion."""
    from click.shell_completion import CompletionItem

    return _beginning(incomplete, _files_of("datasets")) or [
        CompletionItem(incomplete, type="file")
    ]


def complete_artefact(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The artefacts and papers whose name begins with `incomplete`, for shell completion."""
    return _beginning(incomplete, _artefacts())


def complete_topic(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The topics of `dpfair info` whose name begins with `incomplete`, for shell completion."""
    lists = {"datasets", "methods", "tasks", "privacy", "artefacts", "arithmetic"}
    names = lists.union(*map(_files_of, ("algorithms", "datasets", "tasks")), _artefacts())
    return _beginning(incomplete, names)


def _note_fresh(ctx: click.Context, _: click.Parameter, wanted: bool) -> bool:
    """The value of --fresh, kept for the message of an interrupt: repeated, it starts over."""
    ctx.meta[FRESH] = wanted
    return wanted


def _device(_: click.Context, __: click.Parameter, name: str) -> Device:
    """The device of `--device`.

    Raises:
        click.BadParameter: the name is not that of a device.
    """
    from dpfair_cli.contracts import training_context

    if name not in training_context.NAMES:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(training_context.NAMES)}")
    return training_context.Device(name)


# Fields of records. Each call makes a new one, because a dataclass writes into its fields.


def json_option() -> Any:
    """The field of --json."""
    return option("--json", is_flag=True, help="Print JSON.")


def data_option() -> Any:
    """The field of --data-dir."""
    return option(
        "--data-dir",
        type=click.Path(file_okay=False, path_type=Path),
        default=paths.data_folder,
        help="The folder of the data sets.  [env: DPFAIR_DATA; default: data, or the user's data "
        "folder]",
    )


def out_option(default: str = "results") -> Any:
    """The field of --out."""
    where = click.Path(file_okay=False, path_type=Path)
    return option(
        "--out", type=where, default=None, help=f"The folder of the results.  [default: {default}]"
    )


def jobs_option(words: str = "The number of processes.") -> Any:
    """The field of --jobs."""
    return option(
        "--jobs",
        type=click.IntRange(min=1),
        default=None,
        help=f"{words}  [default: one for each processor]",
    )


def fresh_option() -> Any:
    """The field of --fresh."""
    return option(
        "--fresh",
        is_flag=True,
        callback=_note_fresh,
        help="Make all runs again; the old list of finished runs is kept as runs.jsonl.old.",
    )


def device_option() -> Any:
    """The field of --device."""
    return option(
        "--device",
        metavar="[cpu|cuda|mps]",
        default="cpu",
        show_default=True,
        callback=_device,
        help="The device on which networks are trained: the processor, a GPU of NVIDIA or of "
        "Apple.",
    )


def cluster_option() -> Any:
    """The field of --cluster of commands that read a table."""
    return option(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help="Read your table in parts on the dask cluster at ADDRESS, such as tcp://host:8786. "
        "Everybody who reaches the cluster can read the data.",
    )


def set_option() -> Any:
    """The field of --set."""
    return option(
        "--set",
        multiple=True,
        metavar="KEY=VALUE",
        help="A parameter of the method, such as fairness=shift, of the data set, such as "
        "nodes=20, or of the task, such as test_fraction=0.3.",
    )


def task_option() -> Any:
    """The field of --task."""
    return option(
        "--task",
        default="",
        metavar="NAME",
        shell_complete=complete_task,
        help="The task (study protocol) that computes the scores; `dpfair info tasks` lists "
        "them.  [default: that of the data set]",
    )


@dataclass(frozen=True)
class ResultsFolder:
    """The folder of the results that a command reads without making a run."""

    out: Path | None = out_option()

    def reading(self, jobs: int | None = 1) -> RunOptions:
        """The options of a command that makes no run, in a number of processes."""
        from dpfair_cli.reproduction.runs import RunOptions
        from dpfair_cli.running.pool import Workers, default_jobs

        workers = Workers(jobs or default_jobs())
        results = self.out or paths.folder("results")
        return RunOptions(paths.data_folder(), results, workers, collect=True)


@dataclass(frozen=True)
class Processes:
    """The processes that make runs, on this machine or on a cluster."""

    jobs: int | None = jobs_option()
    cluster: str = option(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help="Make the runs on the dask cluster at ADDRESS, such as tcp://host:8786. Everybody who "
        "reaches the cluster can read the data.",
    )

    def workers(self) -> Workers:
        """The processes, which start when they are needed."""
        from dpfair_cli.running.pool import Workers, default_jobs

        return Workers(self.jobs or default_jobs(), self.cluster)


@dataclass(frozen=True)
class OwnFile:
    """The options that describe a user's own file."""

    label: str = option("--label", default="", help="The label column of your table.")
    protected: str = option(
        "--protected",
        default="",
        help="The column of your table that defines the groups, such as sex.",
    )
    labels: Path | None = option(
        "--labels",
        type=click.Path(path_type=Path),
        default=None,
        help="The file with the class of each node of your graph.",
    )
    positive: str = option(
        "--positive", default="", help="The favourable value of the label column."
    )
    domain: Path | None = option(
        "--domain",
        type=click.Path(path_type=Path),
        default=None,
        help="YAML file with public ranges and levels of your table; `dpfair domain` drafts it.",
    )

    def given(self) -> dict[str, str]:
        """The options that were given, by name."""
        return {key: str(value) for key, value in vars(self).items() if value not in (None, "")}


@dataclass(frozen=True)
class Rendering:
    """The options of commands that make the runs of artefacts and write their files."""

    quick: bool = option(
        "--quick",
        is_flag=True,
        help="Make few runs, on synthetic replicas where data are missing. The verdicts of "
        "quick runs do not count.",
    )
    dry_run: bool = option(
        "--dry-run",
        is_flag=True,
        help="Make no run; print each run that would be made. For several artefacts, print one "
        "line for each artefact.",
    )
    as_json: bool = json_option()
    fresh: bool = fresh_option()
    collect: bool = option("--collect", is_flag=True, help="Make no run; render the finished runs.")
    data_dir: Path = data_option()
    out: Path | None = out_option("results, or results/quick with --quick")
    processes: Processes = group(Processes)
    device: Device = device_option()

    def require_plan_for_json(self) -> None:
        """Refuses --json of a command that prints only its plan as JSON.

        Raises:
            click.UsageError: --json is given without --dry-run.
        """
        if self.as_json and not self.dry_run:
            raise click.UsageError("--json can only be given together with --dry-run")

    def run_options(self) -> RunOptions:
        """The runs to make, with what, and where their results go.

        Raises:
            click.UsageError: --fresh and --collect are given.
            DpfairError: the device of networks is not on this machine, which makes the runs.
        """
        from dpfair_cli.reproduction.runs import RunOptions

        if self.fresh and self.collect:
            raise click.UsageError(
                "--fresh and --collect exclude each other: --fresh makes every run again, "
                "--collect makes no run; give one of them"
            )
        results = paths.folder("results")
        if not (self.collect or self.processes.cluster):
            self.device.require()
        return RunOptions(
            self.data_dir,
            self.out or (results / "quick" if self.quick else results),
            self.processes.workers(),
            quick=self.quick,
            fresh=self.fresh,
            collect=self.collect,
            device=self.device,
        )


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


def say_of_delta(given: Mapping[str, Any]) -> None:
    """Prints a warning if the settings have a delta too large for a meaningful guarantee."""
    delta = given.get("delta")
    if isinstance(delta, float) and LARGE_DELTA <= delta < 1:
        words = f"with delta {delta:g} one fit in {1 / delta:.0f} may reveal everything"
        click.echo(f"Warning: {words}: use less than 1 / number of records", err=True)


def parse_seed(text: str | None) -> int | None:
    """The value of `--seed` as a number; None without `--seed`, so that the noise is secret."""
    if text == "secret":
        raise click.UsageError(
            "--seed must be a number: leave out --seed for a secret seed, which is the default"
        )
    if text is not None and not text.isdigit():
        raise click.UsageError(f"--seed must be a number, got {text!r}")
    return None if text is None else int(text)


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """The settings KEY=VALUE of `--set` as a mapping, with values read as YAML.

    Numbers such as 1e-5, which YAML reads as text, are accepted too.
    """
    import yaml

    pairs = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set must be KEY=VALUE, got {setting!r}")
        try:
            pairs[name] = _value(text, yaml.safe_load)
        except yaml.YAMLError as error:
            raise click.UsageError(
                f"the value of --set {name} must be valid YAML, got {text!r}"
            ) from error
    return pairs


def _value(text: str, read: Callable[[str], Any]) -> Any:
    try:
        return float(text) if not text.lstrip("-").isdigit() else int(text)
    except ValueError:
        return read(text)
