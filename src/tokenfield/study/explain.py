"""How a config would be computed, and why: what `tokenfield simulate --explain` prints."""

from __future__ import annotations

from tokenfield.solver import plan as explanation
from tokenfield.study.config import Config


def explain(config: Config) -> dict[str, str]:
    """The words of `tokenfield.explain` for `config`."""
    config = config.resolved()
    model, start = config.build()
    options = config.solve
    return explanation.explain(model, start, t1=options.t1, t0=options.t0, rtol=options.rtol, merge=options.merge)
