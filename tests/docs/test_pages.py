"""What the pages link to is there, and what they tell to type is a command."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args, get_type_hints

import click
import pytest

from dpfair_cli.commands import main
from dpfair_cli.verdicts.claims.axis_predicates import (
    SIGNS,
    Extreme,
    Place,
    PowerLaw,
    Rise,
    RiseOfTwo,
    Slope,
    Steeper,
    Trend,
)
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.claims.predicate import Predicate
from dpfair_cli.verdicts.claims.predicates import (
    SLACK,
    Compare,
    Distances,
    Nearer,
    Share,
    Spread,
    Successes,
)
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from tests.docs.pages_of_the_project import (
    FILES,
    ROOT,
    commands_in,
    commands_named_in,
    name_of,
    prose,
    targets_in,
)

every_page = pytest.mark.parametrize("file", FILES, ids=name_of)
TEXTS = {file: file.read_text(encoding="utf-8") for file in FILES}
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
MADE = (
    "papers/",
    "notebooks/",
    "reference/",
)  # pages that docs/pages.py writes when they are built


def anchors(text):
    """The anchors of a page: of headings, as GitHub and MyST make them, and explicit ones."""
    headings = re.findall(r"^#+ (.+)$", prose(text), flags=re.MULTILINE)
    explicit = re.findall(r'<a id="([^"]+)"></a>', text)
    made = [re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings]
    return {name.replace(" ", "-") for name in made} | set(explicit)


@every_page
def test_links_lead_somewhere(file):
    for target, anchor in LINK.findall(prose(TEXTS[file])):
        there = (file.parent / target) if target else file
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), (
            f"{target}#{anchor}"
        )


@every_page
def test_commands_exist_with_their_options(file):
    for arguments in commands_in(TEXTS[file]):
        assert parse(main, arguments) == []


@every_page
def test_commands_that_are_named_in_passing_exist_with_their_options(file):
    for arguments in commands_named_in(TEXTS[file]):
        lacking = (
            ["VALUE"] if arguments[-1].startswith("-") else []
        )  # `dpfair train --save` is meant, not typed
        parse(main, [*arguments, *lacking])


def test_what_pages_say_to_make_is_a_target():
    targets = set(
        re.findall(
            r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE
        )
    )
    named = {target for text in TEXTS.values() for target in targets_in(text)}
    assert {"reproduce", "test", "docs", "lint", "deep", "check", "mutants"} <= named
    assert named <= targets


def parse(group, arguments):
    """Read a command line as click does, but for its values, which name somebody else's files; what
    is too much.

    Raises:
        click.UsageError: there is no such command or option, or a value is lacking.
    """
    context = click.Context(group)
    if not arguments or arguments[0].startswith("-"):
        return group.make_parser(context).parse_args(list(arguments))[1]
    name, command, rest = group.resolve_command(context, list(arguments))
    if isinstance(command, click.Group):
        return parse(command, rest)
    return command.make_parser(click.Context(command, context, info_name=name)).parse_args(
        list(rest)
    )[1]


def test_most_pages_show_commands_and_a_wrong_one_is_seen():
    assert sum(1 for text in TEXTS.values() for _ in commands_in(text)) > 40
    for wrong in (
        ["swep", "adult"],
        ["sweep", "adult", "--epsilons", "1"],
        ["train", "adult", "--eps"],
    ):
        with pytest.raises(click.UsageError):
            parse(main, wrong)
    assert parse(main, ["train", "adult", "twice"]) == ["twice"]


def test_every_page_of_the_docs_is_in_the_contents():
    index = next(text for file, text in TEXTS.items() if name_of(file) == "docs/index.md")
    listed = {line for line in index.splitlines() if re.fullmatch(r"[\w/.-]+", line)}
    written = {file.stem for file in FILES if file.parent == ROOT / "docs"} - {"index"}
    assert {name for name in listed if not name.startswith(MADE)} == written


def test_the_pages_stay_short():
    words = {file.name: len(TEXTS[file].split()) for file in FILES if file.parent == ROOT / "docs"}
    assert sum(words.values()) <= 25_000
    assert words["words.md"] <= 3_000  # what needs an entry is a word too many


PREDICATES = {
    "compare": Compare,
    "trend": Trend,
    "slope": Slope,
    "extreme": Extreme,
    "steeper": Steeper,
    "nearer": Nearer,
    "share": Share,
    "spread": Spread,
}


def keys_of(form):
    return {field.name for field in fields(form)}


def test_the_page_of_new_papers_has_the_keys_of_claims_and_deviations():
    page = (ROOT / "docs" / "new-paper.md").read_text(encoding="utf-8")
    assert [name for name in PREDICATES if f"| `{name}: " not in page] == []
    words = {*SLACK, *SIGNS, *keys_of(ClaimPart)} - {"claim", "tested_parts"}
    for asked in (Rise, PowerLaw, Place, RiseOfTwo, Distances, Successes):
        words |= {*keys_of(asked)}
    words |= {*get_args(get_type_hints(Predicate)["over"]), "artefact", "kind", "cause", "not_run"}
    words |= {key for form in PREDICATES.values() for key in keys_of(form)}
    written = [
        rf"`{re.escape(word)}\b|`{re.escape(word)}`|: {word}`|\b{re.escape(word)}: |direction: "
        rf".*{word}"
        for word in words
    ]
    assert [pattern for pattern in written if not re.search(pattern, page)] == []
    kinds = dict(re.findall(r"^\| `([a-z]+)` \|(.*?)\|", page, flags=re.MULTILINE))
    assert set(kinds) == {*map(str, DeviationKind)}
    needed = {kind: tuple(re.findall(r"`(\w+)`:", words)) for kind, words in kinds.items()}
    assert needed == {str(kind): kind.required_keys for kind in DeviationKind}
