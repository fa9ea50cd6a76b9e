"""Objects from configs are those that one would write in Python."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import pytest

import tokenfield as tkf
from tokenfield.study import Config
from tokenfield.study.builders import build_family, build_model

KINDS = {"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized, "l2": tkf.L2}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_a_family_is_the_model_at_every_beta_and_noise(name, kind):
    config = Config.from_dict({"geometry": {"dim": 4}, "attention": {"kind": name, "beta": 9.0}}).resolved()
    family, noise = build_family(config), tkf.Noise(2.0, seed=1)
    for beta in (0.5, 3.0):
        expected = tkf.Transformer(tkf.Sphere(4), kind(beta), noise=noise)
        assert eqx.tree_equal(family(jnp.asarray(beta), noise), expected)
    assert not eqx.tree_equal(family(jnp.asarray(9.0), None), expected)
    assert eqx.tree_equal(family(jnp.asarray(9.0), None), build_model(config))


def test_a_family_keeps_what_else_the_config_has():
    tables = {"attention": {"V": [[0.0, 1.0], [-1.0, 0.0]]}, "geometry": {"dim": 2}, "normalization": {"kind": "ngpt"}}
    config = Config.from_dict(tables).resolved()
    found = build_family(config)(jnp.asarray(2.0), None)
    turn = jnp.array([[0.0, 1.0], [-1.0, 0.0]])
    expected = tkf.Transformer(tkf.Sphere(2), tkf.Head(tkf.Softmax(2.0), V=turn), normalization=tkf.NGPT())
    assert eqx.tree_equal(found, expected)


def test_configs_are_built_after_they_are_resolved():
    with pytest.raises(AssertionError, match="only resolved configs"):
        build_model(Config())
