"""MNIST: 70,000 handwritten digits, the last 10,000 for testing; the group is the class.

These are the balanced images of xu2021, chapter 9.
"""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask, Pixels
from dpfair_cli.contracts.declarations import DataSource, File, Replica
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain

REPLICA_NOTE = (
    "1,797 smaller digits by other hands (UCI Optical Recognition, which scikit-learn brings), "
    "enlarged"
)

ADDRESS = "https://ossci-datasets.s3.amazonaws.com/mnist"
# name -> SHA-256 and size in bytes: images and labels for training, then those for testing
HASHES = {
    "train-images-idx3-ubyte.gz": (
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        9_912_422,
    ),
    "train-labels-idx1-ubyte.gz": (
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        28_881,
    ),
    "t10k-images-idx3-ubyte.gz": (
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        1_648_877,
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        4_542,
    ),
}
FILES = tuple(
    File(
        path=f"mnist/{name}",
        licence="not stated; commonly given as CC BY-SA 3.0",
        sha256=sha256,
        size=size,
        urls=(f"{ADDRESS}/{name}",),
    )
    for name, (sha256, size) in HASHES.items()
)
SHAPE = (28, 28)
CLASSES = tuple(f"class{digit}" for digit in range(10))
COUNTS = (6_903, 7_877, 6_990, 7_141, 6_824, 6_313, 6_876, 7_293, 6_825, 6_958)
TRAIN = 60_000  # the others are for testing


@checked
def load(folder: Path) -> Images:
    """The images of MNIST, from the files below `folder`."""
    parts = [_read(folder / file.path) for file in FILES]
    X = np.concatenate([part.reshape(len(part), -1) for part in parts[::2]])  # (70000, 784)
    y = np.concatenate(parts[1::2]).astype(np.int64)  # (70000,)
    return digits(X, y, np.arange(len(y)) >= TRAIN)


def digits(X: Pixels, y: Ints, held_out: Mask) -> Images:
    """Images of digits with pixels X (n, 784), where the group of an image is its class."""
    return Images(X, y, y.copy(), held_out, SHAPE, CLASSES, Domain((), {}, CLASSES))


def replica_path(folder: Path) -> Path:
    """The path of the digits in the package scikit-learn, which is not imported for this.

    `folder` is not used.
    """
    (place,) = find_spec("sklearn").submodule_search_locations  # type: ignore[union-attr, misc]
    return Path(place) / "datasets" / "data" / "digits.csv.gz"


def load_replica(path: Path) -> Images:
    """The images of digits in scikit-learn, enlarged to 28 x 28 pixels, as a replica of MNIST.

    Every fifth image is held out for testing. `path` is the file of the images.
    """
    # (1797, 65): pixels from 0 to 16, and the class
    table = np.loadtxt(path, delimiter=",", dtype=np.int64)
    small = (table[:, :-1] * 255 // 16).astype(np.uint8).reshape(-1, 8, 8)
    large = np.pad(small.repeat(3, axis=1).repeat(3, axis=2), ((0, 0), (2, 2), (2, 2)))
    return digits(
        large.reshape(len(large), -1), table[:, -1].copy(), np.arange(len(table)) % 5 == 4
    )


def _read(path: Path) -> Pixels:
    """The array in a file of the IDX format.

    The file has two zero bytes, the type 8 (unsigned byte), the number of axes, their lengths, and
    the values.
    """
    content = gzip.decompress(path.read_bytes())
    axes = content[3]  # the fourth byte
    lengths = np.frombuffer(content, ">u4", count=axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(lengths)


DATASET = DataSource(
    load=load,
    note="MNIST, 60,000 digits to train and 10,000 to test; no licence stated, "
    "commonly given as CC BY-SA 3.0",
    task="private_training",
    files=FILES,
    expected={"rows": 70_000, "columns": 784, "groups": COUNTS, "base_rate": 4.4524},
    replica=Replica(path=replica_path, load=load_replica, note=REPLICA_NOTE),
    needs="torch",  # to train on images
)
