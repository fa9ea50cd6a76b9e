"""Measured orders of densities on the circle: spectral for Fourier, two for cells, and those of the methods in time.

The law turns two bumps into ones that are nearly twice as high, so that a lower order shows. Errors in space
are measured with time steps so short that they do not count.
"""

from __future__ import annotations

from functools import cache

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.density import DensityFlow
from tokenfield.laws import Cells, Density, Fourier
from tokenfield.solver.steppers import METHODS, OnManifold

T1 = 1.0
MODEL = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0))


def angles(m):
    return 2 * np.pi * np.arange(m) / m


def starting_modes():
    """The first Fourier coefficients of the start, from a fine grid."""
    theta = angles(512)
    rho = np.exp(0.8 * np.cos(theta - 0.3) + 0.6 * np.cos(2 * theta))
    return np.fft.rfft(rho / rho.mean())[:60] / 512


def at_nodes(modes, m):
    """The function with these Fourier coefficients at m nodes; m divides 512."""
    fine = np.zeros(257, complex)
    fine[: len(modes)] = modes
    return np.fft.irfft(fine, 512)[:: 512 // m] * 512


def averaged(modes, m):
    """Its averages over m cells: each mode times sinc."""
    return at_nodes(modes * np.sinc(np.arange(len(modes)) / m), m)


def start(grid):
    values = averaged if isinstance(grid, Cells) else at_nodes
    return Density(grid, values(starting_modes(), grid.m))


@eqx.filter_jit
def march(rho, steps):
    """The density after `steps` equal steps of SSPRK3 to T1."""
    h, rate = T1 / steps, lambda y: rho.at(y).rate(MODEL, 0.0, convolve=True)

    def step(y, _):
        y1 = y + h * rate(y)
        y2 = (3 * y + y1 + h * rate(y1)) / 4
        return (y + 2 * (y2 + h * rate(y2))) / 3, None

    return jax.lax.scan(step, rho.values, length=steps)[0]


@cache
def reference():
    """The Fourier coefficients at T1 from 128 nodes, which hold the density to rounding."""
    found = np.fft.rfft(np.asarray(march(start(Fourier(128)), 2000))) / 128
    assert np.abs(found[-8:]).max() < 1e-9
    values = np.asarray(start(Fourier(128)).values)
    assert np.fft.irfft(found, 128).max() * 128 > 1.7 * values.max()
    return found


class Upwind(Cells):
    """Cells without the slopes of the limiter: of order one."""

    def advect(self, values, velocity):
        flux = jnp.where(velocity > 0, values, jnp.roll(values, -1)) * velocity
        return -(flux - jnp.roll(flux, 1)) / self.width


def measured_order(kind, counts):
    """Minus the slope of the L1 error of the cells' averages over the number of cells."""
    errors = []
    for m in counts:
        found = np.asarray(march(start(kind(m)), 500))
        errors.append(np.abs(found - averaged(reference(), m)).mean())
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


@pytest.mark.slow
def test_order_of_cells():
    """Two in L1, though the limiter clips extrema; without its slopes one, which fails the same bound."""
    counts = (64, 128, 256)
    assert abs(measured_order(Cells, counts) - 2) < 0.2
    assert measured_order(Upwind, counts) < 1.3


@pytest.mark.slow
def test_fourier_is_spectral():
    """Each eight more nodes gain a factor, until 1e-8: no power of m does that."""
    errors = []
    for m in (16, 32, 64):
        found = np.fft.rfft(np.asarray(march(start(Fourier(m)), 2000))) / m
        errors.append(np.abs(found[:6] - reference()[:6]).max())
    assert errors[0] < 0.1 and errors[1] < errors[0] / 20 and errors[2] < errors[1] / 1000
    assert errors[2] < 1e-8


ORDERS = [("euler", 1, (40, 80, 160)), ("ssprk3", 3, (20, 40, 80)), ("rk4", 4, (10, 20, 40))]


@eqx.filter_jit
def integrate(solver, term, flow, step):
    """The end of a run of fixed steps, with the step as data: one compilation serves all steps."""
    solution = diffrax.diffeqsolve(
        term, solver, 0.0, T1, step, flow.start, flow,
        stepsize_controller=diffrax.ConstantStepSize(), max_steps=None, saveat=diffrax.SaveAt(t1=True),
    )  # fmt: skip
    return solution.ys[0]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "order", "counts"), ORDERS, ids=[name for name, *_ in ORDERS])
def test_order_in_time(name, order, counts):
    """The order of each method, on the equations that 32 nodes make of the flow."""
    flow, method = DensityFlow.build(MODEL, start(Fourier(32))), METHODS[name]
    solver = OnManifold(method.stepper)
    exact = integrate(OnManifold(diffrax.Dopri8()), METHODS["dopri8"].term(), flow, jnp.asarray(T1 / 160))
    ends = [integrate(solver, method.term(), flow, jnp.asarray(T1 / count)) for count in counts]
    errors = [float(jnp.abs(end - exact).max()) for end in ends]
    assert min(errors) > 1e-11, "below this, rounding hides the order"
    assert abs(-np.polyfit(np.log(counts), np.log(errors), 1)[0] - order) < 0.2
