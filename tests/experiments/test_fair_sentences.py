"""What the committed files say about authors: whole sentences, of the work that wrote them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.running import spec
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.verdicts.claims.claim import ClaimPart, read_claims
from tests import paper_facts

EXPERIMENTS = Path(__file__).parent.parent.parent / "experiments"
WORKS = sorted(file.parent.name for file in EXPERIMENTS.glob("*/claims.yaml"))
WRITER = re.compile(r"(?:abstract|page|slides) of ((?:de )?\w+) et al\.? (\d{4})")
OTHERS = re.compile(r"\b(studies on the topic|recent works have)\b", re.IGNORECASE)
WORD = re.compile(r"\b[a-z]{3,}\b")


def parts(work: str) -> list[ClaimPart]:
    return read_claims(EXPERIMENTS / work / "claims.yaml")


@pytest.mark.parametrize("work", WORKS)
def test_a_claim_is_a_sentence_and_not_a_list_of_numbers(work: str) -> None:
    for part in parts(work):
        assert len({*WORD.findall(part.claim.quote)}) >= 2, part.id


@pytest.mark.parametrize("work", WORKS)
def test_a_claim_names_the_work_that_wrote_it(work: str) -> None:
    for part in parts(work):
        named = WRITER.search(part.claim.place)
        if named:
            writer = f"{named[1].replace(' ', '').lower()}{named[2]}"
            assert (part.claim.by or work) == writer, part.id


@pytest.mark.parametrize("work", WORKS)
def test_a_sentence_about_other_studies_is_not_tested(work: str) -> None:
    for part in parts(work):
        if OTHERS.search(part.claim.quote) and not part.ours:
            assert part.not_testable, part.id


@pytest.mark.parametrize("work", WORKS)
def test_a_part_that_is_read_again_says_since_when(work: str) -> None:
    for part in parts(work):
        assert not part.undecided or part.since, part.id


@pytest.mark.parametrize("work", WORKS)
def test_numbers_of_a_work_that_was_not_read_stand_in_no_paper(work: str) -> None:
    """A work with cells whose text is not among the papers names another place of its numbers.

    A work of which the tests know nothing was read by whoever added it.
    """
    for artefact in artefacts():
        name = artefact.removeprefix(f"{work}/")
        if name != artefact:
            has_cells = name in published(work)
            known = paper_facts.facts(work)
            if has_cells and known and not known.get("texts"):
                assert {*spec.load(artefact).published_in} & {"repository", "rows"}, artefact
            if "published_in" in read_yaml(EXPERIMENTS / f"{artefact}.yaml"):
                assert has_cells, artefact


def published(work: str) -> set[str]:
    """The artefacts with lines in published.csv."""
    file = EXPERIMENTS / work / "published.csv"
    lines = file.read_text(encoding="utf-8").splitlines()[1:] if file.exists() else []
    return {line.split(",")[0] for line in lines}


@pytest.mark.parametrize(
    "file", sorted(EXPERIMENTS.glob("*/deviations.yaml")), ids=lambda file: file.parent.name
)
def test_an_open_cause_says_which_experiment_would_settle_it(file: Path) -> None:
    for entry in read_yaml(file):
        assert entry["kind"] != "open" or entry.get("needed"), entry.get("id")
