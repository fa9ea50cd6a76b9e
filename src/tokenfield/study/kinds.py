"""The entries of the catalog, one per kind. To read them use `tokenfield.study.catalog`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# the kinds of states, which are also those of `Trajectory.kind`
TOKENS, DENSITY, GAUSSIAN = "tokens", "density", "gaussian"
END_OF_RUN = "end-of-run"  # the law of [initial] that is where another run ended


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kind as configs name it; `default` is that of a config, and `None` often means "none"."""

    name: str
    default: Any
    meaning: str
    is_required: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind: `name` in configs, dotted `cls` (empty if it stands for no class), `equation`, arXiv `sources`.

    `cls` may also be the class itself, for kinds of your own. `in_config` is false for what only Python can express.
    Of an attention, `has_energy`, `keeps_gaussians`, `is_zonal` and `is_average` say whether an energy drives it,
    whether a Gaussian law stays one, whether zonal densities can follow it, and whether its weights sum to one.
    """

    category: str
    name: str
    cls: str | type
    about: str
    equation: str
    sources: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    in_config: bool = True
    has_energy: bool | None = None
    keeps_gaussians: bool = False
    is_zonal: bool = False
    is_average: bool = False

    @property
    def class_name(self) -> str:
        """The name of the class, without the module; empty if there is none."""
        return self.cls.rpartition(".")[2] if isinstance(self.cls, str) else self.cls.__name__

    @property
    def dotted(self) -> str:
        """Where the class is found; empty if there is none."""
        return self.cls if isinstance(self.cls, str) else f"{self.cls.__module__}.{self.cls.__qualname__}"

    @property
    def id(self) -> str:
        """The kind as `category:name`, which is unique."""
        return f"{self.category}:{self.name}"

    def has(self, name: str) -> bool:
        """Whether the kind has a parameter of this name."""
        return any(parameter.name == name for parameter in self.parameters)

    def default(self, name: str) -> Any:
        """The default of a parameter, which the kind must have."""
        return next(parameter.default for parameter in self.parameters if parameter.name == name)


_BETA = Parameter("beta", 9.0, "inverse temperature β")
_PERSPECTIVE, _UNIFIED, _SCHEMES = "2312.10794", "2501.18322", "2510.22026"

_GEOMETRIES = (
    Kind("geometry", "sphere", "tokenfield.Sphere", "the unit sphere S^{d-1} of R^d", "x' = P_x [ … ]",
         (_PERSPECTIVE,), (Parameter("dim", 3, "ambient dimension d"),)),
    Kind("geometry", "euclidean", "tokenfield.Euclidean", "R^d", "x' = …",
         ("2305.05465",), (Parameter("dim", 3, "dimension d"),)),
)  # fmt: skip

_STATES = (
    Kind("state", TOKENS, "tokenfield.Measure", "n tokens, each with a weight",
         "μ = Σ_j w_j δ_{x_j}", (_PERSPECTIVE,)),
    Kind("state", DENSITY, "tokenfield.Density", "infinitely many tokens on a sphere, in R^1 or in R^2",
         "∂_t ρ = −div(ρ X[ρ]) + κ⁻¹ Δρ", ("2410.23228",),
         (Parameter("grid", None, "nodes of the density; none: by the dimension"),
          Parameter("nodes", None, "number of nodes; none: that of the grid"),
          Parameter("positions", None, "with position.causal: a density for each of so many positions"))),
    Kind("state", GAUSSIAN, "tokenfield.Gaussian", "infinitely many tokens of a normal law in R^d",
         "m' = G m + c,  Σ' = GΣ + ΣGᵀ + (2/κ) I", (_UNIFIED,),
         (Parameter("positions", None, "with causal linear attention: one for each of so many positions"),)),
)  # fmt: skip

_GRIDS = (
    Kind("grid", "fourier", "tokenfield.laws.Fourier", "circle: smooth densities, spectrally accurate",
         "ρ(θ) = Σ_k ρ_k e^{ikθ}", ("2410.23228",), (Parameter("nodes", 512, "number of nodes"),)),
    Kind("grid", "cells", "tokenfield.laws.Cells", "circle: finite volumes, never negative",
         "ρ_j' = −(F_{j+1/2} − F_{j−1/2}) / Δθ", ("2410.23228",), (Parameter("nodes", 2048, "number of cells"),)),
    Kind("grid", "harmonics", "tokenfield.laws.Harmonics", "S^2: smooth densities, spectrally accurate",
         "ρ(x) = Σ_{lm} ρ_lm Y_lm(x)", ("2410.23228",), (Parameter("nodes", 48, "number of degrees: l < nodes"),)),
    Kind("grid", "zonal", "tokenfield.laws.Zonal", "S^{d-1}, d ≥ 3: densities symmetric about e_1",
         "ρ(x) = ρ(⟨x, e_1⟩)", ("2410.23228",), (Parameter("nodes", 96, "number of nodes"),)),
    Kind("grid", "moving", "tokenfield.laws.Moving", "R^1 and R^2: nodes that move with the mass, never negative",
         "X' = X[μ](X),  μ = Σ_j w_j δ_{X_j},  ρ(X) = q / |det ∂X/∂u|", (_UNIFIED,),
         (Parameter("nodes", 256, "number of nodes along an axis, a multiple of 8; 48 in R^2"),)),
)  # fmt: skip

_ATTENTIONS = (
    Kind("attention", "softmax", "tokenfield.Softmax", "self-attention (SA)",
         "Z⁻¹ Σ_j e^{β⟨Qx, Kx_j⟩} V x_j", (_PERSPECTIVE,), (_BETA,),
         has_energy=True, keeps_gaussians=True, is_zonal=True, is_average=True),
    Kind("attention", "unnormalized", "tokenfield.Unnormalized", "unnormalized self-attention (USA)",
         "n⁻¹ Σ_j e^{β⟨Qx, Kx_j⟩} V x_j", (_PERSPECTIVE,), (_BETA,), has_energy=True, is_zonal=True),
    Kind("attention", "l2", "tokenfield.L2", "softmax of distances",
         "Z⁻¹ Σ_j e^{−β|Qx − Kx_j|²} V x_j", (_UNIFIED,), (_BETA,),
         has_energy=True, keeps_gaussians=True, is_zonal=True, is_average=True),
    Kind("attention", "sigmoid", "tokenfield.Sigmoid", "sigmoid attention, without normalization",
         "n⁻¹ Σ_j σ(β⟨Qx, Kx_j⟩ + b) V x_j", (_UNIFIED,),
         (_BETA, Parameter("bias", 0.0, "bias b of the logits")), has_energy=True, is_zonal=True),
    Kind("attention", "linear", "tokenfield.Linear", "linear attention",
         "β n⁻¹ Σ_j ⟨Qx, Kx_j⟩ V x_j", (_UNIFIED,), (Parameter("beta", 1.0, "strength β"),),
         has_energy=True, keeps_gaussians=True, is_zonal=True),
    Kind("attention", "hardmax", "tokenfield.Hardmax", "softmax as β → ∞: the leaders only, ties averaged",
         "mean of V x_j over argmax_j ⟨Qx, Kx_j⟩", ("2407.01602",),
         (Parameter("tolerance", 1e-9, "relative gap below which inner products are ties"),), has_energy=False,
         is_average=True),
    Kind("attention", "krause", "tokenfield.Krause", "bounded confidence (Hegselmann-Krause)",
         "mean of V x_j over |Qx − Kx_j| ≤ r", ("2602.11534",),
         (Parameter("radius", 0.5, "radius r of confidence"),), has_energy=False, is_average=True),
    Kind("attention", "sinkhorn", "tokenfield.Sinkhorn", "doubly stochastic attention (Sinkformer)",
         "Σ_j e^{f(x) + g(x_j) + β⟨Qx, Kx_j⟩} V x_j, rows and columns sum to 1", ("2110.11773",),
         (_BETA, Parameter("sweeps", None, "normalizations of rows, columns, rows, …; none: to the tolerance"),
          Parameter("kernel", "dot", "dot: β⟨Qx, Ky⟩; l2: −β|Qx − Ky|²"),
          Parameter("tolerance", 1e-10, "largest error of the row sums"),
          Parameter("max_sweeps", 1000, "give up after so many")),
         has_energy=True, keeps_gaussians=True, is_average=True),
    Kind("attention", "riesz", "tokenfield.Riesz", "attraction by a power of the distance (Keller-Segel)",
         "n⁻¹ Σ_j (|Qx − Kx_j|² + s²)^{−p/2} V x_j", ("2305.05465",),
         (Parameter("power", 2.0, "power p of the inverse distance; 2 with attention.relative: the logarithmic kernel"),
          Parameter("softening", 0.0, "distance s below which it no longer grows")), has_energy=False),
    Kind("attention", "none", "", "no attention: a residual network, or neural ODE, of perceptron and potential",
         "0", ("1806.07366",), has_energy=False),
)  # fmt: skip

_POSITIONS = (
    Kind("position", "causal", "tokenfield.Causal", "a token sees itself and those before it",
         "Σ over p_j ≤ p_i", ("2411.04990",), (Parameter("strict", False, "only those before it: p_j < p_i"),)),
    Kind("position", "window", "tokenfield.Window", "a token sees its neighborhood",
         "Σ over |p_i − p_j| ≤ w", ("2004.05150",), (Parameter("window", None, "half width w", is_required=True),)),
    Kind("position", "alibi", "tokenfield.ALiBi", "weights decay with distance",
         "logits − λ |p_i − p_j|", ("2108.12409", "2605.09213"),
         (Parameter("alibi", None, "slope λ, or one per head", is_required=True),)),
    Kind("position", "rope", "tokenfield.RoPE", "rotary positions",
         "β⟨R_{p_i} Q x_i, R_{p_j} K x_j⟩", ("2104.09864", "2607.24502"),
         (Parameter("base", 10_000.0, "pair m turns by base^{−2m/k} per position"),
          Parameter("frequencies", None, "or by these frequencies"),
          Parameter("pairing", "adjacent", "pairs: adjacent coordinates, or halves as in Llama"),
          Parameter("dims", None, "number of coordinates that turn; none: all"))),
)  # fmt: skip

_EMBEDDINGS = (
    Kind("embedding", "sinusoidal", "", "waves of all lengths; in Python initial.add_positions",
         "x_i + a (sin, cos)(p_i base^{−2m/d})", ("1706.03762",),
         (Parameter("sinusoidal", None, "amplitude a", is_required=True),
          Parameter("base", 10_000.0, "base of the frequencies"))),
    Kind("embedding", "learned", "", "rows of a table; in Python initial.add_positions(table=…)",
         "x_i + W[p_i]", ("1810.04805",), (Parameter("learned", None, "the table W, or its file", is_required=True),)),
)  # fmt: skip

_GAIN = Parameter("gain", None, "learned diagonal: tokens are read as diag(gain) θ; several rows: one per layer")
_RADIUS = Parameter("radius", 1.0, "length of the residual stream at the start")

_NORMALIZATIONS = (
    Kind("normalization", "post-ln", "tokenfield.PostLN", "normalize after adding",
         "x ← N(x + hA);  θ' = P A", (_SCHEMES,), (_GAIN,)),
    Kind("normalization", "pre-ln", "tokenfield.PreLN", "normalize what the layer reads",
         "x ← x + hA(N(x));  θ' = P A / r, r' = ⟨θ, A⟩", (_SCHEMES,), (_GAIN, _RADIUS)),
    Kind("normalization", "mix-ln", "tokenfield.MixLN", "Post-LN, from depth τ on Pre-LN",
         "θ' = P A, r' = 0 for t < τ;  then Pre-LN", (_SCHEMES,),
         (Parameter("tau", None, "depth τ at which Pre-LN takes over", is_required=True), _GAIN, _RADIUS)),
    Kind("normalization", "peri-ln", "tokenfield.PeriLN", "normalize what is read and what is added",
         "x ← x + hN(A(N(x)));  θ' = P A / (r|A|), r' = ⟨θ, A⟩/|A|", (_SCHEMES,), (_GAIN, _RADIUS)),
    Kind("normalization", "ngpt", "tokenfield.NGPT", "nGPT: steps of equal length on the sphere",
         "x ← N(x + hα(N(A) − x));  θ' = α P A / |A|", (_SCHEMES,),
         (Parameter("alpha", 1.0, "speed α"), _GAIN)),
    Kind("normalization", "depth-scaled", "tokenfield.DepthScaled", "layers weaken with depth",
         "x ← N(x + hA/√(t+1));  θ' = P A / √(t+1)", (_SCHEMES,), (_GAIN,)),
)  # fmt: skip

_OF_NORMS = (
    Parameter(
        "place", "pre", "pre: before sublayers; post: after the sum, in R^d; around: before, and of what is added"
    ),
    Parameter("gain", None, "factor of the coordinates, of any sign: one, d, or a row per layer; none: ones"),
)
_BIAS = Parameter("bias", None, "what is added to the coordinates, likewise; none: nothing")
_FINAL = Parameter("final", False, "also keep the tokens after one more norm")

_NORMS = (
    Kind("norm", "layer-norm", "tokenfield.LayerNorm", "centered, of unit variance",
         "gain (x − mean x) / √(var x + eps) + bias", ("1607.06450",),
         (*_OF_NORMS, _BIAS, Parameter("eps", 1e-5, "keeps the root away from zero"), _FINAL)),
    Kind("norm", "rms-norm", "tokenfield.RMSNorm", "of unit mean square",
         "gain x / √(mean x² + eps)", ("1910.07467",),
         (*_OF_NORMS, Parameter("eps", 1e-6, "keeps the root away from zero"), _FINAL)),
    Kind("norm", "none", "", "sublayers without a norm", "x ← x + h A(x)", (_PERSPECTIVE,)),
)  # fmt: skip

_HEADS = (
    Kind("heads", "multi-head", "tokenfield.MultiHead", "all heads at once, with biases, sharing keys and values",
         "Σ_h O_h Σ_j a_h(Q_h x + q_h, K_g x_j + k_g) (V_g x_j + v_g) + o", ("1706.03762", "2305.13245"),
         (Parameter("heads", None, "number h; β is 1/√d_k unless given", is_required=True),
          Parameter("kv_heads", None, "number of keys and values that heads share; none: h"),
          Parameter("biases", False, "whether random weights have biases q, k, v, o"),
          Parameter("seed", None, "seed of random weights; none: that of the tokens"),
          Parameter("scale", 1.0, "factor of the random O: how strong attention is"),
          Parameter("layers", None, "number of layers, each with its own random weights; none: one for all depths"))),
)  # fmt: skip

_WEIGHTS = (
    Parameter("W", None, "(d, m) matrix; none: the identity"),
    Parameter("A", None, "(m, d) matrix; none: the identity"),
    Parameter("b", None, "(m,) bias; none: zero"),
    Parameter("c", None, "(d,) bias of the output; none: zero"),
    Parameter("gate", None, "(m, d) matrix G of a gate: W (σ(G x + g) (A x + b)) + c; true: a random one"),
    Parameter("gate_bias", None, "(m,) bias g of the gate; none: zero"),
    Parameter("of", "tokens", "tokens; attention or heads: P MLP(V Σ_j a_ij x_j), of their sum or of each head"),
    Parameter("width", None, "or random Gaussian W, A, b of this width m"),
    Parameter("seed", None, "seed of random weights; none: that of the tokens"),
    Parameter("scale", 1.0, "factor of the random W: how strong the perceptron is"),
)
_ACTIVATIONS = {
    "relu": "max(z, 0)",
    "gelu": "z Φ(z); with a gate GeGLU",
    "gelu_tanh": "z Φ(z), Φ by its formula with tanh",
    "silu": "z / (1 + e^{−z}); with a gate SwiGLU",
    "tanh": "tanh z",
    "identity": "z",
}

_PERCEPTRONS = tuple(
    Kind("perceptron", name, "tokenfield.Perceptron", f"activation σ(z) = {sigma}", "W σ(A x + b) + c",
         (_PERSPECTIVE, "2002.05202"), _WEIGHTS)
    for name, sigma in _ACTIVATIONS.items()
)  # fmt: skip

_POTENTIALS = (
    Kind("potential", "quadratic", "tokenfield.Potential", "push outward, or confine (c < 0)",
         "φ(x) = Σ_k c_k x_k² / 2", ("2601.21366",),
         (Parameter("strength", 1.0, "c, or one per coordinate"),)),
    Kind("potential", "linear", "tokenfield.Potential", "pull in one direction",
         "φ(x) = ⟨a, x⟩", ("2601.21366",), (Parameter("direction", None, "the vector a", is_required=True),)),
)  # fmt: skip

_KAPPA = (
    Parameter("kappa", None, "inverse strength κ", is_required=True),
    Parameter("seed", None, "seed of the path; none: that of the tokens"),
)

_NOISES = (
    Kind("noise", "private", "tokenfield.Noise", "one Brownian motion per token",
         "dx_i = … dt + √(2/κ) P ∘ dW_i", ("2512.01868",), _KAPPA),
    Kind("noise", "common", "tokenfield.Noise", "one Brownian motion for all tokens",
         "dx_i = … dt + √(2/κ) P ∘ dW", ("2604.26898",), _KAPPA),
)  # fmt: skip

_SCHEDULES = (
    Kind("schedule", "constant", "tokenfield.schedule.Constant", "the same weights at every depth", "Q, K, V",
         (_PERSPECTIVE,)),
    Kind("schedule", "per-layer", "tokenfield.schedule.PerLayer", "layer after layer over [0, t1]", "Q_l, K_l, V_l",
         (_PERSPECTIVE,), (Parameter("layers", (), "the heads of each layer", is_required=True),)),
    Kind("schedule", "resampled", "tokenfield.schedule.Resampled", "random, redrawn every period",
         "logits β⟨x, B y⟩, B and V random", (_PERSPECTIVE, "2604.01978"),
         (Parameter("period", None, "depth between two draws", is_required=True),
          Parameter("seed", None, "seed of the draws; none: that of the tokens"),
          Parameter("logits", "ginibre-product", "law of B: identity, ginibre, ginibre-product, wigner, gram"),
          Parameter("values", "identity", "law of V, one of the same"),
          Parameter("tied", 0, "+1: V ~ B; −1: V ~ −B"),
          Parameter("count", 1, "number of heads"),
          Parameter("white", False, "V / √period: white noise in depth"))),
    Kind("schedule", "function", "tokenfield.schedule.FunctionOfDepth", "a smooth function of depth (in Python)",
         "Q(t), K(t), V(t)", (_PERSPECTIVE,), in_config=False),
)  # fmt: skip

_FRAMES = (
    Kind("frame", "relative", "", "attention adds y − x instead of y", "Σ_j a_ij V (x_j − x_i)", ("2407.01602",)),
    Kind("frame", "rescaled", "", "tokens seen as z = e^{−tV} x, in R^d", "z_i' = Σ_j a_ij V (z_j − z_i)",
         ("2305.05465",)),
)  # fmt: skip

_STEP = (Parameter("step", None, "length h of a step", is_required=True),)
_TOLERANCES = (
    Parameter("rtol", 1e-7, "relative tolerance (1e-5 in float32)"),
    Parameter("atol", 1e-9, "absolute tolerance: rtol / 100"),
)

_METHODS = tuple(
    Kind("method", name, "", about, equation, parameters=_STEP if fixed else _TOLERANCES)
    for name, about, equation, fixed in (
        ("tsit5", "adaptive Runge-Kutta (the default)", "order 5", False),
        ("dopri8", "adaptive Runge-Kutta, for tight tolerances", "order 8", False),
        ("kvaerno5", "adaptive and implicit, for stiff noise; not for tokens", "order 5", False),
        ("ssprk3", "adaptive, for densities on cells; their default", "order 3, keeps ρ ≥ 0", False),
        ("rk4", "the classical Runge-Kutta method", "order 4", True),
        ("euler", "Euler's method, projected", "x ← N(x + h P A)", True),
        ("euler-normalise", "the scheme of the published figures", "x ← N(x + h A)", True),
        ("heun", "Heun's method; the default with noise (h = 0.01)", "order 2; with noise, Stratonovich", True),
        ("lie-trotter", "attention, then perceptron", "order 1 in the splitting", True),
        ("layers", "discrete layers: solve.layers = L", "h = (t1 − t0)/L, normalized as the scheme says", True),
    )
)

KINDS: tuple[Kind, ...] = (
    *_GEOMETRIES,
    *_STATES,
    *_GRIDS,
    *_ATTENTIONS,
    *_POSITIONS,
    *_EMBEDDINGS,
    *_NORMALIZATIONS,
    *_NORMS,
    *_HEADS,
    *_PERCEPTRONS,
    *_POTENTIALS,
    *_NOISES,
    *_SCHEDULES,
    *_FRAMES,
    *_METHODS,
)
