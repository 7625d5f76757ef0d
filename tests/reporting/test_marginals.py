"""The picture of marginals: what is drawn of which rows."""

import pandas as pd
from matplotlib.figure import Figure

from dpfair_cli.reporting.layouts.marginals import MarginalsLayout
from tests.toy_specs import method

ROWS = pd.DataFrame(
    [
        {
            "method": method,
            "seed": seed,
            "feature": feature,
            "real_share": real,
            "generated_share": share,
        }
        for method, offset in (("a", 0.0), ("b", 0.1))
        for seed in (0, 1)
        for feature, real, share in (
            ("x=0", 0.6, 0.5 + offset + 0.1 * seed),
            ("x=1", 0.4, 0.5 - offset - 0.1 * seed),
        )
    ]
)
LAYOUT = MarginalsLayout(along="feature", behind="real_share", share="generated_share")


class TwoMethods:
    """What a spec is asked for its methods."""

    methods_by_label = dict.fromkeys(("a", "b"), method("copied_data", {}))


def test_a_method_has_mean_and_range_of_each_feature_and_the_real_share():
    found = LAYOUT.points(ROWS, None, TwoMethods()).set_index(["method", "feature"]).round(12)
    assert found.loc[("a", "x=0")].to_dict() == {"real": 0.6, "mean": 0.55, "min": 0.5, "max": 0.6}
    assert found.loc[("b", "x=1")].to_dict() == {"real": 0.4, "mean": 0.35, "min": 0.3, "max": 0.4}


def test_every_feature_has_one_bar_and_every_method_a_mark_beside_it():
    figure = Figure()
    LAYOUT.draw(figure, LAYOUT.points(ROWS, None, TwoMethods()), ROWS, TwoMethods())
    left, right = figure.axes
    assert [axes.get_yticklabels()[0].get_text() for axes in (left, right)] == ["x=0", "x=1"]
    assert [patch.get_width() for axes in (left, right) for patch in axes.patches] == [0.6, 0.4]
    marks = {line.get_label(): line.get_xdata()[0] for line in left.lines}
    assert {name: round(float(value), 12) for name, value in marks.items()} == {
        "a": 0.55,
        "b": 0.65,
    }
