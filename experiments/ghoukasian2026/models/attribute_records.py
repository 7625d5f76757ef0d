"""Records of which each individual randomises one attribute of two levels."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.kinds.local_records import LocalRecords


@dataclass(frozen=True, eq=False)
class AttributeRecords(LocalRecords):
    """Local records with one randomised attribute, which has two levels.

    Raises:
        ValueError: the number of randomised attributes is not one, or of its levels not two.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.randomised) != 1 or len(self.level_columns) != 2:
            raise ValueError("one attribute with two levels must be randomised")

    @property
    def level_columns(self) -> list[int]:
        """The columns of X of the two levels."""
        return list(self.domain.attributes[self.randomised[0]])
