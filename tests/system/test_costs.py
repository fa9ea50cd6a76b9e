"""What grows as n and what as n^2, counted in operations: for everything that observes or draws tokens.

The tables name every function; a new one has to be added, with a reason if it needs all pairs. Functions that JAX
traces are counted in their program: entries that are computed, times the lengths of loops. For those that run on the
host, calls and memory are counted, which sees arrays of pairs and loops over pairs, but not what compiled libraries do.
"""

import inspect
import sys
import tracemalloc
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxprs_in_params
from matplotlib import pyplot as plt

import tokenfield as tkf
from tokenfield import events, observables, plot
from tokenfield.observables.fate import fate_of

GROWTH = 6.0  # allowed from n to 4 n: n log n gives less than 5, n^2 gives 16
FEW = 2**12  # enough for fast sums to be chosen
FEWER = 2**10  # on the host
ALL_PAIRS = 10.0  # more than n log n can give

CIRCLE = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(9.0))
MODELS = {
    "circle": CIRCLE,
    "sphere": tkf.Transformer(tkf.Sphere(3), tkf.Softmax(9.0)),
    "plane": tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0)),
    "radii": tkf.Transformer(tkf.Sphere(2), tkf.Softmax(9.0), normalization=tkf.normalization.PreLN()),
}


def traced_work(function, n, d):
    """The entries that the program of `function(mu)` computes, n tokens in R^d; of a branch the cheapest side.

    The body of a `while` counts once: fast sums go there for queries that they cannot reach.
    """
    shape = jax.ShapeDtypeStruct((n, d), jnp.float64)
    return _work(jax.make_jaxpr(lambda x: function(tkf.Measure(x)))(shape).jaxpr)


def _work(jaxpr):
    total = 0.0
    for eqn in jaxpr.eqns:
        inner = [_work(each) for each in jaxprs_in_params(eqn.params)]
        if eqn.primitive.name == "cond":
            total += min(inner)
        elif inner:
            total += sum(inner) * eqn.params.get("length", 1)
        else:
            total += sum(np.prod(out.aval.shape) for out in eqn.outvars)
        if eqn.primitive.name == "dot_general":
            ((contracted, _), _) = eqn.params["dimension_numbers"]
            total += np.prod(eqn.outvars[0].aval.shape) * np.prod([eqn.invars[0].aval.shape[i] for i in contracted])
    return total


def host_work(function):
    """How many Python and C functions are called, and the most memory that is held, in bytes."""
    function()  # what is compiled or imported once
    calls = 0

    def count(frame, event, arg):
        nonlocal calls
        calls += event in ("call", "c_call")

    tracemalloc.start()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return calls, peak


# --- what is measured -----------------------------------------------------------------------------------------------

NO_TOKENS = "takes no tokens"
TRACED = {
    "energy": lambda mu: observables.energy(mu, CIRCLE),
    "dissipation": lambda mu: observables.dissipation(mu, CIRCLE),
    "mean_cosine": observables.mean_cosine,
    "smallest_cosine": observables.smallest_cosine,
    "order_parameter": observables.order_parameter,
    "effective_rank": observables.effective_rank,
    "fourier_coefficients": lambda mu: observables.fourier_coefficients(mu, [1, 2, 9]),
    "harmonic_spectrum": lambda mu: observables.harmonic_spectrum(mu, [1, 2, 9]),
}
HOST = {  # with the model whose run is looked at
    "clusters": (lambda run: observables.clusters(run.final, run.model.geometry, delta=0.01), "circle"),
    "merge_tree": (lambda run: observables.merge_tree(run, delta=0.01), "circle"),
    "hull_volume": (lambda run: observables.hull_volume(run.final), "sphere"),
    "hull_faces": (lambda run: observables.hull_faces(run.final), "sphere"),
    "kde_modes": (lambda run: observables.kde_modes(run.final, run.model.geometry, 9.0), "circle"),
    "radius_statistics": (observables.radius_statistics, "radii"),
    "parting": (lambda run: observables.parting(run, run), "circle"),
    "fate": (lambda run: fate_of(np.arange(20.0), np.tile(np.asarray(run.saved_points), (4, 1, 1))), "circle"),
    "separation": (lambda run: observables.separation(run.final, np.arange(run.final.n) % 2), "circle"),
    "logistic_readout": (lambda run: observables.logistic_readout(run.final, np.arange(run.final.n) % 2), "circle"),
    "renyi_centers": (lambda run: observables.renyi_centers(run.final, run.model.geometry, delta=0.1), "circle"),
}
PAIRS = {
    "polytope": "who attends to whom: columns of the attention matrix",
    "attention_matrix": "the matrix has n^2 entries",
    "attention_rank": "the rank of an n x n matrix",
    "pair_cosine_histogram": "a distribution over all pairs",
    "pair_cosine_histograms": "a distribution over all pairs, of a sample of tokens at most",
    "smallest_distance_growth": "a minimum over the changes of all distances",
}
OTHERS = {
    "cluster_scale": "looks at the model only",
    "renyi_scale": "looks at the model only",
    "sharpnesses": "looks at the model only",
    "crossing_time": NO_TOKENS,
    "degree_amplitudes": NO_TOKENS,
    "density_clusters": NO_TOKENS,
    "density_modes": NO_TOKENS,
    "saved_covariances": NO_TOKENS,
    "covariance_eigenvalues": NO_TOKENS,
    "is_growing": NO_TOKENS,
}
EVENTS = {"Consensus": events.Consensus(0.1), "Steady": events.Steady(0.1), "CosineLevel": events.CosineLevel(0.1)}
FIGURES = {
    "circle": "circle",
    "sphere": "sphere",
    "energy": "circle",
    "cluster_count": "circle",
    "histogram": "circle",
    "merge_tree": "circle",
    "overview": "circle",
    "radii": "radii",
    "space": "plane",
}
# what sweeps draw was measured before
NO_TOKEN_FIGURES = {
    *("Picture", "covariance_cone", "density", "gaussian", "next_words", "spectrum", "steering"),
    *("sweep_curves", "sweep_map"),
}


def test_everything_that_sees_tokens_is_in_a_table():
    functions = {name for name in observables.__all__ if inspect.isfunction(getattr(observables, name))}
    assert functions == set(TRACED) | set(HOST) | set(PAIRS) | set(OTHERS)
    assert set(plot.__all__) == set(FIGURES) | NO_TOKEN_FIGURES
    kinds = {name for name, kind in vars(events).items() if inspect.isclass(kind) and issubclass(kind, events.Event)}
    assert kinds - {"Event", "When"} == set(EVENTS)


@pytest.mark.parametrize("name", [*TRACED, *EVENTS])
def test_what_is_traced_grows_as_n(name):
    function = TRACED.get(name) or (lambda mu: EVENTS[name](0.0, mu, CIRCLE))
    assert traced_work(function, 4 * FEW, 2) < GROWTH * traced_work(function, FEW, 2)


@pytest.mark.parametrize("name", ["energy", "dissipation", "velocity", "Steady"])
def test_also_with_a_model_that_is_traced_and_on_the_sphere(name):
    """As in a user's own `jax.jit(f)(model, tokens)`, where the numbers of the model are not known."""

    def function(mu):
        model = tkf.Transformer(tkf.Sphere(mu.d), tkf.Softmax(jnp.sum(mu.weights)))  # a number that is traced
        if name == "velocity":
            return model.velocity(0.0, mu.points, mu)
        return EVENTS[name](0.0, mu, model) if name in EVENTS else getattr(observables, name)(mu, model)

    for d in (2, 3):
        assert traced_work(function, 16 * FEW, d) < GROWTH * traced_work(function, 4 * FEW, d)


def test_the_count_sees_pairs():
    """The control: direct sums, and a sum over pairs in tiles."""
    with tkf.sums.forced("direct"):
        energy = TRACED["energy"]  # both sizes sum half of the pairs, as more than 2^13 tokens do
        assert traced_work(energy, 16 * FEW, 2) > ALL_PAIRS * traced_work(energy, 4 * FEW, 2)
    smallest = observables.smallest_cosine  # in d = 3 it looks at all pairs
    assert traced_work(smallest, 4 * FEW, 3) > ALL_PAIRS * traced_work(smallest, FEW, 3)
    few, many = (host_work(lambda n=n: np.ones((n, n))) for n in (500, 2000))
    assert many[1] > ALL_PAIRS * few[1]


@cache
def run_of(n, name):
    """A short run of n tokens that still move, saved at five times."""
    model = MODELS[name]
    x = np.random.default_rng(0).normal(size=(n, model.geometry.d))
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    with tkf.sums.forced("direct"):  # compiles faster
        return tkf.solve(model, x, t1=0.2, method="euler", step=0.05, save=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOST)
def test_what_runs_on_the_host_grows_as_n(name):
    function, model = HOST[name]
    few, many = (host_work(lambda n=n: function(run_of(n, model))) for n in (FEWER, 4 * FEWER))
    assert many[0] < GROWTH * few[0] and many[1] < GROWTH * few[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_figures_grow_as_n(name, monkeypatch):
    # so few tokens would be counted pair by pair
    monkeypatch.setattr(sys.modules["tokenfield.observables.histogram"], "MOST_TOKENS_OF_A_RUN", 0)

    def figure(n):
        getattr(plot, name)(run_of(n, FIGURES[name]))
        plt.close("all")

    few, many = (host_work(lambda n=n: figure(n)) for n in (FEWER, 4 * FEWER))
    assert many[0] < GROWTH * few[0] and many[1] < GROWTH * few[1]
