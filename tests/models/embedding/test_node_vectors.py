"""The fitted embedding: what is saved, described and compared."""

import json

import numpy as np

from dpfair_cli.models.embedding.node_vectors import Embedding

VECTORS = np.array([[0.1, -2.0], [1 / 3, 4.0], [0.0, 1e-9]])


def test_the_saved_vectors_are_json_and_the_same_to_the_last_bit():
    saved = json.loads(json.dumps(Embedding(VECTORS).saved()))
    lists = [np.array(value) for value in saved.values() if isinstance(value, list)]
    assert any(value.shape == (3, 2) and (value == VECTORS).all() for value in lists)


def test_the_state_is_all_vectors():
    state = Embedding(VECTORS).state()
    assert any(np.array_equal(value, VECTORS) for value in state.values())


def test_the_description_is_a_list_of_lines():
    assert all(
        isinstance(line, str) and "\n" not in line for line in Embedding(VECTORS).described()
    )
