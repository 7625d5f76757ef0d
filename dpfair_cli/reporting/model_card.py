"""The card of a model: its guarantee, scores and data, what was asked about them, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli.contracts.files import write_text

WARNING = (
    "**Do not publish this card: it has exact numbers of your table.** "
    "The guarantee is about `{model}` alone."
)


@dataclass(frozen=True)
class ModelCard:
    """What a data scientist keeps beside a model file.

    Attributes:
        model: the name of the model file.
        guarantee: the parts of the privacy guarantee, by name.
        ledger: the privacy ledger after the fit, by name of the amount; empty without one.
        scores: the scores of held-out records, by name.
        released: the noisy scores that may be published, by name; empty without any.
        rates: the rates of each group and the gaps with their intervals, as lines.
        data: facts about the table, by name.
        questions: what was asked about the table before the fit.
        answers: the domain file with which the user answered; empty without one.
    """

    model: str
    guarantee: Mapping[str, str]
    ledger: Mapping[str, str]
    scores: Mapping[str, str]
    released: Mapping[str, str]
    rates: Sequence[str]
    data: Mapping[str, str]
    questions: Sequence[str]
    answers: str

    def text(self) -> str:
        """The card as Markdown."""
        asked = [f"- {question}" for question in self.questions]
        sections = {
            "Guarantee": _fields(self.guarantee),
            "Privacy ledger": _fields(self.ledger),
            "Released scores": _fields(self.released),
            "Scores": _fields(self.scores),
            "Rates by group": _block(self.rates),
            "Data": _fields(self.data),
            "Questions before the fit": asked,
            "Answers in the domain file": _block(self.answers.splitlines()),
        }
        lines = [f"# {self.model}", "", WARNING.format(model=self.model)]
        for title, content in sections.items():
            lines += ["", f"## {title}", "", *(content or ["None."])]
        return "\n".join(lines) + "\n"


def write(path: Path, card: ModelCard) -> None:
    """Writes a card to a file; an OSError if the file cannot be written."""
    write_text(path, card.text())


def _fields(fields: Mapping[str, str]) -> list[str]:
    """A block with a line for each field, after its name."""
    width = max(map(len, fields), default=0)
    return _block([f"{name:{width}}  {text}" for name, text in fields.items()])


def _block(lines: Sequence[str]) -> list[str]:
    """Lines between two fences that no line ends; nothing without lines."""
    fence = "```"
    while any(fence in line for line in lines):  # a name in the user's table
        fence += "`"
    return [fence, *lines, fence] if lines else []
