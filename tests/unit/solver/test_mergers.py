"""`Mergers`: what can be read off a linkage made by hand. How runs make one is tested in `test_merging`."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield.solver.merging.mergers import Mergers, Plateau

# five tokens: 1 and 3 join to group 5, then 0 and 4 to group 6, then both groups to group 7; token 2 stays alone
MADE = Mergers(
    n=5,
    times=np.array([1.0, 2.5, 40.0]),
    parts=np.array([[1, 3], [0, 4], [5, 6]]),
    masses=np.array([[0.1, 0.2], [0.3, 0.1], [0.3, 0.4]]),
    delta=0.05,
    plateaus=(
        Plateau(3.0, 40.0, 3, (0.4, 0.3, 0.3), 0.5),
        Plateau(45.0, 1e9, 2, (0.7, 0.3), None),
    ),
)
NONE = Mergers(3, np.empty(0), np.empty((0, 2), int), np.empty((0, 2)), delta=0.05)


def test_counts_of_groups():
    assert len(MADE) == 3 and len(NONE) == 0
    assert MADE.count(0.0) == 5
    # a merger counts from its own time on
    np.testing.assert_array_equal(MADE.count([0.99, 1.0, 2.4, 2.5, 39.0, 40.0, 1e9]), [5, 4, 4, 3, 3, 2, 2])
    assert NONE.count(1e9) == 3


@pytest.mark.parametrize(("group", "tokens"), [(2, [2]), (5, [1, 3]), (6, [0, 4]), (7, [0, 1, 3, 4])])
def test_tokens_of_a_group(group, tokens):
    np.testing.assert_array_equal(MADE.tokens(group), tokens)


def test_merges_name_their_tokens_heaviest_part_first():
    first, _, last = MADE.merges
    assert [first.t, last.t] == [1.0, 40.0]
    assert [part.tolist() for part in first.parts] == [[3], [1]]
    assert first.masses == (0.2, 0.1) and first.mass == pytest.approx(0.3)
    assert [part.tolist() for part in last.parts] == [[0, 4], [1, 3]]
    assert last.masses == (0.4, 0.3) and last.mass == pytest.approx(0.7)
    assert NONE.merges == ()


def test_a_plateau_that_lasts_to_the_end_of_the_run_did_not_end():
    np.testing.assert_array_equal(MADE.escape_times, [40.0])
    assert len(NONE.escape_times) == 0
