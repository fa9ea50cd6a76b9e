"""Normalization schemes against literal twins: the equation, the discrete layer, gains, radii through `solve`."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import oracles
import oracles_normalization as twins
import tokenfield as tkf
from tokenfield.flows.tokens import TokenFlow

TAU = 0.6
SETTINGS = twins.Settings(alpha=lambda t: 0.7, tau=TAU)
SCHEMES = {
    "post": tkf.PostLN(),
    "pre": tkf.PreLN(),
    "mix": tkf.MixLN(TAU),
    "peri": tkf.PeriLN(),
    "ngpt": tkf.NGPT(0.7),
    "depth": tkf.DepthScaled(),
}
ROUNDING = 1e-13  # sums of a few dozen numbers of size one


def tokens(n=5, d=3, seed=0):
    """Directions, radii, weights, and a head with general matrices."""
    rng = np.random.default_rng(seed)
    theta = twins.N(rng.standard_normal((n, d)))
    w = rng.uniform(0.5, 2, n)
    Q, K, V = rng.standard_normal((3, d, d))
    return theta, rng.uniform(0.5, 2, n), w / w.sum(), oracles.HeadMatrices(1.5, Q, K, V)


def transformer(head, normalization, **options):
    d = len(head.V)
    return tkf.Transformer(
        tkf.Sphere(d), tkf.Softmax(head.beta), Q=head.Q, K=head.K, V=head.V, normalization=normalization, **options
    )


def added(w, head):
    return lambda t, x: oracles.sa_field(x, w, [head])


def close(got, expected, tolerance=ROUNDING):
    np.testing.assert_allclose(np.asarray(got), expected, rtol=tolerance, atol=tolerance)


def test_every_scheme_has_a_twin():
    kinds = {type(scheme) for scheme in SCHEMES.values()}
    public = {getattr(tkf, name) for name in tkf.__all__ if isinstance(getattr(tkf, name), type)}
    assert kinds == {kind for kind in public if issubclass(kind, tkf.normalization.Normalization)}


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("t", [0.25, 1.5])  # before and after tau
def test_motion_is_the_table(name, t):
    theta, r, w, head = tokens()
    model = transformer(head, SCHEMES[name])
    turn, growth = model.motion(t, jnp.asarray(theta), tkf.Measure(theta, w, radii=r))
    expected = twins.motion(name, t, theta, r, added(w, head)(t, theta), SETTINGS)
    close(turn, expected[0])
    close(growth, expected[1])
    # velocity is the same direction; radii can also be handed over, and matter only to schemes that have them
    close(model.velocity(t, jnp.asarray(theta), tkf.Measure(theta, w), radii=jnp.asarray(r)), expected[0])
    slowed = model.velocity(t, jnp.asarray(theta), tkf.Measure(theta, w, radii=2 * r))
    assert np.allclose(slowed, expected[0]) == (not (name in ("pre", "peri") or (name == "mix" and t > TAU)))


@pytest.mark.parametrize("name", SCHEMES)
def test_layer_is_what_practitioners_write(name):
    theta, r, w, head = tokens()
    if name not in twins.HAS_RADIUS:
        r = np.ones_like(r)  # such tokens live on the sphere
    model, h = transformer(head, SCHEMES[name]), 0.3
    for t in (0.0, TAU):
        x = theta if name == "mix" and t < TAU else r[:, None] * theta
        got = model.layer(t, tkf.Measure.polar(x, w), step=h)
        expected = twins.layer(name, t, x, added(w, head), h, SETTINGS)
        close(np.asarray(got.radii)[:, None] * np.asarray(got.points), expected)


# one by default: `TokenFlow.layer` runs all schemes in the tests of convergence
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in SCHEMES if name != "mix"]


@pytest.mark.parametrize("name", ["mix", *SLOW])
def test_solve_runs_these_layers(name):
    theta, r, w, head = tokens()
    L, t1 = 5, 1.5  # tau = 0.6 is the start of the third layer
    starts_on_sphere = name not in ("pre", "peri")
    x = theta if starts_on_sphere else r[:, None] * theta
    run = tkf.solve(transformer(head, SCHEMES[name]), tkf.Measure.polar(x, w), t1=t1, layers=L, save=L + 1)
    assert int(run.stats.accepted) == L
    for layer in range(L + 1):
        radii = run.final.radii if run.radii is None else run.radii[layer]
        close(np.asarray(radii)[:, None] * np.asarray(run.points[layer]), x, 1e-12)
        x = twins.layer(name, layer * t1 / L, x, added(w, head), t1 / L, SETTINGS)


def test_mix_layers_that_start_at_tau_up_to_rounding_are_pre():
    theta, _, w, head = tokens()
    start = 0.3 - np.spacing(0.3)  # what 6 * 0.05 or a sum of steps may give
    mu = tkf.Measure(theta, w, radii=np.ones(5))
    got = transformer(head, tkf.MixLN(0.3)).layer(start, mu, step=0.1)
    assert float(jnp.ptp(got.radii)) > 1e-3  # a Post-LN layer would keep all radii
    before = transformer(head, tkf.MixLN(0.3)).layer(0.29, mu, step=0.1)
    assert float(jnp.ptp(before.radii)) == 0.0


def test_a_layer_that_adds_nothing_moves_nothing():
    theta, r, w, head = tokens()
    for name, scheme in SCHEMES.items():
        model = transformer(head._replace(V=np.zeros((3, 3))), scheme)
        mu = tkf.Measure(theta, w, radii=r)
        turn, growth = model.motion(1.0, mu.points, mu)
        assert not np.any(turn) and not np.any(growth), name
        after = model.layer(1.0, mu, step=0.3)
        close(after.points, theta)
        close(after.radii, r)


# adaptive steps shrink in front of it; fixed steps must not jump over it
METHODS = [{}, pytest.param({"method": "rk4", "step": 0.3}, marks=pytest.mark.slow)]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_radius_that_reaches_zero_ends_the_flow(method):
    # one token and V = -I: x' = -x/|x|, so r = 1 - t, and after t = 1 there is no direction any more
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), V=-np.eye(2), normalization=tkf.PreLN())
    run = tkf.solve(model, [[0.6, 0.8]], t1=2.0, save=3, **method)
    assert not run.result.is_complete
    assert np.all(np.asarray(run.radii) >= 0)
    if not method:
        assert float(run.result.t) == pytest.approx(1.0, abs=1e-7)


# --- gain: the axis-aligned ellipsoid -------------------------------------------------------------------------------

D = np.array([0.6, 1.0, 1.7])


@pytest.mark.parametrize("name", SCHEMES)
def test_gain_of_ones_changes_nothing(name):
    theta, r, w, head = tokens()
    mu = tkf.Measure(theta, w, radii=r)
    with_gain = eqx.tree_at(lambda s: s.gain, SCHEMES[name], jnp.ones(3), is_leaf=lambda leaf: leaf is None)
    for t in (0.25, 1.5):
        plain, ones = (transformer(head, scheme).motion(t, mu.points, mu) for scheme in (SCHEMES[name], with_gain))
        close(ones[0], plain[0], 1e-15)
        close(ones[1], plain[1], 1e-15)
    # the control: another gain is felt
    other = eqx.tree_at(lambda s: s.gain, with_gain, jnp.asarray(D))
    assert np.abs(transformer(head, other).velocity(1.5, mu.points, mu) - plain[0]).max() > 0.1


def test_post_gain_moves_on_the_ellipsoid():
    theta, _, w, head = tokens()
    model, mu = transformer(head, tkf.PostLN(gain=D)), tkf.Measure(theta, w)
    A = oracles.sa_field(theta * D, w, [head])
    close(np.asarray(model.velocity(0.0, mu.points, mu)) * D, twins.ellipsoid_velocity(theta * D, A, D))
    # one layer: x + h A, back to the ellipsoid along the ray from the origin
    x = theta * D + 0.2 * A
    x /= np.linalg.norm(x / D, axis=1)[:, None]
    close(np.asarray(model.layer(0.0, mu, step=0.2).points) * D, x)


@pytest.mark.slow
def test_post_gain_is_the_flow_on_the_ellipsoid():
    theta, _, w, head = tokens()

    def rhs(t, y):
        x = y.reshape(theta.shape)
        return twins.ellipsoid_velocity(x, oracles.sa_field(x, w, [head]), D).ravel()

    # the literal flow in x, in R^d without any retraction
    x = (
        solve_ivp(rhs, (0, 1), (theta * D).ravel(), method="DOP853", rtol=1e-11, atol=1e-13)
        .y[:, -1]
        .reshape(theta.shape)
    )
    close(np.linalg.norm(x / D, axis=1), 1.0, 1e-9)
    assert np.linalg.norm(x - theta * D, axis=1).max() > 0.5  # the amplitude
    run = tkf.solve(transformer(head, tkf.PostLN(gain=D)), tkf.Measure(theta, w), t1=1.0, save="end", rtol=1e-10)
    close(np.asarray(run.final.points) * D, x, 1e-8)  # 100 times rtol
    # the control: without the gain the tokens end elsewhere
    plain, _ = twins.path("post", theta, np.ones(5), [added(w, head)], 1.0, SETTINGS)
    assert np.abs(plain * D - x).max() > 0.01


@pytest.mark.parametrize("name", ["pre", "peri"])
def test_pre_gain_goes_into_the_matrices(name):
    theta, r, w, head = tokens()
    mu = tkf.Measure(theta, w, radii=r)
    folded = head._replace(Q=head.Q * D, K=head.K * D, V=head.V * D)
    kind = type(SCHEMES[name])
    for got, expected in zip(
        transformer(head, kind(gain=D)).motion(0.0, mu.points, mu),
        transformer(folded, kind()).motion(0.0, mu.points, mu),
        strict=True,
    ):
        close(got, np.asarray(expected))


def test_mix_gain_is_that_of_post_then_of_pre():
    theta, r, w, head = tokens()
    mu = tkf.Measure(theta, w, radii=r)
    mix = transformer(head, tkf.MixLN(TAU, gain=D))
    for t, kind in ((0.1, tkf.PostLN), (1.0, tkf.PreLN)):
        expected = transformer(head, kind(gain=D))
        close(mix.velocity(t, mu.points, mu), np.asarray(expected.velocity(t, mu.points, mu)))
        got, other = mix.layer(t, mu, step=0.2), expected.layer(t, mu, step=0.2)
        close(got.points, np.asarray(other.points))
        close(got.radii, np.asarray(other.radii))


# --- errors ---------------------------------------------------------------------------------------------------------

BAD = [
    (lambda: tkf.MixLN(-1.0), "time >= 0"),
    (lambda: tkf.MixLN("soon"), "time >= 0"),
    (lambda: tkf.MixLN(np.inf), "time >= 0"),
    (lambda: tkf.NGPT(0.0), "positive"),
    (lambda: tkf.NGPT([1.0, 2.0]), "one positive number"),
    (lambda: tkf.NGPT(lambda t: jnp.ones(2)), "one number as value"),
    (lambda: tkf.PreLN(gain=[[1.0]]), "vector"),
    (lambda: tkf.PreLN(gain=[1.0, -1.0]), "positive"),
    (lambda: tkf.PreLN(gain=[1.0, np.nan]), "finite"),
    (lambda: tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0), normalization=tkf.PreLN(gain=[1.0, 2.0])), r"\(3,\)"),
    (lambda: tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0), normalization="pre"), "PostLN"),
]


@pytest.mark.parametrize(("make", "words"), BAD)
def test_errors_say_what_to_do(make, words):
    with pytest.raises(tkf.InvalidInput, match=words):
        make()


def test_schemes_need_the_sphere():
    with pytest.raises(tkf.Unsupported, match="Sphere"):
        tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(1.0), normalization=tkf.PreLN())


# --- radii through solve --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_radii_travel_with_the_trajectory():
    x = np.random.default_rng(3).standard_normal((5, 3)).astype(np.float32)
    lengths = np.linalg.norm(x, axis=1)
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0), normalization=tkf.PreLN())

    save = tkf.Save(41, observables={"off": off_sphere, "longest": lambda mu: jnp.max(mu.radii)})
    stop = tkf.events.When(lambda t, mu, model: jnp.min(mu.radii) - 2.0, name="all-long")
    run = tkf.solve(model, tkf.Measure.polar(x), t1=20.0, save=save, events=stop)
    assert run.points.dtype == run.radii.dtype == jnp.float32
    assert run.radii.shape == run.points.shape[:2]
    close(run.radii[0], lengths, 1e-6)  # float32
    assert run.result.name == "all-long" and float(jnp.min(run.final.radii)) == pytest.approx(2.0, abs=1e-5)
    close(run.observables["longest"], np.asarray(run.radii).max(axis=1), 1e-6)
    assert float(jnp.max(run.observables["off"])) < 1e-6  # a few ulps of float32
    close(run.measure(1).radii, np.asarray(run.radii[1]), 0)
    data = run.to_xarray()
    assert data["radii"].dims == ("time", "token")
    close(data["radii"].values, np.asarray(run.radii), 0)
    close(data["final_radii"].values, np.asarray(run.final.radii), 0)


def test_radii_default_to_one_and_stay_where_they_do_not_move():
    theta, r, w, head = tokens()
    pre = transformer(head, tkf.PreLN())
    flow = TokenFlow(pre, tkf.Measure(theta, w))
    close(flow.state(flow.tokens)[:, -1], 1.0, 0)
    close(pre.velocity(0.0, jnp.asarray(theta), tkf.Measure(theta, w)),
          np.asarray(pre.velocity(0.0, jnp.asarray(theta), tkf.Measure(theta, w, radii=np.ones(5)))), 0)  # fmt: skip
    post = transformer(head, tkf.PostLN()).layer(0.0, tkf.Measure(theta, w, radii=r), step=0.1)
    close(post.radii, r, 0)


def off_sphere(mu):
    return jnp.max(jnp.abs(jnp.sum(mu.points**2, axis=1) - 1))


def leaves_the_sphere(t, mu, model):
    return off_sphere(mu) > 1e-12


@pytest.mark.slow
def test_gradients_and_batches_of_a_pre_flow():
    theta, r, w, head = tokens()
    runs = []

    def loss(radii, beta, points=theta):
        mu = tkf.Measure(jnp.asarray(points), w, radii=radii)
        model = transformer(head._replace(beta=beta), tkf.PreLN())
        save = tkf.Save(3, observables={"off": off_sphere})
        run = tkf.solve(model, mu, t1=1.0, rtol=1e-9, save=save, events=leaves_the_sphere)
        runs.append(run)
        return jnp.sum(run.final.points[:, 0] * run.final.radii) + jnp.sum(run.radii[1] ** 2)

    radii, beta = jnp.asarray(r), jnp.asarray(1.5)
    by_radii, by_beta = jax.jit(jax.grad(loss, argnums=(0, 1)))(radii, beta)
    values = jax.jit(jax.vmap(loss))
    h = 1e-4
    shifts = np.concatenate([h * np.eye(5), -h * np.eye(5), np.zeros((3, 5))])
    betas = np.concatenate([np.full(10, 1.5), [1.5 + h, 1.5 - h, 1.5]])
    batch = np.asarray(values(radii + shifts, jnp.asarray(betas)))
    # central differences: h^2 = 1e-8 times third derivatives, plus the solver's 1e-9 / h
    np.testing.assert_allclose(by_radii, (batch[:5] - batch[5:10]) / (2 * h), atol=2e-5)
    assert float(by_beta) == pytest.approx((batch[10] - batch[11]) / (2 * h), abs=2e-5)
    assert abs(float(by_beta)) > 1e-2 and float(jnp.min(jnp.abs(by_radii))) > 1e-3  # not trivially zero
    # a batch is the flows one by one
    assert batch[12] == pytest.approx(float(loss(radii, beta)), abs=1e-8)
    # observables and events see directions on the sphere
    assert float(jnp.max(runs[-1].observables["off"])) < 1e-12
    assert runs[-1].result.name == "finished"
