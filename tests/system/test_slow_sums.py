"""A command says once that many tokens are summed directly, although its programs are kept and cannot call back."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from command_line import in_a_folder_of_its_own, tokenfield  # noqa: F401
from tokenfield.model.summing import choose_sums, share_summed_directly
from tokenfield.study import summary
from tokenfield.sums import fast

TOGETHER, ALONE = 380, 20  # tokens in one place, and far away from it and from each other


def tokens():
    angles = np.concatenate([np.linspace(-0.01, 0.01, TOGETHER), np.linspace(2.0, 4.2, ALONE)])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.fixture
def many(monkeypatch, few_are_many):
    monkeypatch.setattr(summary, "MANY_TOKENS", 100)


def test_the_share_is_that_of_the_queries_that_are_summed_again(few_are_many):
    model, mu = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(40.0)), tkf.Measure(tokens())
    settled = model.with_sums(choose_sums(model, mu, tolerance=1e-13))
    expansion = settled.sums[0].expansion
    is_bad = fast._attend(40.0 * mu.points, mu.points, mu.weights, (expansion,))[2]
    assert set(np.flatnonzero(is_bad)) >= set(range(TOGETHER, TOGETHER + ALONE))
    assert float(share_summed_directly(settled, mu, jnp.asarray(0.0))) == float(jnp.mean(is_bad))
    short = settled.with_sums((settled.sums[0]._replace(expansion=expansion._replace(reach=30.0)),))
    assert float(share_summed_directly(short, mu, jnp.asarray(0.0))) == 1.0  # all queries are longer


@pytest.mark.slow
def test_a_command_says_it_once(many):
    np.savetxt("far.csv", tokens(), delimiter=",")
    options = ["--dim", "2", "--beta", "40", "--t1", "0.01", "--save", "end", "--no-figures"]
    # a tolerance of 1e-13 for sums, below what the sum of modes can promise to tokens that are alone
    result = tokenfield("simulate", *options, "--rtol", "1e-10", "--tokens", "far.csv", "--out", "far")
    assert result.exit_code == 0, result.output
    assert result.stderr.count("of the tokens at the start and") == 1
    assert "were summed directly, which takes far longer" in result.stderr
    near = tokenfield("simulate", *options, "--n", str(TOGETHER + ALONE), "--out", "near")
    assert near.exit_code == 0 and "fourier" in near.stderr and "summed directly" not in near.stderr
