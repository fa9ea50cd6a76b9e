"""The catalog says what the library does: its classes, parameters and defaults, and every refusal with its reason."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import equinox as eqx
import pytest

import combinations
import tokenfield as tkf
from tokenfield import geometry
from tokenfield.errors import TokenfieldError
from tokenfield.model import attention, noise, normalization, norms, parts, position, schedule
from tokenfield.observables.energy import has_energy
from tokenfield.solver import solve as flow
from tokenfield.solver import steppers as integrators
from tokenfield.study import catalog

BASES = {
    "attention": attention.Attention,
    "position": position.Position,
    "normalization": normalization.Normalization,
    "norm": norms.Norm,
    "geometry": geometry.Geometry,
    "schedule": schedule.Schedule,
    "perceptron": parts.TokenWise,
    "noise": noise.Noise,
}
# the half of a split step is a schedule for the solver, not one that a user asks for
NOT_FOR_USERS = {schedule.Only}


def subclasses(base: type) -> set[type]:
    found = {cls for child in base.__subclasses__() for cls in {child, *subclasses(child)}}
    return {cls for cls in found if cls.__module__.startswith("tokenfield.")}


@pytest.mark.parametrize("kind", catalog.kinds(), ids=lambda kind: kind.id)
def test_class_and_parameters_exist(kind):
    cls = catalog.load(kind)
    assert cls is None or issubclass(cls, (eqx.Module, *BASES.values()))
    assert all(re.fullmatch(r"\d{4}\.\d{5}", source) for source in kind.sources)
    assert kind.equation and kind.about and len({p.name for p in kind.parameters}) == len(kind.parameters)
    if kind.category not in ("attention", "normalization"):
        return
    accepted = inspect.signature(cls).parameters if cls else {}
    # the radius of a normalization is a fact about the tokens, given to the measure
    named = {p.name: p for p in kind.parameters if (kind.category, p.name) != ("normalization", "radius")}
    assert named.keys() == accepted.keys()
    for name, parameter in named.items():
        default = accepted[name].default
        if default is not inspect.Parameter.empty:
            assert (parameter.default, parameter.is_required) == (default, False), name


@pytest.mark.parametrize("category", BASES)
def test_every_public_class_is_listed(category):
    base = BASES[category]
    expected = {cls for cls in subclasses(base) or {base} if not cls.__name__.startswith("_")} - NOT_FOR_USERS
    categories = ("perceptron", "potential") if category == "perceptron" else (category,)
    listed = {catalog.load(kind) for name in categories for kind in catalog.kinds_of(name)} - {None}
    assert listed == expected


def test_activations_and_methods_are_those_of_the_library():
    assert catalog.names_of("perceptron") == tuple(parts.ACTIVATIONS)
    assert catalog.names_of("method") == tuple(integrators.METHODS)
    for method in integrators.METHODS.values():
        assert catalog.find("method", method.name).has("step") != method.is_adaptive


def test_ids_are_unique_and_sorted_by_category():
    ids = [kind.id for kind in catalog.kinds()]
    assert len(set(ids)) == len(ids)
    assert list(dict.fromkeys(kind.category for kind in catalog.kinds())) == list(catalog.CATEGORIES)
    pairs = [frozenset({e.first, e.second}) for e in catalog.exclusions()]
    assert len(set(pairs)) == len(pairs) and {i for pair in pairs for i in pair} <= set(ids)


def test_energies_are_those_of_the_library():
    for kind in catalog.kinds_of("attention"):
        model, *_ = combinations.build(combinations.completed(kind.id, "geometry:sphere"))
        assert has_energy(model) == kind.has_energy, kind.id


@pytest.mark.parametrize("exclusion", catalog.exclusions(), ids=lambda e: f"{e.first}+{e.second}")
def test_exclusion_is_refused_with_its_reason_before_anything_is_traced(exclusion, monkeypatch):
    monkeypatch.setattr(flow, "solve_plan", lambda *_, **__: pytest.fail("traced"))
    chosen = combinations.completed(exclusion.first, exclusion.second)
    with pytest.raises(TokenfieldError) as caught:
        combinations.solve(*combinations.build(chosen))
    assert exclusion.reason in str(caught.value)


def test_reasons():
    assert catalog.reason("attention:linear", "frame:relative") == catalog.reason("frame:relative", "attention:linear")
    assert catalog.reason("attention:softmax", "frame:relative") is None
    assert len(catalog.reasons(["frame:rescaled", "normalization:pre-ln", "noise:common", "geometry:euclidean"])) == 4
    names = {kind.id for kind, _ in catalog.excluded_by(catalog.find("attention", "linear"))}
    assert names == {"frame:relative", "frame:rescaled"}


def test_json_holds_everything():
    listed = json.loads(json.dumps(catalog.as_json()))
    assert {f"{category}:{entry['name']}" for category, kinds in listed.items() for entry in kinds} == {
        kind.id for kind in catalog.kinds()
    }
    softmax = listed["attention"][0]
    assert softmax["class"] == "tokenfield.Softmax" and softmax["source"] == ["arXiv:2312.10794"]
    assert softmax["parameters"] == [
        {"name": "beta", "default": 9.0, "required": False, "meaning": "inverse temperature β"}
    ]
    assert [entry["kind"] for entry in softmax["excludes"]] == []


def test_catalog_needs_no_jax():
    script = "import sys, tokenfield.study.catalog; assert not {'jax', 'numpy', 'rich'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_pairs_that_are_excluded_really_differ_from_the_rest():
    """The control: the combination around an excluded pair is accepted once one of the two is left out."""
    chosen = combinations.completed("frame:relative", "attention:linear")
    model, *_ = combinations.build(chosen | {"frame:relative": None})
    assert isinstance(model, tkf.Transformer)
