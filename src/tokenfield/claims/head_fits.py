"""What one layer of H heads can represent (problem 1 of arXiv 2312.10794): targets of some heads, fitted with H.

A layer is linear in the V of its heads, so fits search over Q^T K alone and solve for V (variable projection). From
random first weights most searches with H heads for a target of H end in local minima, the more the larger H is; with
twice as many heads few do. So twice as many are fitted, those that are needed least are dropped, and the rest is fitted
again. Every sample comes with its first two tokens swapped, so that the best error of any permutation-equivariant map
is known.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

TRUE_HEADS = 4
D = 2
MET = 1e-12
SCALE = 2.0  # of the entries of Q^T K
STEPS = 60  # of one search
LEAST_DAMPED, MOST_DAMPED = 1e-12, 1e8
STILL = 1e-6  # a step that gains less, relatively, is the last
RANK = 1e-13  # columns that add less than this, relatively, are taken for combinations of the others
ENOUGH = 3  # times the starts, where there is something to be found; it ends with the first that does


def _heads(A: jax.Array, x: jax.Array) -> jax.Array:
    """What heads with Q^T K = A (H, d, d) and V = I give at samples (s, n, d), as columns: (H, s n, d)."""

    def look(a: jax.Array) -> jax.Array:
        model = tkf.Transformer(tkf.Euclidean(D), tkf.Softmax(1.0), Q=a)
        return jax.vmap(lambda tokens: model.velocity(0.0, tokens, tkf.Measure(tokens)))(x).reshape(-1, D)

    return jax.vmap(look)(A)


_looks = eqx.filter_jit(_heads)
# a head depends on its own A only, so one derivative of all heads along each entry of A is enough
_turns = eqx.filter_jit(
    lambda A, x: jnp.stack(
        [
            jax.jvp(lambda a: _heads(a, x), (A,), (jnp.broadcast_to(e, A.shape),))[1]
            for e in np.eye(D * D).reshape(-1, D, D)
        ],
        axis=-1,
    )
)


class _Fit:
    """The best layer of heads for targets (s, n, d) at samples (s, n, d), as a function of their Q^T K."""

    def __init__(self, x: np.ndarray, y: np.ndarray, most: int):
        self.x, self.y, self.most = jnp.asarray(x), y.reshape(-1, D), most

    def _padded(self, A: np.ndarray) -> jax.Array:
        """One program serves up to `most` heads."""
        return jnp.asarray(np.concatenate([A, np.zeros((self.most - len(A), D, D))]))

    def columns(self, A: np.ndarray) -> np.ndarray:
        """What each head gives, (s n, H d): a layer is a matrix behind them, all V below each other."""
        return np.concatenate(list(np.asarray(_looks(self._padded(A), self.x))[: len(A)]), axis=1)

    def misfit(self, A: np.ndarray) -> np.ndarray:
        _, basis = _best(self.columns(A), self.y)
        return basis @ (basis.T @ self.y) - self.y

    def slopes(self, A: np.ndarray) -> np.ndarray:
        """Derivatives of the misfit in A, less what a change of V undoes (Kaufman's approximation)."""
        V, basis = _best(self.columns(A), self.y)
        turns = np.asarray(_turns(self._padded(A), self.x))[: len(A)]
        moved = np.einsum("hrca,hco->roha", turns, V.reshape(len(A), D, D)).reshape(len(self.y), -1)
        return (moved - _product(basis, _product(basis.T, moved))).reshape(self.y.size, -1)

    def search(self, A: np.ndarray) -> tuple[np.ndarray, float]:
        """The local minimum below `A` (Levenberg-Marquardt), and its root mean square misfit."""
        damping, misfit = 1e-2, self.misfit(A)
        for _ in range(STEPS):
            J = self.slopes(A)
            sizes = np.maximum(np.linalg.norm(J, axis=0), np.finfo(float).tiny)
            J /= sizes
            normal, slope = _product(J.T, J), _product(J.T, misfit.reshape(-1, 1))
            while damping < MOST_DAMPED:
                step = np.linalg.solve(normal + damping * np.eye(len(normal)), slope)[:, 0] / sizes
                there = A - step.reshape(A.shape)
                after = self.misfit(there)
                if np.sum(after**2) < np.sum(misfit**2):
                    break
                damping *= 4
            else:
                break
            gain = 1 - np.sum(after**2) / np.sum(misfit**2)
            A, misfit, damping = there, after, max(damping / 8, LEAST_DAMPED)
            if np.sqrt(np.mean(misfit**2)) < MET / 100 or gain < STILL:
                break
        return A, float(np.sqrt(np.mean(misfit**2)))

    def without_one(self, A: np.ndarray) -> np.ndarray:
        """All heads but the one without which the misfit is least."""
        # rotated, so that few rows are left; what the columns do not span is the same for all
        basis, columns = scipy.linalg.qr(self.columns(A), mode="economic")
        by_head, y = columns.reshape(len(columns), len(A), D), basis.T @ self.y
        left = [np.delete(by_head, h, axis=1).reshape(len(columns), -1) for h in range(len(A))]
        reached = [np.linalg.norm(_best(rest, y)[1].T @ y) for rest in left]
        return np.delete(A, int(np.argmax(reached)), axis=0)

    def best_error(self, H: int, starts: int, rng: np.random.Generator, floor: float = 0.0) -> float:
        """The smallest root mean square misfit of H heads over starts; it ends with one that is at its floor."""
        errors = [np.inf]
        for _ in range(starts):
            A, _ = self.search(SCALE * rng.normal(size=(2 * H, D, D)))
            while len(A) > H:
                A = self.without_one(A)
            errors.append(self.search(A)[1])
            if errors[-1] < floor * (1 + 1e-6) + MET:
                break
        return min(errors)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a b without BLAS, whose threads cost more than they give at these sizes."""
    return np.einsum("ij,jk->ik", a, b)


def _best(columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matrix behind `columns` that is nearest to y, and an orthonormal basis of what they span."""
    basis, R, order = scipy.linalg.qr(columns, mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > RANK * np.abs(R[0, 0])))
    basis, found = basis[:, :rank], np.zeros((columns.shape[1], y.shape[1]))
    found[order[:rank]] = scipy.linalg.solve_triangular(R[:rank, :rank], basis.T @ y)
    return found, basis


def _target(x: np.ndarray, count: int, rng: np.random.Generator, most: int) -> np.ndarray:
    """What `count` random heads give at samples (s, n, d)."""
    columns = _Fit(x, x, most).columns(SCALE * rng.normal(size=(count, D, D)))
    return (columns @ rng.normal(size=(count * D, D))).reshape(x.shape)


def _fits(
    *, seed: int, n: int, samples: int, heads: tuple[int, ...], targets: tuple[int, ...], starts: int, shift: float
) -> Finding:
    """Targets: four heads; those with a vector added to the first token's and taken from the second's; more heads."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(samples, n, D))
    half /= np.linalg.norm(half, axis=-1, keepdims=True)
    x = np.concatenate([half, half[:, [1, 0, *range(2, n)]]])
    most = 2 * max(*heads, *targets)
    y = _target(x, TRUE_HEADS, rng, most)
    # it cancels in the mean over the swap, so that the four heads are the best equivariant answer
    extra = np.zeros_like(x)
    extra[:, 0], extra[:, 1] = x[:, 0, ::-1], -x[:, 1, ::-1]
    floor = float(np.sqrt(np.mean((0.5 * extra) ** 2)))
    shifted, uneven = _Fit(x, y + shift * extra, most), _Fit(x, y + 0.5 * extra, most)
    many = [starts if H < TRUE_HEADS else ENOUGH * starts for H in heads]
    same = np.array([shifted.best_error(H, count, rng) for H, count in zip(heads, many, strict=True)])
    tries = [ENOUGH * starts if H == TRUE_HEADS else 1 for H in heads]
    other = np.array([uneven.best_error(H, count, rng, floor) for H, count in zip(heads, tries, strict=True)])
    own = {}
    for count in targets:
        fit = _Fit(x, _target(x, count, rng, most), most)
        own[count] = fit.best_error(count - 1, starts, rng), fit.best_error(count, ENOUGH * starts, rng)
    enough = np.array(heads) >= TRUE_HEADS
    at = list(heads).index(TRUE_HEADS)
    checks = [
        at_most("error of four heads and more, target of four", same[enough].max(), 0, slack=MET, because="rounding"),
        at_least("error of fewer heads, least", same[~enough].min(), 1e-3, because="four heads in general position"),
        at_most("error of H heads, target of H, largest", max(e for _, e in own.values()), 0, slack=MET,
                because="rounding"),
        at_least("error of H − 1 heads, target of H, least", min(e for e, _ in own.values()), 1e-6,
                 because="heads in general position; far above rounding"),
        at_least("error at a target that is not equivariant, least", other.min() / floor, 1, slack=1e-9,
                 because="no equivariant map is nearer, in units of its distance"),
        equals("the same of four heads", other[at] / floor, 1, within=1e-3,
               because="a local minimum close to the best one"),
    ]  # fmt: skip
    return Finding(checks, {"heads": heads, "same": same, "other": other, "floor": floor, "own": own})


def _draw_fits(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, sharey=True)
    data, rounding = finding.data, 1e-17
    heads = data["heads"]
    left.semilogy(heads, np.maximum(data["same"], rounding), "o-", color=PALETTE[0], label="target of four heads")
    left.semilogy(heads, data["other"], "s-", color=PALETTE[1], label="target that is not equivariant")
    left.axhline(data["floor"], label="its distance to equivariant maps", **PREDICTED)
    left.set(xlabel="heads $H$", ylabel="root mean square error of the fit", xticks=heads)
    left.legend(fontsize=7, loc="center right")
    counts, own = list(data["own"]), np.array(list(data["own"].values()))
    right.semilogy(counts, own[:, 0], "s-", color=PALETTE[1], label="one head fewer")
    right.semilogy(counts, np.maximum(own[:, 1], rounding), "o-", color=PALETTE[0], label="as many heads")
    right.set(xlabel="heads of the target", xticks=counts)
    right.legend(fontsize=7, loc="center right")
    return figure


CLAIMS = (
    Claim(
        id="glpr25-heads-fit",
        main="error of four heads and more",
        title="Four heads are met by four heads to rounding, and nothing equivariant meets the rest",
        statement=r"One layer $x_i \mapsto \sum_h V_h \sum_j p^h_{ij} x_j$ of $H$ heads, fitted by least squares, "
        r"meets a target of four heads to rounding from $H = 4$ on and not before, and so for targets of more heads. A "
        r"target that is not permutation-equivariant is missed by its distance to equivariant maps.",
        paper="glpr25",
        where="problem 1, approximation of permutation-equivariant maps by many heads",
        status="derived",
        assumptions=("samples of unit tokens in the plane, each also with two tokens swapped",),
        experiment=_fits,
        draw=_draw_fits,
        quick=Setting(
            {"n": 5, "samples": 24, "heads": (1, 2, 3, 4, 8), "targets": (8,), "starts": 2, "shift": 0.0}, seconds=4
        ),
        full=Setting(
            {
                "n": 5,
                "samples": 80,
                "heads": (1, 2, 3, 4, 6, 8, 12, 16),
                "targets": (4, 8, 12, 16),
                "starts": 6,
                "shift": 0.0,
            },
            seconds=100,
        ),
        control=Control({"shift": 0.1}, "a target that is not equivariant is not met", "four heads and more"),
    ),
)
