"""An embedding in the plane, along the two directions that best separate the training classes.

The directions are computed by a linear discriminant analysis of the training nodes. The points are
test nodes. The classes of the points are therefore separated only if the embedding depends on the
classes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.tasks import vertex_classification
from dpfair_cli.tasks.vertex_classification import NodeSplit, scaled, score, split

POINTS = 60  # largest number of points of each class
DECIMALS = 3  # of a coordinate
Places = dict[str, list[list[float]]]
"""The coordinates of some nodes of each class."""


def study(fit: Callable[..., Embedding], case: NodeSplit, *, rng: np.random.Generator) -> Outcome:
    """The embedding with its scores, and coordinates of nodes as the output "places"."""
    model = fit(case.train, rng=rng)
    return Outcome(model, score(model, case), outputs={"places": places(model, case)})


def places(model: Embedding, case: NodeSplit) -> Places:
    """The standardised coordinates of the first POINTS test nodes of each class in the plane."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    features = scaled(model.vectors, case.scaling)
    analysis = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.5, n_components=2)
    analysis.fit(features[case.train_nodes], case.labels[case.train_nodes])
    plane = analysis.transform(features[case.test_nodes])
    # the scale of an embedding has no meaning
    plane = (plane - plane.mean(axis=0)) / plane.std(axis=0)
    labels = case.labels[case.test_nodes]
    found = {}
    for k in range(labels.max() + 1):
        found[f"class {k}"] = plane[labels == k][:POINTS].round(DECIMALS).tolist()
    return found


TASK = Study(
    split=split,
    study=study,
    scores=vertex_classification.SCORES,
    result=Embedding,
    outputs=("places",),
    optional_in_rows=vertex_classification.TASK.optional_in_rows,
)
