"""From a resolved `Config` to objects of the library. The names of a config become objects here and nowhere else.

    model.py    [geometry] [attention] [[heads]] [position] [normalization] [perceptron] [potential] [noise] [schedule]
    block.py    [block]
    start.py    [state] [initial], and what [position] adds to it
    events.py   solve.events
    save.py     solve.save, solve.save_tokens, solve.observables

`study.resolve` comes before: it checks that every key has an effect and writes out the defaults that a run folder
shows. Which class a name stands for is in the rows of `study.kinds`. The other keys of [solve] stay words and numbers:
`tokenfield.solve` takes them as they are. No disk, except that initial tokens may come from a file.
"""

from __future__ import annotations

from tokenfield.study.builders.events import build_events
from tokenfield.study.builders.model import build_family, build_model
from tokenfield.study.builders.save import build_save, check_observable, measure_of
from tokenfield.study.builders.start import build_grid, build_start, build_tokens

__all__ = [
    "build_events",
    "build_family",
    "build_grid",
    "build_model",
    "build_save",
    "build_start",
    "build_tokens",
    "check_observable",
    "measure_of",
]
