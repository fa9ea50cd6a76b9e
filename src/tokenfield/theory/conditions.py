"""The conditions of theorems: functions of a `Setting` that return the numbers they find, or raise `DoesNotApply`.

A condition on the start is checked only if the start is known. If it is not, the condition stays what it is in every
`Prediction`: an assumption. Tolerances are named and explained here; where in doubt a prediction does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import special

from tokenfield.theory.harmonics import log_multiplicity
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import MOST_PLACES, DoesNotApply, Setting

Adapter = Callable[[Setting], Prediction]

EXPONENTIAL = ("softmax", "unnormalized")
MAX_BETA = 1e5  # sums over Bessel functions of larger arguments take too long
MAX_DIM = 100_000
EQUAL = 1e-9  # relative: matrices, weights and radii that differ by less change a flow by as little
SAME_COSINE = 1e-6
NEAR_UNIFORM = 0.2  # relative size of each degree of the density: what linear growth neglects is some ten percent
RARE = 1e-4  # independent uniform tokens fail the test of their modes this rarely, in each degree and on each side
MANY = 100  # tokens: a mean over them fluctuates by a tenth
NEARLY_ORTHOGONAL = 0.2  # largest |cosine| of random tokens; beta times it must be below ...
SPREAD_OF_LOGITS = 0.5  # ... this: then measured times (n = 8 and 32, d up to 2048) are within 10 % of the curve's
SEPARATED = 10.0  # beta (1 - cosine): other clusters then have the weight e^{-10} = 5e-5
NEAR_CONSENSUS = 0.1  # radians from the mean direction: what linear decay neglects is of the order of its square
MOST_PAIRED = 4096  # tokens whose Gram matrix is formed
MOST_WORK = 2e9  # operations to check how near many tokens are to the uniform law: some seconds
MOST_ENTRIES = 4_000_000  # of a matrix of tokens whose rank is found


def needs(what: str, call: str) -> Adapter:
    """An adapter for a prediction about numbers that neither a model nor a start has: it always refuses."""

    def refuse(setting: Setting) -> Prediction:
        raise DoesNotApply(f"it needs {what}, which the model and the start do not say: call theory.{call}")

    return refuse


def _listed(words: Sequence[str], last: str = "or") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


# --- the model ------------------------------------------------------------------------------------------------------


def head(setting: Setting, kinds: Sequence[str], *, geometry: str, allowing: Sequence[str] = ()) -> float:
    """beta of a model with one head of one of the `kinds` on the `geometry`, and nothing else but what is allowed."""
    if setting.geometry != geometry:
        here, there = ("on the sphere", "in R^d") if geometry == "sphere" else ("in R^d", "on the sphere")
        raise DoesNotApply(f"it is about tokens {here}, those of this model live {there}")
    more = [phrase for key, phrase in setting.has.items() if key not in allowing]
    if more:
        raise DoesNotApply(f"it does not cover {_listed(more, 'and')}, which this model has")
    if setting.attention not in kinds:
        raise DoesNotApply(f"it is about {_listed(kinds)} attention, this model has {setting.attention} attention")
    return 0.0 if setting.beta is None else setting.beta


def plain(setting: Setting, kinds: Sequence[str] = EXPONENTIAL, *, allowing: Sequence[str] = ()) -> tuple[float, int]:
    """(beta, d) of a model on the sphere with Q = K = V = I and one head of one of the `kinds`."""
    beta = head(setting, kinds, geometry="sphere", allowing=allowing)
    identity_logits(setting)
    value_multiple(setting, (1,))
    return beta, setting.d


def identity_logits(setting: Setting) -> None:
    """K^T Q = I: no more of Q and K enters."""
    if not (setting.Q is None and setting.K is None) and not _is_multiple(setting.A, 1.0):
        raise DoesNotApply("it needs Q = K = I (or K^T Q = I), this model has other matrices")


def value_multiple(setting: Setting, signs: Sequence[int]) -> int:
    """The sign s, one of `signs`, with V = s I."""
    found = [s for s in signs if (s == 1 if setting.V is None else _is_multiple(setting.V, s))]
    if not found:
        wanted = _listed([{1: "V = I", -1: "V = -I"}[s] for s in signs])
        raise DoesNotApply(f"it needs {wanted}, this model has another V")
    return found[0]


def _is_multiple(matrix: np.ndarray, factor: float) -> bool:
    d = len(matrix)
    return matrix.shape == (d, d) and bool(np.abs(matrix - factor * np.eye(d)).max() <= EQUAL)


def noise_level(setting: Setting) -> float:
    """kappa of a model with independent noise."""
    if setting.kappa is None:
        raise DoesNotApply("this model has no noise: build it with noise=Noise(kappa, ...)")
    return setting.kappa


def bessel_range(beta: float, d: int) -> None:
    """beta and d are small enough for sums over Bessel functions."""
    if beta > MAX_BETA or d > MAX_DIM:
        raise DoesNotApply(f"it is computed for beta up to {MAX_BETA:g} and d up to {MAX_DIM}")


# --- any start ------------------------------------------------------------------------------------------------------


def only_tokens(setting: Setting) -> None:
    """The start, if it is known, consists of tokens."""
    if setting.start is not None and setting.start.kind != "tokens":
        raise DoesNotApply(f"it is about finitely many tokens, the start is a {setting.start.kind}")


def token_count(setting: Setting) -> int:
    """The number of tokens, at least two, of equal weights."""
    only_tokens(setting)
    if setting.n is None:
        raise DoesNotApply("it needs the number of tokens: give a start")
    if setting.n < 2:
        raise DoesNotApply("it is about two tokens or more, the start has one")
    if setting.start is not None and setting.start.weights is not None:
        weights = setting.start.weights
        if np.ptp(weights) > EQUAL * weights.max():
            raise DoesNotApply("it is about tokens of equal weight, those of the start differ")
    return setting.n


def many_tokens(setting: Setting) -> None:
    """The start, if it is known, is a density or has so many tokens that their mean hardly fluctuates."""
    if setting.start is not None and setting.start.kind == "tokens" and (setting.n or 0) < MANY:
        raise DoesNotApply(f"it is about the limit of many tokens ({MANY} at least), the start has {setting.n}")


# --- starts near the uniform law ------------------------------------------------------------------------------------


def near_uniform(setting: Setting, degrees: int) -> None:
    """The start, if it is known, is near the uniform law in the degrees 1, ..., `degrees`."""
    if setting.start is None:
        return
    with np.errstate(divide="ignore"):
        logs = np.log(_powers(setting, degrees)) + log_multiplicity(setting.d, np.arange(1, degrees + 1))
    sizes = np.exp(np.minimum(logs, 600.0) / 2)
    worst = int(np.argmax(sizes))
    if sizes[worst] > NEAR_UNIFORM:
        few = f"; {setting.n} tokens are too few for chance to be small" if setting.start.kind == "tokens" else ""
        raise DoesNotApply(
            f"the start is not near the uniform law: its part of degree {worst + 1} has the relative size "
            f"{sizes[worst]:.2g}, above {NEAR_UNIFORM:g}{few}"
        )


def independent_uniform(setting: Setting, degrees: int) -> int:
    """The number n of tokens that, if they are known, look like independent uniform ones in these degrees.

    For such tokens n N_k P_k has nearly the law chi^2 with N_k degrees of freedom, N_k the number of harmonics.
    """
    n = token_count(setting)
    if setting.start is None:
        return n
    many = np.exp(log_multiplicity(setting.d, np.arange(1, degrees + 1)))
    sizes = n * many * _powers(setting, degrees)
    low, high = 2 * special.gammaincinv(many / 2, RARE), 2 * special.gammainccinv(many / 2, RARE)
    odd = np.flatnonzero((sizes < low) | (sizes > high))
    if len(odd):
        k = int(odd[0])
        raise DoesNotApply(
            f"it is about independent uniform tokens: those of the start have n P_{k + 1} = {sizes[k] / many[k]:.3g}, "
            f"by chance it is between {low[k] / many[k]:.3g} and {high[k] / many[k]:.3g}"
        )
    return n


def _powers(setting: Setting, degrees: int) -> np.ndarray:
    start, d = setting.start, setting.d
    assert start is not None
    if start.powers is None:
        raise DoesNotApply("it is about laws on the sphere")
    n = 0 if start.weights is None else len(start.weights)
    work = n * degrees if d == 2 else n * degrees**2 if d == 3 else float(n) ** 2 * degrees
    if work > MOST_WORK:
        raise DoesNotApply("the start has too many tokens to check how near they are to the uniform law")
    return np.maximum(start.powers(degrees), 0.0)


# --- tokens in special positions ------------------------------------------------------------------------------------


def equiangular(setting: Setting) -> float:
    """The cosine that all pairs of tokens share; 0 for a start that is not known."""
    token_count(setting)
    if setting.start is None:
        return 0.0
    cosines = _cosines(setting)
    gamma = float(cosines.mean())
    if np.abs(cosines - gamma).max() > SAME_COSINE:
        raise DoesNotApply(
            "it is about tokens that all have the same cosine with each other: those of the start range from "
            f"{cosines.min():.3g} to {cosines.max():.3g}"
        )
    return 0.0 if abs(gamma) <= SAME_COSINE else gamma


def orthogonal(setting: Setting, beta: float) -> bool:
    """Whether the tokens are exactly orthogonal; otherwise they are nearly so, as random ones in high dimension."""
    token_count(setting)
    if setting.start is None:
        return True
    largest = float(np.abs(_cosines(setting)).max())
    if largest <= SAME_COSINE:
        return True
    if largest > NEARLY_ORTHOGONAL or abs(beta) * largest > SPREAD_OF_LOGITS:
        raise DoesNotApply(
            f"it is about tokens that are orthogonal, or nearly so (|cosine| up to {NEARLY_ORTHOGONAL:g} and up to "
            f"{SPREAD_OF_LOGITS:g}/beta): those of the start have cosines up to {largest:.3g}"
        )
    return False


def common_radius(setting: Setting) -> float:
    """The length that all tokens share; 1 if none is given."""
    radii = None if setting.start is None else setting.start.radii
    if radii is None:
        return 1.0
    if np.ptp(radii) > EQUAL * radii.max():
        raise DoesNotApply("it is about tokens of one length, the radii of the start differ")
    return float(radii[0])


def in_hemisphere(setting: Setting) -> None:
    """The tokens of the start, if they are known, are two or more and lie in an open hemisphere."""
    only_tokens(setting)
    if setting.n == 1:
        raise DoesNotApply("it is about two tokens or more, the start has one")
    if setting.start is not None and not setting.start.is_in_hemisphere:
        raise DoesNotApply("it is about tokens in an open hemisphere, those of the start lie in none")


def near_consensus(setting: Setting) -> None:
    """All tokens of the start, if it is known, lie near one point."""
    only_tokens(setting)
    if setting.start is None:
        return
    points = setting.start.points
    assert points is not None
    center = points.mean(axis=0)
    center = center / max(float(np.linalg.norm(center)), np.finfo(float).tiny)
    farthest = 2 * np.arcsin(min(1.0, float(np.linalg.norm(points - center, axis=1).max()) / 2))
    if farthest > NEAR_CONSENSUS:
        raise DoesNotApply(
            f"it is about tokens near one point: one of the start is {farthest:.2g} from the middle, "
            f"more than {NEAR_CONSENSUS:g} radians"
        )


def places(setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """(points, masses) of a start that is known, with tokens at the same place added up."""
    only_tokens(setting)
    start = setting.start
    if start is None:
        raise DoesNotApply("it needs the places of the clusters: give a start")
    if start.places is None:
        raise DoesNotApply(f"it is about a few clusters: the start has tokens at more than {MOST_PLACES} places")
    return start.places


def two_clusters(setting: Setting) -> tuple[float, tuple[float, float]]:
    """(cosine, masses) of two clusters: those of the start, or two equal ones at a right angle."""
    if setting.start is None:
        return 0.0, (0.5, 0.5)
    points, masses = places(setting)
    if len(points) != 2:
        raise DoesNotApply(f"it is about two clusters, each at one point: the start has {len(points)} places")
    return float(np.clip(points[0] @ points[1], -1, 1)), (float(masses[0]), float(masses[1]))


def separated_clusters(setting: Setting, beta: float) -> tuple[float, np.ndarray]:
    """(largest cosine between two clusters, masses) of clusters that are far apart for this beta."""
    points, masses = places(setting)
    if len(points) < 2:
        raise DoesNotApply("it is about two clusters or more, the start has one")
    gram = points @ points.T
    largest = float(np.clip(gram[~np.eye(len(points), dtype=bool)].max(), -1, 1))
    if beta * (1 - largest) < SEPARATED:
        raise DoesNotApply(
            f"it is about separated clusters, beta (1 - cosine) >= {SEPARATED:g}: for the closest two of the start it "
            f"is {beta * (1 - largest):.3g}"
        )
    return largest, masses


def _cosines(setting: Setting) -> np.ndarray:
    """The cosines of all pairs of tokens of a start that is known."""
    start, n = setting.start, setting.n or 0
    assert start is not None
    if n > setting.d + 1:
        raise DoesNotApply(f"{n} tokens cannot all have the same cosine in R^{setting.d}")
    if n > MOST_PAIRED:
        raise DoesNotApply(f"the cosines of all pairs are looked at for up to {MOST_PAIRED} tokens")
    return start.cosines


# --- Gaussians ------------------------------------------------------------------------------------------------------


def gaussian(setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """(mean, covariance) of a Gaussian start."""
    start = setting.start
    if start is None or start.mean is None or start.covariance is None:
        raise DoesNotApply("it needs a Gaussian as start")
    return start.mean, start.covariance


def only_gaussian(setting: Setting) -> None:
    """The start, if it is known, is a Gaussian."""
    if setting.start is not None and setting.start.kind != "gaussian":
        raise DoesNotApply(f"it is about Gaussian laws, the start is made of {setting.start.kind}")


def mean_zero(setting: Setting) -> None:
    """A Gaussian start has mean zero, to rounding of its standard deviation."""
    mean, covariance = gaussian(setting)
    if np.linalg.norm(mean) > EQUAL * max(1.0, float(np.sqrt(np.trace(covariance)))):
        raise DoesNotApply("for linear attention it needs mean zero, the start has another mean")
