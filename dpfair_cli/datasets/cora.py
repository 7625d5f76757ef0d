"""Cora: 2,708 papers on machine learning of 7 classes, and who cites whom (McCallum et al. 2000).

The file is the edition of LINQS. Of the 5,429 citations, 151 are the reverse of another citation.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.labelled_graph import labelled_graph

LINKS = File(
    path="cora/cora_edgelist.txt",
    licence="MIT",
    sha256="bdab43591bf44e2870280e36bd0f215f04cfcf019c08347d90da4a7a4f5c5775",
    size=48_838,
    urls=(
        "https://raw.githubusercontent.com/thunlp/OpenNE/7b86f4ca25fca3f441f593335fa57dc7dffb3b29/data/cora/cora_edgelist.txt",
    ),
)
CLASSES = File(
    path="cora/cora_labels.txt",
    licence="MIT",
    sha256="f6b5e9a0306dde91f56ce5bfa413b9d7afc7756590a8230f9e5a37ba2581299e",
    size=17_846,
    urls=(
        "https://raw.githubusercontent.com/thunlp/OpenNE/7b86f4ca25fca3f441f593335fa57dc7dffb3b29/data/cora/cora_labels.txt",
    ),
)

DATASET = labelled_graph(
    "Cora",
    LINKS,
    CLASSES,
    nodes=2_708,
    edges=5_278,
    loops=0,
    repeats=151,
    isolated=0,
    sizes=(818, 180, 217, 426, 351, 418, 298),
)
