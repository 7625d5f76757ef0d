"""In the picture of a causal graph every variable stands to the right of its causes, no two in one
place.
"""

from dpfair_cli.reporting.layouts.causal_paths import place_in_columns

EDGES = [("a", "b"), ("b", "y"), ("s", "b"), ("s", "y"), ("a", "y")]


def test_causes_stand_on_the_left_of_their_effects():
    places = place_in_columns(["y", "b", "a", "s", "alone"], EDGES)
    for cause, effect in EDGES:
        assert places[cause][0] < places[effect][0]
    assert places["alone"][0] == 0


def test_no_two_variables_share_a_place():
    places = place_in_columns(["y", "b", "a", "s", "alone"], EDGES)
    assert len(set(places.values())) == 5
