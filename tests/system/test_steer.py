"""examples/steer.py: gradients that are right, a loss that falls, files, exit codes, and Ctrl-C that keeps the work."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

SCRIPT = Path(__file__).parents[2] / "examples" / "steer.py"


def _load():
    spec = importlib.util.spec_from_file_location("steer", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["steer"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


steer = _load()


def _small(experiment, layers: int, n: int):
    """`experiment` with its first layers and tokens only, one step each."""
    weights = {name: matrix[:layers] for name, matrix in experiment.weights.items()}
    t1 = experiment.t1 * layers / experiment.layers
    return replace(
        experiment,
        build=partial(experiment.build.func, t1=t1),
        weights=weights,
        tokens=experiment.tokens[:, :n],
        targets=experiment.targets[:, :n],
        labels=experiment.labels[:, :n],
        t1=t1,
        layers=layers,
        substeps=1,
    )


# --- the gradient -------------------------------------------------------------------------------------------------


def _literal_loss(experiment, weights) -> float:
    """The loss of the classes: classical Runge-Kutta steps of x' = V softmax(<Qx, Ky>) y + W tanh(Ax + b)."""
    x, h = np.asarray(experiment.tokens)[0], experiment.t1 / experiment.layers
    for layer in range(experiment.layers):
        Q, K, V, W, A, b = (weights[name][layer] for name in "QKVWAb")

        def velocity(x, Q=Q, K=K, V=V, W=W, A=A, b=b):
            out = np.zeros_like(x)
            for i in range(len(x)):
                kernel = np.array([np.exp(np.dot(Q @ x[i], K @ y)) for y in x])
                out[i] = V @ (kernel @ x / kernel.sum()) + W @ np.tanh(A @ x[i] + b)
            return out

        k1 = velocity(x)
        k2 = velocity(x + h / 2 * k1)
        k3 = velocity(x + h / 2 * k2)
        k4 = velocity(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return float(np.mean(np.sum((x - np.asarray(experiment.targets)[0]) ** 2, axis=1)))


def _check_gradient(gradient, value, weights) -> None:
    """Compares the derivative along one random direction per kind of weights with a central difference of `value`."""
    rng = np.random.default_rng(0)
    for name, matrix in weights.items():
        direction = rng.normal(size=matrix.shape)
        h = 1e-5
        ends = [value({**weights, name: matrix + sign * h * direction}) for sign in (1, -1)]
        expected = (ends[0] - ends[1]) / (2 * h)
        found = np.sum(np.asarray(gradient[name]) * direction)
        # h^2 times a third derivative of order 1 and rounding 1e-16 / h: both near 1e-10
        assert abs(expected) > 1e-3, f"{name}: a derivative of zero would be no test"
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-8), name


@pytest.mark.slow
def test_gradient_in_all_weights_agrees_with_differences_of_a_literal_flow():
    """Q, K, V, W, A, b: through `solve`, against a NumPy twin that knows nothing of it."""
    small = _small(steer.classes_experiment(0), layers=2, n=5)
    value, gradient = jax.jit(jax.value_and_grad(partial(steer.loss, small)))(small.weights)
    weights = {name: np.asarray(matrix) for name, matrix in small.weights.items()}
    assert set(weights) == set("QKVWAb")
    assert float(value) == pytest.approx(_literal_loss(small, weights), rel=1e-12)
    _check_gradient(gradient, partial(_literal_loss, small), weights)


@pytest.mark.slow
def test_gradient_on_the_sphere_agrees_with_differences():
    small = _small(steer.prompts_experiment(0), layers=2, n=3)
    function = jax.jit(jax.value_and_grad(partial(steer.loss, small)))
    _, gradient = function(small.weights)
    weights = {name: np.asarray(matrix) for name, matrix in small.weights.items()}
    assert set(weights) == set("QKV")
    _check_gradient(gradient, lambda w: float(function(jax.tree.map(jnp.asarray, w))[0]), weights)


# --- what is steered ----------------------------------------------------------------------------------------------


def test_prompts_share_their_first_token_and_targets_do_not():
    experiment = steer.prompts_experiment(1)
    x, y = np.asarray(experiment.tokens), np.asarray(experiment.targets)
    np.testing.assert_array_equal(x[0, 0], x[1, 0])
    assert np.linalg.norm(y[0, 0] - y[1, 0]) > 0.1
    np.testing.assert_allclose(np.linalg.norm(np.stack([x, y]), axis=-1), 1, atol=1e-14)


def test_no_line_separates_the_two_classes():
    """By linear programming: otherwise sending them apart would be no feat."""
    from scipy.optimize import linprog

    for seed in range(4):
        experiment = steer.classes_experiment(seed)
        x, sign = np.asarray(experiment.tokens)[0], 2.0 * experiment.labels[0] - 1
        rows = -sign[:, None] * np.column_stack([x, np.ones(len(x))])
        found = linprog(np.zeros(3), A_ub=rows, b_ub=-np.ones(len(x)), bounds=[(None, None)] * 3)
        assert found.status == 2  # infeasible


def test_a_target_of_another_token_is_noticed():
    """The count of tokens nearest to their own target is not always all of them."""
    experiment = steer.classes_experiment(0)
    targets = np.asarray(experiment.targets)
    arrived = np.stack([np.asarray(experiment.tokens), targets], axis=1)
    arrived[0, -1, :3] = targets[0, -1]  # three of the first class end at the second target
    training = steer.Training(experiment.weights, np.array([1.0, 0.5]), False, 0.0)
    found = steer.measure(experiment, training, arrived)
    assert (found["nearest_to_own_target"], found["tokens"]) == (61, 64)
    assert found["max_distance"] == pytest.approx(3.0)
    assert found["rms_distance"] == pytest.approx(np.sqrt(3 * 9 / 64))


# --- the command --------------------------------------------------------------------------------------------------


def _run(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps", "0"], "--steps must be at least 1, got 0"),
        (["--steps", "many"], "argument --steps: invalid int value: 'many'"),
        (["--seed", "-1"], "--seed must be between 0"),
        (["--sed", "1"], "unrecognized arguments"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        steer.main([*arguments, *([] if "--out" in arguments else ["--out", str(tmp_path)])])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("steer.py: ") and message in error and error.count("\n") == 1


def test_place_that_cannot_be_written_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(SystemExit) as stop:
            steer.main(["--out", str(out)])
        assert stop.value.code == 2
        error = capsys.readouterr().err
        assert error.startswith(f"steer.py: cannot write to {out}") and error.count("\n") == 1


@pytest.mark.slow
def test_few_steps_bring_tokens_to_their_targets_and_write_everything(tmp_path):
    """A quarter of the steps of `make steer`."""
    done = _run("--out", str(tmp_path), "--steps", "200", "--seed", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert "prompts: loss" in done.stderr and "classes: loss" in done.stderr
    summary = json.loads(done.stdout)
    assert summary == json.loads((tmp_path / "summary.json").read_text())
    for name in ("prompts", "classes"):
        found = summary[name]
        # rms distances start near 1; all the steps bring them below 0.02, a quarter of them to 0.05 or so
        assert found["loss"]["last"] < 0.01 * found["loss"]["first"]
        assert found["rms_distance"] < 0.1
        assert found["nearest_to_own_target"] == found["tokens"]
        pixels = np.asarray(Image.open(tmp_path / f"{name}.png").convert("L"))
        assert min(pixels.shape) > 600 and np.mean(pixels < 200) > 0.005
    assert sorted(path.name for path in tmp_path.iterdir()) == ["classes.png", "prompts.png", "summary.json"]


@pytest.mark.slow
def test_interrupt_draws_what_is_done(tmp_path):
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), "--out", str(tmp_path), "--steps", "1000000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # a test run in the background ignores Ctrl-C, and its children would inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        shown = ""
        while ">" not in shown:  # the first chunk is done
            letter = process.stdout.read(1)
            assert letter, process.stderr.read()
            shown += letter
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == steer.INTERRUPTED, errors
    assert "(interrupted)" in rest and "Traceback" not in errors
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["prompts"]["is_interrupted"] and summary["prompts"]["steps"] >= steer.CHUNK
    assert (tmp_path / "prompts.png").stat().st_size > 10_000
    assert "classes" not in summary
