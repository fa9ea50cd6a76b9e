"""Published theorems and figures as executable claims: `all_claims`, `find`, and `Claim` with its parts.

    from tokenfield import claims
    claim = claims.find(["glpr23-hull-shrinks"])[0]
    finding = claim.find("quick")            # runs the experiment
    finding.verdict, finding.checks
    claim.draw(finding)                      # a matplotlib figure

One module per paper or group of papers, each with a tuple `CLAIMS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache

from tokenfield.claims.claim import (
    GROUPS,
    Check,
    Claim,
    Control,
    Finding,
    Setting,
    at_least,
    at_most,
    equals,
)
from tokenfield.errors import InvalidInput, did_you_mean

__all__ = [
    "Check",
    "Claim",
    "Control",
    "Finding",
    "Setting",
    "all_claims",
    "at_least",
    "at_most",
    "equals",
    "find",
]

MODULES = (
    "emergence_of_clusters",
    "emergence_limits",
    "slide_theorems",
    "hardmax",
    "perspective",
    "perspective_geometry",
    "phase_diagrams",
    "heads",
    "head_fits",
    "measures",
    "meanfield_growth",
    "meanfield_clusters",
    "which_clusters",
    "multiscale",
    "multiscale_pairing",
    "gaussians",
    "gaussian_errata",
    "space_densities",
    "masked_density",
    "keller_segel",
    "sinkformers",
    "metastability",
    "escape_times",
    "causal",
    "normalization",
    "context",
    "noise",
    "synchronization",
    "random_weights",
    "lost_in_the_middle",
    "rope",
    "convex_interactions",
    "time_varying",
    "depth_and_heads",
    "sinkhorn_flow",
    "fokker_planck",
    "almost_every_start",
    "value_spectra",
    "rank_collapse",
    "layer_norm_equilibria",
    "perceptron_clusters",
    "perceptron_splitting",
    "perceptron_atoms",
    "resnets",
    "separation_law",
    "random_scores",
    "propagation",
    "random_attention",
    "random_depth",
    "kernel_modes",
    "infinite_context",
    "stationary_modes",
    "layer_norm_rank",
    "control",
    "interpolation",
    "real_depth",
    "real_layers",
    "real_spectra",
)


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim, in the order of the modules; ids are unique."""
    modules = [importlib.import_module(f"tokenfield.claims.{name}") for name in MODULES]
    return tuple(claim for module in modules for claim in module.CLAIMS)


def find(ids: Sequence[str] = (), *, source: str | None = None, group: str | None = None) -> list[Claim]:
    """The claims with these ids (all if none is given) of a `group`, whose paper has the arXiv id or key `source`.

    Raises `InvalidInput` for an id or a source that no claim has, with the nearest one that exists.
    """
    from tokenfield.claims.papers import PAPERS

    known = {claim.id: claim for claim in all_claims()}
    for id in ids:
        if id not in known:
            raise InvalidInput(f"there is no claim {id!r}{did_you_mean(id, known)}; tokenfield reproduce --list")
    if group not in (None, *GROUPS):
        raise InvalidInput(f"there is no group {group!r} of claims{did_you_mean(str(group), GROUPS)}")
    chosen = [known[id] for id in dict.fromkeys(ids)] if ids else list(known.values())
    chosen = [claim for claim in chosen if group in (None, claim.group)]
    if source is None:
        return chosen
    names = {claim.paper: (claim.paper, PAPERS[claim.paper].arxiv) for claim in known.values()}
    wanted = source.removeprefix("arXiv:").removeprefix("arxiv:")
    if not any(wanted in pair for pair in names.values()):
        every = [name for pair in names.values() for name in pair if name]
        raise InvalidInput(f"no claim comes from {source!r}{did_you_mean(wanted, every)}")
    return [claim for claim in chosen if wanted in names[claim.paper]]
