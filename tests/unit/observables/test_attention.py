"""The attention matrix and its rank against literal computations."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield import Euclidean, Head, InvalidInput, Measure, Softmax, Sphere, Transformer
from tokenfield.observables import attention_matrix, attention_rank


def cloud(n, d, seed):
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.2, 1.0, size=n)
    return rng.normal(size=(n, d)), w / w.sum()


def literal_attention(x, w, beta, Q, K):
    P = np.array([[w[j] * np.exp(beta * (Q @ x[i]) @ (K @ x[j])) for j in range(len(x))] for i in range(len(x))])
    return P / P.sum(axis=1, keepdims=True)


def test_attention_matrix_of_the_chosen_head():
    x, w = cloud(8, 3, seed=2)
    Q, K = cloud(2, 3, seed=3)[0], cloud(2, 3, seed=4)[0]
    model = Transformer(Euclidean(3), [Head(Softmax(1.0)), Head(Softmax(0.5), Q=Q, K=K)])
    mu = Measure(x, w)
    np.testing.assert_allclose(attention_matrix(mu, model), literal_attention(x, w, 1.0, np.eye(3), np.eye(3)), 1e-12)
    np.testing.assert_allclose(attention_matrix(mu, model, head=1), literal_attention(x, w, 0.5, Q, K), 1e-12)
    with pytest.raises(InvalidInput, match="heads 0 to 1"):
        attention_matrix(mu, model, head=2)


def test_attention_matrix_in_the_rescaled_frame_is_that_of_the_original_tokens():
    z, w = cloud(6, 2, seed=5)
    model = Transformer(Euclidean(2), Softmax(1.0), rescaled=True)
    expected = literal_attention(np.exp(0.3) * z, w, 1.0, np.eye(2), np.eye(2))
    np.testing.assert_allclose(attention_matrix(Measure(z, w), model, 0.3), expected, 1e-12)


def test_attention_matrix_refuses_more_than_4096_tokens():
    mu = Measure(np.tile([[1.0, 0.0]], (4097, 1)))
    with pytest.raises(InvalidInput, match="at most 4096"):
        attention_matrix(mu, Transformer(Sphere(2), Softmax(1.0)))


def test_attention_rank_counts_singular_values_above_the_tolerance():
    x = np.repeat(np.eye(4), 3, axis=0)
    mu = Measure(x)
    # three copies of each of four tokens: a 4 x 4 matrix with eigenvalues 1 and (e^b - 1)/(e^b + 3), three times
    assert attention_rank(mu, Transformer(Sphere(4), Softmax(2.0))) == 4
    assert attention_rank(mu, Transformer(Sphere(4), Softmax(0.0))) == 1
    small = (np.exp(0.01) - 1) / (np.exp(0.01) + 3)
    model = Transformer(Sphere(4), Softmax(0.01))
    assert attention_rank(mu, model, tolerance=0.9 * small) == 4
    assert attention_rank(mu, model, tolerance=1.1 * small) == 1
