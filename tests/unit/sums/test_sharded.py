"""Sums over tokens spread over 8 devices equal those of one device; flows stay spread; the pages of docs run.

Virtual devices must be asked for before JAX starts, so the checks run together in one process of their own: this file
as a program prints what failed in each of them. What one device can show is tested here.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

from tokenfield import L2, Hardmax, Sigmoid, Softmax, Sphere, Transformer, initial, solve, sums
from tokenfield.errors import InvalidInput
from tokenfield.sums import Band, dense, fast, sharded

PAGE = Path(__file__).parents[3] / "docs" / "devices.md"
COUNT = 8
TOLERANCE = 1e-12  # what the ring promises; sums of 21 terms of order one are exact to 1e-15
CHECKS = {}


def check(function):
    """Registers `function` to be run on 8 devices."""
    CHECKS[function.__name__] = function
    return function


def problem(m, n, *, beta=3.0, seed=0):
    """Queries, keys, values of two columns, and positive weights that sum to one."""
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=shape) for shape in ((m, 3), (n, 3), (n, 2)))
    w = rng.uniform(0.1, 1.0, size=n)
    return tuple(jnp.asarray(a) for a in (beta * q, k, v, w / w.sum()))


def band(m, n):
    """A causal window with a slope; the first queries see nothing, and most see nothing of most blocks."""
    numbers = (jnp.asarray(number) for number in (0.0, 3.0, 0.2))
    return Band(jnp.arange(m) - 2.5, jnp.arange(n) * 1.0, *numbers, jnp.linspace(0.0, 1.0, m))


def literal(q, k, v, w, band=None):
    """Log-sum-exp and mean as they are written, pair by pair."""
    q, k, v, w = (np.asarray(a, np.longdouble) for a in (q, k, v, w))
    log_sum, mean = np.full(len(q), -np.inf), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        logits = {}
        for j in range(len(k)):
            logit = q[i] @ k[j]
            if band is not None:
                away = float(band.queries[i] - band.keys[j])
                if not float(band.nearest) <= away <= float(band.farthest):
                    continue
                logit += float(band.offset[i]) - float(band.slope) * abs(away)
            if w[j] > 0:
                logits[j] = logit
        if logits:
            top = max(logits.values())
            total = sum(w[j] * np.exp(logit - top) for j, logit in logits.items())
            log_sum[i] = np.log(total) + top
            mean[i] = sum(w[j] * np.exp(logit - top) * v[j] for j, logit in logits.items()) / total
    return log_sum, mean


def assert_same(actual, expected, tolerance=TOLERANCE):
    for a, b in zip(actual, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


# --- on 8 devices -------------------------------------------------------------------------------------------------


@check
def ring_equals_the_literal_sum():
    """Rows that divide evenly, that do not, and fewer than devices; a device without any weight."""
    for m, n in ((16, 24), (13, 21), (3, 5)):
        q, k, v, w = problem(m, n)
        w = w.at[: n // COUNT].set(0.0)
        with sums.over_devices():
            out = sharded.attend(q, k, v, w)
        assert_same(out, literal(q, k, v, w))
        assert out.mean.sharding.spec == (PartitionSpec("tokens") if m == 16 else PartitionSpec())


@check
def ring_survives_large_logits():
    q, k, v, w = problem(16, 24, beta=1e4)
    # logits up to 1e5 are rounded at 1e-11, and so is the log-sum-exp by which blocks are put together
    with sums.over_devices():
        assert_same(sharded.attend(q, k, v, w), literal(q, k, v, w), 1e-10)


def everything(module, q, k, v, w, band):
    """All the sums there are, in one compiled function; the kernel holds a traced number, as that of Sigmoid does."""
    return {
        "attend": tuple(module.attend(q, k, v, w, band)),
        "weigh": tuple(module.weigh(q, k, v, w, lambda s: jax.nn.sigmoid(s + v[0, 0]), shift=q[:, 0], band=band)),
        "largest": (module.largest(q, k, band),),
    }


@check
def bands_equal_dense():
    arguments = (*problem(13, 21), band(13, 21))
    with sums.over_devices():
        out = jax.jit(everything, static_argnums=0)(sharded, *arguments)
    reference = everything(dense, *arguments)
    for name in reference:
        assert_same(out[name], reference[name])
    assert_same(out["attend"], literal(*arguments))
    assert np.all(np.isneginf(out["attend"][0][:2])) and np.all(np.asarray(out["attend"][1][:2]) == 0)


@check
def derivatives_equal_dense():
    """Forward and backward, where some queries see nothing and the others nothing of most devices."""
    q, k, v, w = problem(13, 21)
    seen, rng = band(13, 21), np.random.default_rng(1)
    tangents = tuple(jnp.asarray(rng.normal(size=a.shape)) for a in (q, k, v, w))
    cotangent = jnp.asarray(rng.normal(size=(13, 3)))

    def out(module, *arguments):
        log_sum, mean = module.attend(*arguments, seen)
        return jnp.concatenate([jnp.where(jnp.isneginf(log_sum), 0.0, log_sum)[:, None], mean], axis=1)

    def both(module, *arguments):
        forward = jax.jvp(lambda *a: out(module, *a), arguments, tangents)[1]
        return forward, *jax.vjp(lambda *a: out(module, *a), *arguments)[1](cotangent)

    with sums.over_devices():
        ours = jax.jit(both, static_argnums=0)(sharded, q, k, v, w)
    reference = jax.jit(both, static_argnums=0)(dense, q, k, v, w)
    assert all(np.abs(a).max() > 0.1 for a in reference)  # so that equality says something
    assert_same(ours, reference)


@check
def fast_sums_add_up_over_devices():
    for algorithm, d in (("fourier", 2), ("harmonics", 3)):
        rng = np.random.default_rng(d)
        x = rng.normal(size=(21, d))
        x = jnp.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))
        w = jnp.asarray(rng.uniform(0.1, 1.0, 21))
        queries, expansion = 4.0 * x[:13], fast.Expansion(algorithm, 31, 5.0, True, 1e-10)
        with sums.over_devices():
            out = sharded.attend_on_sphere(queries, x, w, expansion)
        assert_same(out[:2], literal(queries, x, x, w))
        assert out.error.shape == (13,) and np.all(np.asarray(out.error) < 1e-10)
        if d == 2:
            # what `sums` makes of it where the error is too large: the ring for these queries
            exact = expansion._replace(tolerance=0.0)
            with sums.over_devices():
                again = jax.jit(fast.attend, static_argnums=3)(queries, x, w, exact)
            assert_same(again, literal(queries, x, x, w))


@check
def models_move_alike():
    """The same compiled function, called outside first: the setting is part of what it is compiled for."""
    for attention in (Softmax(4.0), L2(2.0), Sigmoid(4.0, bias=0.5), Hardmax()):
        model = Transformer(Sphere(4), attention)
        mu = initial.uniform(model.geometry, n=24, seed=0)
        velocity = jax.jit(lambda x, mu=mu, model=model: model.velocity(0.0, x, mu.at(x)))
        alone = velocity(mu.points)
        with sums.over_devices():
            assert sums.choose(mu.n, mu.n).name == "ring"
            together = velocity(mu.points)
            if isinstance(attention, Softmax):
                text = velocity.lower(sums.shard(mu.points)).compile().as_text()
                assert "collective-permute" in text and "all-gather" not in text
        assert alone.sharding.num_devices == 1 and together.sharding.spec == PartitionSpec("tokens")
        assert_same([together], [alone])


@check
def a_batch_is_a_batch_of_rings():
    batch = jnp.stack([problem(16, 24, seed=seed)[0] for seed in range(3)])
    _, k, v, w = problem(16, 24)
    with sums.over_devices():
        out = jax.jit(jax.vmap(lambda q: sharded.attend(q, k, v, w)))(batch)
    assert_same(out, jax.vmap(lambda q: dense.attend(q, k, v, w))(batch))


@check
def flows_of_the_page_stay_spread():
    names = {}
    for block in python_blocks():
        if "distributed" not in block:
            exec(compile(block, "devices.md", "exec"), names)
    run, model, tokens = names["run"], names["model"], names["tokens"]
    with sums.over_devices():
        start = sums.shard(tokens)
    for points in (start.points, run.final.points):
        assert points.sharding.spec == PartitionSpec("tokens")
        assert {shard.data.shape for shard in points.addressable_shards} == {(tokens.n // COUNT, 4)}
    alone = solve(model, tokens, t1=1.0, method="rk4", step=0.25, save="end")
    assert alone.final.points.sharding.num_devices == 1
    assert_same([run.points], [alone.points])


def python_blocks():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def main():
    jax.config.update("jax_disable_most_optimizations", True)
    assert jax.device_count() == COUNT
    for name, function in CHECKS.items():
        started, failure = time.perf_counter(), None
        try:
            function()
        except Exception:
            failure = traceback.format_exc()
        seconds = round(time.perf_counter() - started, 2)
        print("CHECK " + json.dumps({"name": name, "failure": failure, "seconds": seconds}), flush=True)


def environment(devices):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    return os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}


@pytest.fixture(scope="module")
def outcomes():
    done = subprocess.run([sys.executable, __file__], env=environment(COUNT), capture_output=True, text=True)
    lines = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("CHECK ")]
    assert done.returncode == 0 and len(lines) == len(CHECKS), done.stderr
    return {line["name"]: line["failure"] for line in lines}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_on_eight_devices(name, outcomes):
    assert outcomes[name] is None, outcomes[name]


@pytest.mark.slow
def test_the_page_runs_on_two_hosts(tmp_path):
    """The program of the page as two processes of two devices each, which only share a port."""
    (program,) = (block for block in python_blocks() if "distributed" in block)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    changed = program.replace("10.0.0.1:1234", f"127.0.0.1:{port}")
    assert changed != program
    (tmp_path / "flow.py").write_text(
        "import jax\njax.config.update('jax_disable_most_optimizations', True)\n" + changed
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "flow.py", str(i)],
            cwd=tmp_path,
            env=environment(2),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(2)
    ]
    try:
        outputs = [process.communicate(timeout=120) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], outputs
    lines = [[line for line in out.splitlines() if line.startswith("process")] for out, _ in outputs]
    assert lines[0] == ["process 0 of 2: 4 devices, finished at t = 1"]
    assert lines[1] == ["process 1 of 2: 4 devices, finished at t = 1"]


# --- on one device ------------------------------------------------------------------------------------------------


def test_a_ring_of_one_equals_dense():
    mesh = Mesh(np.asarray(jax.devices()[:1]), ("rows",))
    q, k, v, w = problem(13, 21)
    assert_same(sharded.attend(q, k, v, w, mesh=mesh, axis="rows"), literal(q, k, v, w))
    seen = band(13, 21)
    weighed = sharded.weigh(q, k, v, w, jnp.tanh, shift=q[:, 0], band=seen, mesh=mesh, axis="rows")
    assert_same(weighed, dense.weigh(q, k, v, w, jnp.tanh, shift=q[:, 0], band=seen))
    assert_same([sharded.largest(q, k, seen, mesh=mesh, axis="rows")], [dense.largest(q, k, seen)])


def test_one_device_changes_nothing():
    assert sums.device_count() == 1
    x = problem(13, 21)[0]
    assert sums.shard(x) is x
    with sums.over_devices(jax.devices()[:1]) as mesh:
        assert sums.device_count() == 1 and mesh.shape == {"tokens": 1}
        assert "devices" not in sums.choose(24, 24).reason


def test_devices_must_be_some_and_differ():
    for devices in ([], [jax.devices()[0]] * 2):
        with pytest.raises(InvalidInput, match="one or more different devices"), sums.over_devices(devices):
            pass


def test_devices_are_not_chosen_inside_compiled_functions():
    @jax.jit
    def inside(x):
        with sums.over_devices():
            return x

    with pytest.raises(InvalidInput, match="around calls of compiled functions"):
        inside(1.0)


def test_a_mesh_without_the_axis_is_refused():
    with pytest.raises(InvalidInput, match=r"no axis 'tokens' in the mesh .* use over_devices"):
        sharded.attend(*problem(13, 21))


if __name__ == "__main__":
    main()
