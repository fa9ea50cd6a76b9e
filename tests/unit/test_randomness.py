"""Seeds: which ones are accepted, that they mean the same everywhere, and what each refusal says."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import InvalidInput
from tokenfield._runtime.randomness import numpy_generator, random_key


@pytest.mark.parametrize("seed", [7, np.int32(7), jnp.asarray(7), jax.random.key(7), jax.random.PRNGKey(7)])
def test_all_forms_of_a_seed_are_one_seed(seed):
    assert random_key(seed) == jax.random.key(7)


@pytest.mark.parametrize("seed", [-1, 0, 2**40 + 3])
def test_seeds_of_many_bits_are_kept(seed):
    assert random_key(seed) == jax.random.key(seed)


def test_seeds_may_be_traced():
    draw = lambda seed: jax.random.normal(random_key(seed), (2,))  # noqa: E731
    np.testing.assert_array_equal(jax.vmap(draw)(jnp.arange(3))[2], draw(2))
    np.testing.assert_array_equal(jax.jit(draw)(jax.random.key(2)), draw(2))


@pytest.mark.parametrize("make", [random_key, numpy_generator])
@pytest.mark.parametrize("seed", [True, 1.5, "7", None, jax.random.split(jax.random.key(0), 2), 2**70])
def test_what_is_no_seed(make, seed):
    if make is numpy_generator and isinstance(seed, int) and seed > 1:
        return  # NumPy takes whole numbers of any size
    with pytest.raises(InvalidInput, match="seed must"):
        make(seed)


def test_numpy_draws_the_same_for_the_same_seed():
    for seed in (7, np.int64(7), jax.random.key(7), jax.random.PRNGKey(7)):
        assert numpy_generator(seed).integers(2**60) == np.random.default_rng(7).integers(2**60)
    many_bits = 2**40 + 3
    by_key, by_number = numpy_generator(jax.random.key(many_bits)), np.random.default_rng(many_bits)
    assert by_key.integers(2**60) == by_number.integers(2**60)
    first, second = (key for key in jax.random.split(jax.random.key(7)))
    assert numpy_generator(first).integers(2**60) != numpy_generator(second).integers(2**60)
    with pytest.raises(InvalidInput, match="must not be negative"):
        numpy_generator(-1)
