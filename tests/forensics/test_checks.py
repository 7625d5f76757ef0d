import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpfair_cli.addons.forensics.chances import step_of_deviation
from dpfair_cli.addons.forensics.examining import LEVEL, examine
from dpfair_cli.addons.forensics.finding import Kind
from tests.forensics.material import cell, facts_of, findings, hints_of, paper

GAP = "demographic_parity_difference"
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0)
TEN = {"runs": {"value": 10}}


def only(examination, kind):
    return [one for one in examination.findings if one.kind is kind]


def test_a_rate_above_one_is_impossible():
    assert facts_of([cell("1.02")]) == [Kind.RANGE]
    assert facts_of([cell("-0.02", GAP)]) == [Kind.RANGE]
    assert findings([cell("1.00"), cell("0.0", GAP)]) == []


def test_a_declared_range_replaces_that_of_the_name():
    signed = {"low": -1, "high": 1, "metric": GAP}
    assert facts_of([cell("-0.02", GAP)], range=signed) == []
    assert facts_of([cell("-1.02", GAP)], range=signed) == [Kind.RANGE]


def test_ten_values_cannot_vary_ten_times_their_mean():
    # at most 0.0035 sqrt(10) = 0.0111, printed 0.034
    assert facts_of([cell("0.003 ± 0.034", GAP)], **TEN) == [Kind.DEVIATION]
    # at most 0.0115 sqrt(10) = 0.0364
    assert facts_of([cell("0.011 ± 0.034", GAP)], **TEN) == []


def test_signed_values_may_vary_more_than_their_mean():
    signed = {"low": -1, "high": 1}
    assert facts_of([cell("0.003 ± 0.034", GAP)], **TEN, range=signed) == []


def test_without_runs_no_deviation_is_impossible():
    assert facts_of([cell("0.003 ± 0.034", GAP)]) == []


def test_an_accuracy_is_a_multiple_of_one_record():
    of_seven = {"runs": {"value": 1}, "test_records": {"value": 7}}
    assert facts_of([cell("0.857")], **of_seven) == []  # 6/7
    assert facts_of([cell("0.860")], **of_seven) == [Kind.COUNTS]
    assert facts_of([cell("0.860", GAP)], **of_seven) == []  # a gap is no proportion


def test_a_mean_in_single_precision_is_a_multiple_of_one_record():
    counts = (37_155, 37_199, 38_620)
    shares = [np.float32(count / 48_842) for count in counts]
    mean = float(np.float32(sum(shares) / np.float32(3)))
    of_all = {"runs": {"value": 3}, "test_records": {"value": 48_842}}
    assert abs(mean - sum(counts) / 3 / 48_842) > 1e-12
    assert facts_of([cell(repr(mean))], **of_all) == []
    assert facts_of([cell(repr(mean + 3e-6))], **of_all) == [Kind.COUNTS]


def test_a_deduced_number_of_runs_proves_nothing():
    # 0.123457 is a multiple of 1/(15 * 100) for no count, and the 15 runs were deduced
    stated = {"value": 15}
    deduced = {"value": 15, "deduced_from": "accuracy"}
    assert facts_of([cell("0.123457")], runs=stated, test_records={"value": 100}) == [Kind.COUNTS]
    assert facts_of([cell("0.123457")], runs=deduced, test_records={"value": 100}) == []
    assert facts_of([cell("0.003 ± 0.034", GAP)], runs=deduced) == []


def test_a_deduced_number_of_test_records_proves_nothing():
    deduced = {"value": 100, "deduced_from": "accuracy"}
    assert facts_of([cell("0.123457")], runs={"value": 15}, test_records=deduced) == []


def test_a_deduced_number_feeds_hints_of_other_scores_alone():
    cells = [cell("0.700 ± 0.002"), cell("0.700 ± 0.002", "error")]
    majority = {"value": 0.75, "metric": "accuracy"}, {"value": 0.75, "metric": "error"}
    for score, wanted in (("accuracy", ["error"]), ("error", ["accuracy"])):
        runs = {"value": 4, "deduced_from": score}
        found = examine(paper(cells, runs=runs, majority=[*majority])).findings
        assert [one.cells[0].published.metric for one in found] == wanted


def test_a_point_of_another_method_may_have_its_runs():
    # 0.185 = 37/200 is a multiple of 1/(2 * 100) and none of 1/100
    runs = [{"value": 2, "method": "A"}, {"value": 1, "method": "B"}]
    given = {"runs": runs, "test_records": {"value": 100}}
    alone = [cell("0.1750", method="A"), cell("0.1850", method="B")]
    assert facts_of(alone, **given) == [Kind.COUNTS]
    shared = [cell("0.1850", method="A"), cell("0.1850", method="B")]
    assert facts_of(shared, **given) == []
    elsewhere = [cell("0.1850", method="A", epsilon=2.0), cell("0.1850", method="B")]
    assert facts_of(elsewhere, **given) == [Kind.COUNTS]
    neither = [cell("0.1857", method="A"), cell("0.1857", method="B")]
    assert facts_of(neither, **given) == [Kind.COUNTS, Kind.COUNTS]


def test_two_counts_with_a_mean_of_a_quarter_differ_by_one():
    of_two = {"runs": {"value": 2}, "test_records": {"value": 2}}
    assert facts_of([cell("0.250 ± 0.354")], **of_two) == []
    assert facts_of([cell("0.250 ± 0.100")], **of_two) == [Kind.SQUARES]


BATCHES = {"sampling_rate": 1 / 1954, "steps": 195_400, "delta": 1e-5}


@pytest.mark.parametrize(
    ("sigma", "epsilon", "spent"), [(0.48, 10.0, 11.07), (1.07, 1.0, None), (7.0, 0.1, None)]
)
def test_a_budget_is_compared_with_its_noise(sigma, epsilon, spent):
    """The privacy losses 11.07, 1.006 and 0.1006 were computed by another accountant."""
    found = examine(paper([cell("0.8", epsilon=epsilon)], noise={"sigma": sigma, **BATCHES}))
    assert [one.kind for one in found.findings] == ([Kind.BUDGET] if spent else [])
    if spent:
        assert f"costs epsilon {spent}" in found.findings[0].what


def test_five_equal_means_have_the_chance_of_four_coincidences():
    cells = [cell("0.123456", epsilon=one) for one in EPSILONS]
    spread = {"least": 0.1, "most": 0.2}
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": spread}
    [found] = examine(paper(cells, **facts)).findings
    error = 0.1 / 2 / math.sqrt(4)  # half of the deviation, over the root of the runs
    pair = (1e-6 + 2e-7) / (2 * math.sqrt(math.pi) * error)  # a digit, and single precision
    assert found.kind is Kind.REPEATED_EPSILON
    assert found.chance == pytest.approx(pair**4, rel=1e-6, abs=0)


def test_two_equal_means_of_five_may_be_any_two():
    texts = ("0.123456", "0.234567", "0.123456", "0.345678", "0.456789")
    cells = [cell(text, epsilon=one) for text, one in zip(texts, EPSILONS, strict=True)]
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": {"least": 0.1, "most": 0.2}}
    [found] = examine(paper(cells, **facts)).findings
    pair = (1e-6 + 2e-7) / (2 * math.sqrt(math.pi) * 0.1 / 2 / math.sqrt(4))
    assert found.kind is Kind.REPEATED_EPSILON
    assert found.chance == pytest.approx(10 * pair, rel=1e-6, abs=0)  # of ten choices of two


def test_a_method_without_epsilon_may_repeat_itself():
    cells = [cell("0.123456", epsilon=one) for one in EPSILONS]
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": {"least": 0.1, "most": 0.2}}
    assert hints_of(cells, **facts, without_epsilon={"method": "A"}) == []
    assert hints_of(cells, **facts, without_epsilon=[]) == [Kind.REPEATED_EPSILON]


def test_few_test_records_repeat_by_chance():
    cells = [cell("0.810000", epsilon=one) for one in EPSILONS]
    spread = {"least": 0.01, "most": 0.02}
    coarse = {"runs": {"value": 1}, "test_records": {"value": 100}, "spread": spread}
    assert hints_of(cells, **coarse) == []


def test_methods_with_equal_digits_are_found():
    cells = [cell("0.12345678", method=name) for name in "ABC"]
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": {"least": 0.1, "most": 0.2}}
    assert hints_of(cells, **facts) == [Kind.REPEATED_METHODS]


def numbers(epsilon):
    return {"accuracy": f"{0.8 + epsilon / 1e3:.6f}", GAP: f"{0.1 + epsilon / 1e3:.6f}"}


def test_an_intervention_that_changes_nothing_is_found():
    scores = [
        cell(text, metric, method, epsilon)
        for method in ("plain", "fair")
        for epsilon in EPSILONS
        for metric, text in numbers(epsilon).items()
    ]
    spread = [{"least": 0.01, "most": 0.02}, {"least": 0.001, "most": 0.02, "metric": GAP}]
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": spread}
    baseline = {"method": "fair", "of": "plain"}
    found = only(examine(paper(scores, **facts, baseline=baseline)), Kind.UNCHANGED)
    assert [len(one.cells) for one in found] == [10]
    # of the score with the larger deviation, whose chance is the smaller one
    pair = 1.2e-6 / (2 * math.sqrt(math.pi) * 0.01 / 2 / 2)
    assert found[0].chance == pytest.approx(pair**5, rel=1e-4, abs=0)


def test_four_unchanged_settings_of_five_may_be_any_four():
    cells = [cell(numbers(epsilon)["accuracy"], epsilon=epsilon) for epsilon in EPSILONS]
    cells += [cell(numbers(e)["accuracy"], method="fair", epsilon=e) for e in EPSILONS[:4]]
    cells.append(cell("0.900000", method="fair", epsilon=EPSILONS[4]))
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": {"least": 0.01, "most": 0.02}}
    baseline = {"method": "fair", "of": "A"}
    [found] = only(examine(paper(cells, **facts, baseline=baseline)), Kind.UNCHANGED)
    pair = 1.2e-6 / (2 * math.sqrt(math.pi) * 0.01 / 2 / 2)
    assert found.chance == pytest.approx(5 * pair**4, rel=1e-4, abs=0)  # of five choices of four


def test_an_intervention_that_changes_one_score_is_none():
    cells = [cell("0.812345"), cell("0.112345", GAP)]
    cells += [cell("0.812345", method="fair"), cell("0.112346", GAP, "fair")]
    facts = {"runs": {"value": 4}, "continuous": {}, "spread": {"least": 0.01, "most": 0.02}}
    kinds = hints_of(cells, **facts, baseline={"method": "fair", "of": "A"})
    assert Kind.UNCHANGED not in kinds


LARGE = {"runs": {"value": 5}, "test_records": {"value": 100_000}}


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (lambda e: 0.02, "is c to"),
        (lambda e: 0.02 / e, "is c / epsilon"),
        (lambda e: 0.02 / math.sqrt(e), "is c / sqrt(epsilon)"),
        (lambda e: 0.01 + 0.02 / e, "is a + b / epsilon"),
    ],
)
def test_deviations_from_a_formula_are_found(form, name):
    cells = [cell(f"{0.8 + e / 100:.5f} ± {form(e):.5f}", epsilon=e) for e in EPSILONS]
    found = only(examine(paper(cells, **LARGE)), Kind.FUNCTION)
    assert any(name in one.what for one in found)


def test_deviations_of_runs_are_no_function():
    stds = ("0.01913", "0.02405", "0.01277", "0.02110", "0.01802")
    cells = [
        cell(f"{0.8 + e / 100:.5f} ± {std}", epsilon=e)
        for e, std in zip(EPSILONS, stds, strict=True)
    ]
    assert hints_of(cells, **LARGE) == []


def test_half_widths_of_bands_from_a_formula_are_found():
    cells = []
    for epsilon in EPSILONS:
        mean = 0.1 + epsilon / 100
        cells.append(cell(f"{mean:.6f}", GAP, epsilon=epsilon))
        cells.append(cell(f"{mean - 0.006 / epsilon:.6f}", "gap_lower", epsilon=epsilon))
        cells.append(cell(f"{mean + 0.005 / epsilon:.6f}", "gap_upper", epsilon=epsilon))
    bands = {"metric": GAP, "lower": "gap_lower", "upper": "gap_upper"}
    large = {"runs": {"value": 1}, "test_records": {"value": 15_081}}
    found = only(examine(paper(cells, **large, bands=bands)), Kind.FUNCTION)
    assert {one.what.split(" of the band")[0] for one in found} == {
        "the lower half",
        "the upper half",
    }


def test_steps_of_a_deviation_by_hand():
    facts = {"runs": {"value": 3}, "test_records": {"value": 100}}
    [one] = paper([cell("0.80 ± 0.01")], **facts).cells
    assert step_of_deviation(one, 0.01, 3) == pytest.approx(1 / (0.01 * 2 * 10_000))


def test_an_accuracy_below_the_majority_class_is_found():
    facts = {"runs": {"value": 4}, "majority": {"value": 0.75}}
    [found] = examine(paper([cell("0.700 ± 0.002")], **facts)).findings
    x = (0.7005 - 0.75) / (0.0025 / 2) / math.sqrt(3)  # Student's law with 3 degrees of freedom
    chance = 0.5 + (x / (1 + x**2) + math.atan(x)) / math.pi
    assert found.kind is Kind.MAJORITY
    assert found.chance == pytest.approx(chance, rel=1e-3)
    assert findings([cell("0.748 ± 0.010")], **facts) == []


def test_chances_are_corrected_for_the_number_of_tests():
    # one clear accuracy among many: the corrected chance is the chance times the number of tests
    cells = [cell("0.800 ± 0.002", epsilon=float(one)) for one in range(1, 20)]
    cells.append(cell("0.700 ± 0.002", epsilon=20.0))
    facts = {"runs": {"value": 4}, "majority": {"value": 0.75}}
    [found] = examine(paper(cells, **facts)).findings
    assert found.corrected == pytest.approx(20 * found.chance)
    assert found.corrected <= LEVEL


@given(
    st.integers(2, 300).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(st.lists(st.integers(0, n), min_size=3, max_size=3), min_size=1, max_size=5),
        )
    ),
    st.integers(2, 6),
    st.booleans(),
)
def test_tables_of_real_samples_give_no_fact(sample, digits, is_sample_deviation):
    records, rows = sample
    deviation = statistics.stdev if is_sample_deviation else statistics.pstdev
    cells = []
    for number, counts in enumerate(rows, 1):
        shares = [count / records for count in counts]
        gaps = [abs(one - shares[0]) for one in shares]
        for metric, values in (("accuracy", shares), (GAP, gaps)):
            text = f"{statistics.fmean(values):.{digits}f} ± {deviation(values):.{digits}f}"
            cells.append(cell(text, metric, epsilon=float(number)))
    facts = {"runs": {"value": 3}, "test_records": {"value": records}}
    assert facts_of(cells, **facts) == []
