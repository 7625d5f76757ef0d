"""What the pages link to is there, and what they tell to type is a command."""

from __future__ import annotations

import re
from functools import cache

import click
import pytest

from dpfair_cli.commands import main
from tests.docs.pages_of_the_project import (
    FILES,
    ROOT,
    commands_in,
    commands_named_in,
    name_of,
    prose,
    targets_in,
)

TEXTS = {file: file.read_text(encoding="utf-8") for file in FILES}
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


@cache
def anchors(text):
    """The anchors of a page: of headings, as GitHub and MyST make them, and explicit ones."""
    headings = re.findall(r"^#+ (.+)$", prose(text), flags=re.MULTILINE)
    explicit = re.findall(r'<a id="([^"]+)"></a>', text)
    made = [re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings]
    return {name.replace(" ", "-") for name in made} | set(explicit)


def test_links_lead_somewhere():
    for file, text in TEXTS.items():
        for target, anchor in LINK.findall(prose(text)):
            there = (file.parent / target) if target else file
            name = f"{target}#{anchor} on {name_of(file)}"
            assert there.exists(), name
            assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), name


def test_commands_exist_with_their_options():
    for file, text in TEXTS.items():
        for arguments in commands_in(text):
            assert parse(main, arguments) == [], (arguments, name_of(file))


def test_commands_that_are_named_in_passing_exist_with_their_options():
    for text in TEXTS.values():
        for arguments in commands_named_in(text):
            # `dpfair train --save` is meant, not typed
            lacking = ["VALUE"] if arguments[-1].startswith("-") else []
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


def test_the_pages_stay_short():
    words = {file.name: len(TEXTS[file].split()) for file in FILES if file.parent == ROOT / "docs"}
    assert sum(words.values()) <= 25_000
    assert words["words.md"] <= 3_000  # what needs an entry is a word too many
