"""The covariance of a Gaussian along a run: its eigenvalues, and whether it is on its way to infinity.

NumPy on the saved covariances. All functions also take a batch of runs made by `jax.vmap`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tokenfield.errors import InvalidInput

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

ROUNDING = 1e-14  # eigenvalues below this part of the largest are rounding
GROWN = 10.0  # a covariance that has grown by this factor may be on its way to infinity
STILL = 1.1  # and is if it has grown by this factor in the last tenth of the time


def saved_covariances(run: Trajectory) -> np.ndarray:
    """The covariances at the saved times of a run that started from a Gaussian.

    Args:
        run: a run from a Gaussian that saved its states, or a batch of such runs.

    Returns:
        Matrices in float64, shape (..., T, d, d), with the axes of the batch first.

    Raises:
        InvalidInput: the run did not start from a Gaussian, or saved no states.

    >>> from tokenfield import Euclidean, Gaussian, Softmax, Transformer, solve
    >>> model = Transformer(Euclidean(2), Softmax(1.0), relative=True)
    >>> run = solve(model, Gaussian([0.0, 0.0], [[0.5, 0.0], [0.0, 0.25]]), t1=1.0, save=3)
    >>> saved_covariances(run).shape
    (3, 2, 2)
    """
    if run.kind != "gaussian":
        raise InvalidInput("covariances need a run that started from a Gaussian: solve(model, Gaussian(mean, S), ...)")
    if run.states is None:
        raise InvalidInput("this run saved no states: solve without Save(tokens=False)")
    return np.asarray(run.saved("covariance"), np.float64)


def covariance_eigenvalues(run: Trajectory) -> np.ndarray:
    """The eigenvalues of the covariance at each saved time of a run from a Gaussian, largest first.

    Args:
        run: a run from a Gaussian that saved its states, or a batch of such runs.

    Returns:
        Eigenvalues, shape (..., T, d). Those below 1e-14 of the largest at the same time are rounding: they are NaN.

    Raises:
        InvalidInput: as in `saved_covariances`.

    >>> from tokenfield import Euclidean, Gaussian, Softmax, Transformer, solve
    >>> model = Transformer(Euclidean(2), Softmax(1.0), relative=True)
    >>> run = solve(model, Gaussian([0.0, 0.0], [[0.5, 0.0], [0.0, 0.25]]), t1=1.0, save=3)
    >>> covariance_eigenvalues(run)[0].round(12).tolist()
    [0.5, 0.25]
    """
    values = np.linalg.eigvalsh(saved_covariances(run))[..., ::-1]
    return np.where(values > ROUNDING * values[..., :1], values, np.nan)


def is_growing(run: Trajectory) -> np.ndarray:
    """Whether the covariance of a run from a Gaussian is on its way to infinity, judged by its trace.

    It is if the trace has grown more than tenfold since the start, and by more than a tenth in the last tenth of the
    time. This is an estimate from a finite run, not a proof of blow-up.

    Args:
        run: a run from a Gaussian that saved its states, or a batch of such runs.

    Returns:
        Booleans, of the shape of the batch; a scalar array for one run.

    Raises:
        InvalidInput: as in `saved_covariances`.

    >>> from tokenfield import Euclidean, Gaussian, Softmax, Transformer, solve
    >>> model = Transformer(Euclidean(2), Softmax(1.0), relative=True)
    >>> run = solve(model, Gaussian([0.0, 0.0], [[0.5, 0.0], [0.0, 0.25]]), t1=1.0, save=3)
    >>> bool(is_growing(run))
    False
    """
    traces = np.trace(saved_covariances(run), axis1=-2, axis2=-1)
    ts = np.broadcast_to(np.asarray(run.ts, np.float64), traces.shape)
    late = ts >= ts[..., :1] + 0.9 * (ts[..., -1:] - ts[..., :1])
    before = np.take_along_axis(traces, np.argmax(late, axis=-1)[..., None], axis=-1)[..., 0]
    return (traces[..., -1] > GROWN * traces[..., 0]) & (traces[..., -1] > STILL * before)
