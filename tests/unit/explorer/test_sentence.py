"""A text through a real model, for the page."""

from __future__ import annotations

import numpy as np
import pytest

from real_models import real_folder
from tokenfield.errors import InvalidInput
from tokenfield.explorer import sentence


@pytest.mark.parametrize(
    "text, model, words",
    [
        ("", "smollm2", "from 1 to 2000 letters"),
        ("x" * 3000, "smollm2", "from 1 to 2000 letters"),
        ("\ud800", "smollm2", "from 1 to 2000 letters"),
        (3, "smollm2", "from 1 to 2000 letters"),
        ("hello", "smolm2", "did you mean 'smollm2'"),
        ("hello", "/etc", "there is no model"),
        ("hello", None, "there is no model"),
    ],
)
def test_what_makes_no_sense_is_refused(text, model, words):
    with pytest.raises(InvalidInput, match=words):
        sentence.through(text, model)


def test_a_model_that_was_not_fetched_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert not any(entry["fetched"] for entry in sentence.models())
    with pytest.raises(InvalidInput, match="tokenfield pretrained fetch smollm2"):
        sentence.through("hello there", "smollm2")


@pytest.mark.slow
@pytest.mark.pretrained
def test_a_sentence_layer_by_layer():
    real_folder("smollm2")
    found = sentence.through("The capital of France is", "smollm2")
    assert found["words"] == ["The", " capital", " of", " France", " is"]
    assert len(found["layers"]) == 31 and found["layers"][-1]["top"][0]["word"] == " Paris"
    for layer in found["layers"]:
        points = np.array(layer["points"])
        assert points.shape == (5, 3) and np.all(np.linalg.norm(points, axis=1) <= 1 + 1e-4)
        assert len(layer["norms"]) == 5 and layer["entropy"] >= 0
    assert found["sink"]["token"] == 0 and found["sink"]["ratio"] > 5
    assert found["without_sink"]["tokens"] == [1, 2, 3, 4]
    assert len(found["without_sink"]["layers"][0]["points"]) == 4
