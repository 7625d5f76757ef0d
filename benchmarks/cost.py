"""What a fit costs over records, features, epsilons and seeds, a panel for each family: `make
bench-cost`.

Prints the slopes, and draws build/bench/cost.png. A point is the median processor seconds of three
turns on one thread, each on data and epsilons that nothing is remembered of (of one turn, where
that takes more than a third of a second). A line ends at a point of more than three seconds. The
slope is that of a straight line through the last three points, with both axes logarithmic: n^1 is
linear. Several epsilons are fits on one split, which share what noise does not touch; several seeds
are fits on data of their own.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.cost_subjects import FAMILIES, Subject
from benchmarks.ratio import stopwatch
from dpfair_cli import catalog

PICTURE = Path(__file__).resolve().parent.parent / "build" / "bench" / "cost.png"
AXES = {"n": "records or nodes $n$", "d": "features, variables or dimensions $d$", "epsilons": "epsilons on one split",
        "seeds": "seeds"}  # fmt: skip
EPSILONS, SEEDS = (1, 2, 4, 8, 16), (1, 2, 4, 8)
TURNS, SHORT, LONG = 3, 1 / 3, 3.0  # the last two in seconds
FITTED = 3  # points that the slope is of
LOOKS = {
    subject.name: look for subjects in FAMILIES.values() for look, subject in enumerate(subjects)
}
GAP = 0.115  # between two names beside a panel, in parts of its height

TURN = itertools.count()

Line = tuple[list[int], list[float]]  # sizes, seconds


def main() -> None:
    """Measure, print, draw."""
    lines: dict[tuple[str, str, str], Line] = {}
    for family, subjects in FAMILIES.items():
        for subject in subjects:
            needs = catalog.algorithm(subject.name).needs
            if needs and not find_spec(needs):
                print(f"not measured: {subject.name}, which needs {needs}: make deep")
                continue
            turn(
                subject, n=subject.sizes.n[0], d=subject.sizes.d[0], epsilons=1, seeds=1
            )  # imports what it needs
            for axis in axes_of(subject):
                sizes, seconds = lines[family, axis, subject.name] = line(subject, axis)
                last = f"{axis}^{slope(sizes, seconds):.2f}, {seconds[-1]:.3f} s at {sizes[-1]:,}"
                print(f"{family:18}{subject.name:24}{axis:9} {last}", flush=True)
    draw(lines)
    print(f"picture: {PICTURE}")


def axes_of(subject: Subject) -> list[str]:
    """The axes that a method has: one without privacy has no epsilon."""
    private = "epsilon" in inspect.signature(catalog.algorithm(subject.name).fit).parameters
    return [axis for axis in AXES if private or axis != "epsilons"]


def line(subject: Subject, axis: str) -> Line:
    """The seconds along one axis, where the others stay."""
    alone = {"n": subject.sizes.n_alone, "d": subject.sizes.d_alone, "epsilons": 1, "seeds": 1}
    steps = {"n": subject.sizes.n, "d": subject.sizes.d, "epsilons": EPSILONS, "seeds": SEEDS}[axis]
    seconds: list[float] = []
    for size in steps:
        seconds.append(point(subject, **alone | {axis: size}))
        if seconds[-1] > LONG:
            break
    return list(steps[: len(seconds)]), seconds


def point(subject: Subject, **sizes: int) -> float:
    """The median seconds of a few turns."""
    times = [turn(subject, **sizes)]
    while len(times) < TURNS and times[0] < SHORT:
        times.append(turn(subject, **sizes))
    return median(times)


def turn(subject: Subject, *, n: int, d: int, epsilons: int, seeds: int) -> float:
    """The seconds of all fits, without making the data."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    fit, options = catalog.algorithm(subject.name).fit, dict(subject.options)
    data = [subject.make(n, d, np.random.default_rng(seed)) for seed in range(seeds)]
    if subject.d_is_an_option:
        options[subject.d_is_an_option] = d
    hair = 1 + next(TURN) * 1e-9  # the noise for an epsilon is remembered without any data
    budgets = [{"epsilon": float(epsilon)} for epsilon in hair * np.geomspace(1, 8, epsilons)]
    if "epsilons" not in axes_of(subject):
        budgets = [{}]

    def fits() -> None:
        for seed, own in enumerate(data):
            for budget in budgets:
                fit(own, **options, **budget, rng=np.random.default_rng(seed))

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return stopwatch(fits, time.process_time)()


def slope(sizes: list[int], seconds: list[float]) -> float:
    """The power of the size that the last points grow with; NaN for a line of one point."""
    import numpy as np

    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes[-FITTED:]), np.log(seconds[-FITTED:]), 1)[0])


def draw(lines: dict[tuple[str, str, str], Line]) -> None:
    """A row of panels for each family, a column for each axis."""
    from dpfair_cli.reporting.figures import style

    def panels(figure) -> None:
        filled = []
        figure.set_size_inches(19, 2.55 * len(FAMILIES))
        for (row, subjects), grid in zip(
            FAMILIES.items(), figure.subplots(len(FAMILIES), len(AXES), sharey="row"), strict=True
        ):
            for axis, axes in zip(AXES, grid, strict=True):
                found = {
                    name: own
                    for (family, over, name), own in lines.items()
                    if (family, over) == (row, axis)
                }
                panel(axes, axis, found)
                filled.append((axes, found))
            sizes = subjects[0].sizes
            grid[0].set_ylabel(
                f"{row}\n($n$ = {sizes.n_alone:,}, $d$ = {sizes.d_alone})\nprocessor seconds"
            )
        for axes, found in filled:  # once the height of every row is known
            name_lines(axes, found)

    words = style.Heading(
        "What fits cost over records, features, epsilons and seeds",
        "Made-up data, one thread; beside each line the power that its last three points grow with, 1 is linear; "
        "what is not varied is as beside the row, one epsilon, one seed; an empty panel: no epsilon; one or two epochs",
    )
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    style.compose(panels, words).savefig(PICTURE, dpi=110)


def panel(axes, axis: str, found: dict[str, Line]) -> None:
    """Seconds over one axis."""
    from dpfair_cli.reporting.figures import style

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(AXES[axis])
    if not found:
        axes.set_axis_off()
        return
    for name, (sizes, seconds) in found.items():
        axes.plot(
            sizes, seconds, color=style.COLOURS[LOOKS[name]], marker=style.MARKERS[LOOKS[name]]
        )
    ticks = sorted({size for sizes, _ in found.values() for size in sizes})
    axes.set_xticks(ticks, [f"{size:,}" for size in ticks], rotation=30 if max(ticks) > 99 else 0)
    axes.set_xticks([], minor=True)


def name_lines(axes, found: dict[str, Line]) -> None:
    """The name and slope of each method at the end of its line, the lowest first, none over
    another.
    """
    from dpfair_cli.reporting.figures import style

    inside = axes.transData + axes.transAxes.inverted()
    heights = {
        name: inside.transform((sizes[-1], seconds[-1]))[1]
        for name, (sizes, seconds) in found.items()
    }
    place = -GAP
    for name in sorted(found, key=heights.__getitem__):
        place = max(place + GAP, heights[name])
        words = f"{name}  {slope(*found[name]):.2f}"
        axes.text(
            1.02,
            place,
            words,
            transform=axes.transAxes,
            color=style.COLOURS[LOOKS[name]],
            fontsize=8,
            va="center",
        )


if __name__ == "__main__":
    sys.exit(main())
