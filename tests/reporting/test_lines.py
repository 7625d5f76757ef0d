"""Lines over a parameter: what is plotted and how, where the legend is, and what stands above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from dpfair_cli.contracts.specs import PublishedPoint, Spec, Table
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.panels import plotted_points
from dpfair_cli.reporting.layouts.lines import LinesLayout, count_hiding_lines, with_published
from dpfair_cli.verdicts.wording import heading
from tests.toy_specs import data_set, method, task

SPEC = Spec(
    artefact="ding2020/figure1",
    title="Accuracy over ε",
    source="Ding et al. 2020, Figure 1",
    task=task(),
    datasets=(data_set("us"),),
    methods=(
        method("lr", {}, "LR", "LR"),
        *(method("fm", {"epsilon": e}, "FM", "FM") for e in (0.01, 0.1, 1.0)),
    ),
    seeds=2,
    layout=LinesLayout("epsilon", ("accuracy",), log_x=True),
)


def rows(spec: Spec) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "dataset": data.name,
                "method": part.label,
                "algorithm": part.name,
                "seed": seed,
                **part.params,
            }
            | {
                "accuracy": 0.7 + 0.1 * seed,
                "demographic_parity_difference": 0.1,
                "majority_accuracy": 0.6,
            }
            for data in spec.datasets
            for part in spec.methods
            for seed in range(2)
        ]
    )


def write(
    runs: pd.DataFrame,
    spec: Spec,
    folder: Path,
    notes: Sequence[str] = (),
    published: tuple[PublishedPoint, ...] = (),
) -> list[Path]:
    table = Table(heading(spec, notes), (), pd.DataFrame(), pd.DataFrame(), published)
    return spec.layout.write(runs, table, spec, folder, notes=notes)


@pytest.fixture
def draw(saved: list[Figure], tmp_path: Path) -> Callable[..., Figure]:
    """The figure that a layout would save."""

    def figure_of(
        runs: pd.DataFrame,
        spec: Spec,
        notes: Sequence[str] = (),
        published: tuple[PublishedPoint, ...] = (),
    ) -> Figure:
        write(runs, spec, tmp_path, notes, published)
        return saved[-1]

    return figure_of


@pytest.fixture
def picture(draw: Callable[..., Figure]) -> Figure:
    return draw(rows(SPEC), SPEC, ("SUBSTITUTE: us",))


def test_the_numbers_are_means_and_deviations_and_a_level_has_no_x() -> None:
    found = plotted_points(rows(SPEC), SPEC)
    level = found[(found.method == "LR") & (found.metric == "accuracy")]
    line = found[(found.method == "FM") & (found.metric == "accuracy")]
    assert len(level) == 1
    assert level["epsilon"].isna().all()
    assert list(line["epsilon"]) == [0.01, 0.1, 1.0]
    assert list(line["mean"]) == pytest.approx([0.75] * 3)  # of 0.7 and 0.8
    assert list(line["std"]) == pytest.approx([0.05 * 2**0.5] * 3)


def test_the_band_is_one_deviation_to_either_side(picture: Figure) -> None:
    box = picture.axes[0].collections[0].get_paths()[0].get_extents()
    assert (box.y0, box.y1) == pytest.approx((0.75 - 0.05 * 2**0.5, 0.75 + 0.05 * 2**0.5))


def test_a_method_without_the_axis_is_dashed_and_the_majority_class_dotted(picture: Figure) -> None:
    styles = {line.get_label(): line.get_linestyle() for line in picture.axes[0].lines}
    assert styles == {"LR": "--", "FM": "-", "majority class": ":"}


ENDLESS = replace(
    SPEC, methods=(*SPEC.methods, method("fm", {"epsilon": float("inf")}, "FM", "FM"))
)


def test_a_point_at_infinity_has_a_tick_a_decade_behind_the_last(
    draw: Callable[..., Figure],
) -> None:
    drawn = draw(rows(ENDLESS), ENDLESS)
    axis = drawn.axes[0].xaxis
    ticks = dict(
        zip(
            axis.get_majorticklocs(),
            (text.get_text() for text in axis.get_ticklabels()),
            strict=True,
        )
    )
    assert ticks[10.0] == "∞"
    assert [ticks[place] for place in (0.01, 0.1, 1.0)] == ["0.01", "0.1", "1"]
    assert max(axis.get_minorticklocs()) <= 1.0
    assert "dotted: on to ∞" in " ".join(text.get_text() for text in drawn.texts)


def test_the_way_to_infinity_is_dotted_and_the_line_ends_before(
    draw: Callable[..., Figure],
) -> None:
    lines = [
        line
        for line in draw(rows(ENDLESS), ENDLESS).axes[0].lines
        if line.get_linestyle() in ("-", ":")
    ]
    places = {
        line.get_linestyle(): list(line.get_xdata()) for line in lines if len(line.get_xdata()) > 1
    }
    assert places["-"] == [0.01, 0.1, 1.0]
    assert [1.0, 10.0] in [list(line.get_xdata()) for line in lines if line.get_linestyle() == ":"]


def test_infinity_lies_a_fifth_of_a_linear_axis_behind_the_last_point(
    draw: Callable[..., Figure],
) -> None:
    linear = replace(ENDLESS, layout=LinesLayout("epsilon", ("accuracy",), log_x=False))
    axis = draw(rows(linear), linear).axes[0].xaxis
    assert axis.get_majorticklocs()[-1] == pytest.approx(1 + 0.99 / 5)
    assert axis.get_ticklabels()[-1].get_text() == "∞"


def test_the_numbers_of_a_point_at_infinity_say_so(tmp_path: Path) -> None:
    write(rows(ENDLESS), ENDLESS, tmp_path)
    numbers = pd.read_csv(tmp_path / "figure.csv")
    assert numbers.loc[numbers["method"] == "FM", "epsilon"].max() == float("inf")
    assert "beyond" not in numbers


def test_the_legend_lies_outside_every_panel(picture: Figure) -> None:
    legend = picture.legends[0].get_window_extent()
    assert not any(legend.overlaps(axes.get_window_extent()) for axes in picture.axes)
    assert [text.get_text() for text in picture.legends[0].get_texts()] == [
        "LR",
        "FM",
        "majority class",
    ]


def test_the_axes_are_named_and_logarithmic_only_where_asked(
    picture: Figure, draw: Callable[..., Figure]
) -> None:
    assert picture.axes[0].get_xscale() == "log"
    assert "varepsilon" in picture.axes[0].get_xlabel()
    assert picture.axes[0].get_ylabel() == "accuracy"
    plain = replace(SPEC, layout=LinesLayout("epsilon", ("accuracy",), log_x=False))
    assert draw(rows(plain), plain).axes[0].get_xscale() == "linear"


def test_the_title_has_source_seeds_and_stand_ins(picture: Figure) -> None:
    words = " ".join(text.get_text() for text in picture.texts)
    for part in ("Ding et al. 2020, Figure 1", "[SUBSTITUTE]", "over 2 seeds", "SUBSTITUTE: us"):
        assert part in words


def test_there_is_a_panel_for_each_score_and_data_set(draw: Callable[..., Figure]) -> None:
    layout = LinesLayout("epsilon", ("accuracy", "demographic_parity_difference"))
    two = replace(SPEC, datasets=(data_set("adult"), data_set("us")), layout=layout)
    drawn = draw(rows(two), two)
    assert [axes.get_ylabel() for axes in drawn.axes][::2] == [
        "accuracy",
        "demographic parity difference",
    ]
    assert [axes.get_title() for axes in drawn.axes] == ["Adult", "US", "", ""]


def test_colours_and_markers_tell_eight_methods_apart() -> None:
    assert len(set(style.COLOURS)) == len(set(style.MARKERS)) == 8


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    first = [file.read_bytes() for file in write(rows(SPEC), SPEC, tmp_path / "a")]
    second = [file.read_bytes() for file in write(rows(SPEC), SPEC, tmp_path / "b")]
    assert first == second
    assert len(first) == 2


BESIDE = replace(
    SPEC,
    layout=LinesLayout(
        "epsilon",
        ("accuracy", "gap"),
        log_y=("gap",),
        beside={"accuracy": ("best",), "gap": ("bound",)},
    ),
    methods=SPEC.methods[1:],
)


BESIDE_ROWS = rows(BESIDE).assign(best=0.6, gap=0.01, bound=0.05).drop(columns="majority_accuracy")


def test_scores_beside_a_line_are_dashed_in_a_colour_of_their_own(
    draw: Callable[..., Figure],
) -> None:
    first, second = draw(BESIDE_ROWS, BESIDE).axes
    assert [line.get_label() for line in first.lines] == ["FM", "best"]
    assert [line.get_label() for line in second.lines] == ["FM", "bound"]
    assert len({line.get_color() for line in (*first.lines, *second.lines)}) == 3
    assert list(second.lines[1].get_ydata()) == pytest.approx([0.05] * 3)


def test_an_axis_with_lines_of_two_groups_names_none_and_each_line_its_own(
    draw: Callable[..., Figure],
) -> None:
    layout = replace(
        BESIDE.layout,
        y_names={"accuracy": "share right"},
        line_names={"accuracy": "men", "best": "women"},
    )
    first, second = draw(BESIDE_ROWS, replace(BESIDE, layout=layout)).axes
    assert (first.get_ylabel(), second.get_ylabel()) == ("share right", "gap")
    assert [line.get_label() for line in first.lines] == ["men", "women"]


def test_a_score_beside_a_line_has_a_band_too(draw: Callable[..., Figure]) -> None:
    seeds = BESIDE_ROWS["seed"].map({0: 0.5, 1: 0.7})
    bands = draw(BESIDE_ROWS.assign(best=seeds), BESIDE).axes[0].collections
    box = bands[1].get_paths()[0].get_extents()
    assert (box.y0, box.y1) == pytest.approx((0.6 - 0.02**0.5, 0.6 + 0.02**0.5))


def test_on_a_logarithmic_axis_a_band_that_reaches_zero_is_not_drawn(
    draw: Callable[..., Figure],
) -> None:
    wide = BESIDE_ROWS["seed"].map({0: 0.001, 1: 0.1})
    bands = draw(BESIDE_ROWS.assign(bound=wide), BESIDE).axes[1].collections
    assert [len(band.get_paths()) for band in bands] == [1, 0]


def test_one_seed_has_no_intervals_and_the_heading_says_so(draw: Callable[..., Figure]) -> None:
    one = draw(BESIDE_ROWS[BESIDE_ROWS["seed"] == 0], BESIDE)
    assert "no intervals: one run has no deviation" in " ".join(
        text.get_text() for text in one.texts
    )
    several = draw(BESIDE_ROWS.assign(best=BESIDE_ROWS["seed"] / 2), BESIDE)
    assert "no intervals" not in " ".join(text.get_text() for text in several.texts)


def test_a_line_that_another_hides_is_wider_than_it(draw: Callable[..., Figure]) -> None:
    twins = replace(
        SPEC,
        methods=(
            SPEC.methods[1],
            replace(SPEC.methods[1], label="twin", published="twin"),
        ),
    )
    widths = {
        line.get_label(): line.get_linewidth() for line in draw(rows(twins), twins).axes[0].lines
    }
    assert widths["FM"] > widths["twin"]


def test_lines_that_are_apart_or_cross_hide_nothing() -> None:
    def line(*means: float) -> pd.DataFrame:
        return pd.DataFrame({"x": [1.0, 2.0, 3.0], "mean": means})

    assert count_hiding_lines(
        {"a": line(0, 1, 2), "b": line(2, 1, 0), "c": line(3, 3, 3)}, "x"
    ) == dict.fromkeys("abc", 0)
    assert count_hiding_lines({"a": line(0, 1, 2), "b": line(0, 1, 5)}, "x") == {"a": 1, "b": 0}


def test_lines_are_near_or_apart_as_they_are_drawn() -> None:
    def line(*means: float) -> pd.DataFrame:
        return pd.DataFrame({"x": [1.0, 2.0, 3.0], "mean": means})

    decades = {"a": line(1000, 1, 0.1), "b": line(1000, 2, 0.2)}
    assert count_hiding_lines(decades, "x") == {"a": 1, "b": 0}
    assert count_hiding_lines(decades, "x", log_y=True) == {"a": 0, "b": 0}
    far_from_zero = {"a": line(100, 101, 102), "b": line(100.5, 101.5, 102.5)}
    assert count_hiding_lines(far_from_zero, "x") == {"a": 0, "b": 0}


def test_only_the_panels_that_ask_for_it_are_logarithmic(draw: Callable[..., Figure]) -> None:
    assert [axes.get_yscale() for axes in draw(BESIDE_ROWS, BESIDE).axes] == ["linear", "log"]


def test_everything_that_is_plotted_is_in_the_numbers() -> None:
    assert BESIDE.layout.plotted_scores == ("accuracy", "gap", "best", "bound")
    assert set(BESIDE.layout.plotted_scores) <= set(plotted_points(BESIDE_ROWS, BESIDE)["metric"])


def test_a_method_is_drawn_only_on_the_data_sets_that_it_runs_on(
    draw: Callable[..., Figure],
) -> None:
    fm, second = (
        BESIDE.methods[0],
        method("fm", {"epsilon": 0.1}, "FM on US", "FM", datasets=("us",)),
    )
    spec = replace(BESIDE, datasets=(data_set("us"), data_set("adult")), methods=(fm, second))
    runs = rows(spec).assign(best=0.6, gap=0.01, bound=0.05)
    runs = runs[(runs.method == "FM") | (runs.dataset == "us")]
    us, adult = ({line.get_label() for line in axes.lines} for axes in draw(runs, spec).axes[2:])
    assert us == {"FM", "FM on US", "FM: bound", "FM on US: bound"}
    assert adult == {"FM", "FM: bound"}


PRINTED = (
    PublishedPoint("us", "FM", "accuracy", 0.1, 0.72, 0.03),
    PublishedPoint("us", "FM", "accuracy", 1.0000001, 0.78, float("nan")),
)


def hollow(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """The points with hollow marks in a panel by their marker."""
    parts = [part.lines[0] for part in axes.containers if isinstance(part, ErrorbarContainer)]
    return {
        str(line.get_marker()): [
            (float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)
        ]
        for line in parts
        if line.get_markerfacecolor() == "none"
    }


def test_published_points_are_hollow_marks_of_their_method(
    draw: Callable[..., Figure],
) -> None:
    axes = draw(rows(SPEC), SPEC, published=PRINTED).axes[0]
    (part,) = (part for part in axes.containers if isinstance(part, ErrorbarContainer))
    line = next(line for line in axes.lines if line.get_label() == "FM")
    assert hollow(axes) == {str(line.get_marker()): [(0.1, 0.72), (1.0, 0.78)]}
    assert part.lines[0].get_markeredgecolor() == line.get_color()


def test_the_bar_of_a_published_point_is_one_published_deviation(
    draw: Callable[..., Figure],
) -> None:
    axes = draw(rows(SPEC), SPEC, published=PRINTED[:1]).axes[0]
    (part,) = (part for part in axes.containers if isinstance(part, ErrorbarContainer))
    ((_, low), (_, high)) = part.lines[2][0].get_segments()[0]
    assert (low, high) == pytest.approx((0.69, 0.75))


def test_legend_and_heading_say_what_is_published(draw: Callable[..., Figure]) -> None:
    drawn = draw(rows(SPEC), SPEC, published=PRINTED)
    shown = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert shown == ["LR", "FM", "majority class", "published"]
    words = " ".join(text.get_text() for text in drawn.texts)
    assert "hollow: published, its bar one standard deviation" in words
    without = " ".join(
        text.get_text() for text in draw(rows(SPEC), SPEC, published=PRINTED[1:]).texts
    )
    assert "hollow: published." in without


def test_published_points_are_in_the_numbers_where_there_are_some(tmp_path: Path) -> None:
    write(rows(SPEC), SPEC, tmp_path, published=PRINTED)
    numbers = pd.read_csv(tmp_path / "figure.csv")
    known = numbers[numbers["published_mean"].notna()]
    assert list(known["epsilon"]) == [0.1, 1.0]
    assert list(known["published_mean"]) == [0.72, 0.78]
    assert list(known["mean"]) == pytest.approx([0.75, 0.75])
    write(rows(SPEC), SPEC, tmp_path)
    assert "published_mean" not in pd.read_csv(tmp_path / "figure.csv")


def test_a_point_beside_no_run_of_ours_is_not_shown() -> None:
    points = plotted_points(rows(SPEC), SPEC)
    for changed in (
        {"x": 0.2},
        {"method": "LR"},
        {"dataset": "adult"},
        {"metric": "majority_accuracy", "method": "RFM"},
    ):
        assert "published_mean" not in with_published(
            points, [PRINTED[0]._replace(**changed)], "epsilon"
        )


def test_a_published_value_of_a_second_score_is_a_star_in_its_colour(
    draw: Callable[..., Figure],
) -> None:
    star = PublishedPoint("us", "FM", "best", 0.1, 0.64, float("nan"))
    drawn = draw(BESIDE_ROWS, BESIDE, published=(star, PRINTED[0]))
    first, second = drawn.axes
    assert hollow(first) == {"o": [(0.1, 0.72)], "*": [(0.1, 0.64)]}
    assert hollow(second) == {}
    beside = next(line for line in first.lines if line.get_label() == "best")
    parts = [part.lines[0] for part in first.containers if isinstance(part, ErrorbarContainer)]
    assert (
        next(line for line in parts if line.get_marker() == "*").get_markeredgecolor()
        == beside.get_color()
    )
    shown = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert "published, of a dashed line" in shown
