"""A user's table: a csv file with a two-valued label and a protected column.

The file can be compressed, and can also be a Parquet file or an Excel workbook.

`domain` is the path of a domain file, a YAML file with the public ranges and levels of columns.
Only the columns that the domain file names are used. The levels of the protected column are the
groups, in the order of the file, and the last level of the label is the favourable one:

    age: {low: 17, high: 90, bins: [17, 26, 46, 66]}
    work: {levels: [private, public, other]}
    sex: {levels: [female, male]}
    hired: {levels: [no, yes]}

`bins` are the first numbers of the intervals into which a numeric column is cut for methods that
need categories, such as generators of records; by default there are four intervals. If a numeric
protected column has bins, the bins are the groups. The levels of a label of numbers can be two
comparisons, such as ['<=15', '>15'], as the option `positive` with '>15' makes them: a number
stands for the comparison that it satisfies. With the option `positive` the label may be left
out of the domain file. For a file that is not a plain csv, a first part of the domain file gives
the separator and the like (formats/domain_file.py). `dpfair domain` drafts the domain file. Until
the user confirms the draft, its ranges and levels count as read from the data. If the first part
has the key `person`, one row of each person is used (formats/persons.py).

With a domain file, no record can cause an error, drop a row or change another row. Values outside
the domain are replaced:

- a number is clipped to its range; text or an empty cell becomes the middle of the range;
- a level or a group that is not listed becomes the last listed one (which may be called `other`);
- a label that is not the favourable one counts as 0;
- a row with too few cells is filled up with empty cells, and cells beyond the heading are not read.

Blanks around a cell are ignored. If the domain file lists the level `missing` for a column, an
empty cell, `NA`, `?` and similar signs stand for this level. With `dose: {low: 0, high: 9, missing:
yes}`, whether a cell of `dose` is a number is one more attribute, `dose is missing`, and made
records have empty cells; in a protected column, the rows without a number are the group `missing`.
The number of replaced cells is private and is shown only to the user, before the runs. The heading,
the number of rows and the quotes of the file are public, so that a missing column or an unclosed
quote is an error.

Without a domain file, ranges, levels, groups, labels, separator and heading are read from the data.
A `PrivacyLeakWarning` says this, and no privacy guarantee holds. A table with missing values or a
constant column is then an error, whose message lists all problems.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats.domain_file import confirms
from dpfair_cli.formats.profiles import records_profile
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
    """The Records of the table at the path `file`; `folder` is not used.

    Without `positive` and without a domain file, the larger of the two label values counts as 1:
    the larger number, or the last in the alphabet ("1" of 0/1, "yes" of no/yes, ">50K" of
    <=50K/>50K).

    Raises:
        DpfairError: a file is missing or malformed, a column is unknown, or, without a domain file,
            no classifier can be learned from the table.
    """
    return read_user_records(file, label, protected, str(positive), domain).encoded(encoding)


DATASET = DataSource(
    load=load,
    note="your own csv: file=PATH, label=COLUMN, protected=COLUMN [, positive=VALUE, domain=PATH]",
    own_files=("file", "domain"),  # their bytes identify the data
    public_files=("domain",),
    confirmed=confirms,
    profile=records_profile,
    table=describe_table,
    version=14,  # raised where a table could become other records
)
