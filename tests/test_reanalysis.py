"""Re-analysis of printed values: pairs, rules and scores, by hand and with SciPy as an oracle."""

import pickle
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpfair_cli import reanalysis
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reanalysis import of_scores, sign_test, summary, welch_test
from dpfair_cli.running import spec

LINES = """artefact,dataset,method,epsilon,random_seed,metric,mean,std,printed,place
table-not-run,d,none,1,7,accuracy,0.6,,0.6,p
table-not-run,d,none,1,7,gap,-0.8,0.1,-0.8±0.1,p
table-not-run,d,other,1,7,accuracy,0.7,,0.7,p
table-not-run,d,other,1,7,gap,0.4,0.2,0.4±0.2,p
table-not-run,d,other,2,7,gap,0.4,,0.4,p
"""
CONTENT = {
    "title": "t",
    "source": "s",
    "reanalysis": {
        "comparisons": [{"name": "printed_methods", "first": "none", "second": "other"}],
        "rules": [{"method": "signs", "name": "sign_test"}],
    },
    "table": {"rows": ["method"], "values": ["comparisons"]},
}


@pytest.fixture
def folder(tmp_path):
    """The folder of a work that prints the five values."""
    (tmp_path / "published.csv").write_text(LINES)
    return tmp_path


# ---- the pairs


def test_two_methods_are_paired_at_the_same_score_and_parameters(folder):
    found = reanalysis.compare_methods(folder, first="none", second="other", runs=3)
    assert [*found["metric"]] == ["accuracy", "gap"]
    np.testing.assert_allclose(found["mean"] - found["mean_first"], [0.1, 1.2])
    np.testing.assert_allclose(found["std_first"], [np.nan, 0.1])
    assert [*found["runs"]] == [3, 3]


def test_dropped_signs_compare_absolute_values(folder):
    found = reanalysis.compare_methods(
        folder, first="none", second="other", metrics=("gap",), signs="dropped"
    )
    assert found[["mean_first", "mean"]].to_numpy().tolist() == [[0.8, 0.4]]


def test_a_value_is_compared_with_that_at_the_reference(folder):
    found = reanalysis.compare_settings(folder, of="other", reference="1")
    assert [*found["name"]] == ["d, gap, epsilon 2, random_seed 7"]
    assert found[["mean_first", "mean"]].to_numpy().tolist() == [[0.4, 0.4]]


def test_a_value_is_compared_with_the_limit(folder):
    found = reanalysis.compare_with_limit(folder, metrics=("accuracy",), limit=0.65)
    assert [*found["mean_first"]] == [0.65, 0.65]
    assert [*(found["mean"] > found["mean_first"])] == [False, True]


def test_a_trade_off_is_the_root_of_half_the_squares(folder):
    """sqrt((0.4^2 + 0.8^2) / 2) = sqrt(0.4) and sqrt((0.3^2 + 0.4^2) / 2) = sqrt(0.125)."""
    found = reanalysis.compare_tradeoffs(
        folder,
        only_setting="epsilon",
        only_value="1",
        gap="gap",
        first=("none",),
        second=("other",),
    )
    assert [*found["name"]] == ["seed 7"]
    np.testing.assert_allclose(found[["mean_first", "mean"]].iloc[0], np.sqrt([0.4, 0.125]))


@pytest.mark.parametrize("options", [{"first": "unknown"}, {"metrics": ("unknown",)}])
def test_values_that_are_not_printed_are_refused(folder, options):
    with pytest.raises(DpfairError):
        reanalysis.compare_methods(folder, **({"first": "none", "second": "other"} | options))


def test_a_work_without_printed_values_is_refused(tmp_path):
    with pytest.raises(DpfairError, match="does not exist"):
        reanalysis.compare_methods(tmp_path, first="none", second="other")


# ---- the sign test


def comparisons(names, mean, std, runs=1, metrics=()):
    """Comparisons with the means and the deviations of both sides, (2, n)."""
    (mean_first, mean), (std_first, std) = mean, std
    numbers = {"mean_first": mean_first, "std_first": std_first, "mean": mean, "std": std}
    return pd.DataFrame({"name": names, "metric": metrics or names, **numbers, "runs": runs})


def signs(differences, **options):
    mean = np.array([np.zeros(len(differences)), differences], dtype=float)
    given = comparisons([*map(str, differences)], mean, np.full_like(mean, np.nan))
    return sign_test(given, **options)


def test_five_losses_of_five_have_the_one_sided_p_value_of_one_in_32():
    assert signs([-1, -2, -3, -4, -5], alternative="less").p[0] == pytest.approx(1 / 32)


def test_sixteen_of_twenty_have_the_sum_of_both_tails():
    expected = 2 * sum(comb(20, k) for k in range(5)) / 2**20
    assert signs([-1] * 16 + [1] * 4).p[0] == pytest.approx(expected)


def test_equal_values_do_not_count_in_the_test():
    found = signs([0, 0, 1, 1], alternative="greater")
    assert found.equivalent.tolist() == [True, True, False, False]
    assert found.p[0] == pytest.approx(1 / 4)


def test_values_that_are_all_equal_have_the_p_value_one():
    assert signs([0, 0]).p.tolist() == [1.0, 1.0]


# ---- Welch's test


def pairs(mean, std, runs=5):
    """Comparisons with means and deviations of both sides, (2,) or (2, n)."""
    mean, std = (np.reshape(one, (2, -1)).astype(float) for one in (mean, std))
    names = [f"pair {k}" for k in range(mean.shape[1])]
    return comparisons(names, mean, std, runs)


def random_pairs(n=40, seed=1):
    rng = np.random.default_rng(seed)
    return pairs(rng.normal(0, 0.05, (2, n)), rng.uniform(0.005, 0.06, (2, n)))


def swapped(found):
    other = {"mean": "mean_first", "std": "std_first", "mean_first": "mean", "std_first": "std"}
    return found.rename(columns=other)


def of_scipy(given, shift=0.0, **options):
    """SciPy's Welch test of the second values, which are shifted, against the first."""
    names = ("mean", "std", "mean_first", "std_first", "runs")
    mean, std, mean_first, std_first, runs = (given[name].to_numpy() for name in names)
    return stats.ttest_ind_from_stats(
        mean + shift, std, runs, mean_first, std_first, runs, equal_var=False, **options
    )


def test_a_difference_of_two_with_four_runs_is_significant():
    """The error is sqrt(1/4 + 1/4) = 0.7071, t = 2.828 with 6 degrees; the quantile is 2.4469."""
    found = welch_test(pairs([0, 2], [1, 1], 4))
    assert (found.lower[0], found.higher[0]) == (False, True)
    assert found.p[0] == pytest.approx(0.0300, abs=5e-5)
    assert found.half_width[0] == pytest.approx(2.4469 * 0.70711, abs=1e-4)


def test_holm_stops_at_the_first_p_value_above_its_level():
    """0.01 < 0.05 / 4, but 0.03 > 0.05 / 3: then 0.04 is not significant either."""
    found = reanalysis._holm(np.array([0.04, 0.01, 0.5, 0.03]), 0.05)
    assert found.tolist() == [False, True, False, False]


def test_p_values_are_those_of_scipy():
    given = random_pairs()
    expected = of_scipy(given).pvalue
    np.testing.assert_allclose(welch_test(given).p, expected, rtol=1e-10)


def test_equivalence_is_that_of_two_one_sided_tests_of_scipy():
    given, margin = random_pairs(), 0.05
    shifted = [
        of_scipy(given, shift=shift, alternative=alternative).pvalue
        for shift, alternative in ((margin, "greater"), (-margin, "less"))
    ]  # fmt: skip
    expected = np.max(shifted, axis=0) < 0.05
    assert 0 < expected.sum() < len(expected)
    np.testing.assert_array_equal(welch_test(given, margin=margin).equivalent, expected)


def test_swapping_the_sides_swaps_lower_and_higher():
    given = random_pairs()
    one, two = (welch_test(x) for x in (given, swapped(given)))
    np.testing.assert_array_equal(one.lower, two.higher)
    np.testing.assert_array_equal(one.equivalent, two.equivalent)
    assert one.lower.any()


def test_holm_decides_a_subset_of_what_single_tests_decide():
    given = random_pairs()
    single = welch_test(given)
    together = welch_test(given, correction="holm")
    assert not (together.lower & ~single.lower).any()
    assert 0 < (together.lower | together.higher).sum() < (single.lower | single.higher).sum()


def test_a_larger_margin_decides_equivalence_at_least_as_often():
    given = random_pairs()
    small, large = (welch_test(given, margin=m).equivalent for m in (0.05, 0.1))
    assert not (small & ~large).any()


def test_equal_runs_without_deviation_stay_undecided(monkeypatch):
    monkeypatch.setattr(reanalysis, "MOST_RUNS", 100)
    found = welch_test(pairs([0.8, 0.8], [0, 0]))
    assert not (found.lower | found.higher | found.equivalent).any()
    assert np.isnan(found.runs_needed[0])


def test_a_value_without_a_printed_deviation_is_refused():
    with pytest.raises(ValueError, match="sign test"):
        welch_test(pairs([0.8, 0.8], [np.nan, 0.1]))


def test_the_power_is_the_share_of_simulated_printed_means():
    """Means of 50 runs: the error is nearly known, as the formula takes it to be."""
    rng, n = np.random.default_rng(3), 4000
    draws = rng.normal(0, 0.1, (2, n, 50))
    found = welch_test(pairs(draws.mean(axis=2), draws.std(axis=2, ddof=1), 50), margin=0.05)
    assert found.power.mean() == pytest.approx(found.equivalent.mean(), abs=0.03)


def test_the_runs_needed_are_the_first_with_power_four_fifths():
    given = pairs([0, 0], [0.05, 0.05])
    needed = int(welch_test(given).runs_needed[0])
    powers = [welch_test(pairs([0, 0], [0.05, 0.05], n)).power[0] for n in (needed - 1, needed)]
    assert powers[0] < 0.8 <= powers[1]


# ---- the scores


GIVEN = comparisons(
    ["one", "two", "three"],
    [[0.1, 0.2, 0.9], [0.3, 0.1, 0.9]],
    np.full((2, 3), np.nan),
    metrics=["gap", "gap", "auc"],
)


def outcome(**protocol):
    return summary(of_scores(sign_test(GIVEN), **protocol))


def test_counts_and_differences_are_those_of_three_comparisons():
    scores = outcome().scores
    counts = [scores[name] for name in ("comparisons", "lower", "higher", "equivalent")]
    assert counts == [3, 1, 1, 1]
    assert scores["undecided"] == 0
    assert scores["lower_share"] == pytest.approx(1 / 3)
    assert scores["mean_difference"] == pytest.approx(0.1 / 3)
    assert scores["largest_difference"] == pytest.approx(0.2)
    assert scores["sign_p"] == 1
    assert np.isnan(scores["power"])


def test_only_the_named_scores_are_counted():
    found = outcome(counted=("gap",))
    assert found.scores["comparisons"] == 2
    assert found.curves["comparison"] == ["one", "two"]
    np.testing.assert_allclose(found.curves["difference"], [0.2, -0.1])


def test_every_score_of_the_task_is_computed():
    found = outcome()
    assert {*found.scores, *found.curves} == set(reanalysis.study("reanalysis").scores)


def test_a_score_that_no_comparison_has_is_refused():
    with pytest.raises(ValueError, match="no comparison"):
        outcome(counted=("accuracy",))


# ---- a spec


def test_a_spec_of_printed_values_has_a_row_for_each_comparison_and_rule(folder):
    found = spec.parse(CONTENT, "w/table1")
    (run,) = found.runs()
    assert found.is_reanalysis
    assert reanalysis.compare(run, folder).scores["comparisons"] == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": 1}, "a spec with `reanalysis` has an unknown key 'seeds'"),
        ({"reanalysis": {"rule": []}}, "did you mean 'rules'"),
        ({"reanalysis": {"rules": []}}, "`comparisons` and `rules`"),
    ],
)
def test_a_spec_of_printed_values_with_a_mistake_is_refused(changes, message):
    with pytest.raises(DpfairError, match=message):
        spec.parse(CONTENT | changes, "w/table1")


@pytest.mark.parametrize(
    ("key", "entry", "message"),
    [
        ("comparisons", {"name": "printed_method"}, "did you mean 'printed_methods'"),
        ("comparisons", {"name": "printed_methods", "first": "none"}, "second"),
        ("rules", {"name": "sign_tests"}, "did you mean 'sign_test'"),
        ("rules", {"name": "sign_test", "margin": 1}, "sign_test has no parameter 'margin'"),
    ],
)
def test_an_entry_of_printed_values_with_a_mistake_is_refused(key, entry, message):
    content = CONTENT | {"reanalysis": CONTENT["reanalysis"] | {key: [entry]}}
    with pytest.raises(DpfairError, match=message):
        spec.parse(content, "w/table1")


def test_a_spec_of_printed_values_stays_the_same_in_another_process():
    found = spec.parse(CONTENT, "w/table1")
    again = pickle.loads(pickle.dumps(found))
    assert again.datasets == found.datasets
    assert again.methods[0].algorithm is found.methods[0].algorithm
