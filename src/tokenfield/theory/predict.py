"""`predict`: every prediction of `tokenfield.theory` that applies to a model and its start, and why others do not.

`Predictions` is what it returns. Which prediction applies when is up to the adapters of `registry`; nothing is computed
here. A description of the model in plain numbers, a `Setting`, does as well as the model, and needs no JAX.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.json import jsonable
from tokenfield.errors import InvalidInput
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.registry import TOPICS
from tokenfield.theory.setting import DoesNotApply, Setting

if TYPE_CHECKING:
    from tokenfield.laws.masked import AnyDensity
    from tokenfield.laws.masked_gaussian import AnyGaussian
    from tokenfield.measure import Measure
    from tokenfield.model.transformer import Transformer

WIDTH = 110  # of a printed line


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Mapping[str, Prediction]):
    """The predictions that apply to a model and a start, by name, and the reasons why the others do not.

    A mapping: `predictions["k_max"]` is a `Prediction`, and `len`, `in`, `.items()` and so on are about those that
    apply. Asking for one that does not apply raises a `KeyError` with the reason.

    Args:
        title: The model and the start in one line.
        applicable: name -> `Prediction`, for those that apply.
        refused: name -> reason, one sentence, for those that do not.

    >>> import tokenfield as tkf
    >>> found = tkf.predict(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta=5.0)))
    >>> found["k_max"].value, "consensus_rate" in found
    (3, True)
    >>> found.refused["decay_rates"]
    'it needs V = -I, this model has another V'
    """

    title: str
    applicable: Mapping[str, Prediction]
    refused: Mapping[str, str]

    def __getitem__(self, name: str) -> Prediction:
        if name in self.refused:
            raise KeyError(f"{name} does not apply: {self.refused[name]}")
        return self.applicable[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.applicable)

    def __len__(self) -> int:
        return len(self.applicable)

    def topics(self) -> dict[str, dict[str, Prediction]]:
        """topic -> name -> `Prediction`, for the topics on which something applies."""
        found = {
            topic: {name: self.applicable[name] for name in names if name in self.applicable}
            for topic, names in TOPICS.items()
        }
        return {topic: named for topic, named in found.items() if named}

    def to_dict(self) -> dict[str, Any]:
        """The predictions as plain data, for JSON: infinities and NaN are `None`, with a finite `log10` beside them."""
        return jsonable(
            {
                "about": self.title,
                "predictions": [
                    {"name": name, "topic": topic} | found.to_dict()
                    for topic, named in self.topics().items()
                    for name, found in named.items()
                ],
                "refused": dict(self.refused),
            }
        )

    def __repr__(self) -> str:
        lines = [f"Predictions for {self.title}: {len(self)} apply, {len(self.refused)} do not"]
        for topic, named in self.topics().items():
            lines.append(topic)
            lines += [_cut(f"  {name:26}{found.shown}: {found.statement}") for name, found in named.items()]
        return "\n".join([*lines, "`.refused` says why the others do not apply"] if self.refused else lines)

    def _repr_html_(self) -> str:
        rows = []
        for topic, named in self.topics().items():
            rows.append(f"<tr><th colspan=3 style='text-align:left'>{html.escape(topic)}</th></tr>")
            for name, found in named.items():
                cells = (name, found.shown, f"{found.statement} ({found.source})")
                rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        others = "".join(
            f"<li><code>{html.escape(name)}</code>: {html.escape(why)}</li>" for name, why in self.refused.items()
        )
        return (
            f"<b>Predictions for {html.escape(self.title)}</b><table>{''.join(rows)}</table>"
            f"<details><summary>{len(self.refused)} do not apply</summary><ul>{others}</ul></details>"
        )


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def predict(model: Transformer, start: Measure | AnyDensity | AnyGaussian | None = None) -> Predictions:
    """Every prediction of `tokenfield.theory` that applies to `model` and `start`, and why the others do not.

    The conditions of each theorem are checked on the model and on the start; one that is not met is the reason why the
    prediction is refused. Without a start only predictions that need none are offered, and what they assume of it is
    among their `assumptions`. Numbers that neither of the two says, such as a time or the level of a cosine, have
    defaults that the `statement` names.

    Args:
        model: The model.
        start: What it starts from: tokens (`Measure`), a `Density`, a `Gaussian`, or nothing.

    Returns:
        The `Predictions`: a mapping from names to `Prediction`, with `.refused` from names to reasons.

    Raises:
        InvalidInput: If the start does not live where the model does.

    >>> import tokenfield as tkf
    >>> model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(beta=1.0))
    >>> found = tkf.predict(model, tkf.initial.frame(tkf.Sphere(3)))
    >>> round(float(found["equiangular_time"]), 3)
    4.383
    >>> found.refused["growth_rates"][:43]
    'the start is not near the uniform law: its '
    """
    from tokenfield.theory.reading import read

    return predict_setting(read(model, start))


def predict_setting(setting: Setting) -> Predictions:
    """As `predict`, for a model and a start that are described in plain numbers."""
    applicable: dict[str, Prediction] = {}
    refused: dict[str, str] = {}
    for names in TOPICS.values():
        for name, adapter in names.items():
            try:
                applicable[name] = adapter(setting)
            except (DoesNotApply, InvalidInput) as error:  # a formula may also refuse a number, such as beta < 0
                refused[name] = str(error)
    return Predictions(setting.title, applicable, refused)
