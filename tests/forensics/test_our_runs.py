"""Hints beside verdicts that are made by hand."""

import math

from dpfair_cli.addons.forensics import text
from dpfair_cli.addons.forensics.examining import examine
from dpfair_cli.addons.forensics.finding import Grade
from dpfair_cli.addons.forensics.papers import beside_our_runs
from dpfair_cli.verdicts.cells.comparison import CellVerdict, Comparison, Decision, Sample
from dpfair_cli.verdicts.cells.judging import JudgedCell, JudgedVariant
from tests.forensics.material import cell, paper

LOW = {"runs": {"value": 4}, "majority": {"value": 0.75}}


def judged_as(**verdicts):
    """A function that gives each cell the verdict of its method; None for other methods."""

    def judged(published):
        if published.method not in verdicts:
            return None
        theirs = Sample(published.mean, published.std, 4)
        ours = Sample(published.mean + 0.001, 0.002, 10)
        decision = Decision(Comparison(ours, theirs))
        verdict = verdicts[published.method]
        variant = JudgedVariant("A", "", {}, decision, verdict, ())
        return JudgedCell(published, published.method, theirs, verdict, (variant,))

    return judged


def examined(*methods):
    return examine(paper([cell("0.700 ± 0.002", method=one) for one in methods], **LOW))


def test_a_hint_about_a_number_that_our_runs_give_is_withdrawn():
    for verdict in (CellVerdict.REPRODUCED, CellVerdict.CONSISTENT):
        found = beside_our_runs(examined("A"), judged_as(A=verdict))
        assert found.findings == []
        assert [one.remark for one in found.withdrawn] == [
            f"withdrawn, because our runs give the same: 0.701 ({verdict})"
        ]
        assert text.summary(found).endswith("0 facts, 0 hints, 1 hint withdrawn")


def test_a_hint_about_an_undecided_number_stays_with_our_mean():
    found = beside_our_runs(examined("A"), judged_as(A=CellVerdict.UNDECIDED))
    assert not found.withdrawn
    [hint] = found.findings
    assert hint.remark == "our runs of the same cells: 0.701 (undecided)"
    assert any("remark: our runs" in line for line in text.lines(found))


def test_a_hint_without_runs_says_how_many_alike_are_withdrawn():
    verdicts = judged_as(A=CellVerdict.REPRODUCED, B=CellVerdict.REPRODUCED)
    [hint] = beside_our_runs(examined("A", "B", "C"), verdicts).findings
    assert hint.cells[0].published.method == "C"
    assert hint.remark.startswith("2 hints of this kind on this data set and score withdrawn")


def test_a_hint_without_any_runs_has_no_remark():
    [hint] = beside_our_runs(examined("A"), judged_as()).findings
    assert hint.remark == ""


def test_a_fact_is_never_withdrawn():
    found = examine(paper([cell("1.02")]))
    verdicts = judged_as(A=CellVerdict.REPRODUCED)
    assert [one.grade for one in beside_our_runs(found, verdicts).findings] == [Grade.FACT]
    assert math.isclose(found.findings[0].cells[0].mean.value, 1.02)
