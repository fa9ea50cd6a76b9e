"""What an executable claim is: a published statement, an experiment that could contradict it, and a verdict.

An experiment is a function of a seed and of parameters that returns a `Finding`: checks, each a measured against a
predicted value, and the data of the figure. `run` does that for one claim. No disk here, and no words about a page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.figure import Figure

from tokenfield.errors import InvalidInput

HOLDS, FAILS, INCONCLUSIVE, NOT_RUN = "holds", "fails", "inconclusive", "not run"
RELATIONS = {"equals": "=", "at most": "≤", "at least": "≥"}
STATUSES = {
    "theorem": "proven in the paper",
    "figure": "a published figure or experiment",
    "conjecture": "conjectured in the paper",
    "second-hand": "known to us from an abstract, a survey or a formalization by others only",
    "derived": "derived from the paper's model, not stated in it",
    "erratum": "a formula in the document that is named fails, the corrected one holds",
    "secondary source": "the paper is right; what another document says of it fails",
    "property": "a property of the implementation, tested; it follows from definitions",
    "regression": "compared with an earlier run of ours; the paper has no number",
    "measured": "measured here on real weights; the paper has the question, not the answer",
}
MODES = ("quick", "full")
GROUPS = ("theory", "real")  # claims about the models of papers, and about real weights


@dataclass(frozen=True)
class Check:
    """A `measured` number that should equal a `predicted` one, or be at most or at least that, within `tolerance`.

    `reason` says why this tolerance. `error` is the standard error of the measurement, where it is a mean over random
    starts. With `is_relative` the tolerance is a fraction of the predicted value.
    """

    what: str
    measured: float
    predicted: float
    tolerance: float
    reason: str
    relation: str = "equals"
    error: float = 0.0
    is_relative: bool = False

    @property
    def allowed(self) -> float:
        """The tolerance as a distance from what is predicted."""
        return self.tolerance * (abs(self.predicted) if self.is_relative else 1.0)

    @property
    def distance(self) -> float:
        """How far what was measured is on the wrong side of what is predicted."""
        above = self.measured - self.predicted
        return {"equals": abs(above), "at most": above, "at least": -above}[self.relation]

    @property
    def excess(self) -> float:
        """By how much the tolerance is exceeded; negative or zero if the check holds, NaN if nothing was measured."""
        return self.distance - self.allowed

    @property
    def misfit(self) -> float:
        """The distance in units of tolerance and three standard errors; without end if neither allows anything."""
        allowed = self.allowed + 3 * self.error
        return self.distance / allowed if allowed else math.copysign(math.inf, self.distance)

    @property
    def verdict(self) -> str:
        """Fails beyond the tolerance and three standard errors; what lies between the two is inconclusive."""
        if math.isnan(self.excess):
            return INCONCLUSIVE
        if self.excess <= 0:
            return HOLDS
        return FAILS if self.excess > 3 * self.error else INCONCLUSIVE


def equals(
    what: str,
    measured: Any,
    predicted: Any,
    *,
    within: float,
    because: str,
    is_relative: bool = False,
    error: float = 0.0,
) -> Check:
    """The check that `measured` is `predicted` up to `within`, `because` of some reason."""
    return Check(what, float(measured), float(predicted), within, because, "equals", float(error), is_relative)


def at_most(what: str, measured: Any, bound: Any, *, because: str, slack: float = 0.0, error: float = 0.0) -> Check:
    """The check that `measured` is at most `bound` (+ `slack`)."""
    return Check(what, float(measured), float(bound), slack, because, "at most", float(error))


def at_least(what: str, measured: Any, bound: Any, *, because: str, slack: float = 0.0, error: float = 0.0) -> Check:
    """The check that `measured` is at least `bound` (- `slack`)."""
    return Check(what, float(measured), float(bound), slack, because, "at least", float(error))


@dataclass(frozen=True)
class Finding:
    """What an experiment found: its checks, and the arrays that the figure is drawn from."""

    checks: Sequence[Check]
    data: Mapping[str, Any] = field(default_factory=dict)

    def named(self, words: str) -> list[Check]:
        """The checks with these words in their names; without words the first check."""
        return [check for check in self.checks if words in check.what] if words else list(self.checks[:1])

    @property
    def verdict(self) -> str:
        """That of the worst check."""
        verdicts = [check.verdict for check in self.checks]
        return next((v for v in (FAILS, INCONCLUSIVE) if v in verdicts), HOLDS)


@dataclass(frozen=True)
class Setting:
    """Parameters of an experiment, and about how many seconds it then takes on two cores (for the order of work)."""

    parameters: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True)
class Control:
    """Parameters that replace those of `quick` and with which the claim must fail, and why it must.

    `fails` are words in the names of the checks that must fail, all of them. Without words it is the main check of the
    claim, and one of all checks where the claim names none.
    """

    parameters: Mapping[str, Any]
    why: str
    fails: str = ""


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement of a paper with the experiment that decides it.

    `statement`, `assumptions` and `note` are plain sentences with formulas in LaTeX between dollar signs. `paper` is a
    key of `tokenfield.claims.papers.PAPERS`, `where` the theorem or figure in it. `status` is a key of `STATUSES`.
    `experiment(seed=, **parameters)` is pure; `draw(finding)` makes the figure. `quick` runs the same code as `full`,
    which has the published parameters, on fewer tokens or systems. `note` tells what differs from the paper. `needs`
    are the names of real models (`tokenfield pretrained list`) without which the claim is not run. `main` are words in
    the name of the check that decides the statement, which summaries show (without them the first). `misses` is the
    share of seeds on which a true claim is expected not to hold in quick mode, by its own standard errors. `figure` is
    the name of a figure that several claims share, which then all draw the same one; by default it is the id.
    """

    id: str
    title: str
    statement: str
    paper: str
    where: str
    status: str
    experiment: Callable[..., Finding]
    draw: Callable[[Finding], Figure]
    quick: Setting
    full: Setting
    assumptions: tuple[str, ...] = ()
    control: Control | None = None
    note: str = ""
    needs: tuple[str, ...] = ()
    main: str = ""
    misses: float = 0.0
    figure: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InvalidInput(f"claim {self.id}: unknown status {self.status!r}")
        if self.quick.parameters.keys() != self.full.parameters.keys():
            raise InvalidInput(f"claim {self.id}: quick and full have different parameters")
        if self.control is not None and not self.control.parameters.keys() <= self.quick.parameters.keys():
            raise InvalidInput(f"claim {self.id}: its control sets parameters that it does not have")
        if not 0 <= self.misses < 1:
            raise InvalidInput(f"claim {self.id}: misses is a share, got {self.misses}")

    @property
    def group(self) -> str:
        """ "real" for claims about real weights, "theory" for all others."""
        return "real" if self.needs else "theory"

    def missing(self) -> str:
        """Why the claim cannot be run, and what to do; empty if it can."""
        if not self.needs:
            return ""
        from tokenfield.pretrained import entries

        there = {entry.name for entry in entries() if entry.is_there}
        commands = [f"tokenfield pretrained fetch {name}" for name in self.needs if name not in there]
        return f"it needs a real model: {' && '.join(commands)}" if commands else ""

    def setting(self, mode: str) -> Setting:
        """The parameters of a mode, "quick" or "full"."""
        return self.quick if mode == "quick" else self.full

    def find(self, mode: str = "quick", *, seed: int = 0) -> Finding:
        """What the experiment finds in a mode."""
        return self.experiment(seed=seed, **self.setting(mode).parameters)

    def must_fail(self, control: Finding) -> list[Check]:
        """Those checks of what the control found that have to fail; none if their name is not there."""
        words = "" if self.control is None else self.control.fails or self.main
        return control.named(words) if words else [c for c in control.checks if c.verdict == FAILS][:1]

    def weakest(self, control: Finding) -> Check | None:
        """Of the checks that have to fail in the control the one that misses by the least."""
        return min(self.must_fail(control), key=lambda check: check.misfit, default=None)

    def find_control(self, *, seed: int = 0) -> Finding:
        """What the negative control finds; raises `InvalidInput` if there is none."""
        if self.control is None:
            raise InvalidInput(f"claim {self.id} has no negative control")
        return self.experiment(seed=seed, **{**self.quick.parameters, **self.control.parameters})
