"""What the tests of claims share: each claim holds in quick mode, its negative control fails, its figure draws."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable
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


@cache
def quick_finding(claim: Claim) -> Finding:
    """What the quick mode finds, once for all tests of a file."""
    return claim.find("quick")


def describe(finding: Finding) -> str:
    """One line for each check."""
    return "\n".join(
        f"{c.verdict}: {c.what}: {c.measured} {c.relation} {c.predicted} +- {c.tolerance}" for c in finding.checks
    )


def fingerprint(leaf: Any) -> Hashable:
    """Something that is equal for equal leaves of arguments: all bytes of an array."""
    if not isinstance(leaf, (jax.Array, np.ndarray)):
        return type(leaf), leaf
    is_key = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    values = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
    return values.dtype.str, values.shape, values.tobytes()


def remembering(function: Callable) -> Callable:
    """`function`, which is called once for equal arguments."""
    results: dict[Hashable, Any] = {}

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


def assert_holds(claim: Claim) -> None:
    """The claim holds in quick mode and its figure draws; its control, the same with other parameters, fails."""
    with pytest.MonkeyPatch.context() as patch:
        # a third of the controls compare the same runs with another prediction
        patch.setattr(tkf, "solve", remembering(tkf.solve))
        patch.setattr(ensemble, "run", remembering(ensemble.run))
        finding = quick_finding(claim)
        control = None if claim.control is None else claim.find_control()
    assert finding.verdict == HOLDS, describe(finding)
    with styled():
        figure = claim.draw(finding)
        figure.canvas.draw()
    if control is not None:
        assert control.verdict == FAILS, "the negative control holds:\n" + describe(control)
        named = [check for check in control.checks if check.what.startswith(claim.control.breaks)]
        assert any(check.verdict == FAILS for check in named), f"{claim.control.breaks!r} holds:\n" + describe(control)


def assert_fails(claim: Claim) -> None:
    """For mutations: with something wrong patched in, the claim fails."""
    finding = claim.find("quick")
    assert finding.verdict == FAILS, "a wrong experiment passes:\n" + describe(finding)
