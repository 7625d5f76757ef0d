"""Published cells as points of a picture: those of the same experiment and no others, each in its
place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from dpfair_cli.contracts.declarations import Method
from dpfair_cli.contracts.specs import PublishedPoint, Spec, Vocabulary
from dpfair_cli.paths import folder
from dpfair_cli.reporting.layouts.frontier import FrontierLayout
from dpfair_cli.reporting.layouts.lines import LinesLayout
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.running import spec as specs
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.verdicts.cells.published import published_points
from dpfair_cli.verdicts.paper import read_paper
from tests.toy_specs import data_set, method, task
from tests.verdicts.toy_paper import published_cell

SHARES = (0.25, 0.5)


def pflr_star(**changed: Any) -> Method:
    return method(
        "pflr_star",
        {"epsilon": 10.0, "share": 0.5, "noise": "laplace", **changed},
        "PFLR*",
        "PFLR*",
    )


FIGURE = Spec(
    artefact="xu2021/figure8.1",
    title="",
    source="",
    task=task(),
    datasets=(data_set("adult"),),
    methods=tuple(pflr_star(share=share) for share in SHARES),
    seeds=2,
    layout=LinesLayout("share", ("accuracy",), published=("table8.2",)),
)
VARIANT = method(
    "pflr_star", {"epsilon": 10.0, "share": 0.5, "noise": "quadratic"}, "PFLR*, quadratic", "PFLR*"
)
TABLE = replace(
    FIGURE,
    artefact="xu2021/table8.2",
    methods=(pflr_star(), pflr_star(epsilon=1.0), VARIANT),
    layout=TableLayout(("dataset", "epsilon", "method"), ("accuracy",)),
)
CELL = {
    "artefact": "table8.2",
    "dataset": "adult",
    "method": "PFLR*",
    "epsilon": 10,
    "metric": "accuracy",
}
CELL |= {"mean": 0.76, "std": 0.01}


def points(
    *cells: dict[str, Any],
    figure: Spec = FIGURE,
    table: Spec = TABLE,
    standins: Mapping[str, str] | None = None,
) -> list[tuple[Any, ...]]:
    """Method, score, x and mean of each point."""
    published = [published_cell(cell) for cell in cells]
    found = published_points(figure, [table], published, standins=standins or {})
    return [(point.method, point.metric, point.x, point.mean) for point in found]


def test_a_cell_of_a_table_stands_where_its_run_is_on_the_axis() -> None:
    assert points(CELL) == [("PFLR*", "accuracy", 0.5, 0.76)]
    found = published_points(FIGURE, [TABLE], [published_cell(CELL)], standins={})
    assert found == (PublishedPoint("adult", "PFLR*", "accuracy", 0.5, 0.76, 0.01),)


def test_a_cell_of_the_figure_itself_stands_at_its_own_value() -> None:
    own = CELL | {"artefact": "figure8.1", "share": 0.25}
    assert points(own) == [("PFLR*", "accuracy", 0.25, 0.76)]


@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon": 1},  # the figure has no such run
        {"epsilon": 100},  # nor has the table
        {"epsilon": None},  # of two runs
        {"dataset": "dutch"},
        {"method": "PFLR"},
        {"metric": "demographic_parity_difference"},  # not drawn
        {"artefact": "table8.1"},  # not named
    ],
)
def test_a_cell_of_another_experiment_is_no_point(changed: dict[str, Any]) -> None:
    assert points(CELL | changed) == []


@pytest.mark.parametrize("changed", [{"noise": "quadratic"}, {"share": 0.75}, {"steps": 3}])
def test_every_parameter_of_the_run_must_be_one_of_ours(changed: dict[str, Any]) -> None:
    assert points(CELL, table=replace(TABLE, methods=(pflr_star(**changed),))) == []


def test_another_algorithm_of_the_same_name_is_another_experiment() -> None:
    other = method("pflr", pflr_star().params, "PFLR*", "PFLR*")
    assert points(CELL, table=replace(TABLE, methods=(other,))) == []


def test_a_parameter_that_is_set_apart_may_differ() -> None:
    table = replace(TABLE, methods=(pflr_star(noise="gaussian"),))
    apart = replace(
        FIGURE,
        layout=LinesLayout(
            "share", ("accuracy",), published=("table8.2",), published_apart=("noise",)
        ),
    )
    assert points(CELL, figure=apart, table=table) == [("PFLR*", "accuracy", 0.5, 0.76)]


def test_the_default_variant_of_the_figure_has_the_point() -> None:
    variants = replace(FIGURE, methods=(VARIANT, *FIGURE.methods))
    assert points(CELL, figure=variants) == [("PFLR*", "accuracy", 0.5, 0.76)]


def test_nothing_is_a_point_of_a_replica() -> None:
    assert points(CELL, standins={"adult": "REPLICA"}) == []
    assert points(CELL, standins={"adult": "SUBSTITUTE"}) != []


def test_of_two_cells_in_one_place_the_first_counts() -> None:
    assert points(CELL, CELL | {"mean": 0.77}) == [("PFLR*", "accuracy", 0.5, 0.76)]


GROUPS = replace(
    TABLE,
    methods=(pflr_star(epochs=3),),
    layout=TableLayout(("dataset", "group", "method"), ("accuracy",)),
    task=task(axis="group"),
)
MEN, ALL = ({**CELL, "group": group} for group in ("men", "total"))
SCORES = {"accuracy_1": {"metric": "accuracy", "group": "men"}}
CURVES = replace(
    FIGURE,
    methods=(pflr_star(epochs=3),),
    task=task(axis="epoch"),
    layout=LinesLayout(
        "epoch",
        ("accuracy_1",),
        published=("table8.2",),
        published_scores=SCORES,
        published_at="epochs",
    ),
)


def test_the_score_of_a_group_is_drawn_at_the_end_of_training() -> None:
    assert points(MEN, ALL, figure=CURVES, table=GROUPS) == [("PFLR*", "accuracy_1", 3, 0.76)]


def test_where_the_groups_are_the_axis_every_group_has_its_point() -> None:
    layout = LinesLayout("group", ("accuracy",), published=("table8.2",))
    figure = replace(CURVES, task=task(axis="group"), layout=layout)
    assert [point[2] for point in points(MEN, ALL, figure=figure, table=GROUPS)] == ["men", "total"]


def test_a_score_of_one_group_is_not_shown_as_that_of_all() -> None:
    figure = replace(FIGURE, methods=(pflr_star(epochs=3),))
    assert points(MEN, ALL, figure=figure, table=GROUPS) == []


def test_a_frontier_has_no_place_for_published_cells() -> None:
    frontier = FrontierLayout(("share",), against="error", panels=("accuracy",))
    assert points(CELL, figure=replace(FIGURE, layout=frontier)) == []


def test_a_misspelt_score_or_parameter_of_published_cells_is_refused() -> None:
    known = Vocabulary(frozenset({"accuracy"}), frozenset(), frozenset({"share"}), frozenset())
    with pytest.raises(ValueError, match="unknown score 'acuracy'"):
        LinesLayout("share", ("accuracy",), published_scores={"acuracy": {}}).check(known)
    for changed in ({"published_at": "shares"}, {"published_apart": ("shares",)}):
        with pytest.raises(ValueError, match="unknown parameter 'shares'"):
            replace(LinesLayout("share", ("accuracy",)), **changed).check(known)


def points_of(artefact: str) -> list[tuple[Any, ...]]:
    """Data set, method, score, x and mean of each point of a committed spec."""
    spec = specs.load(artefact)
    lenders = [specs.load(f"{spec.paper}/{name}") for name in spec.layout.placement.artefacts]
    published = read_paper(folder("experiments") / spec.paper).published
    return [point[:5] for point in published_points(spec, lenders, published, standins={})]


def test_a_spec_that_names_tables_has_points_of_them() -> None:
    for artefact in artefacts():
        layout = specs.load(artefact).layout
        if isinstance(layout, LinesLayout):
            assert bool(points_of(artefact)) == bool(layout.placement.artefacts), artefact


def test_points_of_figure_8_1_are_cells_of_table_8_2_at_half_the_budget() -> None:
    assert points_of("xu2021/figure8.1") == [
        ("adult", "PFLR*", "accuracy", 0.5, 0.7632),
        ("adult", "PFLR*", "demographic_parity_difference", 0.5, 0.0204),
    ]


def test_the_points_of_figure_9_6_are_what_the_classes_lose_in_table_9_2() -> None:
    place = ("mnist_unbalanced", "DPSGD-F")
    assert set(points_of("xu2021/figure9.6b")) == {
        (*place, "last_change", 0.8, -0.0432),
        (*place, "first_change", 0.8, -0.0281),
    }
    assert set(points_of("xu2021/figure9.6a")) == {
        (*place, "accuracy_change_8", 60, -0.0432),
        (*place, "accuracy_change_2", 60, -0.0281),
    }


def test_the_men_of_figure_9_8_are_those_of_table_9_3() -> None:
    found = points_of("xu2021/figure9.8")
    assert ("dutch_unbalanced", "DPSGD", "average_loss_1", 20, 0.83) in found
    assert ("dutch_unbalanced", "DPSGD", "average_loss_0", 20, 0.52) in found
    assert len(found) == 16


def test_balanced_mnist_has_no_published_point_in_figure_9_1() -> None:
    assert {point[0] for point in points_of("xu2021/figure9.1")} == {"mnist_unbalanced"}
