"""Wiki: 2,405 documents of 17 classes, and the links between them (TADW, Yang et al. 2015).

The papers count 17,981 links, which is the number of lines of the file. Of these links, 1,996 are
loops and 4,389 repeat another link in the same or the other direction. The papers count 19 classes,
which is the range of the class numbers in the file; two of these numbers have no document.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.labelled_graph import labelled_graph

LINKS = File(
    path="wiki/Wiki_edgelist.txt",
    licence="MIT",
    sha256="72fccd28e5a927a752b6fbf38c971884b0a783dd124c5e8e2c9e27ac7bdd84f5",
    size=162_007,
    urls=(
        "https://raw.githubusercontent.com/thunlp/OpenNE/7b86f4ca25fca3f441f593335fa57dc7dffb3b29/data/wiki/Wiki_edgelist.txt",
    ),
)
CLASSES = File(
    path="wiki/wiki_labels.txt",
    licence="MIT",
    sha256="600541ba4563097b1e1796b6b0ffa110f17a0e71b1ac7e5c66dc11c512077774",
    size=16_625,
    urls=(
        "https://raw.githubusercontent.com/thunlp/OpenNE/7b86f4ca25fca3f441f593335fa57dc7dffb3b29/data/wiki/wiki_labels.txt",
    ),
)

DATASET = labelled_graph(
    "Wiki",
    LINKS,
    CLASSES,
    nodes=2_405,
    edges=11_596,
    loops=1996,
    repeats=4389,
    isolated=42,
    sizes=(92, 406, 203, 103, 10, 361, 157, 53, 109, 11, 269, 179, 9, 30, 77, 228, 108),
)
