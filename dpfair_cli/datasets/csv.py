"""A user's table: any csv (or csv.gz) with a two-valued label and a protected column.

With `domain`, a YAML file, ranges, levels, groups and labels are public and only the columns named
there are used; the levels of the protected column are the groups, in that order, and the last level
of the label is the favourable one:

    age: {low: 17, high: 90, bins: [17, 26, 46, 66]}
    work: {levels: [private, public, other]}
    sex: {levels: [female, male]}
    hired: {levels: [no, yes]}

`bins`, the first number of each, are for generators of records, which take categories; by default
there are four. A protected column may be a number with bins: they are the groups. With `positive`
the label may be left out of the domain file. For a file that is not a plain csv, a first part of
the domain file says how it is written (formats/domain_file.py). `dpfair domain` drafts both; until
the user confirms the draft, its ranges and levels count as read from the data.

No record can then cause an error, drop a row or change another row. Outside the domain:

- a number is clipped to its range; what is not a number, such as an empty cell, becomes the middle
  of the range;
- a level, or a group, that is not listed becomes the last one listed (which may be called `other`);
- a label that is not the favourable one is 0;
- a row with too few cells has empty ones at its end, cells beyond the heading are not read.

Blanks around a cell do not count, and no text stands for a missing value: `NA` or `?` is a level
where it is listed. The number of cells that were changed is private: it is shown to the user alone,
before anything runs. The heading, the number of rows and the quotes of the file are public: a
missing column or an unclosed quote is an error.

Without a domain all this is read from the data, and so are separator and heading: a
`PrivacyLeakWarning` says so, and no privacy guarantee holds. A table with missing values or a
constant column is then an error that lists all problems.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats.domain_file import confirms
from dpfair_cli.formats.records_profile import records_profile
from dpfair_cli.formats.table_in_model import describe_table
from dpfair_cli.formats.user_records import read_user_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding


@checked
def load(
    folder: Path,
    *,
    file: str,
    label: str,
    protected: str,
    positive: str = "",
    domain: str = "",
    encoding: Encoding = "one_hot",
) -> Records:
    """The Records of `file`, a path as the user wrote it (`folder` is not used).

    Without `positive` and a domain file, label 1 is the larger of the two label values: the larger
    number, or the last in the alphabet ("1" of 0/1, "yes" of no/yes, ">50K" of <=50K/>50K).

    Raises:
        DpfairError: a file is missing or malformed, a name is wrong, or, without a domain, nothing
            can be learned from the table.
    """
    return read_user_records(file, label, protected, str(positive), domain).encoded(encoding)


DATASET = DataSource(
    load=load,
    note="your own csv: file=PATH, label=COLUMN, protected=COLUMN [, positive=VALUE, domain=PATH]",
    own_files=("file", "domain"),
    public_files=("domain",),
    confirmed=confirms,
    profile=records_profile,
    table=describe_table,
    version=3,
)
