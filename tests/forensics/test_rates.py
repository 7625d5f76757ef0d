from dpfair_cli.addons.forensics.finding import Kind
from dpfair_cli.addons.forensics.rates import Examined, alarms_of_mistakes, detections, false_alarms
from dpfair_cli.addons.forensics.simulation import DIGITS, Forgery, MadeUpSetting, Mistake

RANGE, HINT = Kind.RANGE, Kind.MAJORITY


def examined(forgery, digits, *found):
    return Examined(MadeUpSetting(5, digits, 100), forgery, frozenset(found))


def test_false_alarms_are_counted_by_digits():
    papers = [examined(Forgery.NONE, digits) for digits in DIGITS]
    papers += [examined(Forgery.NONE, 2, RANGE, HINT), examined(Forgery.RANGE, 2, RANGE)]
    table = false_alarms(papers)
    assert [*table["sound papers"]] == [2, 1, 1, 1, 5]
    assert [*table["with a fact"]] == [1, 0, 0, 0, 1]
    assert [*table["with a hint"]] == [1, 0, 0, 0, 1]


def test_false_alarms_of_wrong_declarations_are_shares():
    papers = [Examined(MadeUpSetting(5, 2, 100), Forgery.NONE, frozenset(), one) for one in Mistake]
    papers.append(
        Examined(MadeUpSetting(5, 2, 100), Forgery.NONE, frozenset([RANGE]), Mistake.RECORDS)
    )
    papers.append(examined(Forgery.RANGE, 2, RANGE))
    table = alarms_of_mistakes(papers).set_index("wrong with the declaration")
    assert table["sound papers"].sum() == len(Mistake) + 1
    assert table.loc[str(Mistake.RECORDS), "with a fact"] == 0.5
    assert table["with a fact"].sum() == 0.5


def test_only_a_check_that_is_meant_for_a_forgery_detects_it():
    assert examined(Forgery.RANGE, 2, RANGE).is_detected
    assert not examined(Forgery.RANGE, 2, HINT).is_detected


def test_detections_are_shares_of_forged_papers():
    papers = [examined(forgery, digits) for forgery in Forgery for digits in DIGITS]
    papers.append(examined(Forgery.RANGE, 3, RANGE))
    [line] = detections(papers).query("planted == 'a gap above 1'").to_dict("records")
    assert line["papers"] == 5
    assert (line["2 decimals"], line["3 decimals"]) == (0.0, 0.5)
