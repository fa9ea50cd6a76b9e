"""`steer`: gradients that are right, losses that fall, the certificate, low rank, penalties, and Ctrl-C."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import tokenfield as tkf
from interrupting import interrupted_after
from tokenfield import control
from tokenfield.control.descent import CHUNK, begin, descend
from tokenfield.control.losses import LOSSES
from tokenfield.control.training import Training, certify, prepare, train


def _points(seed: int, *shape: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _plane_training(**options) -> Training:
    model = tkf.Transformer(tkf.Euclidean(2), [tkf.Softmax(1.0), tkf.Perceptron(activation="tanh")])
    rng = np.random.default_rng(0)
    prompts = ((tkf.Measure(rng.normal(size=(4, 2))), tkf.Measure(rng.normal(size=(4, 2)))),)
    values = {
        "loss": "points",
        "t1": 1.0,
        "pieces": 2,
        "rank": None,
        "width": 3,
        "substeps": 1,
        "size": 0.0,
        "hurry": 0.0,
    }
    return Training(model, prompts, **{**values, **options})


def _literal_loss(training: Training, weights) -> float:
    """Classical Runge-Kutta steps of x' = V softmax(<Qx, Ky>) y + W tanh(Ax + b), in loops."""
    source, target = training.prompts[0]
    x, h = np.asarray(source.points), training.t1 / training.pieces
    for piece in range(training.pieces):
        Q, K, V = (np.asarray(weights[f"0.{name}"])[piece] for name in "QKV")
        W, A, b = (np.asarray(weights[f"1.{name}"])[piece] for name in "WAb")

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
    return float(np.mean(np.sum((x - np.asarray(target.points)) ** 2, axis=1)))


@pytest.mark.slow
def test_gradient_agrees_with_differences_of_a_literal_flow():
    training = _plane_training()
    weights = training.initial(0)
    (value, _), gradient = jax.jit(jax.value_and_grad(training.objective, has_aux=True))(weights)
    assert float(value) == pytest.approx(_literal_loss(training, weights), rel=1e-12)
    rng, h = np.random.default_rng(1), 1e-5
    for name, matrix in weights.items():
        if name == "log_time":
            continue
        direction = rng.normal(size=matrix.shape)
        ends = [_literal_loss(training, {**weights, name: matrix + sign * h * direction}) for sign in (1, -1)]
        # h^2 times a third derivative of order 1 and rounding 1e-16 / h: both near 1e-10
        assert np.sum(np.asarray(gradient[name]) * direction) == pytest.approx(
            (ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-8
        )


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_gradients_of_losses_are_those_of_differences(name):
    x, y = _points(0, 4, 3), _points(1, 4, 3)
    a = np.full(4, 0.25)
    loss = jax.jit(lambda x: LOSSES[name](x, a, y, a))
    direction, h = _points(2, 4, 3), 1e-4
    expected = (float(loss(x + h * direction)) - float(loss(x - h * direction))) / (2 * h)
    # Sinkhorn ends at an error of masses of 1e-5, which the gradient by the envelope theorem inherits
    tolerance = 1e-3 if name == "sinkhorn" else 1e-6
    assert float(np.sum(np.asarray(jax.grad(loss)(x)) * direction)) == pytest.approx(expected, abs=tolerance)


def test_w2_and_sinkhorn_are_those_of_transport():
    x, y = _points(0, 5, 3), _points(1, 5, 3)
    a = np.full(5, 0.2)
    measures = tkf.Measure(x), tkf.Measure(y)
    expected = tkf.transport.wasserstein(*measures, tkf.Euclidean(3), p=2) ** 2
    assert float(LOSSES["w2"](x, a, y, a)) == pytest.approx(expected, rel=1e-10)
    assert float(LOSSES["sinkhorn"](x, a, x, a)) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.slow
def test_prompts_that_share_a_token_are_parted_and_certified():
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0))
    x, y = _points(0, 2, 3, 3), _points(1, 2, 3, 3)
    x[1, 0] = x[0, 0]
    found = control.steer(model, x, y, t1=1.0, seed=0, pieces=4, steps=120, loss="w2", progress=False)
    assert found.best < 0.2 * found.losses[0]
    assert found.certificate.holds and found.certificate.loss == pytest.approx(found.best, abs=1e-3)
    assert found.schedule.count == 4 and not found.is_interrupted
    drawn = tkf.plot.steering(found)
    assert drawn.name == "steering"


def test_low_rank_weights_have_low_rank():
    training = _plane_training(rank=1)
    model = training.transformer(training.initial(0))
    V = np.asarray(model.schedule.layers[0].V)
    assert np.abs(np.linalg.det(V)).max() < 1e-14 and np.abs(V).max() > 0


def _loss_of(found: control.Steering, training: Training) -> float:
    """The loss of the weights that a steering has, by the steps of the training, in its depth."""
    step = found.t1 / (training.pieces * training.substeps)
    ends = [
        tkf.solve(found.model, source, t1=found.t1, method="rk4", step=step, save="end", progress=False).final.points
        for source in found.sources
    ]
    return float(training.mean_loss(ends))


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_weights_and_not_the_last():
    training = _plane_training()
    with interrupted_after(0.05):  # with so large a rate losses rise and fall
        found = train(training, training.initial(0), 1000, 0.5, 0.0, False)
    assert found.is_interrupted and found.losses[-1] > 1.2 * found.best
    assert found.best == found.losses.min() == pytest.approx(_loss_of(found, training), rel=1e-9)


@pytest.mark.slow
def test_penalties_make_weights_small_and_depth_short():
    """Each against the same training without it; what is reported is the loss alone."""

    def trained(**options):
        training = _plane_training(**options)
        found = train(training, training.initial(0), 200, 0.05, 0.0, False)
        if training.hurry:  # the depth that training finds is a speed: the model has it as depth
            assert found.best == pytest.approx(_loss_of(found, training), rel=1e-9)
        matrices = [getattr(part, name) for part in found.schedule.layers for name in "QKVWAb" if hasattr(part, name)]
        return found, sum(float(np.sum(np.asarray(matrix) ** 2)) for matrix in matrices)

    (free, large), (small, least), (fast, _) = trained(), trained(size=0.05), trained(hurry=0.3)
    assert free.t1 == small.t1 == 1.0 and fast.t1 < 0.7
    assert least < 0.5 * large
    # a penalty costs: the loss is larger than without, but the training still does something
    assert free.best < min(small.best, fast.best) and max(small.best, fast.best) < 0.9 * free.losses[0]


@pytest.mark.slow
def test_clusters_and_measures_are_trained():
    """Targets of other numbers of points than tokens: nearest ones, and masses."""
    for loss in ("clusters", "sinkhorn"):
        training = _plane_training(loss=loss)
        (source, _), target = training.prompts[0], tkf.Measure([[2.0, 0.0], [-2.0, 0.5]], [0.75, 0.25])
        training = dataclasses.replace(training, prompts=((source, target),))
        found = train(training, training.initial(0), 300, 0.05, 0.0, False)
        ends = np.asarray(found.run(source).final.points)
        nearest = np.linalg.norm(ends[:, None] - np.asarray(target.points), axis=-1)
        assert found.best < 0.05 * found.losses[0] and nearest.min(axis=1).max() < 0.5
        if loss == "sinkhorn":  # three tokens of four to the atom of mass 3/4
            assert np.bincount(nearest.argmin(axis=1)).tolist() == [3, 1]


@pytest.mark.slow
def test_certificate_shows_weights_that_exploit_steps():
    """Large weights and one step for each piece: what the training sees is not the flow."""
    training = _plane_training()
    weights = jax.tree.map(lambda leaf: 6 * leaf, training.initial(0))
    assert not certify(training, weights, 1.0).holds


@pytest.mark.slow
def test_a_training_that_exploits_its_step_is_not_certified():
    """Two points change places on a line: no flow does that, one large Runge-Kutta step does."""
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Perceptron(activation="tanh"))
    prompts = ((tkf.Measure([[0.0], [1.0]]), tkf.Measure([[1.0], [0.0]])),)
    training = Training(model, prompts, "points", 1.0, 1, None, 4, 1, 0.0, 0.0)
    found = train(training, training.initial(0), 600, 0.1, 1e-8, False)
    # points that keep their order are best both in the middle, a loss of 1/4: the training believes in less
    assert found.best < 0.1
    assert not found.certificate.holds and found.certificate.loss > 0.25


@pytest.mark.slow
def test_memory_of_the_gradient_is_flat_in_depth():
    """With so many tokens that all states are far more than the weights: else nothing would be seen of them."""
    n = 64
    x, y = np.random.default_rng(0).normal(size=(2, n, 2))

    def bytes_of(pieces: int) -> int:
        training = _plane_training(pieces=pieces, substeps=4)
        training = dataclasses.replace(training, prompts=((tkf.Measure(x), tkf.Measure(y)),))
        gradient = jax.jit(jax.grad(lambda weights: training.objective(weights)[0]))
        return gradient.lower(training.initial(0)).compile().memory_analysis().temp_size_in_bytes

    few, many = bytes_of(16), bytes_of(1024)
    weights = sum(leaf.nbytes for leaf in jax.tree.leaves(_plane_training(pieces=1024).initial(0)))
    state = 8 * 2 * n
    # beside copies of the weights themselves, 64 states, kept a few times each; those of all 4096 steps are 4 MB
    allowed = few + 4 * weights + 64 * state * 10
    assert many < allowed < few + 4096 * state, (few, many, weights)


@pytest.mark.slow
def test_an_interrupted_training_resumes_bit_for_bit():
    """A real Ctrl-C after 40 of 60 steps; sinkhorn and Adam go on from where they were."""
    training = _plane_training(loss="sinkhorn", size=1e-3)
    whole = train(training, training.initial(0), 60, 0.05, 0.0, False)
    with interrupted_after(0.6):
        part = train(training, training.initial(0), 60, 0.05, 0.0, False)
    assert part.is_interrupted and len(part.losses) == 40
    before = part.going_on.keywords["after"].seconds  # of its descent; its certificate is made again
    found = part.resume(progress=False)
    assert not found.is_interrupted and found.wall_s > before > 0
    np.testing.assert_array_equal(found.losses, whole.losses)
    jax.tree.map(np.testing.assert_array_equal, found.schedule.layers, whole.schedule.layers)
    assert whole.best < 0.5 * whole.losses[0]
    with pytest.raises(tkf.InvalidInput, match="was not interrupted"):
        found.resume()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": [np.eye(3), np.eye(3)]}, "each prompt needs one target: 1 prompts, 2 targets"),
        ({"loss": "w3"}, "unknown loss 'w3'"),
        ({"t1": 0.0}, "t1 must be positive"),
        ({"pieces": 0}, "pieces must be at least 1"),
        ({"size": -1.0}, "size is the weight of a penalty"),
        ({"targets": np.eye(3)[:2]}, "target 0 has 2 points for 3 tokens"),
        ({"sources": 2 * np.eye(3)}, "prompt 0 must be on the unit sphere"),
        (
            {"sources": [np.eye(3), np.eye(3)[::-1]], "targets": [np.eye(3), -np.eye(3)]},
            "prompts 0 and 1 are the same measure",
        ),
        ({"sources": [np.eye(3), np.eye(3)[::-1]], "targets": [-np.eye(3), -np.eye(3)]}, "are the same measure"),
        (
            {"sources": [np.eye(3), np.eye(3)[[0, 1, 2] * 2]], "targets": [np.eye(3), -np.eye(3)[[0, 1, 2] * 2]]},
            "are the same measure",
        ),  # one has each token twice
        ({"sources": np.eye(3)[[0, 0, 1]]}, "tokens 0 and 1 of prompt 0 are equal and have different targets"),
        ({"sources": np.eye(3)[[0, 0, 1]], "loss": "w2"}, "fewer distinct tokens than target 0 has points"),
        ({"sources": tkf.Measure(np.eye(3), [0.5, 0.3, 0.2]), "loss": "w2"}, "prompt 0 has unequal weights"),
    ],
)
def test_bad_problems_are_refused(change, message):
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0))
    values = {"sources": np.eye(3), "targets": -np.eye(3), "t1": 1.0, "seed": 0, **change}
    with pytest.raises(tkf.TokenfieldError, match=message):
        control.steer(model, values.pop("sources"), values.pop("targets"), **values)


def _circle(angles) -> np.ndarray:
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


ANGLES = np.array([2.0, 0.1, 4.0, 1.0])
PAIRS = [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("dim", "sources", "targets"),
    [
        (2, _circle(ANGLES), _circle(-ANGLES)),
        (2, _circle(ANGLES), _circle(ANGLES[[1, 0, 2, 3]])),
        (1, [[0.0], [1.0]], [[1.0], [0.0]]),
    ],
)
def test_tokens_do_not_pass_each_other_on_a_circle_or_a_line(dim, sources, targets):
    model = tkf.Transformer(tkf.Sphere(2) if dim == 2 else tkf.Euclidean(1), tkf.Perceptron())
    with pytest.raises(tkf.Unsupported, match="tokens of one prompt keep their order"):
        control.steer(model, sources, targets, t1=1.0, seed=0)


@pytest.mark.parametrize(
    ("sources", "targets", "options"),
    [
        (_circle(ANGLES), _circle(ANGLES + 2.5), {}),  # turned
        (_circle(ANGLES), _circle([np.pi, -np.pi, np.pi, -np.pi]), {}),  # all to one point
        (_circle(ANGLES), _circle([0.0, 1e-12, 3.0, 0.0]), {}),  # some to one point
        (_circle(ANGLES), _circle(ANGLES)[::-1], {"position": tkf.Causal()}),  # tokens see different contexts
        ([_circle(ANGLES), _circle(ANGLES)[::-1]], [_circle(ANGLES + 1), _circle(ANGLES + 1)[::-1]], {}),  # one map
        ([_circle(ANGLES), _circle(ANGLES)[PAIRS]], [_circle(ANGLES + 1), _circle(ANGLES + 1)[PAIRS]], {}),  # doubled
    ],
)
def test_what_a_flow_can_do_is_accepted(sources, targets, options):
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), **options)
    values = {"rank": None, "width": None, "widths": None, "size": 0.0, "hurry": 0.0, "substeps": 1, "pieces": 1}
    assert prepare(model, sources, targets, t1=1.0, loss="points", **values).pieces == 1


def test_a_training_is_compiled_once():
    """Also where its last chunk is shorter: the state of the first has the types of all others."""
    traced = []

    def objective(weights):
        traced.append(weights)
        loss = jnp.sum(weights["a"] ** 2)
        return loss, loss

    optimizer = optax.adam(0.1)
    descent = begin({"a": jnp.array([1.0, -2.0])}, optimizer)
    descend(objective, descent, optimizer, steps=2 * CHUNK + 1, enough=0.0, progress=False)
    assert descent.count == 2 * CHUNK + 1 and len(traced) == 1
