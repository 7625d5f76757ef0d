"""What `dpfair reproduce` prints: rows, a line for each work, the proof on this machine, and files.

A line has the title of a work, its published numbers as a bar, and how many agree, differ and are
undecided. A work without a compared number has its claims in their place.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import click

from dpfair_cli import paths
from dpfair_cli.commands import DIFFERS, FAILED, making, terminal
from dpfair_cli.contracts import errors
from dpfair_cli.provenance import arithmetic
from dpfair_cli.reporting import score_tables, text_writer, works
from dpfair_cli.reproduction import proof
from dpfair_cli.verdicts import verdicts

PAGE = 100  # width of what is not written to a terminal
BAR = 12  # width of a bar
SIGNS, TONES = "█▒░", ("good", "bad", "middle")  # agree, differ, undecided
INDENT = 2


def echo_rows(made: making.Made) -> None:
    """Prints how many rows were committed and how many were made now."""
    papers = len({one.spec.paper for one in made.entries})
    what = f"{len(made.entries)} tables and figures of {papers} work{'s' * (papers != 1)}"
    if made.options.quick:
        terminal.echo(
            f"QUICK trial: {made.new:,} short runs of {what}, on synthetic replicas where data are "
            "missing. It shows that everything works, and no number of it counts.",
            indent=INDENT,
        )
        return
    click.echo(f"{what}: {made.kept:,} rows are committed, {made.new:,} were made now")


def echo_works(found: Sequence[verdicts.Verdicts]) -> None:
    """Prints a line for each work, or chapter of one, and a last one with the sums."""
    score = score_tables.scoreboard(found)
    every = works.works(found, score, paths.paper_folder)
    # the title says what the counts are
    sums = works.Work("", "agree/differ/undecided of all numbers compared", "")
    sums.add(score.cells)
    every.append(sums)
    counts = [text for (text,) in text_writer.padded([[_counts(one)] for one in every])]
    room = (terminal.width() or PAGE) - len(counts[0]) - BAR - 4
    for one, text in zip(every, counts, strict=True):
        title = textwrap.shorten(one.title, room, placeholder=" …")
        click.echo(f"{title:<{room}}  {_bar(one)}  {text.rstrip()}")


def echo_proof(repeated: Sequence[proof.Repeated]) -> None:
    """Prints how many of the runs that were made again are equal to their committed rows."""
    if not repeated:
        return
    compared = [one for one in repeated if one.match.is_compared]
    ended = [one for one in repeated if one.match is proof.Match.NOT_COMPARED]
    counts = Counter(one.match for one in compared)
    others = counts.keys() - {proof.Match.EQUAL}
    told = "".join(f", {counts[match]} {match.value}" for match in proof.Match if match in others)
    terminal.echo(
        f"proof: {counts[proof.Match.EQUAL]} of {_runs(compared)}, made again now, equal the "
        f"committed rows{told}",
        indent=INDENT,
    )
    if ended:
        terminal.echo(
            f"{_runs(ended)} on synthetic replicas or cut short ended without an error",
            indent=INDENT,
        )
    if others and arithmetic.unsettled():
        terminal.echo(f"this processor: {arithmetic.unsettled()}", indent=INDENT)
    for one in repeated:
        if one.match in (proof.Match.OTHER, proof.Match.FAILED):
            terminal.echo(f"{one.match.value}: {one.words}", indent=INDENT)


def echo_last(lacking: Mapping[str, str], written: Iterable[str]) -> None:
    """Prints which methods were not run for lack of a library, and the paths of the reports."""
    if lacking:
        modules = sorted(set(lacking.values()))
        methods = f"{len(lacking)} method{'s' * (len(lacking) != 1)}"
        terminal.echo(f"not run: {methods}: {errors.how_to_install(modules)}", indent=INDENT)
    for line in written:
        click.echo(line)


def exit_on_failures(repeated: Iterable[proof.Repeated]) -> None:
    """Ends the command if a run that was made again failed or has another row.

    On another processor, a graph may have another edge where a test is close to its level, so that
    a row that differs there is only printed.
    """
    matches = {one.match for one in repeated}
    if proof.Match.FAILED in matches:
        raise click.exceptions.Exit(FAILED)
    if proof.Match.OTHER in matches and not arithmetic.unsettled():
        raise click.exceptions.Exit(DIFFERS)


def _counts(work: works.Work) -> str:
    """How many numbers of a work agree, differ and are undecided.

    Without such numbers, how many are recomputed with equal digits, or how many claims hold, fail.
    """
    equal, recomputed = work.recomputed
    if any(work.counts):
        return f"{'/'.join(map(str, work.counts))} of {work.compared:,}"
    if recomputed:
        return f"{equal} of {recomputed} equal digits"
    if not work.claims:
        return "nothing compared"
    return f"{'/'.join(map(str, work.claim_counts))} of {work.claims.total()} claims"


def _bar(work: works.Work) -> str:
    """The bar of a work in the colours of the verdicts; spaces without a compared number."""
    bar = work.bar(SIGNS, BAR)
    looks = zip(SIGNS, TONES, strict=True)
    parts = [terminal.paint(sign * bar.count(sign), tone) for sign, tone in looks]
    return "".join(parts) + " " * (BAR - len(bar))


def _runs(repeated: Collection[proof.Repeated]) -> str:
    """The number of runs and of their methods: "3 runs of 2 methods"."""
    methods = len({one.method for one in repeated})
    runs = f"{len(repeated)} run{'s' * (len(repeated) != 1)}"
    return f"{runs} of {methods} method{'s' * (methods != 1)}"
