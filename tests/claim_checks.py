"""What the tests of claims share: each claim holds in quick mode, its negative control fails, its figure draws."""

from __future__ import annotations

import importlib
from functools import cache

import pytest

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


def assert_holds(claim: Claim) -> None:
    """The claim holds in quick mode and its figure draws; its control, the same with other parameters, fails."""
    finding = quick_finding(claim)
    assert finding.verdict == HOLDS, describe(finding)
    with styled():
        figure = claim.draw(finding)
        figure.canvas.draw()
    if claim.control is not None:
        control = claim.find_control()
        assert control.verdict == FAILS, "the negative control holds:\n" + describe(control)


def assert_fails(claim: Claim) -> None:
    """For mutations: with something wrong patched in, the claim fails."""
    finding = claim.find("quick")
    assert finding.verdict == FAILS, "a wrong experiment passes:\n" + describe(finding)
