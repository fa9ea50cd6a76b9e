"""Pictures of densities: what they show, in which units, and what they refuse."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import plot
from tokenfield.laws import Cells, Density, Fourier, Gaussian, Harmonics, Zonal
from tokenfield.solver.result import Result
from tokenfield.solver.trajectory import Stats, Trajectory
from tokenfield.study.figures import draw, figure_names


def run_of(grid, laws, *, ts=None, beta=2.0, kind=tkf.Unnormalized, saved=True, **options) -> Trajectory:
    """A run with these densities, nothing solved: pictures read what a run holds."""
    model = tkf.Transformer(grid.geometry, kind(beta), **options)
    values = np.stack([np.asarray(rho.values) for rho in laws])
    states = {"density": values} if saved else None
    at = np.linspace(0.0, 1.0, len(laws)) if ts is None else np.asarray(ts)
    stats = Stats(np.asarray(1), np.asarray(0), np.asarray(0.0))
    return Trajectory(at, states, {}, laws[-1], Result(np.asarray(0), np.asarray(at[-1])), stats, model)


def growing(grid, *, degree=3, rate=2.0, start=0.01, count=11) -> Trajectory:
    ts = np.linspace(0.0, 1.0, count)
    laws = [Density.perturbed_uniform(grid, degree=degree, amplitude=start * np.exp(rate * t)) for t in ts]
    return run_of(grid, laws, ts=ts)


module = importlib.import_module("tokenfield.plot.density")  # the function has the module's name
GRIDS = [Fourier(48), Cells(48), Zonal(5, 24), Harmonics(12)]


def lines_of(picture):
    """The curves against time, without the legend's."""
    (axes,) = picture.figure.axes
    solid = [line for line in axes.get_lines() if line.get_linestyle() == "-"]
    dashed = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    return solid, dashed


def test_spectrum_shows_degrees_and_predicted_rates():
    run = growing(Fourier(48))
    solid, dashed = lines_of(plot.spectrum(run))
    by_label = {line.get_label(): line for line in solid}
    curve = by_label["$k = 3$"].get_ydata()
    np.testing.assert_allclose(curve, 0.01 / np.sqrt(2) * np.exp(2.0 * np.asarray(run.ts)), rtol=1e-12)
    assert len(solid) == len(dashed) == module.DEGREES
    # dashed: e^{k^2 I_k(beta)/beta t} from the same start; I_3(2) = 0.2127399592 (tables), so the rate is 0.957329816
    slopes = [np.log(line.get_ydata()[-1] / line.get_ydata()[0]) for line in dashed if line.get_ydata()[0] > 1e-3]
    np.testing.assert_allclose(slopes, [9 * 0.21273995923985267 / 2], rtol=1e-9)


def test_noise_lowers_the_predicted_rates():
    laws = [Density.perturbed_uniform(Fourier(48), degree=3, amplitude=0.01)] * 3
    _, dashed = lines_of(plot.spectrum(run_of(laws[0].grid, laws, noise=tkf.Noise(4.0, seed=0))))
    slopes = [np.log(line.get_ydata()[-1] / line.get_ydata()[0]) for line in dashed if line.get_ydata()[0] > 1e-3]
    np.testing.assert_allclose(slopes, [9 * 0.21273995923985267 / 2 - 9 / 4], rtol=1e-9)


@pytest.mark.parametrize(
    "options", [{"kind": tkf.L2}, {"V": -np.eye(2)}, {"normalization": tkf.NGPT()}, {"beta": -1.0}]
)
def test_no_rates_where_theory_has_none(options):
    laws = [Density.perturbed_uniform(Fourier(32), degree=1, amplitude=0.1)] * 2
    assert not lines_of(plot.spectrum(run_of(laws[0].grid, laws, **options)))[1]


def test_heat_map_holds_the_density_of_angles_and_cuts_no_peak():
    grid = Cells(1024)  # more than are drawn: neighbors are averaged
    laws = [Density.vmf_mixture(grid, means=[[1.0, 0.0]], concentrations=c) for c in (0.0, 5.0, 400.0)]
    figure = plot.density(run_of(grid, laws)).figure
    heat_axes, profile_axes = figure.axes[:2]
    (heat,) = heat_axes.collections
    shown = np.asarray(heat.get_array()).reshape(-1, 3)
    edges = heat.get_coordinates()[:, 0, 1]
    assert len(shown) == 512 and edges[-1] - edges[0] == pytest.approx(2 * np.pi)
    # the first law is uniform: 1/(2 pi) for each radian; and each has mass 1, up to what is too low for the colors
    np.testing.assert_allclose(shown[:, 0], 1 / (2 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(np.diff(edges) @ shown[:, 1], 1, atol=0.05)
    # the peak at angle 0 is in the middle, not at the ends
    assert abs((edges[:-1] + edges[1:])[np.argmax(shown[:, 2])] / 2) < 0.02 and edges[0] < -1 and edges[-1] > 1
    assert profile_axes.get_yscale() == "log" and len(profile_axes.get_lines()) >= 3


def test_flat_densities_look_flat_and_need_no_logarithm():
    laws = [Density.uniform(Fourier(32))] * 4
    figure = plot.density(run_of(laws[0].grid, laws)).figure
    (heat,) = figure.axes[0].collections
    assert heat.norm.vmax - heat.norm.vmin > 1e-3 and figure.axes[1].get_yscale() == "linear"


def test_times_of_the_profiles_follow_the_growth():
    grid = Fourier(64)
    laws = [
        Density.vmf_mixture(grid, means=[[1.0, 0.0]], concentrations=c)
        for c in [0.01] * 80 + list(np.arange(1.0, 21.0))
    ]
    scene = module._Scene.of(run_of(grid, laws), np.stack([rho.values for rho in laws]))
    chosen = scene.chosen(5)
    assert chosen[0] == 0 and chosen[-1] == 99 and np.all(chosen[1:] >= 80) and len(chosen) == 5


def test_map_of_the_sphere_puts_things_where_they_are():
    grid = Harmonics(16)
    # longitude 90 degrees, latitude 30 degrees
    place = [0.0, np.cos(np.pi / 6), np.sin(np.pi / 6)]
    laws = [Density.vmf_mixture(grid, means=[place], concentrations=c) for c in (0.1, 4.0)]
    scene = module._Scene.of(run_of(grid, laws), np.stack([rho.values for rho in laws]))
    row, column = np.unravel_index(np.argmax(scene._between_nodes(1)), (module.ROWS, module.COLUMNS))
    assert abs((row + 0.5) * 180 / module.ROWS - 90 - 30) < 6  # nodes are 11 degrees apart
    assert abs((column + 0.5) * 360 / module.COLUMNS - 180 - 90) < 6
    panels = [axes for axes in plot.density(run_of(grid, laws)).figure.axes if axes.name == "mollweide"]
    assert len(panels) == 2


def test_energy_of_a_density_is_that_of_its_law():
    run = growing(Fourier(48), count=3)
    (axes,) = plot.energy(run).figure.axes
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), run.energy(normalized=True), rtol=1e-12)


def test_zonal_densities_are_drawn_against_the_axis():
    run = growing(Zonal(5, 24), degree=2)
    figure = plot.density(run).figure
    assert "e_1" in figure.axes[0].get_ylabel() and "zonal density" in figure.get_suptitle()
    assert figure.axes[1].get_xlim() == (-1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: type(grid).__name__)
def test_figures_are_written_and_move(grid, tmp_path):
    run = growing(grid, degree=2, count=3)
    assert figure_names(run) == ("density", "spectrum", "energy")
    drawn = draw(run, tmp_path, animate="gif")
    assert {path.name for path in drawn} == {"density.png", "density.gif", "spectrum.png", "energy.png"}
    assert all(path.stat().st_size > 5000 for path in drawn)


def test_a_single_time_is_enough_for_a_density():
    run = run_of(Fourier(32), [Density.uniform(Fourier(32))])
    assert figure_names(run) == ("density",) and plot.density(run).figure is not None


def test_errors():
    run = growing(Fourier(32), count=2)
    nothing = run_of(Fourier(32), [run.final], saved=False)
    with pytest.raises(tkf.InvalidInput, match="kept no states"):
        plot.density(nothing)
    said = []
    assert figure_names(nothing, note=said.append) == () and "kept no states" in said[0]
    tokens = tkf.initial.uniform(tkf.Sphere(2), 3, seed=0)
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0))
    kept = {"points": np.asarray(tokens.points)[None]}
    other = Trajectory(np.zeros(1), kept, {}, tokens, run.result, run.stats, model)
    for function in (plot.density, plot.spectrum):
        with pytest.raises(tkf.InvalidInput, match="not of a density"):
            function(other)
    with pytest.raises(tkf.InvalidInput, match="must be a run, as solve returns it, got 3"):
        plot.density(3)
    with pytest.raises(tkf.InvalidInput, match="which has no tokens"):
        plot.circle(run)
    with pytest.raises(tkf.Unsupported, match="no energy drives this model"):
        plot.energy(run_of(Fourier(32), [run.final] * 2, beta=0.5, kind=lambda radius: tkf.Krause(radius)))


def test_gaussian_runs_have_the_figures_that_there_are():
    mu = Gaussian(np.zeros(2), np.eye(2))
    kept = {"mean": np.zeros((2, 2)), "covariance": np.stack([np.eye(2)] * 2)}
    run = growing(Fourier(32), count=2)
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0))
    names = figure_names(Trajectory(np.arange(2.0), kept, {}, mu, run.result, run.stats, model))
    assert all(hasattr(plot, name) for name in names)
