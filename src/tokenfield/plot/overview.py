"""The one picture that says most about a run: what a notebook shows of it."""

from __future__ import annotations

from tokenfield.geometry import Sphere
from tokenfield.plot.density import density
from tokenfield.plot.gaussian import gaussian
from tokenfield.plot.in_space import space
from tokenfield.plot.on_circle import circle
from tokenfield.plot.on_sphere import sphere
from tokenfield.plot.over_time import cluster_count
from tokenfield.plot.picture import Picture
from tokenfield.solver.trajectory import Trajectory


def overview(run: Trajectory) -> Picture | None:
    """The picture of the tokens, the density or the Gaussian of `run` where they can be drawn, else of its clusters.

    Args:
        run: A run that kept its states.

    Returns:
        The picture, or `None` if the run kept nothing to draw.

    >>> import tokenfield as tkf
    >>> model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta=4.0))
    >>> start = tkf.initial.uniform(model.geometry, n=8, seed=0)
    >>> run = tkf.solve(model, start, t1=1.0, save=3)
    >>> type(overview(run)).__name__
    'Picture'
    """
    if run.states is None:
        return None
    if run.kind != "tokens":
        return {"density": density, "gaussian": gaussian}[run.kind](run)
    d = run.final.d
    if d in (2, 3):
        draw = {2: circle, 3: sphere}[d] if isinstance(run.model.geometry, Sphere) else space
        return draw(run)
    return cluster_count(run) if len(run) > 1 else None
