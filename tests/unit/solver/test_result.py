"""`Outcome` and `Result`: codes, names, reasons, and what is said of batches and inside traces."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Outcome, Result

EVENTS = ("consensus", "steady")


def result(code, *, t=2.0, unresolved_from=np.inf) -> Result:
    code = code.value if isinstance(code, Outcome) else code
    return Result(jnp.asarray(code), jnp.asarray(t), EVENTS, unresolved_from)


def test_labels_and_names_are_inverse():
    labels = [outcome.label for outcome in Outcome]
    assert labels == ["finished", "out-of-steps", "stuck", "interrupted", "blew-up", "under-resolved", "event"]
    assert [Outcome.named(label) for label in labels] == list(Outcome)
    assert Outcome["BLEW_UP"].value == 4  # compiled programs and files on disk hold these numbers
    with pytest.raises(KeyError):
        Outcome.named("lost")


SENTENCES = {
    Outcome.FINISHED: "finished at t = 2",
    Outcome.OUT_OF_STEPS: "ran out of steps at t = 2: raise max_steps, or loosen rtol",
    Outcome.STUCK: "stuck at t = 2: the step size fell to rounding, as when attention jumps or a radius reaches zero",
    Outcome.INTERRUPTED: "interrupted at t = 2",
    Outcome.BLEW_UP: "blew up at t = 2",
    Outcome.UNDER_RESOLVED: "under-resolved at t = 2: take more nodes, or cells on the circle, which go on",
    Outcome.EVENT: "stopped by consensus at t = 2",
}


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_says_what_happened(outcome):
    found = result(outcome)
    assert found.outcome is outcome
    assert str(found) == repr(found) == SENTENCES[outcome]
    assert found.is_complete == (outcome in (Outcome.FINISHED, Outcome.EVENT))


def test_events_are_named():
    assert [result(16 + i).name for i in range(2)] == ["consensus", "steady"]
    assert result(17).outcome is Outcome.EVENT
    assert result(Outcome.STUCK).name == "stuck"


def test_codes_of_names():
    assert Result.code_of("steady", EVENTS) == 17
    assert Result.code_of("blew-up", EVENTS) == Outcome.BLEW_UP.value
    # an event of the caller's is asked first, whatever it is called
    assert Result.code_of("stuck", ("stuck",)) == 16


def test_a_density_that_went_on_too_rough_says_from_when():
    rough = result(Outcome.FINISHED, unresolved_from=0.5)
    assert str(rough) == "finished at t = 2; under-resolved from t = 0.5: take more nodes"
    assert rough.is_complete


def test_batches_are_counted():
    batch = jax.vmap(lambda code: Result(code, jnp.asarray(1.0), EVENTS))(jnp.asarray([0, 4, 0]))
    assert str(batch) == "3 flows, 2 finished"


def test_a_traced_result_does_not_pretend_to_know():
    said = []

    def look(code):
        said.append(repr(Result(code, jnp.asarray(1.0))))
        return code

    jax.jit(look)(jnp.asarray(0))
    assert said == ["Result(traced)"]
