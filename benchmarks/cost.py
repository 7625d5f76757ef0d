"""The cost of a fit over records, features, epsilons and seeds, by family (`make bench-cost`).

Prints the slopes and draws build/bench/cost.png. A point is the median processor seconds of TURNS
turns on one thread, on data and epsilons of which nothing is cached; of one turn if it takes more
than SHORT seconds. A line ends at a point of more than LONG seconds. The slope is that of a
straight line through the last FITTED points on logarithmic axes: n^1 is linear. Several epsilons
are fits on one split, which share all that does not depend on noise; several seeds are fits on
separate data.
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
AXES = {
    "n": "records or nodes $n$",
    "d": "features, variables or dimensions $d$",
    "epsilons": "epsilons on one split",
    "seeds": "seeds",
}
EPSILONS, SEEDS = (1, 2, 4, 8, 16), (1, 2, 4, 8)
TURNS, SHORT, LONG = 3, 1 / 3, 3.0  # the last two in seconds
FITTED = 3  # points through which the slope is fitted
LOOKS = {
    subject.name: look for subjects in FAMILIES.values() for look, subject in enumerate(subjects)
}
GAP = 0.115  # between two names at the right of a panel, as a share of its height

TURN = itertools.count()

Line = tuple[list[int], list[float]]  # sizes, seconds


def main() -> None:
    """Measures all methods, prints the slopes and draws the picture."""
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
    """The axes of a method; a non-private one has no epsilons."""
    private = "epsilon" in inspect.signature(catalog.algorithm(subject.name).fit).parameters
    return [axis for axis in AXES if private or axis != "epsilons"]


def line(subject: Subject, axis: str) -> Line:
    """The sizes and seconds along one axis, with the other sizes fixed."""
    alone = {"n": subject.sizes.n_alone, "d": subject.sizes.d_alone, "epsilons": 1, "seeds": 1}
    steps = {"n": subject.sizes.n, "d": subject.sizes.d, "epsilons": EPSILONS, "seeds": SEEDS}[axis]
    seconds: list[float] = []
    for size in steps:
        seconds.append(point(subject, **alone | {axis: size}))
        if seconds[-1] > LONG:
            break
    return list(steps[: len(seconds)]), seconds


def point(subject: Subject, **sizes: int) -> float:
    """The median seconds of the turns at one point."""
    times = [turn(subject, **sizes)]
    while len(times) < TURNS and times[0] < SHORT:
        times.append(turn(subject, **sizes))
    return median(times)


def turn(subject: Subject, *, n: int, d: int, epsilons: int, seeds: int) -> float:
    """The seconds of all fits of a turn, without making the data."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    fit, options = catalog.algorithm(subject.name).fit, dict(subject.options)
    data = [subject.make(n, d, np.random.default_rng(seed)) for seed in range(seeds)]
    if subject.d_is_an_option:
        options[subject.d_is_an_option] = d
    unused = 1 + next(TURN) * 1e-9  # a factor, since the noise calibrated for an epsilon is cached
    budgets = [{"epsilon": float(epsilon)} for epsilon in unused * np.geomspace(1, 8, epsilons)]
    if "epsilons" not in axes_of(subject):
        budgets = [{}]

    def fits() -> None:
        for seed, records in enumerate(data):
            for budget in budgets:
                fit(records, **options, **budget, rng=np.random.default_rng(seed))

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return stopwatch(fits, time.process_time)()


def slope(sizes: list[int], seconds: list[float]) -> float:
    """The exponent of the size with which the last points grow; NaN for a line of one point."""
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
        grids = figure.subplots(len(FAMILIES), len(AXES), sharey="row")
        for (family, subjects), grid in zip(FAMILIES.items(), grids, strict=True):
            for axis, axes in zip(AXES, grid, strict=True):
                keys = [key for key in lines if key[:2] == (family, axis)]
                found = {key[2]: lines[key] for key in keys}
                panel(axes, axis, found)
                filled.append((axes, found))
            sizes = subjects[0].sizes
            fixed = f"($n$ = {sizes.n_alone:,}, $d$ = {sizes.d_alone})"
            grid[0].set_ylabel(f"{family}\n{fixed}\nprocessor seconds")
        for axes, found in filled:  # when the height of every row is known
            name_lines(axes, found)

    words = style.Heading(
        "The cost of a fit over records, features, epsilons and seeds",
        "Made-up data, one thread; at the right of a line: the exponent with which its last three "
        "points grow, 1 is linear; sizes that are not varied: at the left of the row, one epsilon, "
        "one seed; empty panels: methods without epsilon; one or two epochs",
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
    """Writes the name and slope of each method at the end of its line, without overlaps."""
    from dpfair_cli.reporting.figures import style

    inside = axes.transData + axes.transAxes.inverted()
    heights = {}
    for name, (sizes, seconds) in found.items():
        heights[name] = inside.transform((sizes[-1], seconds[-1]))[1]
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
