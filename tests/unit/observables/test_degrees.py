"""Degrees of densities: amplitudes are root mean squares, and a run is judged by the first degree that grows."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield import observables
from tokenfield.laws import Cells, Density, Fourier, Harmonics, Zonal
from tokenfield.observables import degrees

GRIDS = [Fourier(48), Cells(48), Zonal(5, 24), Harmonics(12)]


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: type(grid).__name__)
def test_amplitudes_are_root_mean_squares_of_degrees(grid):
    rho = Density.perturbed_uniform(grid, degree=2, amplitude=0.3)
    found = degrees.degree_amplitudes(grid, np.asarray(rho.values)[None])[0]
    values = np.asarray(rho.values)
    # orthogonality: mass 1, and only degree 2 besides; both to rounding of sums of some hundred nodes
    rms = np.sqrt(np.asarray(grid.weights) @ (values - 1) ** 2)
    np.testing.assert_allclose(found[:4], [1, 0, rms, 0], rtol=0, atol=1e-13)
    assert found[3:].max() < 1e-13 and rms > 0.02


# degrees 1, 2, 3 at four times: 3 grows first, then 1 overtakes it
RUN = np.array([[0.02, 0.0, 0.01], [0.05, 0.0, 0.11], [0.2, 0.01, 0.4], [0.9, 0.5, 0.45]])


def test_the_dominant_degree_is_that_of_the_first_growth():
    assert degrees.dominant_degree(RUN) == 3
    assert degrees.dominant_degree(RUN[-1:]) == 1  # only the end is known
    assert degrees.dominant_degree(0.1 * RUN) == 1  # nothing has grown: the strongest at the end
    assert degrees.dominant_degree(np.full((2, 3), 1e-13)) is None


def test_the_strongest_degrees_are_those_that_are_seen_first():
    assert degrees.strongest_degrees(RUN, 2).tolist() == [1, 3]
    assert degrees.strongest_degrees(RUN, 1).tolist() == [3]
    assert degrees.strongest_degrees(RUN[:1], 1).tolist() == [1]
    assert degrees.strongest_degrees(RUN, 9).tolist() == [1, 2, 3]


def test_the_linear_regime_ends_with_the_first_growth():
    assert degrees.linear_until(RUN) == 2
    assert degrees.linear_until(RUN[:2]) == 2 and degrees.linear_until(RUN[2:]) == 0


@pytest.mark.parametrize("grid", [*GRIDS[:3], Harmonics(24)], ids=lambda grid: type(grid).__name__)
def test_clusters_of_a_density_are_its_peaks(grid):
    axis = np.eye(grid.d)[0]
    two = Density.vmf_mixture(grid, means=np.stack([axis, -axis]), concentrations=3.0)
    one = Density.vmf_mixture(grid, means=axis[None], concentrations=3.0)
    found = [observables.density_clusters(rho) for rho in (two, one, Density.uniform(grid))]
    assert found == [2, 1, 1]
