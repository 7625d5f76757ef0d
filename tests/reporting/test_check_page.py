"""check.md: cells with ours and the published value as text, variants, claims, entries that do not
hold, stand-ins.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
from scipy import stats

from dpfair_cli.contracts.specs import ChosenByCells
from dpfair_cli.reporting import check_page
from dpfair_cli.verdicts.cells.comparison import Levels
from dpfair_cli.verdicts.paper_rule import PaperRule
from tests.verdicts.toy_paper import HYPOTHESIS, OPEN, SHIFT, SPEC, claim, published, runs, verdicts

LOW = {"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}

TRUST = "How far the verdicts can be trusted"
CELLS = ("As the paper prints it", "Every published cell")
UNSOUND = ("Stale deviations", "Deviations without the evidence that their kind requires")


def sections(text: str) -> dict[str, str]:
    """The text below each heading of the second level; that above the first one has none."""
    first, *rest = text.split("\n## ")
    return {"": first} | dict(part.split("\n", 1) for part in rest)


def test_the_file_shows_cells_variants_claims_and_entries_that_do_not_hold(tmp_path: Path) -> None:
    shift = {"method": "PFLR", **SHIFT}
    entries = ({"method": "PFLR*", **OPEN}, shift, {**shift, "variant": "drift"})
    cells = (published("PFLR", 0.1, 0.66, 0.001), published("PFLR*", 1, 0.75))
    found = verdicts(*cells, claims=(claim(LOW, claim="all|any"),), deviations=entries)
    file = check_page.write(found, tmp_path)
    assert file == tmp_path / "check.md"
    text = sections(file.read_text(encoding="utf-8"))
    assert list(text) == ["", *CELLS, "Variants", "Claims", "Deviations", *UNSOUND]
    assert "differs (variant): 1, reproduced: 1 (of 2 published cells)." in text[""]
    # a = 0.001^2 / 3, b = 0.001^2 / 10: the standard error is sqrt(a + b) = 0.000658, and
    # (a + b)^2 / (a^2 / 2 + b^2 / 9) = 3.3 degrees of freedom
    width = stats.t.ppf(0.95, (13 / 30) ** 2 / (1 / 18 + 1 / 900)) * 0.00065828
    assert (
        "| adult, PFLR, epsilon 0.1, accuracy | 0.6000 ± 0.0010 | 0.6600 ± 0.0010 | -0.0600 | "
        f"{width:.4f} | 0.0000 | 0.3300 "
        "| differs (variant) |  | PFLR, shift | [[1]](#deviation-table8.2-pflr-2) |\n"
        in text[CELLS[1]]
    )
    assert (
        "| PFLR | default |  | 0 | 0 | 0 | 1 | 0 | 1 |\n| PFLR | shift |  | 1 | 0 | 0 | 0 | 1 | 1 |"
        in text["Variants"]
    )
    assert r"| c | all\|any |  |  | holds | accuracy: holds at 3 of 3 points" in text["Claims"]
    assert "method PFLR*" in text["Stale deviations"]
    assert "drift" in text["Deviations without the evidence that their kind requires"]


def test_a_page_without_entries_that_do_not_hold_has_no_place_for_them() -> None:
    text = check_page.text(verdicts(published("PFLR*", 1, 0.75), claims=(claim(LOW),)))
    assert list(sections(text)) == ["", *CELLS, "Claims"]


def test_what_would_decide_a_cell_stands_beside_it() -> None:
    # 0.02 sqrt(1 / 3 + 1 / 10) = 0.0132, and 2.92 of them; at 7 seeds, 1.94 of 0.0099 are in 0.02
    wide = pd.DataFrame(runs("PFLR*", 1, 0.75, sides=(-0.02, 0.0, 0.02)))
    text = check_page.text(verdicts(published("PFLR*", 1, 0.75), rows=wide))
    (line,) = [line for line in text.splitlines() if line.startswith(r"| adult, PFLR\*")]
    *_, verdict, would_decide, _, _ = line.split(" | ")
    assert (verdict, would_decide) == ("undecided (needs seeds)", "7 seeds would decide")
    assert "| 0.7500 ± 0.0200 | 0.7500 | +0.0000 | 0.0384 | 0.0000 | 0.3750 |" in line


def test_the_reader_is_told_how_often_the_rule_would_pass_a_wrong_pairing() -> None:
    # PFLR* 0.75 beside PFLR's 0.75 passes, whose own is 0.60; PFLR's 0.70 beside 0.60 does not
    cells = (published("PFLR", 1, 0.75), published("PFLR*", 1, 0.60))
    text = check_page.text(verdicts(*cells))
    lines = sections(text)[TRUST].splitlines()
    assert (
        "| false matches: our mean next to the published value of another method | 2 | "
        "reproduced | 1 | 50 % |  |" in lines
    )
    (far,) = [line for line in lines if "more than 0.05 apart" in line]
    assert far.endswith("| 2 | reproduced | 1 | 50 % |  |")
    assert TRUST not in sections(check_page.text(verdicts(cells[0])))


def test_verdicts_of_cells_and_claims_have_the_kind_of_their_deviation() -> None:
    entries = ({"method": "PFLR*", **HYPOTHESIS}, {"claim": "c", **OPEN})
    high = {"compare": ["PFLR", ">", "LR"], "metric": "accuracy"}
    text = check_page.text(
        verdicts(published("PFLR*", 1, 0.9), claims=(claim(high),), deviations=entries)
    )
    assert "differs (hypothesis): 1 (of 1 published cells)." in text
    assert "| differs (hypothesis) |  |  | [[1]](#deviation-table8.2-pflr) |" in text
    assert "| fails (open) |" in text
    assert "| [[2]](#deviation-c) |" in sections(text)["Claims"]
    listed = sections(text)["Deviations"]
    assert (
        '1. <a id="deviation-table8.2-pflr"></a>**table8.2-pflr** (hypothesis): another' in listed
    )
    assert '2. <a id="deviation-c"></a>**c** (open): not known\n' in listed
    assert "- Covers claim c; cells or claims here: 1.\n" in listed


def test_a_line_above_the_cells_leads_to_spec_runs_page_and_deviations() -> None:
    deviated = verdicts(published("PFLR*", 1, 0.9), deviations=({"method": "PFLR*", **OPEN},))
    up = "../../../experiments/xu2021"
    assert (
        f"[spec]({up}/table8.2.yaml) · [runs](runs.jsonl) · [chapter8](../chapter8.md)"
        f" · [deviations.yaml]({up}/deviations.yaml)\n\n"
        in check_page.text(deviated, page="chapter8.md")
    )
    plain = check_page.text(verdicts(published("PFLR*", 1, 0.75)))
    assert f"\n[spec]({up}/table8.2.yaml) · [runs](runs.jsonl)\n\n" in plain


def test_a_claim_has_its_words_their_place_and_what_was_changed_or_added() -> None:
    asked = claim(
        LOW,
        quote="lower everywhere",
        place="Section 8.4",
        since="the score was another",
        ours="to see",
    )
    text = sections(check_page.text(verdicts(claims=(asked,))))["Claims"]
    assert "| c (ours: to see) | ... | lower everywhere | Section 8.4 | holds |" in text
    assert "| the score was another |" in text


def test_a_variant_says_what_the_default_one_was_chosen_by() -> None:
    spec = replace(
        SPEC, methods=tuple(replace(part, chosen_by="nearest of 2") for part in SPEC.methods)
    )
    text = check_page.text(verdicts(published("PFLR", 0.1, 0.60), spec=spec))
    assert "| PFLR | default | nearest of 2 | 1 |" in text
    assert "| PFLR | shift |  | 0 |" in text


def test_the_levels_and_the_numbers_of_runs_stand_above_the_cells() -> None:
    spec = replace(SPEC, published_runs_by="assumed, as in chapter 8")
    found = verdicts(published("PFLR*", 1, 0.75), spec=spec, rule=PaperRule(Levels(0.012, 0.03)))
    (line,) = [line for line in check_page.text(found).splitlines() if line.startswith("Two means")]
    assert "equivalent if the p-value is at most 0.0120, and different if it is at most 0.0300" in (
        line
    )
    assert "Runs in a published mean: 10 (assumed, as in chapter 8)." in line
    assert line.endswith("Runs in a mean of ours: 3.")


def test_cells_that_chose_a_default_are_named_and_counted() -> None:
    chosen = (ChosenByCells("PFLR*", "", ("adult",)), ChosenByCells("PFLR", "shift", ("adult",)))
    spec = replace(SPEC, chosen_by_cells=chosen)
    cells = (published("PFLR*", 1, 0.75), published("PFLR", 1, 0.70), published("PFLR*", 10, 0.9))
    text = check_page.text(verdicts(*cells, spec=spec))
    assert (
        "The default variant was chosen by these cells: PFLR\\* on adult. Of the 2 cells that "
        "agree, 1 are among them" in text
    )
    assert "chosen by these cells" not in check_page.text(verdicts(*cells))


def test_a_stand_in_is_named_in_the_title_and_below_it() -> None:
    found = verdicts(published("PFLR*", 1, 0.75), standins={"adult": "SUBSTITUTE"})
    text = check_page.text(found)
    assert text.startswith(
        "# Check of Xu 2021, Table 8.2: Accuracy [SUBSTITUTE]\n\n**SUBSTITUTE: adult**\n"
    )


def test_a_cell_that_was_not_compared_shows_the_published_value_alone() -> None:
    text = check_page.text(
        verdicts(published("PFLR*", 1, 0.75, 0.01), standins={"adult": "REPLICA"})
    )
    assert "|  | 0.7500 ± 0.0100 |  |  |  |  | not compared |" in text


def test_an_artefact_without_published_cells_says_so() -> None:
    assert "No published numbers." in check_page.text(verdicts())
