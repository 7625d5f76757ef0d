"""The scoreboard: each number once, kinds of data apart, statements over their parts, counted by
hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.shown import count_claims
from dpfair_cli.verdicts.scoreboard import Scoreboard, part_of, score
from dpfair_cli.verdicts.verdicts import Verdicts
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

LOW = {"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}
HIGH = {"compare": ["PFLR", ">", "LR"], "metric": "accuracy"}
NEAR = {"compare": ["PFLR*", ">", 0.7495], "metric": "accuracy", "where": {"epsilon": 1}}
SECOND = replace(SPEC, artefact="xu2021/table8.3", title="The same again")


def decided(*cells: dict[str, Any], spec: Spec = SPEC, **more: Any) -> Verdicts:
    """An artefact with its verdicts; what is published of `table8.2` and claimed of it is so of the
    spec's.
    """
    here = [{**cell, "artefact": spec.name} for cell in cells]
    for name in ("claims", "deviations"):
        more[name] = tuple({**entry, "artefact": spec.name} for entry in more.get(name, ()))
    return verdicts(*here, spec=spec, **more)


def counts(score: Scoreboard) -> dict[tuple[str, str], dict[str, int]]:
    """{(part, data): {verdict: cells}} with their sum."""
    return {
        (one.part, one.data): {**one.verdicts, "in all": one.verdicts.total()}
        for one in score.cells
    }


def statements(score: Scoreboard) -> dict[str, str]:
    return {one.id: one.verdict for one in score.statements}


CHAPTER = ("xu2021, chapter 8", "the paper's data")


def test_every_verdict_has_a_column_and_differences_one_for_each_kind() -> None:
    # ours 0.60, 0.70, 0.80; 0.75 and 0.79
    cells = [published("PFLR", 0.1, 0.60), published("PFLR", 1, 0.9), published("PFLR", 10, 0.66)]
    cells += [
        published("PFLR*", 1, 0.76),  # 0.01 away, and the published value of LR only 0.015
        published("PFLR*", 10, 0.79, 0.09),
        published("PFLR*", 0.1, 0.9),
    ]
    cells += [published("PFLR*", 100, 0.9), published("LR", 1, 0.745)]
    entries = ({"method": "PFLR", **SHIFT}, {"method": "PFLR", "epsilon": 1, **HYPOTHESIS},
               {"method": "PFLR*", "epsilon": 0.1, **OPEN})  # fmt: skip
    assert counts(score([decided(*cells, deviations=entries)])) == {
        CHAPTER: {
            "reproduced": 1,
            "consistent": 1,
            "undecided (not decidable)": 1,
            "differs": 1,
            "differs (variant)": 1,
            "differs (hypothesis)": 1,
            "differs (open)": 1,
            "missing": 1,
            "in all": 8,
        }
    }


def test_a_number_that_two_tables_print_of_one_experiment_counts_once() -> None:
    cells = (published("PFLR*", 1, 0.75), published("PFLR*", 10, 0.9))
    both = score([decided(*cells), decided(*cells, spec=SECOND)])
    assert counts(both) == {CHAPTER: {"reproduced": 1, "differs": 1, "in all": 2}}
    assert both.repeats == 2


def test_only_the_same_number_of_the_same_experiment_is_counted_once() -> None:
    here, there = (
        (published("PFLR*", 1, 0.75),),
        (published("PFLR*", 1, 0.76), published("PFLR", 1, 0.75)),
    )
    both = score([decided(*here), decided(*there, spec=SECOND)])
    assert counts(both)[CHAPTER]["in all"] == 3
    assert both.repeats == 0


def test_the_same_setting_on_other_data_is_another_experiment() -> None:
    rows = pd.concat([ROWS, ROWS.assign(dataset="dutch")])
    cells = (published("PFLR*", 1, 0.75), {**published("PFLR*", 1, 0.75), "dataset": "dutch"})
    assert counts(score([decided(*cells, rows=rows)]))[CHAPTER]["in all"] == 2


def test_a_number_is_repeated_within_a_table_too() -> None:
    """Its baseline stands at every epsilon, and is one experiment."""
    cells = [published("LR", epsilon, 0.84) for epsilon in (0.1, 1.0, 10.0)]
    found = score([decided(*cells)])
    assert counts(found) == {CHAPTER: {"reproduced": 1, "in all": 1}}
    assert found.repeats == 2


def test_cells_that_were_not_run_are_not_each_others_repeats() -> None:
    cells = (published("PFLR*", 100, 0.75), published("PFLR*", 1000, 0.75))
    found = score([decided(*cells)])
    assert counts(found) == {CHAPTER: {"missing": 2, "in all": 2}}
    assert found.repeats == 0


def test_record_counts_are_separate_and_times_and_replicas_are_left_out() -> None:
    rows = ROWS.assign(sample_size=1000)
    cells = (
        published("PFLR*", 1, 1000, metric="sample_size"),
        published("PFLR*", 10, 7, metric="sample_size"),
    )
    found = score(
        [
            decided(
                *cells,
                published("PFLR*", 1, 2, metric="seconds"),
                published("PFLR*", 1, 0.75),
                rows=rows,
            )
        ]
    )
    assert counts(found) == {CHAPTER: {"reproduced": 1, "in all": 1}}
    assert found.record_counts == 2
    replica = score([decided(published("PFLR*", 1, 0.75), standins={"adult": "REPLICA"})])
    assert counts(replica) == {}


def test_cells_on_a_substitute_and_on_the_papers_data_are_counted_apart() -> None:
    rows = pd.concat([ROWS, ROWS.assign(dataset="dutch")])
    cells = (published("PFLR*", 1, 0.75), {**published("PFLR*", 1, 0.9), "dataset": "dutch"})
    assert counts(score([decided(*cells, rows=rows, standins={"adult": "SUBSTITUTE"})])) == {
        ("xu2021, chapter 8", "a substitute"): {"reproduced": 1, "in all": 1},
        CHAPTER: {"differs": 1, "in all": 1},
    }


@pytest.mark.parametrize(
    ("artefact", "part"),
    [
        ("xu2021/table8.2", "xu2021, chapter 8"),
        ("xu2021/figure9.6a", "xu2021, chapter 9"),
        ("xu2021/section4.6.1", "xu2021, chapter 4"),
        ("xu2021/table10.2", "xu2021, chapter 10"),
        ("xu2021/table-networks", "xu2021"),
        ("ding2020/table1", "ding2020"),
    ],
)
def test_the_chapters_of_a_thesis_are_parts_of_it(artefact: str, part: str) -> None:
    assert part_of(replace(SPEC, artefact=artefact)) == part


def test_papers_and_chapters_have_lines_of_their_own() -> None:
    other = replace(SPEC, artefact="xu2021/table9.1")
    found = score(
        [decided(published("PFLR*", 1, 0.75)), decided(published("PFLR*", 1, 0.75), spec=other)]
    )
    assert counts(found) == {
        CHAPTER: {"reproduced": 1, "in all": 1},
        ("xu2021, chapter 9", "the paper's data"): {"reproduced": 1, "in all": 1},
    }


def test_a_claim_is_as_good_as_the_worst_of_its_parts() -> None:
    one = {"part": "one", "artefact": SPEC.name, "holds": [LOW]}
    two = {"part": "two", "artefact": SECOND.name, "holds": [NEAR]}
    split = ({"id": "f", "claim": "...", "parts": [one, two]},)
    first, second = (verdicts(claims=split, spec=spec) for spec in (SPEC, SECOND))
    assert statements(score([first])) == {"f": "holds"}
    assert statements(score([second])) == {"f": "undecided"}
    assert statements(score([first, second])) == {"f": "undecided"}
    (tally,) = score([first, second]).claims
    assert tally.verdicts == {"undecided": 1}


def test_a_part_of_ours_does_not_count_in_its_statement() -> None:
    def whole(**words: str) -> tuple[dict[str, Any], ...]:
        bad = {"part": "two", "artefact": "table8.2", "holds": [HIGH], **words}
        return (
            {
                "id": "f",
                "claim": "...",
                "parts": [{"part": "one", "artefact": "table8.2", "holds": [LOW]}, bad],
            },
        )

    assert statements(score([verdicts(claims=whole())])) == {"f": "fails"}
    assert statements(score([verdicts(claims=whole(ours="to see"))])) == {"f": "holds"}


def test_main_sentences_theorems_and_others_are_counted_apart() -> None:
    """A part of ours that names a theorem makes its sentence one; a main sentence stays main."""
    proof = {"artefact": SPEC.name, "part": "p", "ours": "to see", "theorem": "pflr"}
    own = {"artefact": SPEC.name, "part": "own", "holds": [LOW]}
    given = (
        claim(LOW, id="a", main=1, place="Theorem 1"),
        claim(LOW, id="b", place="Lemma 2"),
        {"id": "c", "claim": "...", "parts": [own, proof]},
        claim(LOW, id="d"),
    )
    found = score([verdicts(claims=given)]).statements
    kinds = {one.id: one.kind.value for one in found}
    assert kinds == {"a": "main", "b": "theorem", "c": "theorem", "d": "other"}
    assert count_claims(found) == "main: 1 holds; theorem: 2 holds; other: 1 holds"


def test_a_claim_of_ours_alone_is_no_statement_of_the_paper() -> None:
    found = score([verdicts(claims=(claim(LOW, ours="to see"), claim(LOW, id="d")))])
    assert statements(found) == {"d": "holds"}


def test_statements_of_two_papers_with_one_id_are_two() -> None:
    other = replace(SPEC, artefact="ding2020/table8.2")
    found = score(
        [
            verdicts(claims=(claim(LOW),)),
            verdicts(claims=(claim(HIGH),), spec=other),
        ]
    )
    assert sorted(one.verdict for one in found.statements) == ["fails", "holds"]


def test_a_claim_counts_for_the_work_that_wrote_it() -> None:
    found = score([verdicts(claims=(claim(LOW), claim(HIGH, id="d", by="other2020")))])
    assert [(one.part, dict(one.verdicts)) for one in found.claims] == [
        ("other2020", {"fails": 1}),
        ("xu2021, chapter 8", {"holds": 1}),
    ]


def test_the_scoreboard_says_where_the_published_numbers_stand() -> None:
    cells = [published("PFLR", 0.1, 0.60)]
    rows = replace(SECOND, published_in=("rows",))
    both = score([decided(*cells), decided(*cells, spec=rows)])
    assert [one.published for one in both.cells] == [
        "printed in the paper; computed by us from the authors' rows"
    ]
    assert [one.published for one in score([decided(*cells)]).cells] == ["printed in the paper"]


def test_what_cannot_be_tested_is_counted_as_that() -> None:
    untested = {"id": "s", "artefact": "table8.2", "claim": "...", "not_testable": "seconds"}
    found = score([verdicts(claims=(claim(LOW), untested))])
    assert found.claims[0].verdicts == {"holds": 1, "not testable here": 1}


def test_wrong_pairings_are_those_of_all_artefacts() -> None:
    # PFLR* 0.75 beside 0.755 passes and is near its own 0.77; PFLR 0.70 beside 0.77 does not
    cells = (published("PFLR", 1, 0.755), published("PFLR*", 1, 0.77))
    # PFLR* 0.75 beside PFLR's 0.75 passes, 0.15 from its own 0.60; PFLR 0.70 beside 0.60 does not
    far = (published("PFLR", 1, 0.75), published("PFLR*", 1, 0.60))
    found = score([decided(*cells), decided(*far, spec=SECOND)])
    assert (found.wrong.matched, found.wrong.pairings) == (2, 4)
    assert (found.wrong_far.matched, found.wrong_far.pairings) == (1, 2)


def test_a_number_that_two_tables_print_is_paired_once() -> None:
    # the second table prints both numbers of the first again, and a third method, which either is
    # set against
    cells = (published("PFLR", 1, 0.77), published("PFLR*", 1, 0.76))
    more = published("LR", 1, 0.75)
    for second, pairings in ((cells, 2), ((*cells, more), 2 + 2 * 2), (cells[:1], 2)):
        found = score([decided(*cells), decided(*second, spec=SECOND)])
        assert found.wrong.pairings == pairings


def test_one_number_beside_several_is_several_pairings() -> None:
    # LR takes no epsilon: it is one number, which stands beside PFLR's two
    cells = [published(method, epsilon, 0.8) for method in ("LR", "PFLR") for epsilon in (0.1, 1)]
    found = score([decided(*cells)])
    assert (found.repeats, found.wrong.pairings) == (1, 4)


def test_a_number_of_another_chapter_is_another_number() -> None:
    cells = (published("PFLR", 1, 0.755), published("PFLR*", 1, 0.77))
    found = score(
        [decided(*cells), decided(*cells, spec=replace(SPEC, artefact="xu2021/table9.3"))]
    )
    assert (found.repeats, found.wrong.matched, found.wrong.pairings) == (0, 2, 4)


def test_a_variant_is_paired_once_where_two_tables_print_its_number() -> None:
    cells = (published("PFLR", 0.1, 0.66), published("PFLR*", 0.1, 0.75))
    found = score([decided(*cells), decided(*cells, spec=SECOND)])
    assert (found.variants_own.matched, found.variants_own.pairings) == (1, 1)
    assert (found.variants_wrong.matched, found.variants_wrong.pairings) == (0, 1)


def test_variants_are_those_of_all_artefacts() -> None:
    # with the shift PFLR has 0.66: its own here, and PFLR*'s there
    cells = (published("PFLR", 0.1, 0.66), published("PFLR*", 0.1, 0.75))
    other = (published("PFLR", 0.1, 0.80), published("PFLR*", 0.1, 0.66))
    found = score([decided(*cells), decided(*other, spec=SECOND)])
    assert (found.variants_own.matched, found.variants_own.pairings) == (1, 2)
    assert (found.variants_wrong.matched, found.variants_wrong.pairings) == (1, 2)


def test_variant_counts_are_summed_and_repeated_numbers_count_once() -> None:
    # PFLR has 0.60 and 0.70, with the shift 0.66 and 0.66
    low, high = published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.70)
    (counts,) = score([decided(low, high), decided(low, spec=SECOND)]).variants.values()
    found = {one.variant: one for one in counts if one.method == "PFLR"}
    assert found["shift"].verdicts == {"reproduced": 1, "differs": 1}
    assert found[""].verdicts == {"reproduced": 1, "differs": 1}


def test_no_artefact_and_one_without_anything_give_an_empty_scoreboard() -> None:
    found = score([decided(rows=pd.DataFrame(runs("LR", 0, 0.84)))])
    assert (found.cells, found.claims) == ([], [])
    assert (found.repeats, found.record_counts, found.wrong.pairings) == (0, 0, 0)
