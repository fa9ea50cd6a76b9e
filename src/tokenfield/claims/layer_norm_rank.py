"""Claims about LayerNorm and the rank of tokens (arXiv 2604.23681).

LayerNorm centers the coordinates of each token, then scales the token: X -> D X P. D scales rows, P projects to the
coordinates of mean zero. So the rank of X P is kept exactly. The affine rank, that of the differences of tokens, is
neither kept by D nor by P: it may fall and it may grow.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import INK, PALETTE, panels

NEGLIGIBLE = 1e-10  # of the largest singular value: between rounding and what is drawn


def _rank(X: np.ndarray) -> int:
    values = np.linalg.svd(X, compute_uv=False)
    return int(np.sum(values > NEGLIGIBLE * max(values[0], 1e-300)))


def _ranks(X: np.ndarray) -> tuple[int, int]:
    """The rank of tokens, and of their differences; tokens at one point have no differences but rounding."""
    differences = X[1:] - X[0]
    is_point = np.abs(differences).max() < NEGLIGIBLE * np.abs(X).max()
    return _rank(X), 0 if is_point else _rank(differences)


def _tokens(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    """Tokens whose coordinates have mean zero but for the last two, by name."""

    def centered(count: int) -> np.ndarray:
        rows = rng.normal(size=(count, d))
        return rows - rows.mean(axis=1, keepdims=True)

    steps = rng.uniform(1.0, 4.0, size=(6, 1))
    along = centered(2)
    return {
        "on a ray": steps * along[0],
        "on a line": along[0] + steps * along[1],
        "in a plane": centered(3)[0] + rng.normal(size=(8, 2)) @ centered(2),
        "few of them": rng.normal(size=(d // 2, d)),
        "many of them": rng.normal(size=(4 * d, d)),
    }


# affine rank before and after, from X -> D X P: see the module
EXPECTED = {
    "on a ray": lambda d: (1, 0),
    "on a line": lambda d: (1, 2),
    "in a plane": lambda d: (2, 3),
    "few of them": lambda d: (d // 2 - 1, d // 2 - 1),
    "many of them": lambda d: (d, d - 1),
}


def _affine_rank(*, seed: int, dims: tuple[int, ...], is_neutral: bool) -> Finding:
    rng = np.random.default_rng(seed)
    layer_norm = tkf.LayerNorm(eps=0.0)
    checks, rows, tokens = [], [], []
    for d in dims:
        for name, X in _tokens(rng, d).items():
            Y = np.asarray(layer_norm(jnp.asarray(X)))
            before, after = EXPECTED[name](d)
            tokens.append(X)
            projected, _ = _ranks(X - X.mean(axis=1, keepdims=True))
            rank, affine = _ranks(Y)
            rows.append((f"{name}, $d = {d}$", before, affine))
            checks += [
                equals(f"{name}, d = {d}: affine rank before", _ranks(X)[1], before, within=0, because="a count"),
                equals(
                    f"{name}, d = {d}: affine rank after",
                    affine,
                    before if is_neutral else after,
                    within=0,
                    because="a count",
                ),
                equals(
                    f"{name}, d = {d}: rank after centering and after", rank, projected, within=0, because="a count"
                ),
            ]
    return Finding(checks, {"rows": rows, "tokens": tokens})


def _draw_affine_rank(finding: Finding) -> Figure:
    figure, ax = panels(1, width=5.6)
    rows = finding.data["rows"]
    for y, (_, before, after) in enumerate(rows):
        color = INK if before == after else PALETTE[1] if after < before else PALETTE[0]
        ax.annotate("", (after, y), (before, y), arrowprops={"arrowstyle": "->", "color": color})
        ax.plot(before, y, "o", markerfacecolor="none", color=color)
        ax.plot(after, y, "o", color=color)
    ax.plot([], [], "o", markerfacecolor="none", color=INK, label="before")
    ax.plot([], [], "o", color=INK, label="after LayerNorm")
    ax.set(xlabel="affine rank of the tokens", yticks=range(len(rows)), yticklabels=[name for name, *_ in rows])
    ax.invert_yaxis()
    ax.legend(loc="upper right")
    return figure


CLAIMS = (
    Claim(
        id="cirrincione26-affine-rank",
        title="LayerNorm keeps the rank of centered tokens, but not their affine rank",
        statement=r"LayerNorm without bias maps the matrix of tokens $X$ to $D X P$ with a diagonal $D$ and the "
        r"projection $P$ to coordinates of mean zero. It keeps the rank of $X P$. The affine rank falls where "
        r"tokens share a ray "
        r"from the center or fill $\mathbb{R}^d$, grows where they lie on a line or a plane off the center, and is "
        r"kept for fewer than $d$ tokens in general position.",
        paper="cirrincione26",
        where="abstract: LayerNorm preserves the affine rank exactly",
        status="second-hand",
        main="on a line, d = 6: affine rank after",
        assumptions=("LayerNorm with gain 1, bias 0 and eps 0",),
        experiment=_affine_rank,
        draw=_draw_affine_rank,
        quick=Setting({"dims": (6, 16), "is_neutral": False}, seconds=1),
        full=Setting({"dims": (6, 16, 64, 256), "is_neutral": False}, seconds=2),
        control=Control(
            {"is_neutral": True},
            "if the affine rank were always kept: it fails for tokens on a ray, on a line, in a plane, and for many",
            "on a line, d = 6: affine rank after",
        ),
        note="The abstract, all that we know of the paper, says that LayerNorm preserves the affine rank of the tokens "
        "exactly, and the rank of the matrix without bias. As stated there this holds for few tokens in general "
        "position; the paper may assume that. A token and its double are mapped to the same point.",
    ),
)
