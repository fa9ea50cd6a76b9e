"""A new attention kind is one class and one row of the catalog: here one is defined and goes through everything."""

from __future__ import annotations

import json
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from typer.testing import CliRunner

import tokenfield as tkf
from tokenfield.cli import app
from tokenfield.ensemble import Ensemble
from tokenfield.ensemble import run as run_ensemble
from tokenfield.laws import Fourier, Zonal
from tokenfield.model.attention import Attention, PairKernel
from tokenfield.observables.energy import has_energy
from tokenfield.plot.title import facts
from tokenfield.study import catalog
from tokenfield.study.config import Config


class Cauchy(Attention):
    """Weights 1/(1 + beta |Qx - Ky|^2), normalized over y."""

    name: ClassVar[str] = "cauchy"
    is_average: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True
    collapses: ClassVar[bool] = True

    beta: Array = eqx.field(converter=jnp.asarray)
    power: Array = eqx.field(converter=jnp.asarray, default=1.0)

    @property
    def pair_kernel(self) -> PairKernel:
        return PairKernel(lambda u: -self.power * jnp.log1p(self.beta * u), of_distance=True)


ROW = catalog.Kind(
    "attention",
    "cauchy",
    Cauchy,
    "heavy tails",
    "Z⁻¹ Σ_j V x_j / (1 + β|Qx − Kx_j|²)^p",
    parameters=(catalog.Parameter("beta", 2.0, "sharpness β"), catalog.Parameter("power", 1.0, "power p of the tail")),
    has_energy=False,
    is_zonal=True,
)


@pytest.fixture
def registered():
    catalog.register(ROW)
    yield
    catalog.forget(ROW)


def literal_velocity(x: np.ndarray, beta: float) -> np.ndarray:
    """P_x sum_j a_ij x_j on the sphere, pair by pair."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        weights = np.array([1 / (1 + beta * np.sum((x[i] - y) ** 2)) for y in x])
        vector = weights @ x / weights.sum()
        out[i] = vector - (vector @ x[i]) * x[i]
    return out


def model(d: int, beta: float = 3.0, **options) -> tkf.Transformer:
    return tkf.Transformer(tkf.Sphere(d), Cauchy(beta), **options)


@pytest.mark.slow
def test_tokens_move_by_its_equation():
    mu = tkf.initial.uniform(tkf.Sphere(3), n=9, seed=0)
    found = model(3).velocity(0.0, mu.points, mu)
    np.testing.assert_allclose(found, literal_velocity(np.asarray(mu.points), 3.0), atol=1e-14)
    run = tkf.solve(model(3), mu, t1=20.0, save="end")
    assert str(run.result) == "finished at t = 20" and run.clusters(delta=0.1).count == 1
    layered = tkf.solve(model(3), mu, t1=1.0, layers=400, save="end").final.points
    exact = tkf.solve(model(3), mu, t1=1.0, save="end").final.points
    assert 1e-5 < float(jnp.max(jnp.abs(layered - exact))) < 5e-3  # order one in the step of 1/400


@pytest.mark.slow
def test_fewer_dimensions_and_merging_follow_from_the_facts_of_the_class():
    far = tkf.initial.uniform(tkf.Sphere(20), n=4, seed=0)
    assert any("solved in R^4" in note for note in tkf.explain(model(20), far, t1=1.0).notes)
    run = tkf.solve(model(2, 50.0), tkf.initial.uniform(tkf.Sphere(2), n=12, seed=0), t1=200.0, merge=True, save="end")
    assert len(run.mergers) > 0


@pytest.mark.slow
@pytest.mark.parametrize("grid", [Fourier(128), Zonal(3, 48)], ids=["fourier", "zonal"])
def test_a_density_follows_it_by_convolution_and_by_quadrature(grid):
    bump = [[1.0, *[0.0] * (grid.d - 1)]]
    rho = tkf.Density.vmf_mixture(grid, means=bump, concentrations=1.5)
    by_convolution, by_quadrature = (rho.rate(model(grid.d), 0.0, convolve=convolve) for convolve in (True, False))
    np.testing.assert_allclose(by_convolution, by_quadrature, atol=1e-9)
    run = tkf.solve(model(grid.d), rho, t1=0.3, save="end")
    assert run.result.is_complete and abs(float(run.observables["mass"][-1]) - 1) < 1e-12
    assert float(run.final.mean[0]) > float(rho.mean[0])  # attention gathers the bump


def test_it_says_that_it_has_no_energy_and_keeps_no_gaussians():
    mu = tkf.initial.uniform(tkf.Sphere(2), n=5, seed=0)
    assert not has_energy(model(2))
    with pytest.raises(tkf.Unsupported, match="Cauchy attention is not driven by an energy"):
        tkf.observables.energy(mu, model(2))
    space = tkf.Transformer(tkf.Euclidean(2), Cauchy(1.0))
    with pytest.raises(tkf.Unsupported, match="Cauchy attention does not keep Gaussians"):
        tkf.solve(space, tkf.Gaussian(np.zeros(2), np.eye(2)), t1=1.0)


def test_an_ensemble_takes_it():
    table = run_ensemble(
        Ensemble(
            n=4,
            d=3,
            betas=[1.0, 4.0],
            systems=3,
            times=[0.0, 30.0],
            seed=0,
            model=lambda beta, noise: tkf.Transformer(tkf.Sphere(3), Cauchy(beta), noise=noise),
            method="rk4",
            step=0.5,
        ),
        progress=False,
    )
    assert table.is_complete and table.mean["pairs"][0, 1] == 1.0


def test_its_figure_has_a_sane_title():
    run = tkf.solve(model(2), tkf.initial.uniform(tkf.Sphere(2), n=6, seed=0), t1=0.1, save=2)
    assert facts(run) == "Cauchy on $S^{1}$:  $n = 6$,  $d = 2$,  $\\beta = 3$"
    assert tkf.plot.circle(run).figure is not None


@pytest.mark.slow
def test_models_and_configs_know_it(registered, tmp_path):
    listed = json.loads(CliRunner().invoke(app, ["models", "cauchy", "--json"]).stdout)["attention"][0]
    assert listed["name"] == "cauchy" and [p["name"] for p in listed["parameters"]] == ["beta", "power"]
    excluded = {entry["kind"] for entry in listed["excludes"]}
    assert {"state:gaussian", "frame:rescaled"} <= excluded and "grid:zonal" not in excluded
    config = Config.from_dict(
        {"attention": {"kind": "cauchy", "power": 2.0}, "initial": {"n": 5}, "solve": {"t1": 0.5, "save": 2}}
    ).resolved()
    built, _ = config.build()
    (head,) = built.heads(0.0)
    assert type(head.attention) is Cauchy and (float(head.attention.beta), float(head.attention.power)) == (2.0, 2.0)
    assert Config.from_dict(tkf_tables(config.to_toml())).resolved() == config
    done = CliRunner().invoke(
        app, ["simulate", "--attention", "cauchy", "--n", "5", "--t1", "0.5", "--out", str(tmp_path / "run"), "--json"]
    )
    assert done.exit_code == 0, done.output
    assert 'kind = "cauchy"' in (tmp_path / "run/config.toml").read_text()
    wrong = CliRunner().invoke(app, ["simulate", "--attention", "cauchi", "--n", "5"])
    assert wrong.exit_code == 2 and "did you mean 'cauchy'" in wrong.output


def tkf_tables(text: str) -> dict:
    import tomllib

    return tomllib.loads(text)


def test_a_row_is_registered_once(registered):
    with pytest.raises(tkf.InvalidInput, match="it is there already"):
        catalog.register(ROW)
