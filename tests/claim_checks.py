"""What the tests of claims share: each claim holds in quick mode, its negative control fails, its figure draws."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

import jax
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import ensemble
from tokenfield.claims.claim import FAILS, HOLDS, Claim, Finding
from tokenfield.plot.style import styled


def claims_of(*modules: str) -> list:
    """The claims of these modules of `tokenfield.claims`, as parameters of a test, all marked slow."""
    found = [claim for name in modules for claim in importlib.import_module(f"tokenfield.claims.{name}").CLAIMS]
    return [pytest.param(claim, id=claim.id, marks=pytest.mark.slow) for claim in found]


# compiled functions of claims that run longer than they take to compile: some ten times longer if compiled fast
LONG = (
    ("causal", "_counts_later"),
    ("convex_interactions", "_orders"),
    ("lost_in_the_middle", "_last_tokens"),
    ("lost_in_the_middle", "_responses"),
    ("propagation", "_propagated"),
    ("random_attention", "_products"),
    ("random_depth", "_cosines"),
    ("random_scores", "_entropies_and_squares"),
    ("real_spectra", "_alone"),
    ("repeated", "_repeat"),
    ("which_clusters", "_ends"),
)

# claims whose runs, all together, take longer than they take to compile
LONG_CLAIMS = frozenset(
    {
        "bpa25-four-clusters",
        "bpa25-three-clusters",
        "cacp25-masked-mean-field",
        "perceptrons26-atomic",
        "perceptrons26-kept-apart",
        "rigollet26-fokker-planck",
        "rz23-neural-ode",
        "sabp22-heat",
    }
)


@cache
def quick_finding(claim: Claim) -> Finding:
    """What the quick mode finds, once for all tests of a file."""
    return _found(claim, claim.find, "quick")


def _found(claim: Claim, find: Callable[..., Finding], *mode: str) -> Finding:
    """What the experiment of the claim finds, compiled well if its runs are long."""
    return (well_compiled(find) if claim.id in LONG_CLAIMS else find)(*mode)


def describe(finding: Finding) -> str:
    """One line for each check."""
    return "\n".join(
        f"{c.verdict}: {c.what}: {c.measured} {c.relation} {c.predicted} +- {c.tolerance}" for c in finding.checks
    )


def fingerprint(leaf: Any) -> Hashable:
    """Something that is equal for equal leaves of arguments; of an array, whose weights may be many, a digest."""
    if not isinstance(leaf, (jax.Array, np.ndarray)):
        return type(leaf), leaf
    is_key = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    values = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
    return values.dtype.str, values.shape, hashlib.sha256(values.tobytes()).digest()


_known: dict[int, tuple[Callable, dict[Hashable, Any]]] = {}  # functions by identity, and what they returned


def forget() -> None:
    """Lets go of all runs and findings: those of one file are no use to the next."""
    _known.clear()
    quick_finding.cache_clear()


def remembering(function: Callable) -> Callable:
    """`function`, which is called once for equal arguments until `forget`."""
    _, results = _known.setdefault(id(function), (function, {}))

    @wraps(function)
    def once(*arguments: Any, **options: Any) -> Any:
        # the parts of a plan, which is no tree of its own
        parts = [vars(argument) if isinstance(argument, ensemble.Ensemble) else argument for argument in arguments]
        leaves, structure = jax.tree.flatten((parts, options))
        try:
            key = structure, tuple(map(fingerprint, leaves))
            is_known = key in results
        except (TypeError, jax.errors.TracerArrayConversionError):  # what is traced or cannot be compared
            return function(*arguments, **options)
        if not is_known:
            results[key] = function(*arguments, **options)
        return results[key]

    return once


@cache
def well_compiled(function: Callable) -> Callable:
    """`function`, which is compiled well instead of fast when it is called."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        before = jax.config.values["jax_disable_most_optimizations"]
        jax.config.update("jax_disable_most_optimizations", False)
        try:
            return function(*arguments, **options)
        finally:
            jax.config.update("jax_disable_most_optimizations", before)

    return call


@contextmanager
def same_runs_once() -> Iterator[None]:
    """A third of the controls and half of the mutations compare the same runs with another prediction.

    Of what a mutation puts inside a run, behind equal arguments, nothing is seen: the claim then holds, and the test of
    the mutation fails.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((tkf, "solve"), (ensemble, "run")):
            patch.setattr(module, name, remembering(getattr(module, name)))
        for module, name in ((importlib.import_module(f"tokenfield.claims.{module}"), name) for module, name in LONG):
            patch.setattr(module, name, remembering(well_compiled(getattr(module, name))))
        yield


def assert_holds(claim: Claim) -> None:
    """The claim holds in quick mode and its figure draws; in its control those checks fail that it names."""
    with same_runs_once():
        finding = quick_finding(claim)
        control = None if claim.control is None else _found(claim, claim.find_control)
    assert finding.verdict == HOLDS, describe(finding)
    assert finding.named(claim.main), f"no check is called {claim.main!r}:\n{describe(finding)}"
    with styled():
        figure = claim.draw(finding)
        figure.canvas.draw()
    if control is not None:
        must = claim.must_fail(control)
        assert must and all(check.verdict == FAILS for check in must), "the negative control:\n" + describe(control)


def assert_fails(claim: Claim) -> None:
    """For mutations: with something wrong patched in, the claim fails."""
    with same_runs_once():
        finding = _found(claim, claim.find, "quick")
    assert finding.verdict == FAILS, "a wrong experiment passes:\n" + describe(finding)
