"""Numbers of hidden states against literal computations, and the two traps: a massive token and a rogue coordinate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import tokenfield as tkf
from tokenfield.layers import attention as heads
from tokenfield.layers import between, cloud, facts, measure, variants
from tokenfield.layers.source import Passage

# --- literal twins ------------------------------------------------------------------------------------------------


def cosine(x, y):
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def literal_numbers(x, w):
    n, d = x.shape
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    mass = sum(w[i] * w[j] for i, j in pairs)
    moment = sum(w[i] * np.outer(x[i], x[i]) for i in range(n))
    values = np.linalg.eigvalsh(moment)
    p = values[values > 1e-14] / np.trace(moment)
    entropy = -sum(q * np.log(q) for q in p)
    mean = sum(w[i] * x[i] for i in range(n))
    norms = sorted(np.linalg.norm(x[i]) for i in range(n))
    return {
        "mean_cosine": sum(w[i] * w[j] * cosine(x[i], x[j]) for i, j in pairs) / mass,
        "effective_rank": np.exp(entropy),
        "stable_rank": np.trace(moment) / values[-1],
        "matrix_entropy": entropy / np.log(min(n, d)),
        "distance_to_mean": np.sqrt(
            sum(w[i] * np.sum((x[i] - mean) ** 2) for i in range(n)) / sum(w[i] * np.sum(x[i] ** 2) for i in range(n))
        ),
        "median_norm": norms[n // 2] if n % 2 else (norms[n // 2 - 1] + norms[n // 2]) / 2,
        "largest_norm": norms[-1],
    }


def literal_similarity(x, y):
    """Debiased CKA by the unbiased HSIC of Song et al. (2012), as it is printed."""

    def hsic(K, L):
        n, one = len(K), np.ones(len(K))
        K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
        inner = (
            np.trace(K @ L) + (one @ K @ one) * (one @ L @ one) / (n - 1) / (n - 2) - 2 / (n - 2) * (one @ K @ L @ one)
        )
        return inner / n / (n - 3)

    K, L = x @ x.T, y @ y.T
    return hsic(K, L) / np.sqrt(hsic(K, K) * hsic(L, L))


# --- one cloud ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(7, 4), (5, 9)])
def test_numbers_of_a_cloud(n, d):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(n, d)) + 0.5, rng.uniform(0.5, 1.5, size=n)
    w /= w.sum()
    found = cloud.numbers_of(x, w, delta=0.3)
    for name, value in literal_numbers(x, w).items():
        assert found[name] == pytest.approx(value, rel=1e-12), name


def test_clusters_are_those_of_directions():
    x = np.array([[1.0, 0.0, 0.0], [5.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -2.0], [0.0, 0.1, -9.0]])
    found = cloud.numbers_of(x, np.array([0.1, 0.1, 0.5, 0.1, 0.2]), delta=0.3)
    assert found["clusters"] == 3 and found["largest_cluster"] == pytest.approx(0.5)


def test_the_energy_is_that_of_observables():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(6, 5)), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0]) / 9
    mu = tkf.Measure(variants.directions(x), w)
    for beta, value in zip((1.0, 4.0), cloud.energies(x, w, (1.0, 4.0)), strict=True):
        model = tkf.Transformer(tkf.Sphere(5), tkf.Softmax(beta))
        assert value == pytest.approx(float(tkf.observables.energy(mu, model, normalized=True)), rel=1e-12)


def test_the_histogram_leaves_the_diagonal_out():
    x = np.random.default_rng(2).normal(size=(9, 3))
    expected = np.zeros(20)
    for i, j in itertools.combinations(range(9), 2):
        expected[int((cosine(x[i], x[j]) + 1) / 0.1)] += 1
    assert cloud.counted_cosines(x, np.full(9, 1 / 9), 20).tolist() == expected.tolist()


def test_two_nearest_neighbors_and_the_dimension_of_a_plane():
    rng = np.random.default_rng(3)
    x = rng.uniform(size=(600, 2)) @ rng.normal(size=(2, 7))
    first, second = cloud.nearest_two(x)
    distances = np.sort(np.linalg.norm(x[5] - np.delete(x, 5, axis=0), axis=1))
    # squares are expanded: half of the digits are left
    assert (first[5], second[5]) == pytest.approx((distances[0], distances[1]), rel=1e-6)
    # the standard error of N / sum log is 2/sqrt(600) = 0.08, and borders lower it a little
    assert cloud.intrinsic_dimension(x) == pytest.approx(2.0, abs=0.25)
    assert np.isnan(cloud.intrinsic_dimension(np.ones((5, 2))))


# --- the traps ----------------------------------------------------------------------------------------------------


def test_a_massive_token_makes_the_raw_rank_one():
    x = np.random.default_rng(4).normal(size=(2, 40, 32))
    x[1, 3] *= 170
    found = measure(x, words=[f"w{k}" for k in range(40)])
    raw, without = found.mean("effective_rank"), found.mean("effective_rank", "without sinks")
    assert raw[0] > 15 and raw[1] < 1.1 and without[1] > 15
    # centering does not help, and the sink does not make coordinates rogue
    assert found.mean("effective_rank", "centered")[1] < 1.1 and not found.facts["rogues"]
    (sink,) = found.facts["sinks"]
    assert (sink["layer"], sink["token"], sink["word"]) == (1, 3, "w3") and 100 < sink["times_median"] < 300
    assert found.facts["largest"][1]["word"] == "w3"
    assert "1 of 2 layers has sink tokens; the largest is token 3 ('w3') at layer 1" in found.notes[0]
    # left out only where it is a sink
    assert found.mean("effective_rank", "without sinks")[0] == raw[0]


def test_a_rogue_coordinate_makes_the_raw_cosine_one():
    x = np.random.default_rng(5).normal(size=(1, 40, 64))
    x[0, :, 9] = 80
    found = measure(x)
    assert found.mean("mean_cosine")[0] > 0.98 and abs(found.mean("mean_cosine", "without rogues")[0]) < 0.05
    assert found.mean("mean_cosine", "without sinks")[0] > 0.98
    (rogue,) = found.facts["rogues"]
    assert (rogue["layer"], rogue["dimension"]) == (0, 9) and rogue["share"] > 0.98
    assert "read cosines without rogues" in found.notes[0]


def test_tokens_that_have_merged_are_neither_sinks_nor_rogue():
    rng = np.random.default_rng(6)
    for _ in range(20):
        x = np.repeat(rng.normal(size=(1, 768)), 30, axis=0)
        assert not variants.sinks(x).any() and not variants.rogues([x]).any()
    found = measure(np.stack([x, x]))
    assert found.mean("mean_cosine")[0] == pytest.approx(1.0) and found.mean("clusters")[0] == 1
    # nothing is left once the mean is taken away: no number is made of rounding
    assert np.isnan(found.mean("mean_cosine", "centered")[0]) and found.mean("median_norm", "centered")[0] == 0


# --- between layers -----------------------------------------------------------------------------------------------


def test_distances_moved():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(2, 6, 4))
    w = np.full(6, 1 / 6)
    found = between.moves((x, w), (y, w), np.arange(6))
    angles = np.array([[np.arccos(cosine(a, b)) for b in y] for a in x])
    assert found["moved"] == pytest.approx(np.sqrt(np.mean(np.diag(angles) ** 2)), rel=1e-10)
    best = min(np.mean([angles[i, p[i]] ** 2 for i in range(6)]) for p in itertools.permutations(range(6)))
    assert found["transported"] == pytest.approx(np.sqrt(best), rel=1e-10) and found["transported"] < found["moved"]
    assert found["step"] == pytest.approx(np.linalg.norm(y - x) / np.linalg.norm(x), rel=1e-12)
    assert linear_sum_assignment(angles**2)[1].tolist() != list(range(6))  # else the test would say nothing


def test_similarity_of_layers_is_not_fooled_by_few_tokens():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(2, 30, 200))
    found = between.similarity([x, y, 3 * x[:, ::-1] + 1])
    assert found[0, 1] == pytest.approx(literal_similarity(x, y), abs=1e-12)
    assert found[0, 2] == pytest.approx(1.0) and abs(found[0, 1]) < 0.2
    K, L = (z - z.mean(axis=0) for z in (x, y))
    biased = np.sum((K.T @ L) ** 2) / np.linalg.norm(K.T @ K) / np.linalg.norm(L.T @ L)
    assert biased > 0.8  # unrelated layers, and yet


# --- attention ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("causal", [False, True])
def test_beta_is_recovered_from_attention_of_random_tokens(causal):
    rng = np.random.default_rng(9)
    n, d = 80, 16
    x = variants.directions(rng.normal(size=(n, d)))
    logits = np.stack([np.where(np.arange(n)[None] > np.arange(n)[:, None], -np.inf, 0) if causal else 0 * x @ x.T] * 2)
    logits = logits + np.array([2.0, 8.0])[:, None, None] * (x @ x.T)
    a = np.exp(logits)
    a = (a / a.sum(axis=-1, keepdims=True))[None]
    entropy = heads.head_entropies(a)
    literal = np.mean([-sum(p * np.log(p) for p in row if p > 0) for row in a[0, 1]])
    assert entropy[0, 1] == pytest.approx(literal, rel=1e-12)
    assert heads.is_causal(a) == causal
    found = measure(np.stack([x, x]), attention=a).dataset
    # other random tokens: their mean entropy differs by a percent, and entropy falls by half over these betas
    assert found["attention_beta"].values[0, 0] == pytest.approx([2.0, 8.0], rel=0.1)
    even = np.mean(np.log(np.arange(1, n + 1))) if causal else np.log(n)
    assert found["attention_share"].values[0, 0] == pytest.approx(entropy[0] / even)


def test_the_sink_of_attention():
    a = np.full((3, 2, 5, 5), 0.05)
    a[..., 2] = 0.8
    token, mass = heads.sink_of(a)
    assert np.all(token == 2) and np.allclose(mass, 0.8)


# --- parts that add up --------------------------------------------------------------------------------------------


def test_parts_of_layers_are_checked():
    rng = np.random.default_rng(10)
    a, m = rng.normal(size=(2, 3, 4, 5))
    x = np.concatenate([np.zeros((1, 4, 5)), np.cumsum(a + m, axis=0)]) + 1
    fields = {"states": x, "attention_part": a, "perceptron_part": m}
    assert any(
        "every layer is the layer before plus attention plus perceptron" in note for note in measure(fields).notes
    )
    wrong = x.copy()
    wrong[-1] /= 3
    notes = measure(fields | {"states": wrong}).notes
    assert any("1 of 3 layers are not" in note and "after the final norm?" in note for note in notes)
    off = facts.mismatch(Passage(wrong, attention_part=a, perceptron_part=m))
    assert off[2] == pytest.approx(np.linalg.norm(wrong[-1] - x[-1]) / np.linalg.norm(wrong[-1])) and off[0] < 1e-12


# --- the result ---------------------------------------------------------------------------------------------------


def test_means_over_prompts_and_the_way_to_disk_and_back():
    rng = np.random.default_rng(11)
    prompts = [rng.normal(size=(3, n, 6)) for n in (5, 8)]
    found = measure(prompts, words=[["a"] * 5, ["b"] * 8], tags=["embedding", "layer 1", "after the final norm"])
    each = [measure(x).mean("stable_rank", "centered") for x in prompts]
    assert found.mean("stable_rank", "centered") == pytest.approx(np.mean(each, axis=0), rel=1e-12)
    pairs = np.array([5 * 4, 8 * 7]) / (5 * 4 + 8 * 7)
    one, two = (measure(x).dataset["cosine_density"].values for x in prompts)
    assert np.allclose(found.dataset["cosine_density"].values, pairs[0] * one + pairs[1] * two)
    again = tkf.layers.Layers.from_xarray(found.to_xarray())
    assert again.facts == found.facts and again.dataset.equals(found.dataset)
    assert found.to_dict()["layers"][2]["tag"] == "after the final norm"
    with pytest.raises(tkf.InvalidInput, match="there is no number 'rank' by layer: choose from"):
        found.mean("rank")


def test_prompts_as_classes_are_separated_by_layer():
    """Against S_w and S_b as matrices; one prompt alone, and centered ones, have no separation."""
    rng = np.random.default_rng(13)
    prompts = [rng.normal(size=(2, n, 6)) + 2 * k for k, n in enumerate((5, 8, 6))]
    found = measure(prompts).mean("separation")
    for layer in range(2):
        x, labels = np.concatenate([p[layer] for p in prompts]), np.repeat([0, 1, 2], (5, 8, 6))
        # every prompt has the same mass, whatever its length
        w = np.repeat([1 / 5, 1 / 8, 1 / 6], (5, 8, 6)) / 3
        S_w, S_b = np.zeros((6, 6)), np.zeros((6, 6))
        for c in range(3):
            own, p = x[labels == c], w[labels == c]
            m = p @ own / p.sum()
            S_w += (own - m).T @ np.diag(p) @ (own - m)
            S_b += p.sum() * np.outer(m - w @ x, m - w @ x)
        assert found[layer] == pytest.approx(np.trace(S_w @ np.linalg.pinv(S_b, rcond=1e-10)), rel=1e-9)
    assert np.isnan(measure(prompts).mean("separation", "centered")).all()
    assert np.isnan(measure(prompts[0]).mean("separation")).all()


def test_moves_and_similarity_follow_the_tokens():
    x = np.random.default_rng(12).normal(size=(10, 6))
    found = measure(np.stack([x, x, x[::-1]]))
    moved, transported = found.mean("moved"), found.mean("transported")
    assert np.isnan(moved[0]) and moved[1] == pytest.approx(0, abs=1e-7) and moved[2] > 1
    assert transported[2] == pytest.approx(0, abs=1e-7)
    assert found.dataset["cka"].values[0, 0, 1] == pytest.approx(1.0) and found.dataset["cka"].values[0, 0, 2] < 0.9
    assert np.allclose(found.dataset["projection"].values[0], found.dataset["projection"].values[2][::-1])
