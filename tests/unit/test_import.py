"""What importing tokenfield does to JAX's global settings, and how to keep it from doing so. Each case is a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tokenfield as tkf

JAX_FIRST, JAX_SECOND = "import jax, tokenfield", "import tokenfield, jax"
SAY = "; print(jax.numpy.ones(1).dtype, jax.config.jax_default_matmul_precision)"
# what takes long to import and is not needed for every run
LATER = ("scipy.linalg", "scipy.spatial", "scipy.special", "scipy.optimize", "matplotlib", "xarray")


def run(program: str, **settings: str) -> str:
    """What `program` prints in a process of its own, where JAX is told nothing but `settings`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    environment |= {"JAX_PLATFORMS": "cpu"} | settings
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("order", [JAX_FIRST, JAX_SECOND])
def test_importing_switches_to_float64_and_full_precision(order: str) -> None:
    assert run(order + SAY) == "float64 highest"


@pytest.mark.parametrize("order", [JAX_FIRST, JAX_SECOND])
def test_what_the_environment_says_stays(order: str) -> None:
    settings = {"JAX_ENABLE_X64": "0", "JAX_DEFAULT_MATMUL_PRECISION": "tensorfloat32"}
    assert run(order + SAY, **settings) == "float32 tensorfloat32"


def test_solve_imports_no_more_than_every_run_needs() -> None:
    find = f"import sys, tokenfield; tokenfield.solve; print(*(set({LATER}) & set(sys.modules)))"
    assert run(find) == ""


def test_what_a_program_chose_stays() -> None:
    before = "import os, jax; os.environ['JAX_ENABLE_X64'] = '0'"
    before += "; jax.config.update('jax_default_matmul_precision', 'default'); "
    assert run(before + JAX_SECOND + SAY) == "float32 default"
    after = "; jax.config.update('jax_enable_x64', False)"
    assert run(JAX_FIRST + after + SAY) == "float32 highest"


COMMAND_LINE = """
import sys
from tokenfield.cli import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    pass
"""


def test_the_command_line_is_float64_whatever_the_environment_says() -> None:
    assert run(COMMAND_LINE + "import jax" + SAY, JAX_ENABLE_X64="0").splitlines()[-1] == "float64 highest"


FLOAT32 = """
import json, warnings
import jax.numpy as jnp
import numpy as np
import tokenfield as tkf

warnings.simplefilter("error")
model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta=4.0))
angles = np.linspace(0.0, 5.0, 600)
tokens = tkf.Measure(np.stack([np.cos(angles), np.sin(angles)], axis=1))
run = tkf.solve(model, tokens, t1=1.0, save="end")
energy = run.energy()
integers = tkf.Measure([[1, 0], [0, 1]])
assert {a.dtype for a in (tokens.points, run.points, run.ts, energy, integers.points)} == {jnp.dtype("float32")}
expansion = tkf.sums.Expansion("fourier", 31, 9.0, True, 1e-10)
try:
    tkf.sums.attend_on_sphere(tokens.points, tokens.points, tokens.weights, expansion)
except tkf.Unsupported as error:
    refused = str(error)
print(json.dumps({
    "points": run.points[-1].tolist(),
    "energy": float(energy[-1]),
    "result": str(run.result),
    "reason": tkf.explain(model, tkf.Sphere(2).uniform_points(4000, seed=0), t1=1.0).explanation["sum"],
    "refused": refused,
}))
"""


@pytest.mark.slow
def test_a_float32_program_works() -> None:
    """With tokens that the fast sums, which are float64 inside, would take; without a warning; right to its digits."""
    found = json.loads(run(FLOAT32, JAX_ENABLE_X64="0"))
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta=4.0))
    angles = np.linspace(0.0, 5.0, 600)
    exact = tkf.solve(model, np.stack([np.cos(angles), np.sin(angles)], axis=1), t1=1.0, save="end")
    assert found["result"] == "finished at t = 1"
    np.testing.assert_allclose(found["points"], exact.points[-1], atol=1e-4)  # rtol is 1e-5, and errors grow
    assert found["energy"] == pytest.approx(float(exact.energy()[-1]), rel=1e-5)
    assert "fast sums need float64" in found["reason"] and "sum directly" in found["refused"]
