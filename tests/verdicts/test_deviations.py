"""Deviations: the cells they cover, what their kind must show, when they are stale, what was
declared as not run.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import (
    Deviation,
    DeviationKind,
    check_columns,
    datasets_not_run,
    parse_deviations,
)
from dpfair_cli.verdicts.paper_rule import PaperRule
from tests.toy_specs import data_set
from tests.verdicts.toy_paper import (
    HYPOTHESIS,
    OPEN,
    ROWS,
    SHIFT,
    SPEC,
    claim,
    published,
    runs,
    verdicts,
)

DATA = {"kind": "data", "cause": "another extract"}
IMPOSSIBLE = {
    "kind": "impossible",
    "cause": "no noise is that small",
    "proof": "README.md#noise-scales",
}
EVERY_KIND = {
    "open": OPEN,
    "hypothesis": HYPOTHESIS,
    "variant": SHIFT,
    "data": DATA,
    "impossible": IMPOSSIBLE,
}
every_kind = pytest.mark.parametrize("entry", EVERY_KIND.values(), ids=EVERY_KIND)
COLUMNS = {"dataset", "method", "epsilon", "metric"}


def parse(**entry: Any) -> Deviation:
    """The deviation of an entry, whose columns are checked too."""
    (found,) = parse_deviations([{"artefact": "table8.2", **entry}])
    check_columns([found], COLUMNS)
    return found


def test_variants_data_and_proofs_explain_but_hypotheses_do_not() -> None:
    explaining = {kind for kind in DeviationKind if kind.explains}
    assert explaining == {DeviationKind.VARIANT, DeviationKind.DATA, DeviationKind.IMPOSSIBLE}
    others = {DeviationKind.HYPOTHESIS, DeviationKind.OPEN, DeviationKind.PROTOCOL}
    assert set(DeviationKind) - explaining == others


@pytest.mark.parametrize(
    "entry", [OPEN, HYPOTHESIS, DATA, IMPOSSIBLE], ids=["open", "hypothesis", "data", "impossible"]
)
def test_an_entry_names_the_cells_that_have_all_its_values_and_no_others(
    entry: dict[str, Any],
) -> None:
    cells = (published("PFLR", 0.1, 0.9), published("PFLR", 1, 0.9), published("PFLR*", 1, 0.75))
    found = verdicts(*cells, deviations=({"method": "PFLR", "epsilon": 0.1, **entry},))
    assert found.cell_counts == {f"differs ({entry['kind']})": 1, "differs": 1, "reproduced": 1}
    assert found.failures == ("adult, PFLR, epsilon 1, accuracy: differs",)
    assert [cell.cause for cell in found.cells] == [entry["cause"], "", ""]


def test_an_entry_may_list_several_values() -> None:
    cells = (published("PFLR", 0.1, 0.9), published("PFLR", 1, 0.9))
    assert not verdicts(*cells, deviations=({"epsilon": [0.1, 1], **OPEN},)).failures


def test_a_deviation_covers_only_cells_that_differ() -> None:
    cells = (
        published("PFLR*", 1, 0.75),
        published("PFLR*", 10, 0.79, 0.09),
        published("PFLR*", 100, 0.8),
    )
    found = verdicts(*cells, deviations=({"method": "PFLR*", **OPEN},))
    assert found.cell_counts == {"reproduced": 1, "undecided (not decidable)": 1, "missing": 1}
    assert len(found.failures) == 1


def test_an_entry_that_nobody_needs_is_stale() -> None:
    entries = ({"method": "PFLR*", **OPEN}, {"method": "PFRL", **OPEN}, {"claim": "gone", **OPEN})
    assert len(verdicts(published("PFLR*", 1, 0.75), deviations=entries).stale_deviations) == 3


def test_an_entry_of_an_undecided_cell_is_stale() -> None:
    found = verdicts(published("PFLR*", 1, 0.75, 0.09), deviations=({"method": "PFLR*", **OPEN},))
    assert found.cell_counts == {"undecided (not decidable)": 1}
    assert len(found.stale_deviations) == 1


def test_an_entry_of_cells_that_were_not_compared_is_not_stale() -> None:
    found = verdicts(
        published("PFLR*", 1, 0),
        deviations=({"method": "PFLR*", **OPEN},),
        standins={"adult": "REPLICA"},
    )
    assert not found.stale_deviations


@every_kind
def test_an_entry_with_what_its_kind_needs_is_well_formed(entry: dict[str, Any]) -> None:
    assert parse(method="PFLR", **entry).kind == entry["kind"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"cause": "..."}, "give a value for kind"),
        ({"kind": "open"}, "give a value for cause"),
        ({"kind": "open", "cause": ""}, "`cause` is missing"),
        ({**OPEN, "artefact": ""}, "`artefact` is missing"),
        ({**OPEN, "kind": "opne"}, "'opne': did you mean 'open'?"),
        ({**OPEN, "kind": "explained"}, "'explained'"),
        ({**DATA, "measured": "0.66"}, "data cannot have the key `measured`"),
        ({**OPEN, "unsettled": "..."}, "open cannot have the key `unsettled`"),
        ({**SHIFT, "measured": "0.66"}, "variant cannot have the key `measured`"),
        ({**IMPOSSIBLE, "measured": "0.66"}, "impossible cannot have the key `measured`"),
        ({**HYPOTHESIS, "variant": "shift"}, "hypothesis cannot have the key `variant`"),
        ({**DATA, "variant": "shift"}, "data cannot have the key `variant`"),
        ({**SHIFT, "proof": "README.md"}, "variant cannot have the key `proof`"),
        ({"kind": "variant", "cause": "..."}, "`variant`"),
        (SHIFT, "the kind variant needs the key `method`"),
        (
            {"method": "PFLR", "epsilon": 1, **SHIFT},
            "a deviation of the kind variant covers all cells of a method: delete `epsilon`",
        ),
        ({"method": "PFLR", "dataset": "adult", **SHIFT}, "delete `dataset`"),
        ({"kind": "impossible", "cause": "..."}, "`proof`"),
        ({"kind": "hypothesis", "cause": "..."}, "`measured`"),
        ({"kind": "hypothesis", "cause": "...", "measured": "0.66"}, "`unsettled`"),
        ({"methd": "PFLR", **OPEN}, "did you mean 'method'?"),
    ],
)
def test_a_deviation_without_what_its_kind_needs_is_refused(
    entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(DpfairError, match=r"^deviations\.yaml: ") as refused:
        parse(**entry)
    assert message in str(refused.value)


@pytest.mark.parametrize("kind", ["variant", "data", "impossible"])
@pytest.mark.parametrize("cause", ["shift has 0.57", "RD 12.05 and more", "-0.123"])
def test_numbers_that_somebody_measured_are_no_part_of_an_explanation(
    kind: str, cause: str
) -> None:
    with pytest.raises(DpfairError, match="numbers of runs"):
        parse(method="PFLR", **EVERY_KIND[kind] | {"cause": cause})


@pytest.mark.parametrize("kind", ["hypothesis", "open"])
def test_numbers_may_stand_in_what_explains_nothing(kind: str) -> None:
    assert parse(**EVERY_KIND[kind] | {"cause": "shift has 0.57"}).cause == "shift has 0.57"


@pytest.mark.parametrize("kind", ["variant", "data", "impossible"])
@pytest.mark.parametrize("cause", ["Table 8.2, epsilon 0.1, 10 seeds", "at 1.0 of the budget"])
def test_a_number_with_one_digit_behind_the_point_is_a_setting_or_a_table(
    kind: str, cause: str
) -> None:
    assert parse(method="PFLR", **EVERY_KIND[kind] | {"cause": cause}).cause == cause


def test_the_entries_of_an_artefact_are_checked_when_it_is_decided() -> None:
    with pytest.raises(DpfairError, match=r"deviations\.yaml"):
        verdicts(
            published("PFLR*", 1, 0.75),
            deviations=({"method": "PFLR", "kind": "guess", "cause": "..."},),
        )


# unsupported: the kinds that explain, and what they must show


def unsupported(*cells: dict[str, Any], entry: dict[str, Any], **more: Any) -> tuple[str, ...]:
    return verdicts(*cells, deviations=(entry,), **more).unsupported_deviations


@pytest.mark.parametrize("kind", ["hypothesis", "open"])
def test_what_explains_nothing_needs_no_evidence(kind: str) -> None:
    assert not unsupported(
        published("PFLR", 0.1, 0.9), entry={"method": "PFLR", **EVERY_KIND[kind]}
    )


# PFLR has 0.60, 0.70, 0.80 at epsilon 0.1, 1, 10, and under shift 0.66 throughout


def test_a_variant_covers_the_differing_cells_that_it_reproduces_only() -> None:
    cells = (published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.9), published("PFLR", 10, 0.66))
    found = verdicts(*cells, published("PFLR*", 1, 0.66), deviations=({"method": "PFLR", **SHIFT},))
    assert found.cell_counts == {"differs (variant)": 2, "differs": 2}
    assert [cell.cause for cell in found.cells] == [SHIFT["cause"], "", SHIFT["cause"], ""]
    assert found.covered_by(found.deviations[0]) == 2
    assert not found.unsupported_deviations


@pytest.mark.parametrize("first", [0, 1], ids=["variant first", "hypothesis first"])
def test_of_a_variant_and_a_hypothesis_the_later_one_covers_a_cell(
    first: int,
) -> None:
    entries = [{"method": "PFLR", **SHIFT}, {"method": "PFLR", **HYPOTHESIS}]
    cells = (published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.9))
    found = verdicts(*cells, deviations=(entries[first], entries[1 - first]))
    later = (
        {"differs (hypothesis)": 2}
        if first == 0
        else {"differs (variant)": 1, "differs (hypothesis)": 1}
    )
    assert found.cell_counts == later


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([(0.1, 0.66)], ""),
        ([(0.1, 0.66), (1, 0.9)], ""),
        (
            [(0.1, 0.66), (1, 0.70)],
            "PFLR: of 2 cells 1 agree under 'shift', not more than the 1 by default",
        ),
        (
            [(0.1, 0.66), (1, 0.70), (10, 0.80)],
            "PFLR: of 3 cells 1 agree under 'shift', not more than the 2 by default",
        ),
        ([(0.1, 0.66), (1, 0.70), (10, 0.66)], ""),
        (
            [(0.1, 0.9), (1, 0.9)],
            "PFLR: of 2 cells 0 agree under 'shift', not more than the 0 by default",
        ),
    ],
    ids=["all", "one of two", "one for another", "one for two", "two for one", "none"],
)
def test_a_variant_must_reproduce_more_cells_than_the_default(
    cells: list[tuple[float, float]], why: str
) -> None:
    found = unsupported(
        *(published("PFLR", *cell) for cell in cells), entry={"method": "PFLR", **SHIFT}
    )
    assert [line.split(": ", 1)[1] for line in found] == ([why] if why else [])


def test_cells_for_which_a_variant_was_not_run_do_not_count_against_it() -> None:
    rows = ROWS[~((ROWS["method"] == "PFLR, shift") & (ROWS["epsilon"] == 1))]
    cells = (published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.70))
    assert not unsupported(*cells, rows=rows, entry={"method": "PFLR", **SHIFT})


def test_a_variant_without_cells_or_with_an_unknown_method_is_reported() -> None:
    # at epsilon 0.1 the default is undecided and shift comes out; at epsilon 10 both differ
    cells = (published("PFLR", 0.1, 0.66, 0.09), published("PFLR", 10, 0.9))
    found = verdicts(*cells, deviations=({"method": ["PFLR", "PFRL"], **SHIFT},))
    assert len(found.stale_deviations) == 1
    assert "PFRL: no published cell" in found.unsupported_deviations[0]


def test_a_method_has_one_variant_in_an_artefact() -> None:
    entries = ({"method": "PFLR", **SHIFT}, {"method": ["PFLR"], **SHIFT, "variant": "drift"})
    found = verdicts(published("PFLR", 0.1, 0.66), deviations=entries).unsupported_deviations
    assert [line.split(": ", 1)[1] for line in found] == [
        "PFLR has another deviation of the kind variant: keep only one",
        "PFLR: there is no variant 'drift'",
    ]


def test_a_variant_that_is_undecided_does_not_bring_a_cell_out() -> None:
    wide = pd.DataFrame(
        runs("PFLR", 0.1, 0.6) + runs("PFLR, shift", 0.1, 0.9, sides=(-0.1, 0.0, 0.1))
    )
    found = verdicts(
        published("PFLR", 0.1, 0.9), rows=wide, deviations=({"method": "PFLR", **SHIFT},)
    )
    assert len(found.unsupported_deviations) == 1
    assert found.failures


@pytest.mark.parametrize("name", ["drift", "shft", "PFLR, shift", ""])
def test_a_variant_that_does_not_exist_explains_nothing(name: str) -> None:
    if not name:
        with pytest.raises(DpfairError, match="needs the key `variant`"):
            unsupported(
                published("PFLR", 0.1, 0.9), entry={"method": "PFLR", **SHIFT, "variant": name}
            )
        return
    (why,) = unsupported(
        published("PFLR", 0.1, 0.66), entry={"method": "PFLR", **SHIFT, "variant": name}
    )
    assert name in why


def test_a_variant_of_another_method_is_none_of_this_one() -> None:
    (why,) = unsupported(published("PFLR*", 0.1, 0.66), entry={"method": "PFLR*", **SHIFT})
    assert "no variant 'shift'" in why


def test_a_variant_that_other_tables_would_not_choose_explains_nothing() -> None:
    entry = {"method": "PFLR", **SHIFT}
    for chosen, count in (({}, 1), ({"PFLR": ["drift"]}, 1), ({"PFLR*": ["shift"]}, 1),
                          ({"PFLR": ["drift", "shift"]}, 0)):  # fmt: skip
        rule = PaperRule(chosen={"table8.2": chosen, "table8.3": {"PFLR": ["shift"]}})
        found = unsupported(published("PFLR", 0.1, 0.66), entry=entry, rule=rule)
        assert len(found) == count
        assert all(line.endswith(
            "PFLR: the other artefacts of the chapter would not choose the variant 'shift', so "
            "this artefact cannot either"
        ) for line in found)  # fmt: skip


def test_a_variant_of_the_data_must_gain_cells_of_all_methods() -> None:
    # the coarse data bring out PFLR* at 0.9, and lose LR, which has 0.84 on the others
    spec = replace(SPEC, datasets=(data_set("adult"), data_set("adult", variant="coarse")))
    rows = pd.concat([ROWS, pd.DataFrame(runs("PFLR*", 1, 0.9)).assign(method="PFLR*, coarse"),
                      pd.DataFrame(runs("LR", 0, 0.6)).assign(method="LR, coarse")])  # fmt: skip
    entry = {"method": "PFLR*", **SHIFT, "variant": "coarse"}
    rule = PaperRule(chosen={"table8.2": {"PFLR*": ["coarse"]}})
    gain, loss = published("PFLR*", 1, 0.9), published("LR", None, 0.84)
    assert not unsupported(gain, entry=entry, rows=rows, spec=spec, rule=rule)
    (why,) = unsupported(gain, loss, entry=entry, rows=rows, spec=spec, rule=rule)
    assert why.endswith("PFLR*: of 2 cells 1 agree under 'coarse', not more than the 1 by default")


# several methods or scores


def test_a_deviation_of_several_methods_or_scores_says_why_in_same_cause() -> None:
    rows = ROWS.assign(fpr=ROWS["accuracy"])
    methods = (published("PFLR", 1, 0.9), published("PFLR*", 1, 0.9))
    scores = (published("PFLR", 1, 0.9), published("PFLR", 1, 0.9, metric="fpr"))
    for cells in (methods, scores):
        (why,) = unsupported(*cells, entry=OPEN, rows=rows)
        assert "covers 2 pairs of a method and a score: write in `same_cause`" in why
        assert not unsupported(*cells, entry={**OPEN, "same_cause": "one split"}, rows=rows)


@pytest.mark.parametrize(
    "cells",
    [
        (published("PFLR", 1, 0.9), published("PFLR", 0.1, 0.9)),
        (published("PFLR", 1, 0.9), published("PFLR*", 1, 0.75)),
    ],
    ids=["one method at two epsilons", "the other method does not differ"],
)
def test_a_deviation_of_one_method_and_score_needs_no_same_cause(
    cells: tuple[dict[str, Any], ...],
) -> None:
    found = verdicts(*cells, deviations=(OPEN,))
    assert found.covered_by(found.deviations[0])
    assert not found.unsupported_deviations


def test_cells_that_are_not_run_need_no_same_cause() -> None:
    cells = [{**published(name, 1, 0.9), "dataset": "dutch"} for name in ("PFLR", "PFLR*")]
    entry = {"dataset": "dutch", "not_run": "takes days", **OPEN}
    found = verdicts(*cells, deviations=(entry,))
    assert found.covered_by(found.deviations[0]) == 2
    assert not found.unsupported_deviations


# 0.60 at epsilon 0.1, and under shift 0.66 throughout, two standard errors 0.0012
LIKE_SHIFT = claim({"compare": ["PFLR", ">", 0.64], "metric": "accuracy"})


def test_a_variant_must_make_a_claim_hold() -> None:
    entry = {"claim": "c", **SHIFT}
    found = verdicts(claims=(LIKE_SHIFT,), deviations=(entry,))
    assert found.claims[0].verdict == "fails"
    assert (found.failures, found.unsupported_deviations, found.stale_deviations) == ((), (), ())
    more = claim({"compare": ["PFLR", ">", 0.67], "metric": "accuracy"})
    assert len(verdicts(claims=(more,), deviations=(entry,)).unsupported_deviations) == 1


def test_a_claim_that_is_undecided_under_a_variant_does_not_hold_under_it() -> None:
    wide = pd.DataFrame(runs("PFLR", 1, 0.6) + runs("PFLR, shift", 1, 0.66, sides=(-0.1, 0.0, 0.1)))
    found = verdicts(claims=(LIKE_SHIFT,), deviations=({"claim": "c", **SHIFT},), rows=wide)
    assert len(found.unsupported_deviations) == 1


@pytest.mark.parametrize("name", ["drift", "shft"])
def test_a_variant_that_does_not_exist_does_not_make_a_claim_hold(name: str) -> None:
    entry = {"claim": "c", **SHIFT, "variant": name}
    assert len(verdicts(claims=(LIKE_SHIFT,), deviations=(entry,)).unsupported_deviations) == 1


def test_an_unknown_variant_is_reported_even_if_the_claim_holds() -> None:
    good = claim({"compare": ["PFLR", "<", 0.9], "metric": "accuracy"})
    entry = {"claim": "c", **SHIFT, "variant": "drift"}
    assert len(verdicts(claims=(good,), deviations=(entry,)).unsupported_deviations) == 1


def test_data_explain_nothing_on_the_papers_own() -> None:
    cell, entry = published("PFLR", 0.1, 0.9), {"method": "PFLR", **DATA}
    (why,) = unsupported(cell, entry=entry)
    assert "adult" in why
    assert not unsupported(cell, entry=entry, standins={"adult": "SUBSTITUTE"})
    assert not unsupported(cell, entry=entry, unpublished={"adult": "the numbers of levels"})
    assert unsupported(cell, entry=entry, standins={"dutch": "SUBSTITUTE"})


def test_data_explain_nothing_where_one_of_the_data_sets_is_the_papers_own() -> None:
    rows = pd.concat([ROWS, ROWS.assign(dataset="dutch")])
    cells = (published("PFLR", 0.1, 0.9), {**published("PFLR", 0.1, 0.9), "dataset": "dutch"})
    (why,) = unsupported(
        *cells, entry={"method": "PFLR", **DATA}, rows=rows, standins={"adult": "SUBSTITUTE"}
    )
    assert "dutch" in why
    entry = {"method": "PFLR", "dataset": "adult", **DATA}
    assert not unsupported(*cells, entry=entry, rows=rows, standins={"adult": "SUBSTITUTE"})


def test_data_explain_no_claim_on_the_papers_own() -> None:
    entry = {"claim": "c", **DATA}
    assert verdicts(claims=(LIKE_SHIFT,), deviations=(entry,)).unsupported_deviations
    found = verdicts(claims=(LIKE_SHIFT,), deviations=(entry,), standins={"adult": "SUBSTITUTE"})
    assert not found.unsupported_deviations


def test_data_explain_no_claim_that_is_decided_on_the_papers_data() -> None:
    """The claim is about dutch alone; that adult is a substitute here says nothing of it."""
    rows = pd.concat([ROWS, ROWS.assign(dataset="dutch")])
    spec = replace(SPEC, datasets=(data_set("adult"), data_set("dutch")))
    about = claim(
        {"compare": ["PFLR", ">", 0.64], "metric": "accuracy", "where": {"dataset": "dutch"}}
    )
    entry, standins = {"claim": "c", **DATA}, {"adult": "SUBSTITUTE"}
    found = verdicts(claims=(about,), deviations=(entry,), rows=rows, spec=spec, standins=standins)
    assert found.claims[0].verdict == "fails"
    assert len(found.unsupported_deviations) == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text(
        "# Xu 2021\n\n## Noise scales\n\nMore.\n\n### At p = 15, what fits?\n", encoding="utf-8"
    )
    (tmp_path / "proof.py").write_text("# Noise scales\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "proof", ["README.md#noise-scales", "README.md#at-p--15-what-fits", "README.md#xu-2021"]
)
def test_an_impossibility_stands_where_its_link_leads(folder: Path, proof: str) -> None:
    entry = {"method": "PFLR", **IMPOSSIBLE, "proof": proof}
    assert not unsupported(published("PFLR", 0.1, 0.9), entry=entry, folder=folder)


@pytest.mark.parametrize(
    "proof",
    [
        "RAEDME.md",
        "README.md",
        "proof.py",
        "README.md#noise-scale",
        "README.md#more",
        "other.md#noise-scales",
        "folder",
        "../README.md",
        "#xu-2021",
    ],
)
def test_an_impossibility_without_a_proof_at_its_link_explains_nothing(
    folder: Path, proof: str
) -> None:
    entry = {"method": "PFLR", **IMPOSSIBLE, "proof": proof}
    (why,) = unsupported(published("PFLR", 0.1, 0.9), entry=entry, folder=folder)
    assert proof in why
    (why,) = verdicts(
        claims=(LIKE_SHIFT,),
        deviations=({"claim": "c", **IMPOSSIBLE, "proof": proof},),
        folder=folder,
    ).unsupported_deviations
    assert proof in why


def test_each_entry_without_evidence_is_named_and_the_others_are_not(folder: Path) -> None:
    cells = (published("PFLR", 0.1, 0.66), published("PFLR*", 1, 0.9), published("LR", 1, 0.5))
    entries = ({"method": "PFLR", **SHIFT}, {"method": "PFLR*", **DATA}, {"method": "LR", **OPEN})
    found = verdicts(*cells, deviations=entries, folder=folder)
    assert not found.failures
    (why,) = found.unsupported_deviations
    assert "PFLR*" in why


# what was not run


def test_a_cell_declared_as_not_run_does_not_fail_and_others_do() -> None:
    """Nothing ran on a second data set, and an entry says why."""
    cells = [
        published("PFLR", 1, 0.7),
        *({**published("PFLR", e, 0.7), "dataset": "dutch"} for e in (0.1, 1)),
    ]
    entry = {"dataset": "dutch", "not_run": "takes days", **OPEN}
    found = verdicts(*cells, deviations=(entry,))
    assert found.cell_counts == {"reproduced": 1, "not run (open)": 2}
    assert (found.failures, found.stale_deviations) == ((), ())
    assert (
        len(verdicts(*cells, deviations=({"dataset": "dutch", **OPEN},)).failures) == 2
    )  # without `not_run`
    assert verdicts(
        published("PFLR", 1, 0.9), deviations=({**entry, "dataset": "adult"},)
    ).cell_counts == {"differs": 1}


def test_the_data_sets_that_were_not_run_are_named_with_the_reason() -> None:
    entry: dict[str, Any] = {
        "artefact": ["a", "b"],
        "dataset": ["x", "y"],
        "not_run": "long",
        **OPEN,
    }
    entries = list(parse_deviations([entry, {"artefact": "a", **OPEN}]))
    assert datasets_not_run("a", entries) == {"x": "long", "y": "long"}
    assert datasets_not_run("c", entries) == {}


def test_a_deviation_without_an_id_is_named_after_what_it_covers() -> None:
    entries = [
        {"artefact": ["table8.2", "table8.3"], "method": ["PFLR*", "LR"], **OPEN},
        {"artefact": "table8.2", "method": "PFLR", **OPEN},
        {"claim": "xu2021-8-a", **OPEN},
        {"artefact": "table8.2", "id": "noise-of-two-terms", **OPEN},
    ]
    assert [one.id for one in parse_deviations(entries)] == [
        "table8.2-pflr", "table8.2-pflr-2", "xu2021-8-a", "noise-of-two-terms",
    ]  # fmt: skip


LOW = {"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}
HIGH = {"compare": ["PFLR", ">", "LR"], "metric": "accuracy"}
PROTOCOL = {
    "kind": "protocol",
    "cause": "our training is shorter",
    "printed": "thousands of epochs",
    "needed": "a week",
}


def test_no_verdict_follows_from_runs_by_another_protocol() -> None:
    cells = (
        published("PFLR", 1, 0.70),  # equal to ours
        published("PFLR", 10, 0.2),  # far away
        published("PFLR*", 1, 0.9),
    )
    claims = (claim(LOW), claim(HIGH, id="d"))
    found = verdicts(*cells, claims=claims, deviations=({"method": "PFLR", **PROTOCOL},))
    assert found.cell_counts == {"not the paper's protocol": 2, "differs": 1}
    assert found.cells[0].cause == "our training is shorter"
    assert not found.cells[0].is_unexplained
    assert [one.verdict for one in found.claims] == [ClaimVerdict.OTHER_PROTOCOL] * 2
    assert [one.full_verdict for one in found.claims] == ["not the paper's protocol"] * 2
    assert not found.stale_deviations
    assert not found.unsupported_deviations
    assert "printed: thousands of epochs; needed: a week" in found.deviations[0].evidence


def test_a_cell_by_another_protocol_takes_part_in_no_order_and_no_column() -> None:
    cells = (published("PFLR*", 1, 0.75), published("PFLR", 1, 0.5))
    assert len(verdicts(*cells).orders) == 1
    assert not verdicts(*cells, deviations=({"method": "PFLR*", **PROTOCOL},)).orders


def test_claims_about_other_methods_keep_their_verdicts() -> None:
    (one,) = verdicts(claims=(claim(LOW),), deviations=({"method": "PFLR*", **PROTOCOL},)).claims
    assert one.verdict is ClaimVerdict.HOLDS


@pytest.mark.parametrize("key", ["printed", "needed"])
def test_a_protocol_says_what_is_printed_and_what_is_needed(key: str) -> None:
    entry = {name: value for name, value in PROTOCOL.items() if name != key}
    with pytest.raises(DpfairError, match=f"the kind protocol needs the key `{key}`"):
        list(parse_deviations([{"artefact": "table8.2", "method": "PFLR*", **entry}]))
