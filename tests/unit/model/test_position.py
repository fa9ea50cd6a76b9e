"""Positions against literal loops: every kind of position with every attention, dense and in tiles; and the errors."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import oracles_position as oracle
import tokenfield as tkf
from tokenfield.errors import InvalidInput, Unsupported

N, D = 8, 4
# each attention as the library and as the oracle have it
ATTENTIONS = {
    "softmax": (tkf.Softmax(2.0), oracle.Kind("softmax", 2.0)),
    "unnormalized": (tkf.Unnormalized(1.3), oracle.Kind("unnormalized", 1.3)),
    "l2": (tkf.L2(0.7), oracle.Kind("l2", 0.7)),
    "sigmoid": (tkf.Sigmoid(1.5, -0.4), oracle.Kind("sigmoid", 1.5, bias=-0.4)),
    "linear": (tkf.Linear(1.7), oracle.Kind("linear", 1.7)),
    "hardmax": (tkf.Hardmax(), oracle.Kind("hardmax")),
    "krause": (tkf.Krause(1.2), oracle.Kind("krause", radius=1.2)),
    "sinkhorn": (tkf.Sinkhorn(1.5), oracle.Kind("sinkhorn", 1.5)),
    "sinkhorn-2": (tkf.Sinkhorn(1.5, 2), oracle.Kind("sinkhorn", 1.5, sweeps=2)),
    "sinkhorn-l2": (tkf.Sinkhorn(0.8, 3, kernel="l2"), oracle.Kind("sinkhorn-l2", 0.8, sweeps=3)),
}
OMEGA = (0.7, 2.1)
# each kind of position, and combinations of them
POSITIONS = {
    "causal": (tkf.Causal(), oracle.Rules(causal=True)),
    "strict": (tkf.Causal(strict=True), oracle.Rules(strict=True)),
    "window": (tkf.Window(1.5), oracle.Rules(window=1.5)),
    "alibi": (tkf.ALiBi(0.6), oracle.Rules(slopes=(0.6, 0.6))),
    "rope": (tkf.RoPE(OMEGA), oracle.Rules(frequencies=OMEGA)),
    "causal-window": ([tkf.Causal(), tkf.Window(1.5)], oracle.Rules(causal=True, window=1.5)),
    "strict-alibi": ([tkf.Causal(strict=True), tkf.ALiBi(0.6)], oracle.Rules(strict=True, slopes=(0.6, 0.6))),
    "all": (
        [tkf.RoPE(OMEGA), tkf.ALiBi(0.6), tkf.Window(3.0), tkf.Causal()],
        oracle.Rules(causal=True, window=3.0, slopes=(0.6, 0.6), frequencies=OMEGA),
    ),
}


def tokens(n: int = N, d: int = D, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points on the sphere, unequal weights, unsorted positions with gaps, the last two equal; two equal points."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x[1] = x[0]  # a tie for hardmax
    p = rng.permutation(n) * 0.75 - 1.0
    p[-1] = p[-2]
    w = rng.uniform(0.5, 2.0, n)
    return x, w / w.sum(), p


def matrices(d: int, seed: int = 0) -> list[np.ndarray]:
    return [0.4 * m + np.eye(d) for m in np.random.default_rng(seed).normal(size=(3, d, d)) / np.sqrt(d)]


def model_of(attention, position, QKV) -> tkf.Transformer:
    Q, K, V = QKV
    return tkf.Transformer(tkf.Sphere(Q.shape[1]), attention, Q=Q, K=K, V=V, position=position)


# by default one of each attention and one of each position, on the two ways sums are made; with `slow` all pairs
QUICK = [(a, "causal") for a in ATTENTIONS] + [(a, b) for a in ("softmax", "sigmoid") for b in POSITIONS]
QUICK += [("linear", "strict-alibi"), ("hardmax", "strict-alibi"), ("krause", "all"), ("sinkhorn-2", "strict")]
# fixed sweeps stand for Sinkhorn elsewhere: its loop to a tolerance takes long to compile
PAIRS = [
    pytest.param(a, b, marks=[] if (a, b) in QUICK else pytest.mark.slow)
    for a in ATTENTIONS
    for b in POSITIONS
    if a != "sinkhorn" or b in ("causal", "all")
]


@pytest.mark.parametrize(("attention", "position"), PAIRS)
def test_velocity_equals_literal_loops(attention, position):
    (library, kind), (positions, rules) = ATTENTIONS[attention], POSITIONS[position]
    x, w, p = tokens()
    QKV = matrices(D)
    mu = tkf.Measure(x, w, positions=p)
    got = model_of(library, positions, QKV).velocity(0.0, mu.points, mu)
    expected = oracle.velocity(x, w, p, [oracle.HeadOf(kind, *QKV)], rules)
    # rounding of sums of 8 numbers of order one; Sinkhorn without sweeps stops at row sums good to 1e-10
    np.testing.assert_allclose(got, expected, atol=2e-10 if attention == "sinkhorn" else 1e-13)
    assert np.max(np.abs(expected)) > 0.1


def test_the_oracle_tells_positions_apart():
    # a negative control: if two rules gave the same velocity, agreement with the oracle would say little
    x, w, p = tokens()
    heads = [oracle.HeadOf(ATTENTIONS["softmax"][1], *matrices(D))]
    velocities = [oracle.velocity(x, w, p, heads, rules) for _, rules in POSITIONS.values()]
    for i, a in enumerate(velocities):
        for b in velocities[:i]:
            assert np.max(np.abs(a - b)) > 1e-2


def test_alibi_slope_per_head_and_rope_in_low_dimension():
    x, w, p = tokens()
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(2, 2, 3, D))  # two heads with queries in R^3: the third coordinate does not rotate
    V = rng.normal(size=(2, D, D))
    library = [tkf.Head(ATTENTIONS[a][0], Q=Q[h], K=K[h], V=V[h]) for h, a in enumerate(("softmax", "sigmoid"))]
    heads = [oracle.HeadOf(ATTENTIONS[a][1], Q[h], K[h], V[h]) for h, a in enumerate(("softmax", "sigmoid"))]
    mu = tkf.Measure(x, w, positions=p)
    position = [tkf.Causal(), tkf.ALiBi([0.3, 2.0]), tkf.RoPE(0.7)]
    got = tkf.Transformer(tkf.Euclidean(D), library, position=position).velocity(0.0, mu.points, mu)
    rules = oracle.Rules(causal=True, slopes=(0.3, 2.0), frequencies=(0.7,))
    # rounding
    np.testing.assert_allclose(got, oracle.velocity(x, w, p, heads, rules, on_sphere=False), atol=1e-13)
    swapped = oracle.velocity(x, w, p, heads, rules._replace(slopes=(2.0, 0.3)), on_sphere=False)
    assert np.max(np.abs(got - swapped)) > 1e-2


def test_default_frequencies_are_those_of_the_paper():
    x, w, p = tokens()
    QKV = matrices(D)
    frequencies = tuple(10_000.0 ** (-2 * m / D) for m in range(D // 2))
    mu = tkf.Measure(x, w, positions=p)
    got = model_of(tkf.Softmax(2.0), tkf.RoPE(), QKV).velocity(0.0, mu.points, mu)
    heads = [oracle.HeadOf(oracle.Kind("softmax", 2.0), *QKV)]
    expected = oracle.velocity(x, w, p, heads, oracle.Rules(frequencies=frequencies))
    np.testing.assert_allclose(got, expected, atol=1e-13)  # rounding


@eqx.filter_jit
def compiled_velocity(model: tkf.Transformer, mu: tkf.Measure) -> jax.Array:
    return model.velocity(0.0, mu.points, mu)


LARGE = 1500  # 2.25e6 pairs: above the size at which sums go in tiles


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attention", "position"),
    [
        ("softmax", "all"),
        ("sigmoid", "all"),
        pytest.param("hardmax", "causal", marks=pytest.mark.slow),
        pytest.param("unnormalized", "all", marks=pytest.mark.slow),
        pytest.param("krause", "all", marks=pytest.mark.slow),
        pytest.param("softmax", "causal", marks=pytest.mark.slow),
    ],
)
def test_tiled_velocity_equals_literal_loops(attention, position):
    (library, kind), (_, rules) = ATTENTIONS[attention], POSITIONS[position]
    x, w, p = tokens(LARGE)
    if position == "all":
        # a window and a decay that cut through the tiles at positions up to 1124
        rules = rules._replace(window=300.0, slopes=(0.01, 0.01))
        positions = [tkf.Causal(), tkf.Window(300.0), tkf.ALiBi(0.01), tkf.RoPE(OMEGA)]
    else:
        positions = tkf.Causal()
    assert tkf.sums.choose(LARGE, LARGE).name == "tiled"
    QKV = matrices(D)
    mu = tkf.Measure(x, w, positions=p)
    got = np.asarray(compiled_velocity(model_of(library, positions, QKV), mu))
    rows = [0, 700, 1499, int(np.argmin(p)), int(np.argmax(p))]
    expected = oracle.velocity(x, w, p, [oracle.HeadOf(kind, *QKV)], rules, rows=rows)
    # rounding: 1500 terms of order one, and exponents up to 2000 in steps of 1e-16 relative
    np.testing.assert_allclose(got[rows], expected, atol=1e-11)


@pytest.mark.slow
def test_tiled_sinkhorn_equals_literal_loops():
    x, w, p = tokens(LARGE)
    QKV = matrices(D)
    mu = tkf.Measure(x, w, positions=p)
    rows = np.array([3, int(np.argmax(p))])
    model = model_of(tkf.Sinkhorn(1.5, 3), [tkf.Causal(), tkf.Window(20.0)], QKV)
    got = model.velocity(0.0, mu.points[rows], mu, positions=mu.positions[rows])
    kind, rules = oracle.Kind("sinkhorn", 1.5, sweeps=3), oracle.Rules(causal=True, window=20.0)
    expected = oracle.velocity(x, w, p, [oracle.HeadOf(kind, *QKV)], rules, rows=rows)
    np.testing.assert_allclose(got, expected, atol=1e-12)  # rounding


@pytest.mark.slow
def test_rows_anywhere_see_from_their_positions():
    x, w, p = tokens()
    QKV = matrices(D)
    mu = tkf.Measure(x, w, positions=p)
    model = model_of(tkf.Softmax(2.0), [tkf.Causal(), tkf.RoPE(OMEGA)], QKV)
    rows = np.random.default_rng(2).permutation(N)
    got = np.asarray(model.velocity(0.0, mu.points[rows], mu, positions=mu.positions[rows]))
    np.testing.assert_allclose(got, np.asarray(model.velocity(0.0, mu.points, mu))[rows], atol=1e-14)  # rounding
    with pytest.raises(InvalidInput, match="give the positions of the rows"):
        model.velocity(0.0, mu.points[:2], mu)


def test_given_positions_also_turn_the_tokens_themselves():
    x, w, p = tokens()
    mu = tkf.Measure(x, w, positions=p)
    model = model_of(tkf.Softmax(2.0), tkf.RoPE(OMEGA), matrices(D))
    moved = mu.positions + jnp.arange(N)
    same, copy = (model.velocity(0.0, points, mu, positions=moved) for points in (mu.points, mu.points + 0.0))
    np.testing.assert_allclose(same, copy, atol=1e-14)  # rounding


def gap_pair(attention: tkf.Attention) -> tuple[np.ndarray, np.ndarray]:
    """Velocities where each token sees only the one before it, 1000 away: by a window, and by weights e^{-1000 k}."""
    x, w, _ = tokens()
    mu = tkf.Measure(x, w, positions=1000.0 * np.arange(N))
    near, far = (
        np.asarray(model_of(attention, [tkf.Causal(strict=True), kind], matrices(D)).velocity(0.0, mu.points, mu))
        for kind in (tkf.Window(1000.0), tkf.ALiBi(1.0))
    )
    assert np.all(near[0] == 0) and np.max(np.abs(near[1])) > 0.1
    return near, far


@pytest.mark.parametrize("attention", ["softmax", "unnormalized", "l2"])
def test_a_gap_in_positions_does_not_underflow(attention):
    near, far = gap_pair(ATTENTIONS[attention][0])
    np.testing.assert_allclose(far, near, atol=1e-12)  # 1000 is subtracted from a logit and added again


@pytest.mark.parametrize("attention", ["linear", "sigmoid", "krause"])
def test_a_gap_in_positions_outside_the_log_domain(attention):
    near, far = gap_pair(tkf.Krause(9.0) if attention == "krause" else ATTENTIONS[attention][0])
    np.testing.assert_allclose(far, near, atol=1e-12)


def test_a_slope_never_removes_a_key_from_the_maximum():
    """Hardmax among all earlier tokens, although the weights e^{-1000 k} of the farther ones underflow."""
    x, w, _ = tokens()
    models = (model_of(tkf.Hardmax(), [tkf.Causal(strict=True), *more], matrices(D)) for more in ([], [tkf.ALiBi(1.0)]))
    mu = tkf.Measure(x, w, positions=1000.0 * np.arange(N))
    plain, decaying = (np.asarray(model.velocity(0.0, mu.points, mu)) for model in models)
    np.testing.assert_allclose(decaying, plain, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: tkf.Window(-1.0), "needs a number >= 0"),
        (lambda: tkf.Window("3"), "needs a number >= 0"),
        (lambda: tkf.Window(np.nan), "needs a number >= 0"),
        (lambda: tkf.ALiBi(-0.1), "must not be negative"),
        (lambda: tkf.ALiBi([[1.0]]), "one slope or one per head"),
        (lambda: tkf.ALiBi([]), "one slope or one per head"),
        (lambda: tkf.ALiBi(np.inf), "must be finite"),
        (lambda: tkf.RoPE(base=0.0), "positive base"),
        (lambda: tkf.RoPE(base="10"), "base must be a number"),
        (lambda: tkf.RoPE([[1.0]]), "list of numbers"),
        (lambda: tkf.RoPE([]), "list of numbers"),
        (lambda: with_position("causal"), "must be Causal"),
        (lambda: with_position(tkf.Causal), "must be Causal"),
        (lambda: with_position(3), "must be Causal"),
        (lambda: with_position([tkf.Causal(), tkf.Causal(strict=True)]), "once"),
        (lambda: with_position(tkf.ALiBi([1.0, 2.0])), "2 slopes for 1 heads"),
        (lambda: with_position(tkf.RoPE()), "even dimension"),
        (lambda: with_position(tkf.RoPE([1.0, 2.0])), "2 frequencies"),
    ],
)
def test_errors_say_what_is_wrong(make, match):
    with pytest.raises(InvalidInput, match=match):
        make()


def with_position(position) -> tkf.Transformer:
    return tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0), position=position)


def test_positions_without_attention_are_refused():
    with pytest.raises(Unsupported, match="no head"):
        tkf.Transformer(tkf.Euclidean(2), tkf.Perceptron(), position=tkf.Causal())
