"""The polytope that tokens in R^d cluster on: its vertices, its faces, and where on it each token is.

For V = I the rescaled tokens z = e^{-t} x tend to the boundary of a convex polytope K, or to the origin (arXiv
2305.05465). K is the hull of the tokens that others attend to; a token that is still on the hull of all tokens but that
nobody attends to is on its way, and no vertex. NumPy and SciPy on concrete arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from tokenfield.errors import InvalidInput
from tokenfield.observables.attention import attention_matrix

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

ATTENDED = 1e-6  # a token with less attention than this from every token has none
PLACES = ("vertex", "face", "origin", "inside")


@dataclass(frozen=True, eq=False)
class Polytope:
    """The polytope of a run at one time; made by `polytope`.

    Attributes:
        vertices: its vertices, shape (m, d), in the frame of the run.
        tokens: which token each vertex is, shape (m,).
        faces: the vertices of each face of dimension d - 1, as indices into `vertices`: edges in R^2, triangles in R^3
            (a face with more corners is several); empty for a flat polytope, all of which counts as a face.
        places: for each token "vertex", "face", "origin" or "inside", shape (n,).
        shares: the mass of the tokens at each of these places; "inside" has not arrived.
        rank: the numerical rank of the attention matrix (of the first head), singular values above 1e-6.

    >>> import numpy as np
    >>> vertices = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> places = np.array(["vertex", "vertex"])
    >>> Polytope(vertices, np.array([0, 1]), [], places, {"vertex": 1.0}, 2).count
    2
    """

    vertices: np.ndarray
    tokens: np.ndarray
    faces: list[np.ndarray]
    places: np.ndarray
    shares: dict[str, float]
    rank: int

    @property
    def count(self) -> int:
        """How many vertices there are."""
        return len(self.vertices)


def polytope(run: Trajectory, index: int = -1, *, tolerance: float = 1e-2) -> Polytope:
    """The polytope on which the tokens of a run in R^d cluster, with the place of each token on it.

    Its vertices are those tokens that are attended to (with a weight of at least 1e-6 by some token of some head) and
    that are vertices of the hull of all such tokens. Counted so, the rank of attention is at most their number (arXiv
    2305.05465); the hull of all tokens has more corners, which are on their way. Meant for late times of the rescaled
    frame with V = I and Q^T K symmetric and positive.

    Args:
        run: A run in R^d that saved its tokens, at most 4096 of them.
        index: Which of the saved times; by default the last.
        tolerance: How near counts as at a place, as a part of the largest distance of a vertex from the origin; by
            default 0.01.

    Returns:
        The polytope.

    Raises:
        InvalidInput: The run is not in R^d, kept no tokens, or has too many; or the tolerance is not positive.

    >>> from tokenfield import Euclidean, Softmax, Transformer, solve
    >>> model = Transformer(Euclidean(2), Softmax(1.0), rescaled=True)
    >>> x = [[3.0, 0.0], [-2.0, 3.0], [-2.0, -3.0], [1.0, 0.2]]
    >>> run = solve(model, x, t1=8.0, save=2)
    >>> found = polytope(run)
    >>> found.count, found.rank, found.places.tolist()
    (3, 3, ['vertex', 'vertex', 'vertex', 'vertex'])
    """
    from tokenfield.geometry import Euclidean

    if not isinstance(run.model.geometry, Euclidean):
        raise InvalidInput("polytopes are for tokens in R^d: on the sphere every token is a vertex of the hull")
    if not tolerance > 0:
        raise InvalidInput(f"the tolerance must be positive, got {tolerance}")
    mu, t = run.measure(index), float(run.ts[index])
    z, heads = np.asarray(mu.points, np.float64), len(run.model.heads(t))
    P = np.stack([np.asarray(attention_matrix(mu, run.model, t, head=head), np.float64) for head in range(heads)])
    attended = np.flatnonzero(P.max(axis=(0, 1)) > ATTENDED)
    corners, faces = _hull(z[attended])
    vertices = z[attended[corners]]
    extent = tolerance * max(float(np.max(np.linalg.norm(vertices, axis=1))), np.finfo(float).tiny)
    places = _places(z, vertices, faces, extent)
    masses = np.asarray(mu.weights, np.float64)
    shares = {place: float(masses[places == place].sum()) for place in PLACES}
    rank = int(np.linalg.matrix_rank(P[0], tol=ATTENDED))
    return Polytope(vertices, attended[corners], faces, places, shares, rank)


def _hull(points: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The corners of the hull of points (m, d), and its faces as indices into the corners."""
    m, d = points.shape
    if d == 1:
        ends = np.unique([int(np.argmin(points)), int(np.argmax(points))])
        return ends, [np.array([i]) for i in range(len(ends))]
    if m <= d:
        return np.arange(m), []
    try:
        hull = scipy.spatial.ConvexHull(points)
    except scipy.spatial.QhullError:  # a flat cloud: its corners in the span
        centered = points - points.mean(axis=0)
        sizes, axes = np.linalg.svd(centered, full_matrices=False)[1:]
        kept = sizes > 1e-9 * sizes[0]
        if kept.all() or not kept.any():
            return np.arange(m), []
        return _hull(centered @ axes[kept].T)[0], []
    place = {int(corner): i for i, corner in enumerate(hull.vertices)}
    return hull.vertices, [np.array([place[int(v)] for v in simplex]) for simplex in hull.simplices]


def _places(z: np.ndarray, vertices: np.ndarray, faces: list[np.ndarray], near: float) -> np.ndarray:
    """The place of each token; a vertex counts before the origin, and that before a face."""
    places = np.full(len(z), "inside", dtype=object)
    # a polytope without faces is flat: all of it is boundary, and one simplex if it has few corners
    shown = faces if len(faces) or len(vertices) > z.shape[1] else [np.arange(len(vertices))]
    for face in shown:
        places[_gaps_to_simplex(z, vertices[face]) <= near] = "face"
    places[np.linalg.norm(z, axis=1) <= near] = "origin"
    gaps = np.min(np.linalg.norm(z[:, None] - vertices, axis=-1), axis=1)
    places[gaps <= near] = "vertex"
    return places.astype(str)


def _gaps_to_simplex(z: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How far points (n, d) are from the simplex of the corners, exactly above it, and at most so far beyond its edges.

    A token beyond an edge may be in the plane of a face: it is on its way, and on no face.
    """
    sides = (corners[1:] - corners[0]).T
    along = np.linalg.lstsq(sides, (z - corners[0]).T, rcond=None)[0].T
    shares = np.maximum(np.concatenate([1 - along.sum(axis=1, keepdims=True), along], axis=1), 0.0)
    return np.linalg.norm(z - (shares / shares.sum(axis=1, keepdims=True)) @ corners, axis=1)
