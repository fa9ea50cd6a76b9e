"""`polytope`: vertices and faces of constructed clouds, places of tokens, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput
from tokenfield.observables import polytope

SQUARE = np.array([[4.0, 0.0], [0.0, 4.0], [-4.0, 0.0], [0.0, -4.0]])


def at_rest(points: np.ndarray, t: float) -> tkf.Trajectory:
    """A run that has these tokens at the time t, when attention is all but hard."""
    points = np.asarray(points, float)
    model = tkf.Transformer(tkf.Euclidean(points.shape[1]), tkf.Softmax(1.0), rescaled=True)
    return tkf.solve(model, points, t0=t, t1=t + 1e-3, save=2)


def test_a_square_with_tokens_at_every_place():
    # the foot of the perpendicular from the origin on an edge attends to both ends and stays
    cloud = np.concatenate([SQUARE, [[2.0, 2.0], [0.0, 0.0], [3.99, 0.0], [0.0, 1.0]]])
    found = polytope(at_rest(cloud, 4.0))
    assert sorted(found.tokens.tolist()) == [0, 1, 2, 3] and found.count == 4 and len(found.faces) == 4
    assert found.places.tolist() == ["vertex"] * 4 + ["face", "origin", "vertex", "inside"]
    assert found.shares == pytest.approx({"vertex": 5 / 8, "face": 1 / 8, "origin": 1 / 8, "inside": 1 / 8})
    edges = {frozenset(map(tuple, np.round(found.vertices[face]).astype(int).tolist())) for face in found.faces}
    assert frozenset({(4, 0), (0, 4)}) in edges and frozenset({(4, 0), (-4, 0)}) not in edges


def test_a_corner_that_nobody_attends_to_is_no_vertex():
    """(3, 3) is outside of the square's hull with (4, 4.5) but follows it: a corner of all tokens, no vertex of K."""
    cloud = np.array([[4.0, 4.5], [-4.0, 0.5], [0.5, -4.0], [3.9, 1.5]])
    found = polytope(at_rest(cloud, 5.0))
    assert found.tokens.tolist() != [0, 1, 2, 3] and 3 not in found.tokens and found.rank == found.count == 3


def test_an_octahedron_has_eight_faces_and_a_flat_polytope_none():
    octahedron = 3 * np.concatenate([np.eye(3), -np.eye(3)])
    found = polytope(at_rest(octahedron, 4.0))
    assert found.count == 6 and len(found.faces) == 8 and found.shares["vertex"] == pytest.approx(1.0)
    flat = polytope(at_rest(np.concatenate([SQUARE, np.zeros((4, 1))], axis=1), 4.0))
    assert flat.count == 4 and flat.faces == []
    line = polytope(at_rest([[-2.0], [0.3], [3.0]], 4.0))
    assert line.vertices[:, 0].tolist() == pytest.approx([-2.0, 3.0], abs=1e-2) and line.places[1] == "inside"


def test_a_token_in_the_plane_of_a_face_but_beyond_its_edge_is_on_no_face():
    tetrahedron = 3 * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    # it attends to the first corner, and nobody attends to it; the next one is in the same face
    shares = np.array([[0.75, 0.35, -0.1, 0.0], [0.7, 0.2, 0.1, 0.0]])
    found = polytope(at_rest(np.concatenate([tetrahedron, shares @ tetrahedron]), 3.0))
    assert found.count == 4 and found.places.tolist() == ["vertex"] * 4 + ["inside", "face"]


def test_all_of_a_flat_polytope_is_boundary():
    """Two corners in the plane: tokens between them are on the segment, others are on their way."""
    cloud = np.array([[4.0, 1.0], [-4.0, 1.0], [1.0, 1.0], [1.0, 0.5]])
    found = polytope(at_rest(cloud, 4.0))
    assert found.count == 2 and found.places.tolist() == ["vertex", "vertex", "face", "inside"]


def test_errors():
    sphere = tkf.solve(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0)), np.eye(2), t1=0.1, save=2)
    with pytest.raises(InvalidInput, match="polytopes are for tokens in R"):
        polytope(sphere)
    with pytest.raises(InvalidInput, match="must be positive"):
        polytope(at_rest(SQUARE, 1.0), tolerance=0.0)
