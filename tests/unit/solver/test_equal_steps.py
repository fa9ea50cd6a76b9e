"""Equal steps whose length is known only to compiled code: where they end, and that they do not drift."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield.solver.steppers import EqualSteps, fixed_times


@pytest.mark.parametrize(("step", "t_end"), [(0.1, 0.3), (0.1, 30.0), (0.3, 1.0), (2.0, 0.5), (0.1, 0.30000000001)])
def test_the_same_ends_as_a_list_of_times(step, t_end):
    @jax.jit
    def ends(step, t_end):
        controller = EqualSteps(step, t_end)
        first, state = controller.init(None, 0.0, t_end, None, None, None, None, None)

        def body(carry, _):
            t, state = carry
            _, start, after, _, state, _ = controller.adapt_step_size(0.0, t, None, None, None, None, None, state)
            return (after, state), start

        return jax.lax.scan(body, (first, state), length=len(wanted) - 1)[1]

    wanted = fixed_times(0.0, t_end, step, np.empty(0))
    np.testing.assert_allclose(ends(jnp.asarray(step), jnp.asarray(t_end)), wanted[1:], rtol=1e-15, atol=0)
