"""Densities and Gaussians through configs, the command line and run folders: built, run, kept, read back, refused."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from pathlib import Path

import jax
import numpy as np
import pytest
from typer.testing import CliRunner

import combinations
import tokenfield as tkf
from tokenfield._runtime.progress import Progress
from tokenfield.cli import app
from tokenfield.errors import TokenfieldError
from tokenfield.laws import Cells, Density, Fourier, Gaussian, Harmonics, Zonal
from tokenfield.solver import plan
from tokenfield.solver import solve as solving
from tokenfield.study import RunFolder, catalog
from tokenfield.study.builders import build_events, build_grid, build_save
from tokenfield.study.config import Config
from tokenfield.study.simulate import solve_config
from tokenfield.study.summary import summarize

CIRCLE = '[geometry]\ndim = 2\n[state]\nkind = "density"\nnodes = 32\n'
GAUSSIAN = '[geometry]\nkind = "euclidean"\ndim = 2\n[state]\nkind = "gaussian"\n'
# 1 + 0.2 cos(theta) on 32 nodes: smooth, so that quadratures are exact to rounding
SMALL = (
    "--state density --dim 2 --nodes 32 --attention unnormalized --beta 1 --initial perturbed-uniform --t1 0.2 --save 5"
)
PERTURBED = ["--set", "initial.degree=1", "--set", "initial.amplitude=0.2"]


def read(text: str) -> Config:
    return Config.from_dict(tomllib.loads(text))


def message(text: str) -> str:
    """The error of a config, wherever on the way to a run it is found."""
    with pytest.raises(TokenfieldError) as caught:
        config = read(text).resolved()
        model, start = config.build()
        build_events(config, model)
        build_save(config, model)
        plan.as_flow(model, start, 0.0, config.solve.t1)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the test's own to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = jax.config.jax_compilation_cache_dir
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", before)


def tokenfield(*arguments: str):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


# --- from a config to objects -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dim", "given", "expected"),
    [
        (2, "", ("fourier", 512, "tsit5", Fourier)),
        (2, 'grid = "cells"', ("cells", 2048, "ssprk3", Cells)),
        (3, "", ("harmonics", 48, "tsit5", Harmonics)),
        (3, 'grid = "zonal"\nnodes = 20', ("zonal", 20, "tsit5", Zonal)),
        (7, "", ("zonal", 96, "tsit5", Zonal)),
    ],
)
def test_defaults_of_a_density_are_written_out(dim, given, expected):
    config = read(f'[geometry]\ndim = {dim}\n[state]\nkind = "density"\n{given}\n[noise]\nkappa = 3.0').resolved()
    assert (config.state.grid, config.state.nodes, config.solve.method, type(build_grid(config))) == expected
    # diffusion is no path: no seed and no fixed step
    assert (config.noise.seed, config.solve.step, config.initial.kind, config.initial.n) == (
        None,
        None,
        "uniform",
        None,
    )
    assert read(config.to_toml()) == config == config.resolved()
    model, start = config.build()
    assert start.d == dim and plan.as_flow(model, start, 0.0, 1.0).default_method == config.solve.method


def test_tokens_remain_the_default_state():
    config = read("[noise]\nkappa = 3.0").resolved()
    assert (config.state.kind, config.initial.kind, config.initial.n) == ("tokens", "uniform", 1000)
    assert (config.noise.seed, config.solve.method, config.solve.step) == (0, "heun", 0.01)


def test_initial_densities_are_those_of_the_library():
    grid, e = Fourier(32), np.array([[1.0, 0.0], [0.0, 1.0]])
    points = tkf.Measure([[1.0, 0.0], [0.6, 0.8]], [1.0, 3.0])
    expected = {
        "": Density.uniform(grid),
        'kind = "perturbed-uniform"\ndegree = 2\namplitude = 0.1': Density.perturbed_uniform(
            grid, degree=2, amplitude=0.1
        ),
        'kind = "noisy-uniform"\namplitude = 0.05': Density.noisy_uniform(grid, amplitude=0.05, seed=0),
        'kind = "noisy-uniform"\namplitude = 0.05\nseed = 3': Density.noisy_uniform(grid, amplitude=0.05, seed=3),
        'kind = "von-mises-fisher"\nmean = [0.0, 2.0]\nconcentration = 3.0': Density.vmf_mixture(
            grid, means=e[1:], concentrations=3.0
        ),
        'kind = "vmf_mixture"\nmeans = [[1, 0], [0, 1]]\nconcentrations = [2, 4]\nmasses = [1, 2]': Density.vmf_mixture(
            grid, means=e, concentrations=[2.0, 4.0], masses=[1.0, 2.0]
        ),
        'kind = "points"\npoints = [[1, 0], [0.6, 0.8]]\nweights = [1, 3]\nkernel = 5.0': Density.smoothed(
            grid, points, concentration=5.0
        ),
        "kernel = 4.0\nn = 10\nseed = 2": Density.smoothed(
            grid, tkf.initial.uniform(tkf.Sphere(2), 10, seed=2), concentration=4.0
        ),
    }
    for text, rho in expected.items():
        _, start = read(f"{CIRCLE}[initial]\n{text}").build()
        np.testing.assert_array_equal(start.values, rho.values, err_msg=text)
    spread = read(f"{CIRCLE}[initial]\nkernel = 4.0").resolved().initial
    assert (spread.n, spread.seed) == (1000, 0)
    _, start = read(f'{CIRCLE}[solve]\ndtype = "float32"').build()
    assert start.values.dtype == np.float32


def test_initial_gaussians():
    _, start = read(GAUSSIAN).build()
    assert isinstance(start, Gaussian)
    np.testing.assert_array_equal(start.covariance, np.eye(2))
    text = f"{GAUSSIAN}[initial]\nmean = [1.0, -2.0]\ncovariance = [[2.0, 0.5], [0.5, 1.0]]"
    config = read(text).resolved()
    assert (config.initial.kind, config.solve.method) == ("gaussian", "tsit5")
    np.testing.assert_array_equal(config.build()[1].mean, [1.0, -2.0])
    np.testing.assert_array_equal(config.build()[1].covariance, [[2.0, 0.5], [0.5, 1.0]])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('[state]\nkind = "densty"', ["state.kind", "did you mean 'density'"]),
        ('[state]\ngrid = "zonl"', ["state.grid", "did you mean 'zonal'"]),
        ('[solve]\ngrid = "zonal"', ["'grid'", "belongs in [state]"]),
        ("[state]\nnodes = 5", ["state.nodes has no effect", "not tokens"]),
        (f'{GAUSSIAN}grid = "cells"', ["state.grid has no effect"]),
        (
            '[geometry]\nkind = "euclidean"\n[state]\nkind = "density"',
            ["densities move in R^1 and R^2, got geometry.dim = 3", "use state.kind = 'gaussian' or tokens"],
        ),
        ('[geometry]\ndim = 1\n[state]\nkind = "density"', ["geometry.dim >= 2"]),
        (CIRCLE + 'grid = "zonal"', ["'zonal' is for spheres with geometry.dim >= 3", "use fourier or cells"]),
        ('[geometry]\ndim = 4\n[state]\nkind = "density"\ngrid = "harmonics"', ["'harmonics' is for S^2", "use zonal"]),
        (CIRCLE.replace("32", "4"), ["nodes >= 8, got 4"]),
        (f"{CIRCLE}[initial]\nn = 5", ["initial.n has no effect", "infinitely many tokens", "initial.kernel"]),
        (f'{CIRCLE}[initial]\nkind = "cap"', ["'cap' is a law of tokens", "initial.kernel = 50.0"]),
        (f'{CIRCLE}[initial]\nkind = "unifrm"', ["unknown initial law 'unifrm'", "did you mean 'uniform'"]),
        (f'{CIRCLE}[initial]\nkind = "noisy-uniform"', ["'noisy-uniform' needs initial.amplitude"]),
        (f"{CIRCLE}[initial]\ndegree = 2", ["'uniform' has no parameter 'degree'"]),
        (f'{CIRCLE}[initial]\nkind = "noisy-uniform"\nkernel = 2.0', ["'noisy-uniform' is a law of densities"]),
        ('[initial]\nkind = "noisy-uniform"\namplitude = 0.1', ["law of densities", "state.kind = 'density'"]),
        ("[initial]\nkernel = 2.0", ["initial.kernel has no effect", "not into tokens"]),
        (f"{GAUSSIAN}[initial]\nkernel = 2.0", ["initial.kernel has no effect", "not into gaussian"]),
        (f'{GAUSSIAN}[initial]\nkind = "box"', ["starts from initial.kind = 'gaussian'", "got 'box'"]),
        (f"{GAUSSIAN}[initial]\nn = 5", ["initial.n has no effect: a gaussian holds infinitely many tokens"]),
        (f"{GAUSSIAN}[initial]\nmean = [1.0]", ["a Gaussian needs a mean (d,)", "(1,)"]),
        ('[state]\nkind = "gaussian"', ["Gaussians live in R^d"]),
        (f"{CIRCLE}[noise]\nkappa = 2.0\nseed = 1", ["noise.seed has no effect: a density"]),
        (f"{CIRCLE}[noise]\nkappa = 2.0\ncommon = true", ["common noise moves a density at random"]),
        (
            f"{CIRCLE}[position]\ncausal = true",
            ["a density has no positions", "one for each position (state.positions)"],
        ),
        (f'{CIRCLE}[solve]\nevents = ["cosine-level:0.9"]', ["cosine-level is for tokens: a density has all cosines"]),
        (f'{GAUSSIAN}[solve]\nevents = ["consensus:0.1"]', ["not for Gaussians", "use steady"]),
        (f'{CIRCLE}[solve]\nobservables = ["smallest-cosine"]', ["'smallest-cosine' is not defined for the state"]),
        (f'{GAUSSIAN}[solve]\nobservables = ["energy"]', ["'energy' is not defined", "use one of order-parameter"]),
        (f'{CIRCLE}[attention]\nkind = "hardmax"\n[solve]\nobservables = ["energy"]', ["an energy drives"]),
        (
            '[geometry]\nkind = "euclidean"\n[initial]\nkind = "box"\n[solve]\nobservables = ["spectrum"]',
            ["harmonics on the sphere"],
        ),
        (
            '[geometry]\ndim = 5\n[state]\nkind = "density"\n[initial]\nkind = "frame"\nkernel = 2.0',
            ["a zonal density cannot hold them"],
        ),
    ],
)
def test_mistakes_are_named(text, parts):
    found = message(text)
    assert all(part in found for part in parts), found


def test_every_event_and_observable_that_makes_sense_is_built():
    events = ["consensus", "steady:1e-3"]
    names = [
        "energy",
        "normalized-energy",
        "dissipation",
        "order-parameter",
        "mean-cosine",
        "effective-rank",
        "spectrum",
    ]
    config = read(f"{CIRCLE}[solve]\nevents = {events}\nobservables = {names}").resolved()
    model, _ = config.build()
    assert [event.name for event in build_events(config, model)] == ["consensus", "steady"]
    assert list(build_save(config, model).observables) == names


def test_observables_of_a_density_are_those_of_its_law():
    text = f'{CIRCLE}[attention]\nkind = "unnormalized"\nbeta = 2.0\n[initial]\nkind = "perturbed-uniform"\n'
    names = ["order-parameter", "mean-cosine", "effective-rank", "spectrum", "energy", "dissipation"]
    config = read(f"{text}degree = 1\namplitude = 0.4\n[solve]\nobservables = {names}").resolved()
    model, rho = config.build()
    found = {name: np.asarray(f(rho)) for name, f in build_save(config, model).observables.items()}
    # of 1 + a cos(theta): mean (a/2, 0), second moment I/2, and P_1 = |muhat_1|^2 = (a/2)^2. All to rounding.
    np.testing.assert_allclose(found["order-parameter"], 0.2, rtol=1e-13)
    np.testing.assert_allclose(found["mean-cosine"], 0.04, rtol=1e-13)
    np.testing.assert_allclose(found["effective-rank"], 2.0, rtol=1e-13)
    np.testing.assert_allclose(found["spectrum"], [1, 0.04, *[0] * 15], rtol=0, atol=1e-14)
    # E = (1/2 beta) iint e^{beta cos}, dE/dt = int |X|^2 drho (arXiv 2312.10794), as literal sums over the nodes
    theta = 2 * np.pi * np.arange(32) / 32
    w, gap = (1 + 0.4 * np.cos(theta)) / 32, theta[:, None] - theta[None]
    velocity = -(np.exp(2.0 * np.cos(gap)) * np.sin(gap)) @ w
    np.testing.assert_allclose(found["energy"], w @ np.exp(2.0 * np.cos(gap)) @ w / 4, rtol=1e-13)
    np.testing.assert_allclose(found["dissipation"], w @ velocity**2, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("beta", [3.0, -3.0, 0.0])
def test_energy_of_a_density_is_the_same_on_every_grid(beta, normalized):
    # the law e^{2 <x, e>}, which is zonal: on S^2 about x_3 or e_1 alike. Degrees up to 24 leave less than 1e-13.
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta))
    grids = (Harmonics(24), [0.0, 0.6, 0.8]), (Zonal(3, 40), [1.0, 0.0, 0.0])
    found = [
        tkf.observables.energy(Density.vmf_mixture(g, means=[e], concentrations=2.0), model, normalized=normalized)
        for g, e in grids
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-11)
    # and on the circle, on an odd number of nodes, as the literal double sum
    flat = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
    rho = Density.vmf_mixture(Fourier(41), means=[[0.6, 0.8]], concentrations=2.0)
    literal = tkf.observables.energy(rho.measure(), flat, normalized=normalized)
    np.testing.assert_allclose(tkf.observables.energy(rho, flat, normalized=normalized), literal, rtol=1e-13)


@pytest.mark.slow
def test_energy_of_matrices_goes_over_the_nodes_and_gaussians_have_none():
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0), Q=np.diag([1.0, 0.5]))
    rho = Density.vmf_mixture(Fourier(41), means=[[0.6, 0.8]], concentrations=2.0)
    assert tkf.observables.energy(rho, model) == tkf.observables.energy(rho.measure(), model)
    with pytest.raises(tkf.InvalidInput, match="got Gaussian"):
        tkf.observables.energy(Gaussian(np.zeros(2), np.eye(2)), model)


# --- what the catalog says ----------------------------------------------------------------------------------------


SLOWER = [pytest.param(name, marks=pytest.mark.slow) for name in ("cells", "harmonics")]


@pytest.mark.parametrize("state", ["fourier", "zonal", "gaussian", "moving", *SLOWER])
def test_all_kinds_that_are_not_excluded_combine(state, monkeypatch):
    """The catalog says that all pairs but the excluded ones combine: so it is for densities and Gaussians."""
    monkeypatch.setattr(solving, "solve_plan", lambda *_, **__: "accepted")
    ids = ("state:gaussian",) if state == "gaussian" else ("state:density", f"grid:{state}")
    chosen = dict.fromkeys(combinations.FACTORS)
    chosen |= {"geometry": "geometry:euclidean" if state in ("gaussian", "moving") else "geometry:sphere"}
    chosen |= {"attention": "attention:softmax", "schedule": "schedule:constant", "method": "method:tsit5"}
    chosen |= {identity.partition(":")[0]: identity for identity in ids}
    count = 0
    for category in ("attention", "normalization", "perceptron", "potential", "noise", "method"):
        for kind in catalog.kinds_of(category):
            others = [identity for identity in chosen.values() if identity and not identity.startswith(f"{category}:")]
            if catalog.reasons([*others, kind.id]) or kind.id == "attention:none":
                continue
            with_it = chosen | {category: kind.id}
            assert combinations.solve(*combinations.build(with_it)) == "accepted", kind.id
            count += 1
    assert count >= 10


# --- runs, through the command line -------------------------------------------------------------------------------


@pytest.mark.slow
def test_density_is_run_kept_shown_and_drawn(folder):
    result = tokenfield("simulate", *SMALL.split(), *PERTURBED, "--observable", "spectrum", "--out", "run")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("finished at t = 0.2\n") and result.stderr == ""
    for part in (
        "32 nodes (fourier) on S^1",
        "kept to",
        "to the end",
        "strongest degree  1",
        "order parameter   0.1 → ",
    ):
        assert part in result.stdout, result.stdout
    assert tokenfield("show", "run").stdout == result.stdout
    summary = json.loads(tokenfield("show", "run", "--json").stdout)
    assert (summary["state"], summary["grid"], summary["nodes"], summary["dim"]) == ("density", "fourier", 32, 2)
    assert (summary["result"], summary["unresolved_from"], summary["dominant_degree"]) == ("finished", None, 1)
    assert summary["mass_error"] < 1e-12 and 0.7 < summary["smallest_density"] < 0.8
    assert summary["energy"]["last"] > summary["energy"]["first"] and summary["order_parameter"]["last"] > 0.1
    assert {path.name for path in Path("run/figures").iterdir()} == {"density.png", "spectrum.png", "energy.png"}

    run, _ = RunFolder.read("run")
    again, _ = solve_config(RunFolder.open("run").config, progress=False)
    assert run.kind == "density" and isinstance(run.final.grid, Fourier)
    np.testing.assert_array_equal(run.saved("density"), again.saved("density"))
    np.testing.assert_array_equal(run.final.values, again.final.values)
    np.testing.assert_array_equal(run.observables["mass"], again.observables["mass"])
    assert run.observables["spectrum"].shape == (5, 17)
    done = tokenfield("plot", "run", "--format", "svg", "--out", "elsewhere")
    assert done.exit_code == 0 and Path("elsewhere/density.svg").exists()


@pytest.mark.slow
def test_what_is_under_resolved_is_said_and_is_no_error(folder):
    narrow = ["--beta", "20", "--set", "initial.amplitude=0.9", "--set", "initial.degree=1", "--no-figures"]
    flags = SMALL.replace("--beta 1", "").replace("unnormalized", "softmax").replace("--t1 0.2", "--t1 20")
    result = tokenfield("simulate", *flags.split(), *narrow, "--out", "run")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("under-resolved at t = ")
    assert re.fullmatch(r"tokenfield: note: under-resolved at t = [^\n]+\n", result.stderr), result.stderr
    summary = json.loads(tokenfield("show", "run", "--json").stdout)
    assert summary["result"] == "under-resolved" and summary["unresolved_from"] == summary["t"] < 20
    assert not summary["is_complete"] and RunFolder.read("run")[0].result.name == "under-resolved"
    # cells go on, and say from when on
    result = tokenfield("simulate", *flags.split(), *narrow, "--grid", "cells", "--out", "cells")
    assert result.exit_code == 0 and "finished at t = 20; under-resolved from" in result.stderr
    summary = json.loads(tokenfield("show", "cells", "--json").stdout)
    assert summary["is_complete"] and 0 <= summary["unresolved_from"] < 20 and summary["smallest_density"] >= 0
    assert float(RunFolder.read("cells")[0].result.unresolved_from) == summary["unresolved_from"]


@pytest.mark.slow
def test_gaussian_blows_up_when_it_must(folder):
    # softmax with Q = K = V = I: S' = 2 S^2, so that S = I blows up at t = 1/2 (arXiv 2501.18322)
    flags = "--geometry euclidean --dim 2 --state gaussian --beta 1 --t1 2 --save 11 --out run"
    result = tokenfield("simulate", *flags.split())
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("blew up at t = 0.5")
    assert "in R^2" in result.stdout and tokenfield("show", "run").stdout == result.stdout
    summary = json.loads(tokenfield("show", "run", "--json").stdout)
    # the flow ends once an entry is 1e123: S = 1/(1 - 2t) is there within rounding of 1/2; tolerances are 1e-7
    assert abs(summary["blow_up_time"] - 0.5) < 1e-5 and summary["state"] == "gaussian"
    assert summary["trace"]["first"] == 2 and len(summary["eigenvalues"]) == 2 and summary["rank"] == 2
    run, _ = RunFolder.read("run")
    assert isinstance(run.final, Gaussian) and run.saved("covariance").shape[1:] == (2, 2)
    early = np.asarray(run.ts) < 0.45
    exact = 1 / (1 - 2 * np.asarray(run.ts)[early])
    np.testing.assert_allclose(np.asarray(run.saved("covariance"))[early, 0, 0], exact, rtol=1e-5)
    assert tokenfield("plot", "run", "--out", "figures").exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["--dim 3 --nodes 12", "--dim 5 --nodes 16", "--dim 3 --grid zonal --nodes 16"])
def test_densities_on_spheres_are_read_back(folder, flags):
    common = "--state density --beta 2 --initial perturbed-uniform --t1 0.3 --save 3 --out run"
    result = tokenfield("simulate", *common.split(), *flags.split(), *PERTURBED)
    assert result.exit_code == 0, result.stderr
    run, summary = RunFolder.read("run")
    assert summary["mass_error"] < 1e-12 and summary["dominant_degree"] == 1
    assert run.measure(0).n if not run.final.grid.is_orbit else run.state(0).mean[0] > 0
    assert float(run.final.grid.weights @ run.final.values) == pytest.approx(1, abs=1e-12)
    assert {path.stem for path in Path("run/figures").iterdir()} == {"density", "spectrum", "energy"}


def test_state_of_a_flag_drops_what_the_file_has_for_tokens(folder, monkeypatch):
    Path("noise.toml").write_text(
        '[geometry]\ndim = 2\n[attention]\nkind = "unnormalized"\nbeta = 0.0\n[noise]\nkappa = 4.0\nseed = 1\n'
        "[initial]\nn = 30\nseed = 5\n[solve]\nt1 = 0.1\nmethod = 'heun'\nstep = 0.01\n"
    )
    seen = []

    def remember(config, *_, **__):
        seen.append(config.resolved())
        raise tkf.ConfigError("seen")

    monkeypatch.setattr("tokenfield.study.simulate.simulate", remember)
    tokenfield("simulate", "noise.toml", "--state", "density", "--nodes", "16", "--seed", "3")
    tokenfield("simulate", "noise.toml", "--state", "density", "--nodes", "16", "--kernel", "2")
    tokenfield("simulate", "noise.toml", "--state", "tokens")
    exact, spread, tokens = seen
    assert (exact.state.grid, exact.state.nodes, exact.initial.n, exact.noise.seed) == ("fourier", 16, None, None)
    assert (exact.solve.method, exact.solve.step, exact.initial.seed) == ("tsit5", None, 3)
    assert (spread.initial.n, spread.initial.kernel, spread.initial.seed) == (30, 2.0, 5)
    assert (tokens.initial.n, tokens.noise.seed, tokens.solve.method, tokens.solve.step) == (30, 1, "heun", 0.01)
    Path("density.toml").write_text(exact.to_toml())
    tokenfield("simulate", "density.toml", "--state", "tokens", "--n", "7")
    assert (seen[-1].state.kind, seen[-1].state.grid, seen[-1].initial.n) == ("tokens", None, 7)
    assert (seen[-1].solve.method, seen[-1].noise.seed) == ("heun", 3)


def test_errors_are_one_line(folder):
    for flags, part in (
        (["--state", "densty"], "did you mean 'density'"),
        (["--nodes", "8"], "only a density has a grid"),
        (["--state", "density", "--layers", "3", "--nodes", "8"], "layers=L moves tokens"),
        (["--state", "density", "--dim", "2", "--method", "ssprk3"], "method 'ssprk3' does not suit a density flow"),
        (["--state", "density", "--dim", "2", "--method", "rk4"], "needs a step"),
        (["--state", "gaussian"], "Gaussians live in R^d"),
    ):
        result = tokenfield("simulate", *flags, "--out", "run")
        assert result.exit_code == 2 and part in result.stderr, result.stderr
        assert re.fullmatch(r"tokenfield: error: [^\n]+\n", result.stderr) and not Path("run").exists()


@pytest.mark.slow
def test_ctrl_c_keeps_the_density_that_is_there(folder, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "update", interrupt)
    flags = SMALL.replace("--t1 0.2 --save 5", "--t1 100 --save 101 --method rk4 --step 0.001 --no-figures")
    result = tokenfield("simulate", *flags.split(), *PERTURBED, "--out", "run")
    assert result.exit_code == 130, result.stderr
    run, summary = RunFolder.read("run")
    assert summary["result"] == "interrupted" and 0 < summary["t"] < 100
    assert float(run.ts[-1]) == summary["t"] and run.final.n == 32


@pytest.mark.slow
def test_noise_is_diffusion():
    # at beta = 0 the mode k = 1 of the uniform law grows like e^{(1/2 - 1/kappa) t} (arXiv 2512.01868)
    text = f'{CIRCLE}[attention]\nkind = "unnormalized"\nbeta = 0.0\n[noise]\nkappa = 4.0\n'
    text += '[initial]\nkind = "perturbed-uniform"\ndegree = 1\namplitude = 1e-5\n[solve]\nt1 = 2.0\nsave = "end"'
    config = read(text).resolved()
    rates = []
    for kappa in (4.0, 1.0):
        noisy = dataclasses.replace(config, noise=dataclasses.replace(config.noise, kappa=kappa))
        run = tkf.solve(*noisy.build(), t1=2.0, save="end", progress=False)
        rates.append(float(np.log(tkf.observables.order_parameter(run.final) / 5e-6) / 2.0))
    # the amplitude squared is 1e-10, the tolerance of the steps 1e-9 absolute: 1e-4 of the amplitude
    np.testing.assert_allclose(rates, [0.25, -0.5], rtol=0, atol=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [2, 3])
def test_energies_of_the_summary_use_the_fast_sum(dim, monkeypatch):
    # a direct sum beside a fast one made runs of a million tokens never end
    config = Config.from_dict(
        {"geometry": {"dim": dim}, "initial": {"n": 3000, "seed": 0}, "solve": {"t1": 0.01, "save": "end"}}
    )
    run, start = solve_config(config.resolved())
    expected = tkf.observables.energy(run.final, run.model)

    def direct(*_):
        raise AssertionError("all pairs were summed directly")

    monkeypatch.setattr(tkf.sums, "attend", direct)
    summary = summarize(run, start)
    np.testing.assert_allclose(summary["energy"]["last"], expected, rtol=1e-9)


@pytest.mark.slow
def test_density_in_space_is_run_kept_and_shown(folder):
    flags = (
        "--state density --geometry euclidean --dim 1 --nodes 32 --beta 1 --rescaled --initial box --t1 0.2 --save 3"
    )
    result = tokenfield("simulate", *flags.split(), "--out", "run")
    assert result.exit_code == 0, result.stderr
    assert "32 nodes (moving with the mass) in R^1" in result.stdout and "to the end" in result.stdout
    assert Path("run/figures/density.png").exists()
    run, _ = RunFolder.read("run")
    assert run.kind == "density" and float(run.final.radius) < 1
    np.testing.assert_allclose(run.state(2).points, run.final.points, rtol=1e-9)  # the last save is interpolated
    wrong = tokenfield("simulate", *flags.replace("--dim 1", "--dim 3").split(), "--out", "other")
    assert wrong.exit_code == 2 and "R^1 and R^2" in wrong.stderr
