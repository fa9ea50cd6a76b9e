"""From a `Transformer` and the law it starts from to the `Setting` that predictions ask about.

The model is asked through its public parts only. What no prediction has a word on is not computed: it becomes a phrase
in `Setting.has`, which keeps every prediction from applying that does not allow for it. Needs JAX.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.geometry import Sphere
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian
from tokenfield.laws.masked import AnyDensity, MaskedDensity
from tokenfield.laws.masked_gaussian import AnyGaussian, MaskedGaussian
from tokenfield.laws.masked_moving import MaskedMovingDensity
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure, is_concrete
from tokenfield.model import position as positions
from tokenfield.model.gains import OfDepth
from tokenfield.model.normalization import NGPT, DepthScaled, MixLN, PeriLN, PostLN, PreLN
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import Constant, Resampled, ginibre
from tokenfield.model.sinkhorn import Sinkhorn
from tokenfield.model.transformer import Transformer
from tokenfield.observables.spectrum import harmonic_spectrum
from tokenfield.theory.setting import Setting, Start

SCHEMES: dict[type, str] = {
    PreLN: "pre-ln",
    MixLN: "mix-ln",
    PeriLN: "peri-ln",
    NGPT: "ngpt",
    DepthScaled: "depth-scaled",
}
POSITIONS: dict[type, tuple[str, str]] = {
    positions.Window: ("window", "a window"),
    positions.ALiBi: ("alibi", "ALiBi"),
    positions.RoPE: ("rope", "rotary positions"),
}


def read(model: Transformer, start: Measure | AnyDensity | AnyGaussian | None = None, *, t: float = 0.0) -> Setting:
    """The `Setting` of a model, by its weights at depth `t`, and a start.

    Raises `InvalidInput` if the two do not go together, or inside of `jax.jit`.
    """
    if not isinstance(model, Transformer):
        raise InvalidInput(f"predictions are for a Transformer, got {type(model).__name__}")
    given: dict[str, Any] = {"d": model.geometry.d, "attention": None, "has": {}}
    given["geometry"] = "sphere" if isinstance(model.geometry, Sphere) else "euclidean"
    _read_schedule(model, t, given)
    _read_positions(model, given)
    _read_normalization(model, given)
    if model.noise is not None:
        given["kappa"] = float(_known(model.noise.kappa))
        given["has"]["common noise" if model.noise.common else "noise"] = (
            "noise common to all tokens" if model.noise.common else "noise"
        )
    for name, phrase in (("relative", "relative=True"), ("rescaled", "the rescaled frame")):
        if getattr(model, name):
            given["has"][name] = phrase
    # no theorem here is about a density in R^d or a masked one: what needs no start is predicted
    found = _read_start(
        None if isinstance(start, (MovingDensity, MaskedDensity, MaskedMovingDensity, MaskedGaussian)) else start, model
    )
    n = len(found.points) if found is not None and found.kind == "tokens" and found.points is not None else None
    return Setting(**given, n=n, start=found)


# --- the model ------------------------------------------------------------------------------------------------------


def _read_schedule(model: Transformer, t: float, given: dict[str, Any]) -> None:
    has, schedule = given["has"], model.schedule
    heads, others = model.heads(t), model.token_wise(t)
    is_white = isinstance(schedule, Resampled) and _is_white(schedule)
    if is_white:
        has["white values"], given["period"] = "random value matrices", schedule.period  # type: ignore[attr-defined]
    elif not isinstance(schedule, Constant):
        has["schedule"] = "weights that change with depth"
    if model.has_sublayers:
        has["sublayers"] = "sublayers of real blocks"
    if len(heads) != 1:
        count = len(model.attentions(t))  # those of sublayers too
        has["heads"] = {0: "no attention head", 1: "one attention head"}.get(count, f"{count} attention heads")
    else:
        _read_head(heads[0], given, reads_values=not is_white)
    for part in others:
        if isinstance(part, Perceptron):
            has["perceptron"] = "a perceptron"
            if len(others) == 1:
                given["feed_forward"] = _linear_weight(part, model.geometry.d)
        else:
            has["potential"] = "a potential"
    if len(others) > 1:
        has["parts"] = f"{len(others)} parts besides attention"


def _is_white(schedule: Resampled) -> bool:
    """Whether value matrices are white in depth with Gaussian entries of variance one, and Q = K = I."""
    return schedule.white and schedule.values is ginibre and schedule.logits is None and schedule.count == 1


def _read_head(head: Head, given: dict[str, Any], *, reads_values: bool) -> None:
    attention = head.attention
    given["attention"] = attention.name or type(attention).__name__
    beta = getattr(attention, "beta", None)
    given["beta"] = None if beta is None else float(_known(beta))
    given["Q"], given["K"] = _matrix(head.Q), _matrix(head.K)
    if reads_values:
        V, out = _matrix(head.V), _matrix(head.O)
        given["V"] = V if out is None else out if V is None else out @ V
    if isinstance(attention, Sinkhorn):
        given["kernel"] = attention.kernel
        if attention.sweeps is not None:
            given["has"]["sweeps"] = "a fixed number of Sinkhorn sweeps"


def _linear_weight(part: Perceptron, d: int) -> float | None:
    """The number w of a perceptron w x in R^1; None for another one."""
    if d != 1 or not part.is_affine or any(v is not None and np.any(_known(v) != 0) for v in (part.b, part.c)):
        return None
    W, A = (np.eye(1) if matrix is None else _known(matrix) for matrix in (part.W, part.A))
    return float((W @ A)[0, 0])


def _read_positions(model: Transformer, given: dict[str, Any]) -> None:
    for kind in model.position:
        if isinstance(kind, positions.Causal):
            key, phrase = ("strict causal", "a strict causal mask") if kind.strict else ("causal", "a causal mask")
        else:
            key, phrase = POSITIONS.get(type(kind), (type(kind).__name__, f"the position {type(kind).__name__}"))
        given["has"][key] = phrase
        if isinstance(kind, positions.RoPE) and kind.frequencies is not None and kind.frequencies.shape == (1,):
            given["frequency"] = float(_known(kind.frequencies)[0])


def _read_normalization(model: Transformer, given: dict[str, Any]) -> None:
    scheme, has = model.normalization, given["has"]
    if scheme is None:
        return
    if scheme.gain is not None:
        has["gain"] = "a gain for each coordinate"
    if type(scheme) is PostLN:
        return
    name = SCHEMES.get(type(scheme))
    has["normalization" if name else "scheme"] = type(scheme).__name__
    given["scheme"] = name or type(scheme).__name__
    if isinstance(scheme, MixLN):
        given["tau"] = float(scheme.tau)
    if isinstance(scheme, NGPT):
        if isinstance(scheme.alpha, OfDepth):
            has["alpha"] = "an alpha that changes with depth"
        else:
            given["alpha"] = float(_known(scheme.alpha))


def _matrix(matrix: Any) -> np.ndarray | None:
    return None if matrix is None else _known(matrix)


def _known(array: Any) -> np.ndarray:
    if not is_concrete(array):
        raise InvalidInput("predictions need numbers: call predict outside of jax.jit, vmap and grad")
    return np.asarray(array, np.float64)


# --- the start ------------------------------------------------------------------------------------------------------


def _read_start(start: Any, model: Transformer) -> Start | None:
    if start is None:
        return None
    if not isinstance(start, (Measure, Density, Gaussian)):
        raise InvalidInput(f"a start is a Measure, a Density or a Gaussian, got {type(start).__name__}")
    if start.d != model.geometry.d:
        raise InvalidInput(f"the start has dimension {start.d}, the model d = {model.geometry.d}")
    is_sphere = isinstance(model.geometry, Sphere)
    if isinstance(start, Gaussian):
        if is_sphere:
            raise InvalidInput("a Gaussian lives in R^d, the model on the sphere")
        return Start("gaussian", mean=_known(start.mean), covariance=_known(start.covariance))
    if isinstance(start, Density):
        if not is_sphere:
            raise InvalidInput("a density lives on the sphere, the model in R^d")
        return _read_density(start)
    start = Measure(
        _known(start.points),
        _known(start.weights),
        positions=start.positions,
        radii=start.radii,
        geometry=model.geometry,
    )
    return Start(
        "tokens",
        points=_known(start.points),
        weights=_known(start.weights),
        radii=None if start.radii is None else _known(start.radii),
        positions=_known(start.positions),
        powers=_powers(start) if is_sphere else None,
        mean=_known(start.mean),
    )


def _read_density(rho: Density) -> Start:
    mean = _known(rho.mean)
    if rho.grid.is_orbit:

        @lru_cache
        def powers(count: int) -> np.ndarray:
            found = np.asarray(rho.grid.spectrum(rho.values)) ** 2  # type: ignore[attr-defined]
            return np.pad(found[1 : count + 1], (0, max(0, count + 1 - len(found))))

        return Start("density", powers=powers, mean=mean)
    measure = rho.measure()
    return Start(
        "density", points=_known(measure.points), weights=_known(measure.weights), powers=_powers(measure), mean=mean
    )


def _powers(mu: Measure) -> Any:
    """P_1, ..., P_count of `mu` as a function of count; many predictions ask for the same."""

    @lru_cache
    def powers(count: int) -> np.ndarray:
        return np.asarray(harmonic_spectrum(mu, range(1, count + 1)), np.float64)

    return powers
