"""check.md: cells with ours and the published value as text, nearest readings, claims, stale deviations, stand-ins."""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.reporting import check_page
from tests.verdicts.toy_paper import SPEC, WHY, published, verdicts


def test_the_file_shows_cells_readings_claims_and_stale_entries(tmp_path: Path) -> None:
    claim = {
        "id": "c",
        "artefact": "table8.2",
        "claim": "all|any",
        "holds": [{"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}],
    }
    entry = {"method": "PFLR*", **WHY}
    found = verdicts(
        published("PFLR", 0.1, 0.66, 0.01), published("PFLR*", 1, 0.75), claims=(claim,), deviations=(entry,)
    )
    text = check_page.write(found, SPEC, tmp_path).read_text(encoding="utf-8")
    assert "differs: 1, agrees: 1 (of 2 published cells)." in text
    assert "| adult, PFLR, epsilon 0.1, accuracy | 0.6000 ± 0.0141 | 0.6600 ± 0.0100 | -0.0600 |" in text
    assert "| adult | PFLR | accuracy | PFLR, shift | 1 |" in text
    assert r"all\|any | holds |" in text
    assert "method PFLR*" in text.split("Stale deviations")[1]


def test_a_stand_in_is_named_in_the_title_and_below_it() -> None:
    found = verdicts(published("PFLR*", 1, 0.75), standins={"adult": "SUBSTITUTE"})
    text = check_page.text(found, SPEC)
    assert text.startswith("# Check of Xu 2021, Table 8.2: Accuracy [SUBSTITUTE]\n\n**SUBSTITUTE: adult**\n")


def test_a_cell_that_was_not_compared_shows_the_published_value_alone() -> None:
    text = check_page.text(verdicts(published("PFLR*", 1, 0.75, 0.01), standins={"adult": "REPLICA"}), SPEC)
    assert "|  | 0.7500 ± 0.0100 |  |  | not compared |" in text


def test_an_artefact_without_published_cells_says_so() -> None:
    assert "No published numbers." in check_page.text(verdicts(), SPEC)
