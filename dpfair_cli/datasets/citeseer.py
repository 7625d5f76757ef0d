"""CiteSeer: 3,312 publications of 6 classes, and who cites whom (Giles et al. 1998, by LINQS).

Of the 4,732 links, 124 are loops and 57 repeat another link.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.labelled_graph import labelled_graph

LINKS = File(
    path="citeseer/Citeseer_edgelist.txt",
    licence="MIT",
    sha256="e0fdf4ed2280cff94b5defd26bd20195ed832670f42b04bc82fa906c720093be",
    size=42_516,
    urls=(
        "https://raw.githubusercontent.com/thunlp/MMDW/22335fbfbf5c088045384397f5b71d1bbce54624/data/Edgelist/Citeseer_edgelist.txt",
    ),
)
CLASSES = File(
    path="citeseer/Citeseer_category.txt",
    licence="MIT",
    sha256="a103d4eba37eb47f6dbbb7bf624bfe16294bee4a9770c456063d0c366d811397",
    size=22_074,
    urls=(
        "https://raw.githubusercontent.com/thunlp/MMDW/22335fbfbf5c088045384397f5b71d1bbce54624/data/Category/Citeseer_category.txt",
    ),
)

DATASET = labelled_graph(
    "CiteSeer",
    LINKS,
    CLASSES,
    nodes=3_312,
    edges=4_551,
    loops=124,
    repeats=57,
    isolated=48,
    sizes=(596, 668, 701, 249, 508, 590),
)
