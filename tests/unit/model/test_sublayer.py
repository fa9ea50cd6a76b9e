"""Real blocks against a literal twin in NumPy, written from the equations; and what sublayers refuse."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput, Unsupported

N, D, H, G, DK, M = 5, 6, 4, 2, 4, 8
EPS = 1e-5
# float64 throughout; a handful of operations on numbers of order one
ROUNDING = {"rtol": 1e-12, "atol": 1e-13}


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(3)
    shapes = {
        "Q": (H, DK, D), "K": (G, DK, D), "V": (G, DK, D), "O": (H, D, DK),
        "q": (H, DK), "k": (G, DK), "v": (G, DK), "o": (D,),
        "A": (M, D), "b": (M,), "W": (D, M), "c": (D,), "gate": (M, D), "gate_bias": (M,),
        "gain": (D,), "bias": (D,), "gain2": (D,),
    }  # fmt: skip
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


@pytest.fixture(scope="module")
def tokens():
    return np.random.default_rng(4).normal(size=(N, D))


# --- the twin -------------------------------------------------------------------------------------------------------


def layer_norm(x, gain, bias):
    out = np.empty_like(x)
    for i, row in enumerate(x):
        mean = sum(row) / len(row)
        variance = sum((value - mean) ** 2 for value in row) / len(row)
        out[i] = [
            g * (value - mean) / math.sqrt(variance + EPS) + b for value, g, b in zip(row, gain, bias, strict=True)
        ]
    return out


def rms_norm(x, gain):
    return np.stack([gain * row / math.sqrt(sum(row**2) / len(row) + EPS) for row in x])


def rope(vector, p, base, pairing, dims):
    out = vector.copy()
    for m in range(dims // 2):
        i, j = (2 * m, 2 * m + 1) if pairing == "adjacent" else (m, m + dims // 2)
        angle = p * base ** (-2 * m / dims)
        out[i] = math.cos(angle) * vector[i] - math.sin(angle) * vector[j]
        out[j] = math.sin(angle) * vector[i] + math.cos(angle) * vector[j]
    return out


def attention(x, p, *, causal=False, turn=lambda vector, position: vector):
    out = np.tile(p["o"], (len(x), 1))
    for head in range(H):
        group = head // (H // G)
        keys = [turn(p["K"][group] @ y + p["k"][group], j) for j, y in enumerate(x)]
        values = [p["V"][group] @ y + p["v"][group] for y in x]
        for i, row in enumerate(x):
            query = turn(p["Q"][head] @ row + p["q"][head], i)
            seen = range(i + 1) if causal else range(len(x))
            weights = [math.exp(query @ keys[j] / math.sqrt(DK)) for j in seen]
            mean = sum(w * values[j] for w, j in zip(weights, seen, strict=True)) / sum(weights)
            out[i] += p["O"][head] @ mean
    return out


def gelu(z):
    return np.asarray([[value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in row] for row in z])


def silu(z):
    return z / (1 + np.exp(-z))


# --- the parts ------------------------------------------------------------------------------------------------------


def heads(p):
    names = ("Q", "K", "V", "O", "q", "k", "v", "o")
    return tkf.MultiHead(tkf.Softmax(DK**-0.5), **{name: p[name] for name in names})


def run(parts, tokens, **options):
    model = tkf.Transformer(tkf.Euclidean(D), parts, **options)
    return np.asarray(jax.jit(lambda x: model.layer(0.0, tkf.Measure(x), step=1.0).points)(tokens))


def test_a_block_with_the_norm_after_the_sum(numbers, tokens):
    p = numbers
    norm = tkf.LayerNorm(p["gain"], p["bias"], eps=EPS)
    perceptron = tkf.Perceptron(p["W"], p["A"], p["b"], c=p["c"], activation="gelu")
    found = run([tkf.Sublayer(heads(p), after=norm), tkf.Sublayer(perceptron, after=norm)], tokens)
    x = layer_norm(tokens + attention(tokens, p), p["gain"], p["bias"])
    x = layer_norm(x + gelu(x @ p["A"].T + p["b"]) @ p["W"].T + p["c"], p["gain"], p["bias"])
    np.testing.assert_allclose(found, x, **ROUNDING)


@pytest.mark.parametrize(("pairing", "dims"), [("adjacent", DK), ("halves", DK), ("halves", 2)])
def test_a_causal_gated_block_with_norms_before_and_inside(numbers, tokens, pairing, dims):
    p, base = numbers, 100.0
    before, inside = tkf.RMSNorm(p["gain"], eps=EPS), tkf.RMSNorm(p["gain2"], eps=EPS)
    gated = tkf.Perceptron(
        p["W"], p["A"], p["b"], c=p["c"], gate=p["gate"], gate_bias=p["gate_bias"], activation="silu"
    )
    position = [tkf.Causal(), tkf.RoPE(base=base, pairing=pairing, dims=dims)]
    blocks = [tkf.Sublayer(heads(p), before=before, inside=inside), tkf.Sublayer(gated, before=before)]
    found = run(blocks, tokens, position=position)
    turn = lambda vector, position: rope(vector, position, base, pairing, dims)  # noqa: E731
    x = tokens + rms_norm(attention(rms_norm(tokens, p["gain"]), p, causal=True, turn=turn), p["gain2"])
    y = rms_norm(x, p["gain"])
    x = x + (silu(y @ p["gate"].T + p["gate_bias"]) * (y @ p["A"].T + p["b"])) @ p["W"].T + p["c"]
    np.testing.assert_allclose(found, x, **ROUNDING)


def test_many_heads_without_biases_are_a_list_of_heads(numbers, tokens):
    p, shared = numbers, H // G
    together = tkf.MultiHead(tkf.Softmax(0.5), **{name: p[name] for name in ("Q", "K", "V", "O")})
    apart = [
        tkf.Head(tkf.Softmax(0.5), Q=p["Q"][h], K=p["K"][h // shared], V=p["V"][h // shared], O=p["O"][h])
        for h in range(H)
    ]
    slopes = [0.1, 0.2, 0.3, 0.4]  # one for each head
    options = {"position": [tkf.Causal(), tkf.ALiBi(slopes)]}
    mu = tkf.Measure(tokens, [1.0, 2.0, 1.0, 1.0, 1.0])
    models = [tkf.Transformer(tkf.Euclidean(D), parts, **options) for parts in (together, apart)]
    found, expected = (
        np.asarray(jax.jit(lambda nu, model=model: model.velocity(0.0, nu.points, nu))(mu)) for model in models
    )
    np.testing.assert_allclose(found, expected, **ROUNDING)
    found, expected = (np.asarray(model.attention_matrices(0.0, mu)) for model in models)
    np.testing.assert_allclose(found, expected, **ROUNDING)


def test_padding_is_weight_zero(numbers, tokens):
    p, norm = numbers, tkf.LayerNorm()
    model = tkf.Transformer(tkf.Euclidean(D), tkf.Sublayer(heads(p), before=norm), position=tkf.RoPE())
    step = jax.jit(lambda x, w: model.layer(0.0, tkf.Measure(x, w), step=1.0).points)
    padded = step(jnp.asarray(tokens), jnp.asarray([1.0, 1.0, 1.0, 0.0, 0.0]))
    alone = step(jnp.asarray(tokens[:3]), jnp.ones(3))
    np.testing.assert_allclose(padded[:3], alone, **ROUNDING)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("per_head", [False, True])
def test_an_identity_after_attention_changes_nothing(tokens, average, per_head):
    sphere = tkf.Measure(tokens / np.linalg.norm(tokens, axis=1, keepdims=True))
    V = np.random.default_rng(5).normal(size=(2, D, D))
    bare = [tkf.Head(tkf.Softmax(2.0), V=matrix) for matrix in V]

    def then(part):
        composed = tkf.Sublayer(bare, then=[part, part] if per_head else part, average=average)
        return tkf.Transformer(tkf.Sphere(D), composed).velocity(0.0, sphere.points, sphere)

    plain = tkf.Transformer(tkf.Sphere(D), bare, average=average)
    found = then(tkf.Perceptron(activation="identity"))
    np.testing.assert_allclose(found, plain.velocity(0.0, sphere.points, sphere), **ROUNDING)
    assert not np.allclose(then(tkf.Perceptron()), found)


def test_perceptrons_of_heads_act_before_heads_are_averaged(tokens):
    mu, rng = tkf.Measure(tokens), np.random.default_rng(7)
    heads = [tkf.Head(tkf.Softmax(1.0), V=V) for V in rng.normal(size=(2, D, D))]
    each = [tkf.Perceptron(W, activation="tanh") for W in rng.normal(size=(2, D, D))]
    model = tkf.Transformer(tkf.Euclidean(D), tkf.Sublayer(heads, then=each, average=True))
    expected = sum(then.W @ np.tanh(head(mu.points, mu)).T for head, then in zip(heads, each, strict=True)).T / 2
    np.testing.assert_allclose(model.velocity(0.0, mu.points, mu), expected, **ROUNDING)
    assert "then=[Perceptron(" in repr(model) and not model.can_blow_up


@pytest.mark.slow
@pytest.mark.parametrize("where", ["before", "after"])
def test_the_flow_is_the_limit_of_the_layers(numbers, tokens, where):
    p = numbers
    norm = tkf.LayerNorm(p["gain"], p["bias"], eps=EPS)
    perceptrons = [tkf.Perceptron(W=scale * np.eye(D)) for scale in (0.1, 0.2)]
    each = [[tkf.Sublayer(part, **{where: norm}) for part in (heads(p), one)] for one in perceptrons]
    model = tkf.Transformer(tkf.Euclidean(D), tkf.schedule.PerLayer(each, t1=1.0))
    flow = tkf.solve(model, tokens, t1=1.0, rtol=1e-9, atol=1e-9).final.points
    errors = [
        float(jnp.max(jnp.abs(tkf.solve(model, tokens, t1=1.0, layers=layers).final.points - flow)))
        for layers in (32, 64)
    ]
    # first order: half the step, half the error; second order would give 4, a wrong limit 1
    assert 1.7 < errors[0] / errors[1] < 2.4


def test_attention_to_another_measure(tokens):
    other = tkf.Measure(np.random.default_rng(6).normal(size=(3, D)), [1.0, 2.0, 3.0])
    decoder = tkf.Transformer(tkf.Euclidean(D), tkf.Sublayer(tkf.Softmax(0.0), crosses=True))
    model = decoder.with_memory(other)
    mean = np.asarray([1.0, 2.0, 3.0]) @ other.points / 6
    found = model.velocity(0.0, jnp.asarray(tokens), tkf.Measure(tokens))
    np.testing.assert_allclose(found, np.tile(mean, (N, 1)), **ROUNDING)
    encoder = tkf.Transformer(tkf.Euclidean(D), tkf.Softmax(1.0))
    pair = tkf.solve((encoder, decoder), (other, tokens), t1=1.0, layers=2)
    memory = tkf.solve(encoder, other, t1=1.0, layers=2).final
    alone = tkf.solve(decoder.with_memory(memory), tokens, t1=1.0, layers=2)
    np.testing.assert_array_equal(pair.final.points, alone.final.points)
    with pytest.raises(InvalidInput, match="needs a measure to look at"):
        tkf.solve(decoder, tokens, t1=1.0)
    with pytest.raises(Unsupported, match="nothing looks at the memory"):
        encoder.with_memory(other)
    with pytest.raises(InvalidInput, match="pair of starts"):
        tkf.solve((encoder, decoder), tokens, t1=1.0)


def test_a_run_from_the_middle_ends_where_the_whole_run_ends(numbers, tokens):
    rng, layers = np.random.default_rng(8), 4
    norm = tkf.RMSNorm(numbers["gain"])
    each = [tkf.Sublayer(tkf.Perceptron(W, activation="tanh"), before=norm) for W in rng.normal(size=(layers, D, D))]
    model = tkf.Transformer(tkf.Euclidean(D), tkf.schedule.PerLayer(each, t1=layers))
    whole = tkf.solve(model, tokens, t1=layers, layers=layers, save=layers + 1)
    for k in (1, 3):
        activations = np.asarray(whole.points[k])  # given ones would do: an array (n, d)
        rest = tkf.solve(model, activations, t0=k, t1=layers, layers=layers - k, save="end")
        np.testing.assert_allclose(rest.final.points, whole.final.points, rtol=0, atol=1e-14)  # a rounding of weights
    wrong = tkf.solve(model, activations, t0=1, t1=2, layers=1, save="end")  # the weights of another layer
    assert np.abs(np.asarray(wrong.final.points - whole.final.points)).max() > 0.1


POST = tkf.Sublayer(tkf.Softmax(1.0), after=tkf.LayerNorm())


def flat(part, **options):
    return tkf.Transformer(tkf.Euclidean(D), part, **options)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: tkf.MultiHead(tkf.Softmax(1.0), Q=p["Q"], K=p["Q"][:3], V=p["Q"][:3], O=p["O"]), "cannot share 3"),
        (lambda p: tkf.MultiHead(tkf.Softmax(1.0), Q=p["Q"], K=p["K"], V=p["V"], O=p["O"], o=p["b"]), r"o must have"),
        (lambda p: tkf.MultiHead(tkf.Softmax(1.0), Q=p["Q"][0], K=p["K"], V=p["V"], O=p["O"]), "Q of all heads"),
        (lambda p: tkf.LayerNorm(p["Q"]), "gain must be a vector"),
        (lambda p: tkf.RMSNorm(eps=-1.0), "eps must be"),
        (lambda p: tkf.Sublayer("softmax"), "a sublayer needs"),
        (lambda p: tkf.Sublayer(tkf.Softmax(1.0), before=tkf.PreLN()), "before must be a norm"),
        (lambda p: tkf.Sublayer(tkf.Perceptron(), crosses=True), "only attention"),
        (lambda p: tkf.Sublayer(tkf.Softmax(1.0), then="relu"), "then must be a Perceptron"),
        (lambda p: tkf.Sublayer(tkf.Softmax(1.0), then=[tkf.Perceptron()] * 2), "need a list of 2 heads"),
        (lambda p: tkf.Sublayer(heads(p), then=[tkf.Perceptron()] * H), "need a list of 4 heads"),
        (lambda p: tkf.Perceptron(gate_bias=p["b"]), "gate_bias goes with"),
        (lambda p: tkf.RoPE(pairing="adjacnt"), "did you mean 'adjacent'"),
        (lambda p: tkf.RoPE([1.0, 2.0], dims=2), "dims = 2"),
        (lambda p: tkf.RoPE(dims=3), "even number"),
        (lambda p: flat(tkf.Sublayer(tkf.Softmax(1.0), before=tkf.LayerNorm(p["gain"][:3]))), r"shape \(6,\)"),
        (lambda p: flat(heads(p), position=tkf.RoPE(dims=6)), "queries have 4"),
    ],
)  # fmt: skip
def test_mistakes_are_named(numbers, make, words):
    with pytest.raises(InvalidInput, match=words):
        make(numbers)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda s: tkf.Transformer(tkf.Sphere(D), s, normalization=tkf.PreLN()), "norms of their own"),
        (lambda s: tkf.Transformer(tkf.Sphere(D), s, average=True), "for bare heads"),
        (lambda s: tkf.Transformer(tkf.Sphere(D), POST), "sphere normalizes"),
        (lambda s: tkf.observables.energy(tkf.Measure(np.eye(D)), flat(s)), "bare attention heads"),
        (lambda s: tkf.solve(flat(s), tkf.Gaussian(np.zeros(D), np.eye(D)), t1=1.0), "Gaussians follow bare"),
        (lambda s: tkf.solve(tkf.Transformer(tkf.Sphere(D), s), np.eye(D), t1=1.0, merge=True), "merge is for"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(Unsupported, match=words):
        make(tkf.Sublayer(tkf.Softmax(1.0)))


def test_theory_knows_that_sublayers_are_not_the_model_of_its_theorems():
    start = tkf.Measure(np.eye(4))
    bare, block = (tkf.Transformer(tkf.Sphere(4), part) for part in (tkf.Softmax(1.0), tkf.Sublayer(tkf.Softmax(1.0))))
    assert len(tkf.predict(bare, start)) > 0
    assert len(tkf.predict(block, start)) == 0
