"""MNIST as published, few eights, and the stand-in; what Images refuse."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import mnist, mnist_unbalanced
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain


def load(name, folder, **how):
    return data_access.load(data_access.locate(catalog.data_set(name), data_dir=folder, **how))


def training_counts(images):
    return np.bincount(images.y[~images.held_out], minlength=10)


def toy(**changes):
    """Two pictures of one row and three pixels."""
    X = np.array([[0, 1, 2], [3, 4, 255]], dtype=np.uint8)
    codes, domain = np.array([0, 1]), Domain((), {}, ("a", "b"))
    fields = {"X": X, "y": codes, "protected": codes.copy(), "held_out": np.array([False, True])}
    return Images(**fields | {"shape": (1, 3), "classes": ("c", "d"), "domain": domain} | changes)


def test_the_counts_are_the_published_ones(real_data):
    balanced, unbalanced = load("mnist", real_data), load("mnist_unbalanced", real_data)
    assert training_counts(balanced).sum() == 60_000
    assert training_counts(unbalanced).sum() == 54_649
    assert training_counts(balanced)[[2, 8]].tolist() == [5_958, 5_851]  # xu2021, Table 9.2
    assert training_counts(unbalanced)[[2, 8]].tolist() == [5_958, 500]
    for images in (balanced, unbalanced):
        assert images.held_out.sum() == 10_000
        np.testing.assert_array_equal(images.protected, images.y)
        assert images.X.dtype == np.uint8
        assert images.shape == (28, 28)


def test_the_pixels_have_the_mean_and_deviation_of_the_paper(real_data):
    images = load("mnist", real_data)
    train = images.X[~images.held_out] / 255
    assert round(train.mean(), 4) == 0.1307
    assert round(train.std(), 4) == 0.3081


def test_the_first_digits_are_the_known_ones(real_data):
    images = load("mnist", real_data)
    np.testing.assert_array_equal(images.y[:10], [5, 0, 4, 1, 9, 2, 1, 3, 1, 4])
    np.testing.assert_array_equal(images.y[60_000:60_005], [7, 2, 1, 0, 4])


def test_few_eights_are_eights_of_the_whole(real_data):
    whole, few = load("mnist", real_data), load("mnist_unbalanced", real_data)
    np.testing.assert_array_equal(few.X[few.y != 8], whole.X[whole.y != 8])
    eights = {picture.tobytes() for picture in whole.X[(whole.y == 8) & ~whole.held_out]}
    kept = [picture.tobytes() for picture in few.X[(few.y == 8) & ~few.held_out]]
    assert set(kept) <= eights
    assert len(kept) == len(set(kept)) == 500
    first = [picture.tobytes() for picture in whole.X[(whole.y == 8) & ~whole.held_out][:500]]
    assert set(kept) != set(first)


@pytest.mark.parametrize("name", ["mnist", "mnist_unbalanced"])
def test_the_stand_in_is_labelled_and_has_the_form_of_the_data(name, tmp_path):
    assert data_access.locate(catalog.data_set(name), data_dir=tmp_path, replica_ok=True).replica
    images, dataset = load(name, tmp_path, replica_ok=True), catalog.data_source(name)
    assert images.X.shape[1] == dataset.expected["columns"]
    assert images.classes == images.groups == mnist.CLASSES
    assert training_counts(images).min() > 0
    assert np.bincount(images.y[images.held_out]).min() > 20
    assert "digits" in dataset.replica.note


def test_without_replica_ok_the_stand_in_is_not_taken(tmp_path):
    with pytest.raises(
        DpfairError,
        match="the data set mnist is not in the data folder: run `dpfair fetch-data mnist`",
    ):
        data_access.locate(catalog.data_set("mnist"), data_dir=tmp_path)


def test_the_stand_in_is_the_digits_of_scikit_learn_enlarged():
    images, digits = mnist.load_replica(mnist.replica_path(Path())), load_digits()
    np.testing.assert_array_equal(images.y, digits.target)
    first = images.X[0].reshape(28, 28)
    np.testing.assert_array_equal(first[3:27:3, 3:27:3], digits.images[0] * 255 // 16)
    assert first[:2].sum() == first[-2:].sum() == first[:, :2].sum() == first[:, -2:].sum() == 0


def test_the_stand_in_without_eights_keeps_the_published_share():
    before = training_counts(mnist.load_replica(mnist.replica_path(Path())))
    after = training_counts(mnist_unbalanced.load_replica(mnist.replica_path(Path())))
    assert after[8] == round(before[8] * 500 / 5_851)
    np.testing.assert_array_equal(np.delete(after, 8), np.delete(before, 8))


def test_an_idx_file_is_read_by_its_axes(tmp_path):
    content = bytes([0, 0, 8, 3, *(0, 0, 0, 2), *(0, 0, 0, 1), *(0, 0, 0, 3), 1, 2, 3, 4, 5, 6])
    (tmp_path / "toy.gz").write_bytes(gzip.compress(content))
    np.testing.assert_array_equal(mnist._read(tmp_path / "toy.gz"), [[[1, 2, 3]], [[4, 5, 6]]])


# Images.


def test_images_are_taken_row_by_row_and_cannot_be_changed():
    images = toy()
    taken = images.take(np.array([1, 1, 0]))
    np.testing.assert_array_equal(taken.y, [1, 1, 0])
    np.testing.assert_array_equal(taken.held_out, [True, True, False])
    np.testing.assert_array_equal(taken.X[0], [3, 4, 255])
    assert len(taken) == 3
    for array in (images.X, images.y, images.protected, images.held_out):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": (2, 2)}, "must have the same number of"),
        ({"y": np.zeros(3, int)}, "must have the same number of"),
        ({"held_out": np.array([[True, False]])}, "must have the same number of"),
        ({"X": np.zeros((2, 3))}, "X must be an array of the type uint8"),
        ({"held_out": np.array([0, 1])}, "held_out must be an array of the type bool"),
        ({"y": np.array([0, 2])}, "y must be from 0 to 1"),
        ({"protected": np.array([-1, 0])}, "protected must be from 0 to 1"),
    ],
)
def test_images_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        toy(**changes)


def test_groups_need_not_be_the_classes():
    images = toy(domain=Domain((), {}, ("only",)), protected=np.zeros(2, int))
    assert images.groups == ("only",)
    assert replace(images, y=np.zeros(2, int)).classes == ("c", "d")
