"""Ours less published as pictures: what stands where, in which colour, with which intervals, and
what is not drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from scipy import stats

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import shown, tables
from dpfair_cli.reporting.figures import differences, style
from dpfair_cli.reporting.shown import ReportedArtefact
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.reporting import pages
from tests.reporting.compared_paper import (
    ALL,
    CONSISTENT,
    DIFFERS,
    EXPLAINED,
    NORM,
    OURS,
    REPRODUCED,
    ROWS,
    SPEC,
    cell,
    verdicts,
)
from tests.toy_specs import with_study

TITLE = "Xu 2021, Table 8.2: Accuracy"
BLUE, VERMILION, GREEN, PURPLE, ORANGE = style.COLOURS[:5]
Draw = Callable[..., Figure]


@pytest.fixture
def draw(saved: list[Figure], tmp_path: Path) -> Draw:
    """The picture of an artefact with these published cells."""

    def figure_of(*cells: dict[str, Any], spec: Spec = SPEC, notes: tuple[str, ...] = ()) -> Figure:
        differences.write(verdicts(*cells, spec=spec), TITLE, tmp_path, notes=notes)
        return saved[-1]

    return figure_of


@pytest.fixture
def draw_all(saved: list[Figure], tmp_path: Path) -> Draw:
    """The picture of several artefacts."""

    def figure_of(*decided: Verdicts) -> Figure:
        differences.write_all(decided, tmp_path)
        return saved[-1]

    return figure_of


def bars(axes: Axes) -> list[ErrorbarContainer]:
    """The marks with their bars; those of the legend have no points."""
    containers = [part for part in axes.containers if isinstance(part, ErrorbarContainer)]
    return [part for part in containers if len(part.lines[0].get_xdata())]


def names(axes: Axes) -> list[str]:
    """The names beside a panel, from above."""
    return [text.get_text() for text in axes.get_yticklabels()]


def marks(axes: Axes) -> dict[str, tuple[float, str]]:
    """Difference and colour by the name of the cell."""
    found = {}
    for part in bars(axes):
        line = part.lines[0]
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
            found[names(axes)[int(y)]] = (round(float(x), 6), str(line.get_color()))
    return found


def ends(segments: Any) -> list[tuple[float, float]]:
    return [(float(one[0][0]), float(one[1][0])) for one in segments]


def test_a_cell_is_drawn_at_its_difference_in_the_colour_of_its_verdict(draw: Draw) -> None:
    assert marks(draw(*ALL).axes[0]) == {
        "US, LR": (-0.1, PURPLE),
        "US, FM, ε 1": (0.04, ORANGE),
        "Adult, FM, ε 0.1": (0.2, VERMILION),
        "Adult, LR": (-0.01, GREEN),
        "Adult, FM, ε 1": (0.01, BLUE),
    }


def test_every_verdict_has_a_colour_and_a_mark_of_its_own() -> None:
    assert len({one.colour for one in shown.LEGEND}) == 5
    assert len({one.marker for one in shown.LEGEND}) == 5


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, "differs, explained") for kind in ("variant", "data", "impossible")]
    + [(kind, "differs, not explained") for kind in ("hypothesis", "open", "")],
)
def test_a_guess_and_an_open_cause_do_not_explain_a_difference(kind: str, name: str) -> None:
    assert shown.look_of(CellVerdict.DIFFERS, kind).name == name


def test_the_cells_are_in_the_order_of_the_data_sets_and_then_of_the_paper(draw: Draw) -> None:
    figure = draw(*ALL)
    assert names(figure.axes[0]) == [
        "US, LR",
        "US, FM, ε 1",
        "Adult, FM, ε 0.1",
        "Adult, LR",
        "Adult, FM, ε 1",
    ]
    low, high = figure.axes[0].get_ylim()
    assert low > high  # the first is on top


def test_several_data_sets_and_varying_parameters_are_named(
    draw: Draw,
) -> None:
    assert names(draw(REPRODUCED, CONSISTENT).axes[0]) == ["LR", "FM"]
    assert names(draw(REPRODUCED, CONSISTENT, DIFFERS).axes[0]) == ["LR", "FM, ε 1", "FM, ε 0.1"]
    words = replace(SPEC, labels={"adult": "the census", "epsilon": "budget"})
    assert (
        names(draw(DIFFERS, CONSISTENT, EXPLAINED, spec=words).axes[0])[1]
        == "the census, FM, budget 0.1"
    )


def test_the_bar_of_a_mark_is_the_interval_of_the_difference(draw: Draw) -> None:
    # the squared standard errors are 1e-6 / 3 and 1e-6, of four runs each, as in
    # tests/verdicts/test_signed_differences.py
    width = stats.t.ppf(0.95, 4.8) * (4e-6 / 3) ** 0.5
    (mark,) = bars(draw(REPRODUCED).axes[0])
    ((low, high),) = ends(mark.lines[2][0].get_segments())
    assert (low, high) == pytest.approx((-0.01 - width, -0.01 + width))


def shaded(axes: Axes) -> tuple[float, float]:
    """The ends of the shaded band."""
    box = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    return box.x0, box.x1


def test_the_margin_is_shaded(draw: Draw) -> None:
    assert shaded(draw(REPRODUCED).axes[0]) == pytest.approx((-0.02, 0.02))


def test_a_score_that_is_not_a_rate_has_a_panel_of_relative_differences(draw: Draw) -> None:
    rates, norms = draw(REPRODUCED, NORM).axes
    assert (rates.get_title(), norms.get_title()) == ("accuracy", "norm")
    assert rates.get_xlabel() == "ours less published"
    assert norms.get_xlabel() == "ours less published,\nin parts of the published value"
    (mark,) = bars(norms)
    assert mark.lines[0].get_xdata() == pytest.approx([0.6])  # (8 - 5) / 5
    # our deviation stands for the published one, and both are of four runs
    width = stats.t.ppf(0.95, 3) * 2**0.5 * 10 * OURS / 2 / 5
    assert ends(mark.lines[2][0].get_segments())[0] == pytest.approx((0.6 - width, 0.6 + width))
    assert shaded(norms) == pytest.approx((-0.1, 0.1))


def test_panels_with_the_same_cells_are_side_by_side(
    draw: Draw,
) -> None:
    left, right = draw(REPRODUCED, NORM).axes
    assert left.get_position().y0 == pytest.approx(right.get_position().y0)
    assert names(right) == [""]
    above, below = draw(REPRODUCED, DIFFERS, NORM).axes
    assert above.get_position().y0 > below.get_position().y1
    assert (names(above), names(below)) == (["LR", "FM"], ["LR"])


def test_many_panels_of_the_same_cells_have_several_rows(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(differences, "ACROSS", 2)
    panels = draw(REPRODUCED, NORM, REPRODUCED | {"metric": "majority_accuracy"}).axes
    first, second, third = (axes.get_position() for axes in panels)
    assert first.y0 == pytest.approx(second.y0)
    assert third.y1 < first.y0
    assert [names(axes) for axes in panels] == [["LR"], [""], ["LR"]]


def test_panels_of_rates_share_one_scale(draw: Draw) -> None:
    first, second = draw(REPRODUCED, NORM, spec=with_study(SPEC, unbounded=())).axes
    assert first.get_xlim() == second.get_xlim()
    assert marks(second) == {"": (3.0, VERMILION)}  # 8 - 5
    rates, norms = draw(REPRODUCED, NORM).axes
    assert rates.get_xlim() != norms.get_xlim()


def test_a_far_difference_makes_the_axis_logarithmic_beyond_what_can_pass(draw: Draw) -> None:
    near, far = (
        draw(DIFFERS).axes[0],
        draw(cell("adult", "FM", 0.1, 3.0), DIFFERS | {"method": "LR"}).axes[0],
    )
    assert (near.get_xscale(), far.get_xscale()) == ("linear", "symlog")
    assert far.get_xlabel() == "ours less published,\nlogarithmic beyond ±0.05"
    low, high = far.get_xlim()
    assert low < -2.3
    assert high > 0.3


def test_a_longer_table_is_a_higher_picture(draw: Draw) -> None:
    assert draw(*ALL).get_figheight() - draw(*ALL[:2]).get_figheight() == pytest.approx(
        3 * differences.ROW
    )


def test_the_legend_names_the_verdicts_that_occur_in_one_order(draw: Draw) -> None:
    shown = [
        text.get_text() for text in draw(DIFFERS, EXPLAINED, REPRODUCED).legends[0].get_texts()
    ]
    assert shown == ["reproduced", "differs, explained", "differs, not explained"]


def test_a_stand_in_is_named_above(draw: Draw) -> None:
    words = " ".join(text.get_text() for text in draw(REPRODUCED, notes=("SUBSTITUTE: us",)).texts)
    for part in ("Table 8.2", "ours less published", "±0.02", "SUBSTITUTE: us"):
        assert part in words


def test_nothing_is_drawn_of_a_replica(tmp_path: Path, draw: Draw) -> None:
    only = verdicts(REPRODUCED, standins={"adult": "REPLICA"})
    assert differences.write(only, TITLE, tmp_path / "none") == []
    assert differences.write_all([only], tmp_path / "none") == []
    assert not (tmp_path / "none").exists()
    both = differences.tabulate_marks(
        verdicts(REPRODUCED, EXPLAINED, standins={"adult": "REPLICA"})
    )
    assert list(both["dataset"]) == ["us"]


def test_an_artefact_without_published_cells_has_no_picture(tmp_path: Path) -> None:
    none = verdicts(REPRODUCED | {"metric": "seconds"})
    assert differences.write(none, TITLE, tmp_path) == []
    # nor one of cells that were compared before
    (drawn,) = differences.write(verdicts(REPRODUCED), TITLE, tmp_path)
    assert differences.write(none, TITLE, tmp_path) == []
    assert not drawn.exists()


def test_a_picture_is_drawn_again_only_when_a_cell_changes(tmp_path: Path) -> None:
    def is_drawn(*cells: dict[str, Any]) -> bool:
        file = tmp_path / "difference.png"
        before = file.read_bytes() if file.exists() else b""
        differences.write(verdicts(*cells), TITLE, tmp_path)
        return file.read_bytes() != before

    assert is_drawn(REPRODUCED)
    assert not is_drawn(REPRODUCED)
    assert is_drawn(REPRODUCED | {"mean": 0.805})
    assert [file.name for file in tmp_path.iterdir()] == ["difference.png"]


def test_the_same_cells_give_the_same_bytes_without_a_date(tmp_path: Path) -> None:
    for write in (
        lambda place: differences.write(verdicts(*ALL), TITLE, place),
        lambda place: differences.write_all([verdicts(*ALL)], place),
    ):
        first, second = (
            [file.read_bytes() for file in write(tmp_path / name)] for name in ("a", "b")
        )
        assert first == second
        assert not any(b"Date" in content for content in first)


SUBSTITUTED = verdicts(*ALL, standins={"us": "SUBSTITUTE"})
OTHER = replace(SPEC, artefact="ding2020/table1")


def test_all_cells_have_a_panel_for_each_part_and_kind_of_data(draw_all: Draw) -> None:
    figure = draw_all(SUBSTITUTED, verdicts(REPRODUCED, NORM, spec=OTHER))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "ding2020: 2 cells",
        "xu2021, chapter 8: 3 cells",
        "xu2021, chapter 8, on a substitute of its data: 2 cells",
    ]
    assert "Ours less published: 7 published cells" in [text.get_text() for text in figure.texts]


def heights(axes: Axes) -> list[float]:
    """The differences from left to right."""
    points = [xy for part in bars(axes) for xy in zip(*part.lines[0].get_data(), strict=True)]
    return [float(y) for _, y in sorted(points)]


def test_all_cells_are_sorted_and_a_relative_tenth_is_drawn_as_0_02(
    draw_all: Draw,
) -> None:
    (axes,) = draw_all(verdicts(*ALL, NORM)).axes
    assert heights(axes) == pytest.approx([-0.1, -0.01, 0.01, 0.04, 0.12, 0.2])  # 0.12: six tenths


def test_the_bar_of_each_cell_is_the_interval_of_the_difference(draw_all: Draw) -> None:
    (axes,) = draw_all(verdicts(REPRODUCED)).axes
    ((_, low), (_, high)) = bars(axes)[0].lines[2][0].get_segments()[0]
    # the squared standard errors are 1e-6 / 3 and 1e-6: (4 / 3)^2 / ((1 / 9 + 1) / 3) = 4.8
    width = stats.t.ppf(0.95, 4.8) * (4e-6 / 3) ** 0.5
    assert (low, high) == pytest.approx((-0.01 - width, -0.01 + width))


def test_the_legend_counts_each_number_once(draw_all: Draw) -> None:
    again = replace(SPEC, artefact="xu2021/table8.1")
    figure = draw_all(verdicts(*ALL), verdicts(REPRODUCED, spec=again))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "reproduced: 1",
        "consistent: 1",
        "undecided: 1",
        "differs, explained: 1",
        "differs, not explained: 1",
    ]


def entry(found: Verdicts) -> ReportedArtefact:
    return ReportedArtefact(found, tables.make(ROWS, SPEC, found.cells))


def test_the_report_shows_the_differences_of_all_and_of_each_artefact(
    tmp_path: Path,
) -> None:
    page = pages.write([entry(verdicts(*ALL))], tmp_path / "report.html", papers={}).read_text(
        encoding="utf-8"
    )
    whole, strips = page.index("<img src="), page.index('data-kind="strip"')
    assert page.index("Published cells") < whole < page.index("<section") < strips
    rows = page[strips:].partition('<script type="application/json">')[2].partition("</script>")[0]
    assert len(json.loads(rows)["columns"][0]) == len(ALL)  # one strip a row
    assert "<code>results/xu2021/table8.2/difference.png</code>" in page
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "differences.png",
        "report.html",
    ]


def test_the_report_of_a_part_has_a_picture_of_its_own(tmp_path: Path) -> None:
    page = pages.write([entry(verdicts(*ALL))], tmp_path / "report-xu2021.html", papers={})
    assert page.read_text(encoding="utf-8").count("<img src=") == 1
    assert (tmp_path / "differences-xu2021.png").is_file()


def test_a_report_without_compared_cells_has_no_picture_of_differences(tmp_path: Path) -> None:
    none = entry(verdicts(REPRODUCED, standins={"adult": "REPLICA"}))
    assert "<img" not in pages.write([none], tmp_path / "report.html", papers={}).read_text(
        encoding="utf-8"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
