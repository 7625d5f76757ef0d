"""Records of a large table are those that are encoded at once, also in memory of fewer features."""

import pickle

import numpy as np
import pytest

from dpfair_cli.formats import user_records
from dpfair_cli.formats.user_records import UnencodedRecords

DOMAIN = """age: {low: 0, high: 10, bins: [0, 4, 8]}
work: {levels: [a, b, c]}
sex: {levels: [f, m]}
hired: {levels: [no, yes]}
"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    file, domain = tmp_path / "own.csv", tmp_path / "domain.yaml"
    rng = np.random.default_rng(0)
    rows = [
        f"{rng.choice(['3', '-0', '9.5', '12', '?'])},{'abcx'[k % 4]},{'fm'[k % 2]},"
        f"{rng.choice(['no', 'yes', 'perhaps'])}"
        for k in range(50)
    ]
    file.write_text("\n".join(["age,work,sex,hired", *rows, ""]))
    domain.write_text(DOMAIN)

    def read(encoding, many_rows):
        monkeypatch.setattr(user_records, "MANY_ROWS", many_rows)
        user_records._encoded_last.clear()
        table = user_records.read_user_records(str(file), "hired", "sex", "", str(domain))
        return table.encoded(encoding)

    return read


@pytest.mark.parametrize("encoding", ["one_hot", "ordinal", "binned"])
def test_unencoded_records_become_the_same_records(read, encoding):
    usual, later = read(encoding, 51), read(encoding, 50)
    assert isinstance(later, UnencodedRecords)
    rows = np.array([7, 3, 3, 49, 0])
    assert later.take(rows).fingerprint() == usual.take(rows).fingerprint()
    assert "X" not in vars(later)
    assert (later.domain, len(later)) == (usual.domain, 50)
    copy = pickle.loads(pickle.dumps(later, protocol=5))
    assert copy.counts() == later.counts() == usual.counts()
    assert later.fingerprint() == copy.fingerprint() == usual.fingerprint()
    assert later.take(rows).fingerprint() == usual.take(rows).fingerprint()


def test_features_are_kept_once_they_are_made(read):
    later = read("one_hot", 50)
    assert later.X is later.X
    assert not later.X.flags.writeable


def test_labels_and_groups_cannot_be_changed(read):
    later = read("one_hot", 50)
    assert not later.y.flags.writeable
    assert not later.protected.flags.writeable
