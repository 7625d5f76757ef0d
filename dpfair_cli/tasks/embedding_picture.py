"""An embedding seen in the plane: the two directions that tell the training nodes' classes apart
best.

The directions are those of a linear discriminant analysis of the nodes to train on; the points are
nodes to test, so that classes stand apart only where the embedding has learnt something.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.tasks import vertex_classification
from dpfair_cli.tasks.vertex_classification import NodeSplit, score, split, with_columns_of_norm_one

POINTS = 60  # of a class
DECIMALS = 3
Places = dict[str, list[list[float]]]


def study(fit: Callable[..., Embedding], case: NodeSplit, *, rng: np.random.Generator) -> Outcome:
    """The scores of vertex_classification, and the places of some nodes of each class as the output
    "places".
    """
    model = fit(case.train, rng=rng)
    return Outcome(model, score(model, case), outputs={"places": places(model, case)})


def places(model: Embedding, case: NodeSplit) -> Places:
    """For each class the places (x, y) of its first POINTS nodes to test, in units of the spread of
    all.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    features = with_columns_of_norm_one(model.vectors)
    analysis = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.5, n_components=2)
    analysis.fit(features[case.train_nodes], case.labels[case.train_nodes])
    plane = analysis.transform(features[case.test_nodes])
    plane = (plane - plane.mean(axis=0)) / plane.std(axis=0)
    labels = case.labels[case.test_nodes]
    return {
        f"class {k}": plane[labels == k][:POINTS].round(DECIMALS).tolist()
        for k in range(labels.max() + 1)
    }


TASK = Study(
    split=split,
    study=study,
    scores=vertex_classification.SCORES,
    result=Embedding,
    outputs=("places",),
)
