"""What users get wrong, each with the message that it gets: one line, exit code 2, nothing left on disk.

Commands run in this process, and nothing here is compiled: every error comes before.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tokenfield as tkf
from command_line import error_of, files, in_a_folder_of_its_own, tokenfield  # noqa: F401
from tokenfield.solver.labels import RESERVED
from tokenfield.solver.result import Result
from tokenfield.solver.trajectory import Stats
from tokenfield.study import toml
from tokenfield.study.config import SECTIONS

# --- commands -----------------------------------------------------------------------------------------------------

TOO_LARGE = r"at least [\d.e+]+ [TP]B of memory, [\d.]+ [GTM]B are available: take "
COMMANDS = {
    # too large: aborted the interpreter with a C++ stack, or filled the memory until something was killed
    "simulate --n 1000000000000": rf"1000000000000 tokens in R\^3 need {TOO_LARGE}fewer tokens",
    "simulate --n 1000000000000 --explain": TOO_LARGE,
    "simulate --n 1000000000000 --initial quasi-uniform": TOO_LARGE,
    "simulate --n 1000000000000 --initial cap": TOO_LARGE,
    "simulate --n 1000000000000 --initial symmetric --set initial.folds=2": TOO_LARGE,
    "simulate --n 1000000000000 --geometry euclidean --initial box": TOO_LARGE,
    "simulate --n 1000000000000 --geometry euclidean --initial gaussian": TOO_LARGE,
    "simulate --dim 1000000000": rf"1000 tokens in R\^1000000000 need {TOO_LARGE}fewer tokens, or a lower dimension",
    "simulate --dim 1000000000 --explain": TOO_LARGE,
    "simulate --dim 1000000 --n 1 --initial symmetric --set initial.folds=1": TOO_LARGE,
    "simulate --dim 1000000 --geometry euclidean --initial gaussian --n 1": TOO_LARGE,
    "simulate --dim 1000000 --geometry euclidean --state gaussian": TOO_LARGE,
    "simulate --dim 1000000 --initial simplex": TOO_LARGE,
    "simulate --dim 2 --state density --nodes 1000000000000": rf"1000000000000 nodes need {TOO_LARGE}fewer nodes",
    "simulate --dim 2 --state density --grid cells --nodes 1000000000000": TOO_LARGE,
    "simulate --dim 3 --state density --nodes 1000000000": "whole number from 4 to",
    "simulate --dim 4 --state density --nodes 100000000": TOO_LARGE,
    "simulate --dim 2 --n 4 --method rk4 --step 1e-12": rf"3e\+13 steps need {TOO_LARGE}longer ones",
    "simulate --dim 2 --n 4 --method rk4 --step 1e-300": "PB of memory",
    "simulate --dim 2 --n 4 --layers 1000000000000000": TOO_LARGE,
    "simulate --dim 2 --n 4 --kappa 1 --step 1e-14": TOO_LARGE,
    "simulate --dim 2 --n 4 --save 1000000000000": r"would take 64 TB, the most is 8\.59 GB: save fewer times",
    "simulate --dim 2 --n 4 --save log:1000000000000": "would take 64 TB",
    "simulate --dim 2 --n 4 --set perceptron.width=10000000000000": rf"10000000000000 neurons in R\^2 need {TOO_LARGE}",
    "simulate --dim 2 --n 4 --set schedule.kind=resampled --set schedule.period=1e-14": "periods of a schedule need",
    "compare --dim 2 --sizes 10,1e12": rf"1000000000000 tokens in R\^2 need {TOO_LARGE}fewer tokens",
    "compare --dim 2 --sizes 10 --seeds 10000000000000": "draws of each size need",
    "phase-diagram --systems 1000000000": rf"1000000000 systems at 90 values and 200 times need {TOO_LARGE}",
    "phase-diagram --n 1000000000000": TOO_LARGE,
    "phase-diagram --dim 1000000000000": TOO_LARGE,
    # said one thing and did another, without a word
    "simulate --tokens points.csv --initial uniform": "--tokens and --initial uniform both say where tokens start",
    "simulate --set 'solve.t1=2\nattention = 3'": "--set takes one key: repeat it for others",
    "simulate --set 'attention.beta=2\n[solve]\nt1=5'": "--set takes one key",
    "simulate --set 'initial.kind=a\nb'": "--set takes one key",
    "simulate --n 4 --events cosine-level:nan": r"CosineLevel\(level\) must be finite",
    "simulate --n 4 --events cosine-level:2": r"needs a cosine in \[-1, 1\], got 2",
    "simulate --n 4 --events consensus:inf": r"Consensus\(delta\) must be finite",
    # tracebacks, wrong reasons, raw warnings
    "simulate --n 4 --out /": "/ cannot be a run folder: add the name of a new one to --out",
    "compare --dim 2 --out /": "/ cannot be a comparison",
    "phase-diagram --out /": "/ exists and is not a sweep: choose another --out",
    "simulate --n 4 --out other": "other exists and is not a run folder: choose another --out",
    "simulate --n 4 --out other --force": "--force only replaces folders of its own kind",
    "simulate --n 4 --out points.csv": "points.csv exists and is not a run folder: choose another --out",
    "simulate --n 4 --merge --layers 4": "tokens join in continuous depth: leave out merge, or layers",
    "simulate --dim 2 --state density --kernel 1e12 --n 10": r"512 nodes do not resolve concentration 1e\+12",
    "phase-diagram --seed 99999999999999999999": "of 64 bits",
    "simulate --seed 99999999999999999999": "initial.seed must be an integer of 64 bits",
    "reproduce glpr23-hull-shrinks --seed 99999999999999999999": "--seed must fit in 64 bits",
    "reproduce glpr23-hull-shrinks --seed -1": "--seed must be at least 0",
    "simulate --dim 2 --tokens text.npy": r"text.npy: points must be real numbers, got an array of <U\d+: try .astype",
    "simulate --dim 2 --tokens pickled.npy": "pickled.npy is damaged or no NumPy file of numbers",
    # matrices from files
    "simulate --dim 2 --n 4 --set attention.Q=absent.npy": "attention.Q: cannot read absent.npy: No such file",
    "simulate --dim 2 --n 4 --set attention.Q=points.toml": "must be numbers, or a file that ends in .npy, .csv, .txt",
    "simulate --dim 2 --n 4 --set attention.Q=text.npy": r"must be a matrix of numbers: text.npy holds <U\d+",
    "simulate --dim 2 --n 4 --set attention.Q=pickled.npy": "attention.Q: pickled.npy holds no numbers",
    "simulate --dim 2 --n 4 --set attention.Q=words.csv": "attention.Q: words.csv holds no numbers",
    "simulate --dim 2 --n 4 --set attention.Q=three.npy": r"holds float64 of shape \(2, 2, 2\)",
    "simulate --dim 2 --n 4 --set attention.Q=points.csv": "Q must",
    "simulate --dim 2 --n 4 --set position.alibi=three.npy": "position.alibi must be a list of numbers",
    # folders
    "show absent": "there is no folder absent",
    "plot absent": "there is no folder absent",
    "show points.csv": "points.csv is a file, not a folder that tokenfield wrote",
    "show other": "other is unfinished or not a run folder",
    "completion tcsh": "unknown shell 'tcsh'",
    "completion": "Missing argument",
    # numbers that are none
    "simulate --beta ten": "should be a valid number",
    "simulate --n 1e3": "should be a valid integer",
    "simulate --n 4 --t1 nan": "finite times t0 < t1",
    "simulate --n 4 --t1 inf": "finite times t0 < t1",
    "simulate --n 4 --t0 nan": "finite times t0 < t1",
    "simulate --n 4 --rtol nan": "tolerances need 0 < rtol < 1",
    "simulate --n 4 --rtol 1e-300": "rtol = 1e-300 is below the rounding of float64: take at least 1e-16",
    "simulate --n 4 --t0 -1e308 --t1 1e308": "finite times t0 < t1",
    "simulate --n 4 --rtol 0": "tolerances need 0 < rtol < 1",
    "simulate --n 4 --atol -1": "atol >= 0",
    "simulate --n 4 --method rk4 --step nan": "step must be",
    "simulate --n 4 --method rk4 --step 0": "step must be",
    "simulate --n 4 --kappa nan": "kappa must be",
    "simulate --n 4 --merge --clock distance --speed nan": "speed must be",
    "simulate --n -1": "n must be at least 1",
    "simulate --dim 0": "d >= 2",
    "simulate --n 4 --save nan,1": "finite numbers",
    "simulate --n 4 --max-steps -3": "max_steps must be at least 1",
    "simulate --dim 2 --state density --nodes 3": "nodes >= 8",
    "compare --dim 2 --sizes ten": "--sizes are numbers of tokens",
    "compare --dim 2 --sizes 1": "numbers of tokens >= 2",
    "compare --dim 2 --sizes inf": "--sizes are numbers of tokens",
    "compare --dim 2 --seeds 0": "seeds must be a whole number >= 1",
    "compare --dim 2 --p 3": "compare knows W_1 and W_2",
    "phase-diagram --betas 1:2": "--betas needs FIRST:LAST:COUNT",
    "phase-diagram --betas 2,1": "--betas must increase",
    "phase-diagram --betas nan,1": "--betas must increase and be finite",
    "phase-diagram --systems 0": "systems must be a whole number >= 1",
    "phase-diagram --n 1": "n must be a whole number >= 2",
    "phase-diagram --t1 -1": "the final time must be positive",
    "phase-diagram --delta 3": r"threshold of pairs must lie in",
    "phase-diagram --step 0": "needs a positive step",
    "phase-diagram --statistic pears": "unknown statistic 'pears'",
    "sweep": "a sweep needs an axis, such as --over attention.beta=0.1:9:30",
    "sweep --over attention.betta=1,2": "did you mean 'attention.beta'",
    "sweep --over beta=1:2": "FIRST:LAST:COUNT",
    "sweep --over beta=1,2 --seeds 3:1": "seeds are FIRST:END",
    "sweep --over beta=1,2 --measure piars": "unknown measure 'piars'; did you mean 'pairs'",
    "sweep --over beta=1,2 --measure absent.py:f": "cannot read absent.py",
    "sweep --over beta=1,2 --on dusk": "unknown engine 'dusk'; did you mean 'dask'",
    "sweep --n 4 --over kind=softmax": "is a key of several sections",
    "sweep --n 4 --over attention.kind=softmax,hardmax --over beta=1,2": "2 of 4 cells cannot be, such as kind = har",
    "sweep --n 4 --over dim=-1,0": "no cell can be",
    "sweep --n 4 --over dim=2,3 --measure pairs:7": "the threshold of pairs must lie in",
    "sweep --n 4 --over t1=1,2 --save 3": "solve.t1 changes the times",
    "sweep --n 4 --over beta=1,2 --out other": "other exists and is not a sweep",
    "sweep --n 4 --over beta=1,2 --on slurm": "there is no srun here",
    # folders of others, and links that lead nowhere
    "simulate --n 4 --out circle": "circle is a symbolic link that leads to itself: choose another --out",
    "simulate --resume --out circle": "circle is a symbolic link that leads to itself",
    "compare --dim 2 --out circle": "circle is a symbolic link that leads to itself",
    "sweep --n 4 --over beta=1,2 --out circle": "cannot write circle",
    "reproduce glpr23-hull-shrinks --out circle": "cannot write circle",
    "reproduce glpr23-hull-shrinks --out other": "other exists and is not a report: choose another --out",
    "reproduce glpr23-hull-shrinks --on dusk --out new": "unknown engine 'dusk'; did you mean 'dask'",
    # steering
    "steer negative.toml": "steer.tokens must be at least 1, got -4",
    "steer huge.toml": rf"2 x 100000000000 tokens in R\^3 need {TOO_LARGE}a smaller steer.tokens",
    "steer wide.toml": "width is that of perceptrons, and the model has none",
    "sweep --n 4 --over beta=1,2 --workers 0": "Invalid value for '--workers'",
    "measure --model other --text absent.txt": "cannot read the text absent.txt: No such file or directory;?$",
    "measure --model other --text three.npy": "three.npy is not a text file in UTF-8",
    "reproduce no-such-claim": "no-such-claim",
    "cite no-such-claim": "no-such-claim",
    "models no-such-kind": "no-such-kind",
    "no-such-command": "No such command",
    "simulate --no-such-option": "No such option",
}


@pytest.fixture
def odd_files(monkeypatch):
    """Files that commands are given by mistake, on a machine without Slurm."""
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **options: None if name == "srun" else found(name, **options))
    Path("points.csv").write_text("1,0,0\n0,1,0\n")
    Path("words.csv").write_text("one,two\nthree,four\n")
    np.save("three.npy", np.ones((2, 2, 2)))
    np.save("text.npy", np.eye(2).astype(str))
    np.save("pickled.npy", np.array([{}, None]), allow_pickle=True)
    for name, key in {"negative": "tokens = -4", "huge": "tokens = 100000000000", "wide": "width = 3"}.items():
        Path(f"{name}.toml").write_text(f"[geometry]\ndim = 3\n[steer]\n{key}\n")
    Path("circle").symlink_to("circle")
    Path("other").mkdir()
    Path("other/thesis.tex").write_text("mine")


@pytest.mark.usefixtures("odd_files")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("command", "message"), COMMANDS.items(), ids=list(COMMANDS))
def test_commands_that_make_no_sense(command, message):
    before = files()
    assert re.search(message, error_of(*shlex.split(command)))
    assert files() == before


# --- calls --------------------------------------------------------------------------------------------------------

CIRCLE = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0))
X = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
STATES = np.random.default_rng(0).normal(size=(2, 3, 4))
RUN = tkf.Trajectory(
    ts=jnp.array([0.0, 1.0]),
    states={"points": jnp.stack([X, X])},
    observables={},
    final=tkf.Measure(X),
    result=Result(jnp.asarray(0), jnp.asarray(1.0), ()),
    stats=Stats(*(jnp.zeros(()),) * 3),
    model=CIRCLE,
)


def plan(model=CIRCLE, start=X, **options):
    return tkf.explain(model, start, **{"t1": 1.0} | options)


def keep(**observables):
    return plan(save=tkf.Save(3, observables=observables))


def batch():
    import jax

    return jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), RUN)


def ensemble(**options):
    given = {"n": 4, "d": 2, "betas": [1.0], "systems": 2, "times": [1.0], "seed": 0}
    return tkf.ensemble.Ensemble(**given | options)


def cap(**options):
    return tkf.initial.cap(tkf.Sphere(2), 3, **{"center": [1.0, 0.0], "angle": 1.0, "seed": 0} | options)


order = tkf.observables.order_parameter
LAW = tkf.Gaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
CALLS = {
    "a method that is an array": (lambda: plan(method=X), r"unknown method an array of shape \(3, 2\); choose from"),
    "a kernel that is an array": (lambda: tkf.Sinkhorn(1.0, kernel=("dot",)), r"unknown kernel \('dot',\)"),
    "a time beyond all floats": (lambda: tkf.MixLN(tau=10**400), "got a number of 1329 bits"),
    "layers that are a number": (lambda: tkf.schedule.PerLayer(3, t1=1.0), "a list of at least one layer, got 3"),
    "weights that are no function of depth": (lambda: tkf.schedule.FunctionOfDepth(3), "a function of the time, got 3"),
    "random weights of a word": (
        lambda: tkf.schedule.Resampled("softmax", 2, seed=0, period=1.0),
        "an attention such as Softmax.*got 'softmax'",
    ),
    "a random matrix without rows": (lambda: tkf.schedule.gram(0, -3), "needs d >= 1 rows, got -3"),
    "a random matrix of a word": (lambda: tkf.schedule.wigner("a", 3), "must be a whole number or an array"),
    "observables in a list": (lambda: tkf.Save(3, observables=[order]), "observables are functions by name"),
    "an observable that is a number": (lambda: keep(a=3), "'a' must be a function of one measure, got 3"),
    "an observable without a word": (lambda: tkf.Save(3, observables={1: order}), "must be a word, got 1"),
    "an observable in a folder": (lambda: tkf.Save(3, observables={"a/b": order}), "must be a word, got 'a/b'"),
    "an observable of two": (lambda: keep(a=tkf.observables.energy), "'a' must be a function of one measure that JAX"),
    "an observable that looks": (lambda: keep(a=lambda mu: float(mu.mean[0])), "of one measure that JAX can trace"),
    "an observable of words": (lambda: keep(a=lambda mu: "word"), "of one measure that JAX can trace"),
    "an observable with a typo": (lambda: keep(a=lambda mu: mu.maen), "has no attribute 'maen'"),
    "an event that is a number": (lambda: plan(events=3), r"events are functions of \(t, measure, model\)"),
    "an event that is a word": (lambda: plan(events="consensus"), "events are functions of"),
    "a level that is no number": (lambda: tkf.events.CosineLevel(np.nan), "must be finite, got nan"),
    "a level that is a word": (lambda: tkf.events.CosineLevel("high"), "must be a number, got 'high'"),
    "a level that is no cosine": (lambda: tkf.events.CosineLevel(-1.5), r"a cosine in \[-1, 1\], got -1.5"),
    "points without coordinates": (lambda: tkf.Measure(np.ones((2, 0))), "at least one coordinate, got d = 0"),
    "a mask that is strict by a word": (lambda: tkf.Causal(strict="yes"), r"Causal\(strict\) must be True or False"),
    "a run saved to a number": (lambda: RUN.save(3), "save: folder must be a word or a path, got 3"),
    "a page that is a number": (lambda: RUN.to_html(3), "to_html: path must be a word or a path, got 3"),
    "along a run, nothing": (lambda: RUN.along(lambda: 1.0), "this one takes nothing"),
    "along a run, words": (
        lambda: RUN.along(lambda mu: "word"),
        "an observable has a number, or an array of one shape",
    ),
    "along a run, two shapes": (lambda: RUN.along(lambda t, mu: np.ones(1 + round(t))), "one shape at all times"),
    "a sweep of a number": (lambda: tkf.sweep(3, over={"beta": [1]}), "a sweep needs a Config, its tables, .* got 3"),
    "a sweep over a number": (lambda: tkf.sweep({}, over=4), "axes are a dict of keys and their values, .* got 4"),
    "sinks by a word": (lambda: tkf.layers.measure(STATES, sink_ratio="a"), "sink_ratio must be a number, got 'a'"),
    "weights too far apart": (lambda: tkf.Measure(X[:2], [1e-300, 1e300]), "from 1e-300 to 1e.300 cannot be held"),
    "weights of float32": (lambda: tkf.Measure(X[:2].astype("f4"), [1e-60, 1.0]), "in float32: drop the smallest"),
    "tokens of text": (lambda: tkf.Measure(X.astype(str)), "must be real numbers, got an array of <U32"),
    "tokens that are objects": (lambda: tkf.Measure(np.array([[1, None]])), "got an array of object"),
    "tokens that are a word": (
        lambda: plan(start="tokens.npy"),
        "start must be .* an array of numbers .*, got 'tokens.npy'",
    ),
    "tokens of two lengths": (lambda: tkf.Measure([[1.0, 0.0], [1.0]]), "must be an array of numbers"),
    "a beta beyond floats": (lambda: tkf.Softmax(10**400), "beta must be a number, got one beyond float64"),
    "a beta that is a word": (lambda: tkf.Softmax("hot"), "beta must be a number, got 'hot'"),
    "a time beyond floats": (lambda: plan(t1=10**400), "t1 must be a number, got a number of 1329 bits"),
    "a step that is a word": (lambda: plan(method="rk4", step="a"), "step must be a number, got 'a'"),
    "a tolerance that is a word": (lambda: plan(rtol="tight"), "rtol must be a number, got 'tight'"),
    "a model that is none": (lambda: plan(model=3), "model must be a Transformer, got 3"),
    "merged layers": (lambda: plan(merge=True, layers=4), "leave out merge, or layers"),
    "half an index": (lambda: RUN.state(1.5), r"an index lies in \[-2, 1\], got 1.5"),
    "an index that is not there": (lambda: RUN.measure(99), r"an index lies in \[-2, 1\], got 99"),
    "clusters that are not there": (lambda: RUN.clusters(99), r"an index lies in \[-2, 1\], got 99"),
    "the order of a run": (
        lambda: order(RUN),
        "got Trajectory: take run.measure",
    ),
    "the order of points": (lambda: order(X), r"got an array of shape \(3, 2\): make one with Measure\(points\)"),
    "the rank of a run": (
        lambda: tkf.observables.effective_rank(RUN),
        "mu must be a measure or a density, got Trajectory",
    ),
    "cosines of a run": (lambda: tkf.observables.smallest_cosine(RUN), "mu must be a measure, got Trajectory"),
    "the mean cosine of a run": (lambda: tkf.observables.mean_cosine(RUN), "mu must be a measure, got Trajectory"),
    "clusters of a run": (lambda: tkf.observables.clusters(RUN, tkf.Sphere(2)), "mu must be a measure, got Trajectory"),
    "the spectrum of a run": (
        lambda: tkf.observables.harmonic_spectrum(RUN, [1]),
        "mu must be a measure, got Trajectory",
    ),
    "a geometry that is a word": (lambda: tkf.Measure(X, geometry="sphere"), r"Sphere\(d\) or Euclidean\(d\), got 's"),
    "tokens on a word": (lambda: tkf.initial.uniform("sphere", 3, seed=0), r"Sphere\(d\) or Euclidean\(d\), got 's"),
    "clusters on a word": (lambda: tkf.observables.clusters(RUN.final, "sphere", delta=0.1), "got 'sphere'"),
    "distances of points": (lambda: tkf.transport.wasserstein(RUN.final, X, tkf.Sphere(2)), "nu must be a measure"),
    "a comparison of tokens": (lambda: tkf.compare(CIRCLE, RUN.final, t1=1.0), "a Density or a Gaussian, got Measure"),
    # arguments are held against their annotations: a few of each kind
    "an angle that is none": (
        lambda: cap(angle=None),
        "cap: angle must be a number, got None",
    ),
    "an angle of many": (lambda: cap(angle=X), r"angle must be a number, got an array of shape \(3, 2\)"),
    "a center of two lengths": (
        lambda: cap(center=[[1], []]),
        "center must be an array of numbers",
    ),
    "a simplex on a number": (
        lambda: tkf.initial.simplex(3, 3),
        r"geometry must be Sphere\(d\) or Euclidean\(d\)",
    ),
    "tokens beyond floats": (lambda: tkf.initial.uniform(tkf.Sphere(2), 10**400, seed=0), "got a number of 1329 bits"),
    "a seed of many": (
        lambda: cap(seed=X),
        r"one JAX key .*an array of shape \(3, 2\)",
    ),
    "a file that is a number": (lambda: tkf.initial.from_file(3), "path must be a word or a path, got 3"),
    "a run that is a number": (lambda: tkf.load(3), "path must be a word or a path, got 3"),
    "the energy of a Gaussian": (
        lambda: tkf.observables.energy(LAW, CIRCLE),
        "a measure or a density, got Gaussian",
    ),
    "the energy of a word": (
        lambda: tkf.observables.energy(RUN.final, "softmax"),
        "model must be a Transformer",
    ),
    "a depth that is a word": (
        lambda: tkf.observables.energy(RUN.final, CIRCLE, "end"),
        "or a number, got 'end'",
    ),
    "an index that is a word": (lambda: tkf.observables.harmonic_spectrum(RUN.final, ["a"]), "a list of whole numbers"),
    "half a degree": (lambda: tkf.observables.fourier_coefficients(RUN.final, [1.5]), "a list of whole numbers"),
    "a histogram of a Gaussian": (lambda: tkf.observables.pair_cosine_histogram(LAW), "got Gaussian: make one with"),
    "amplitudes of nothing": (
        lambda: tkf.observables.degree_amplitudes(tkf.laws.Fourier(8), []),
        r"shape \(..., 8\)",
    ),
    "weights of other points": (lambda: tkf.transport.line_wasserstein([0.0], [1.0], [], [1.0]), "need one shape"),
    "points in a table": (lambda: tkf.transport.circle_wasserstein(X, X, X, X), r"need one shape \(n,\)"),
    "points that are nowhere": (
        lambda: tkf.transport.line_wasserstein([np.nan], [1], [1], [1]),
        "points must be finite",
    ),
    "a distance of no power": (lambda: tkf.transport.line_wasserstein([0], [1], [1], [1], p=0), "p >= 1"),
    "no rates": (lambda: tkf.theory.growth_rates(1.0, 2, count=-1), "count must be at least 1"),
    "no thresholds": (lambda: tkf.theory.noise_thresholds(1.0, 2, count=-1), "count must be at least 1"),
    "times that are one": (lambda: tkf.theory.phase_curve(1.5, 4, delta=0.1), "times must be a list of numbers"),
    "a bound of numbers": (lambda: tkf.theory.l2_growth_bound(1.0, 1.0, 1.0), "must be finite matrices"),
    "a branch without end": (lambda: tkf.theory.stationary_branch(1.0, kappa_max=np.inf), "must be finite"),
    "a figure of points": (lambda: tkf.plot.circle(X), "run must be a run, as solve returns it, got an array"),
    "a switch of many": (lambda: tkf.solve(CIRCLE, X, t1=1.0, progress=X), "progress must be True or False"),
    "layers without end": (lambda: plan(layers=np.inf), "layers must be a whole number"),
    "a norm of many": (lambda: tkf.Adaptive(norm=X), "Adaptive: norm must be a word, got an array"),
    "an activation in a list": (
        lambda: tkf.Perceptron(np.eye(2), np.eye(2), activation=["relu"]),
        r"Perceptron: activation must be a word, got \['relu'\]",
    ),
    "sizes that are one": (lambda: tkf.compare(CIRCLE, LAW, t1=1.0, sizes=3), "sizes must be a list of whole numbers"),
    "nodes that are a word": (lambda: tkf.laws.Fourier("many"), "whole number of nodes >= 8, got 'many'"),
    "degrees that are a word": (lambda: tkf.laws.Harmonics("many"), "a whole number from 4 to"),
    "half a step": (lambda: plan(max_steps=1.5), "max_steps must be a whole number, got 1.5"),
    "betas that are a word": (
        lambda: ensemble(betas="abc"),
        "betas must be a list of numbers, got 'abc'",
    ),
    "a period that is a word": (
        lambda: tkf.schedule.Resampled(tkf.Softmax(1.0), 2, seed=0, period="long"),
        "period",
    ),
    "betas beyond all numbers": (lambda: ensemble(betas=[10**400]), "betas must be a list of numbers"),
    "systems beyond all numbers": (
        lambda: ensemble(systems=10**400),
        "systems must be a whole number, got a number",
    ),
    "no seed of an ensemble": (lambda: ensemble(seed=None), "seed must be a whole number or a list of whole numbers"),
    "a model that is a word": (lambda: ensemble(model="softmax"), "a function of beta and the noise, got 'softmax'"),
    "statistics that are a word": (lambda: ensemble(statistics="pairs"), "a dict of thresholds .* got 'pairs'"),
    "a threshold that is a word": (lambda: ensemble(statistics={"pairs": "near"}), r"in \[1e-12, 2\), got 'near'"),
    "a method of an ensemble that is an array": (lambda: ensemble(method=X), "method must be a word, got an array"),
    "a step of an ensemble that is a word": (
        lambda: ensemble(step="long"),
        "step must be a number or a list",
    ),
    "a tolerance of an ensemble that is a word": (lambda: ensemble(rtol="tight"), "rtol must be a number, got 'tight'"),
    "alpha with no number as value": (lambda: tkf.NGPT(alpha=tkf.Softmax), r"alpha\(0\) must be .*numbers"),
    "eps beyond all numbers": (lambda: tkf.LayerNorm(eps=10**400), "eps must be a number >= 0, got a number of 13"),
    "a dimension that is an array": (lambda: tkf.laws.Zonal(X, 20), "a whole dimension 3 <= d <= .* got an array"),
    "values that are no matrices": (
        lambda: tkf.theory.support_radius(1.0, tkf.Softmax, radius=1.0),
        "V must be a finite number, a matrix, or a function of t, got Softmax",
    ),
    "fewer than no pairs": (lambda: tkf.observables.pair_cosine_histogram(tkf.Measure(X), pairs=-1.0), "at least one"),
    "an energy at many times": (
        lambda: tkf.observables.energy(tkf.Measure(X), CIRCLE, t=[0.0, 1.0]),
        "t must be|one time",
    ),
    "an observable of a run that is no function": (lambda: RUN.along("energy"), "must be a function, got 'energy'"),
    "between times that are words": (lambda: RUN.at("the end"), "Trajectory.at: t must be a number, got 'the end'"),
    "between no times": (lambda: RUN.at(None), "t must be a number, got None"),
    "clusters at a scale that is a list": (lambda: RUN.clusters(delta=[0.1]), r"delta must be a number, got \[0.1\]"),
    "counts at a scale that is a word": (lambda: RUN.cluster_counts(delta="near"), "delta must be a number"),
    "a tree at a scale that is a list": (lambda: RUN.merge_tree(delta=[]), "delta must be a number"),
    "an energy that is half normalized": (lambda: RUN.energy(normalized=0.5), "normalized must be True or False"),
    "states that were not saved": (lambda: RUN.saved("tokens"), "no states called 'tokens'; .*points"),
    "states called by a number": (lambda: RUN.saved(0), "name must be a word, got 0"),
    "a velocity of no tokens": (lambda: CIRCLE.velocity(0.0, None, tkf.Measure(X)), "x must be an array of numbers"),
    "a velocity among arrays": (lambda: CIRCLE.velocity(0.0, X, X), r"mu must be a measure.*Measure\(points\)"),
    "a velocity of other points": (lambda: CIRCLE.velocity(0.0, np.ones((2, 3)), tkf.Measure(X)), r"queries \(2, 3\)"),
    "a layer of no length": (lambda: CIRCLE.layer(0.0, tkf.Measure(X), step=None), "step must be an array .*a number"),
    "matrices of an array": (lambda: CIRCLE.attention_matrices(0.0, X), "mu must be a measure"),
    "a distance of words": (lambda: tkf.Sphere(2).distance("a", "b"), "x must be an array of numbers, got 'a'"),
    "uniform points in halves": (
        lambda: tkf.Sphere(2).uniform_points(2.5, seed=0),
        "n must be a whole number, got 2.5",
    ),
    "fewer than no uniform points": (lambda: tkf.Sphere(2).uniform_points(-3, seed=0), "n >= 1"),
    "a rank to a word": (lambda: LAW.rank(tolerance="tight"), "tolerance must be a number"),
    "a density on a word": (lambda: tkf.Density.uniform("circle"), r"grid must be a grid such as laws.Fourier\(64\)"),
    "a density of a number": (lambda: tkf.Density.from_function(tkf.laws.Fourier(16), 1.0), "must be a function"),
    "noise of a word": (
        lambda: tkf.Density.noisy_uniform(tkf.laws.Fourier(16), amplitude="small", seed=0),
        "amplitude must be a number",
    ),
    "the rate of a density under a word": (
        lambda: tkf.Density.uniform(tkf.laws.Fourier(16)).rate("softmax", 0.0),
        "model must be a Transformer",
    ),
    # geometries, measures and observables of shapes that do not fit
    "a projection of too few vectors": (
        lambda: tkf.Sphere(3).project(np.eye(3), np.ones((5, 3))),
        r"Sphere\(3\).project takes vectors of shape \(..., 3\) that fit together, got x \(3, 3\) and v \(5, 3\)",
    ),
    "a projection in another dimension": (lambda: tkf.Sphere(3).project(X, X), r"got x \(3, 2\) and v \(3, 2\)"),
    "a projection of numbers": (lambda: tkf.Sphere(3).project(1.0, 2.0), r"got x \(\) and v \(\)"),
    "a projection of words": (lambda: tkf.Sphere(3).project("x", "y"), "project: x must be"),
    "a projection in R^d": (lambda: tkf.Euclidean(2).project(X, np.ones((5, 2))), r"v \(5, 2\)"),
    "a point of another sphere": (lambda: tkf.Sphere(3).to_manifold(np.ones(2)), r"to_manifold takes .* got x \(2,\)"),
    "a point that is none": (lambda: tkf.Sphere(3).to_manifold(None), "to_manifold: x must be"),
    "a point of another R^d": (lambda: tkf.Euclidean(3).to_manifold(np.ones(2)), r"got x \(2,\)"),
    "a geodesic of too few points": (lambda: tkf.Sphere(2).exp(X, np.ones((5, 2))), r"Sphere\(2\).exp takes"),
    "a straight line of too few points": (
        lambda: tkf.Euclidean(2).exp(X, np.ones((5, 2))),
        r"Euclidean\(2\).exp takes",
    ),
    "distances of too few points": (
        lambda: tkf.Sphere(2).distance(X, np.ones((5, 2))),
        r"distance takes .* y \(5, 2\)",
    ),
    "distances between dimensions": (lambda: tkf.Euclidean(2).distance(X, np.ones((3, 3))), r"y \(3, 3\)"),
    "the distance of measures": (lambda: tkf.Sphere(2).distance(tkf.Measure(X), tkf.Measure(X)), "distance: x must be"),
    "a retraction of too few points": (
        lambda: tkf.Sphere(2).retract(X, np.ones((5, 2))),
        r"retract takes .* v \(5, 2\)",
    ),
    "half a point": (lambda: tkf.Sphere(2).uniform_points(2.5, seed=0), "n must be a whole number"),
    "a measure at fewer points": (lambda: tkf.Measure(X).at(X[:2]), r"points must be an array \(3, d\), got \(2, 2\)"),
    "a measure at a word": (lambda: tkf.Measure(X).at("there"), r"points must be an array \(3, d\), got 'there'"),
    "a measure at flat points": (lambda: tkf.Measure(X).at(X[:, 0]), r"array \(3, d\), got \(3,\)"),
    "a measure with fewer radii": (
        lambda: tkf.Measure(X).at(X, np.ones(2)),
        r"radii must be an array \(3,\), got \(2,\)",
    ),
    "the energy in another dimension": (
        lambda: tkf.observables.energy(tkf.Measure(np.eye(3)), CIRCLE),
        r"the measure is in R\^3, the model in R\^2: both need one dimension",
    ),
    "the dissipation in another dimension": (
        lambda: tkf.observables.dissipation(tkf.Measure(np.eye(3)), CIRCLE),
        r"the measure is in R\^3, the model in R\^2",
    ),
    "clusters on another sphere": (
        lambda: tkf.observables.clusters(tkf.Measure(X), tkf.Sphere(3), delta=0.1),
        r"in R\^2, the geometry is Sphere\(3\)",
    ),
    "sums settled by a word": (lambda: CIRCLE.with_sums("fast"), r"a tuple of sums.choose\(...\), .* got 'fast'"),
    "sums settled by numbers": (lambda: CIRCLE.with_sums((1, 2)), r"one for each head, got \(1, 2\)"),
    "sums of lists": (lambda: tkf.sums.attend([1.0], X, X, np.ones(3)), r"queries \[1.0\], keys \(3, 2\)"),
    "sums of shapes that do not fit": (lambda: tkf.sums.attend(X, X, X, np.ones(2)), r"weights \(2,\)"),
    "the largest of nothing": (lambda: tkf.sums.largest(X, np.ones((0, 2))), r"keys \(0, 2\)"),
    "a fast sum without an expansion": (
        lambda: tkf.sums.attend_on_sphere(X, X, np.ones(3), None),
        r"needs the expansion of choose\(...\), got None",
    ),
    "a choice for fewer than no tokens": (lambda: tkf.sums.choose(-1, 10), "m, n, d >= 1 and a tolerance > 0, got -1"),
    "a choice for no error": (
        lambda: tkf.sums.choose(9, 9, 2, reach=1.0, tolerance=np.nan),
        "a tolerance > 0, got 9, 9, 2 and nan",
    ),
    "a choice for more than all pairs": (lambda: tkf.sums.choose(9, 9, seen=2.0), r"lies in \[0, 1\], got 2"),
    "sums over a number of devices": (lambda: tkf.sums.over_devices(9).__enter__(), r"in jax.devices\(\), got 9"),
    "sums over a word": (lambda: tkf.sums.over_devices("gpu").__enter__(), "different devices, .* got 'gpu'"),
    "a choice for a word": (lambda: tkf.sums.choose("many", 10), "choose: m must be a whole number, got 'many'"),
    "a choice for a type": (lambda: tkf.sums.choose(10, 10, dtype="word"), "got dtype = 'word'"),
    "a choice for a reach": (
        lambda: tkf.sums.choose(10, 10, 2, reach="far"),
        "a number >= 0, 'any' or None, got 'far'",
    ),
    **{
        f"{name} of a batch": (call, "this is a batch of 2 runs .jax.vmap.: take one")
        for name, call in {
            "clusters": lambda: batch().clusters(),
            "a measure": lambda: batch().measure(),
            "the energy": lambda: batch().energy(),
            "the tree": lambda: batch().merge_tree(),
            "a time": lambda: batch().at(0.5),
            "a dataset": lambda: batch().to_xarray(),
        }.items()
    },
    **{
        f"an observable called {name}": (lambda name=name: keep(**{name: order}), "rename it")
        for name in sorted(RESERVED)
    },
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("call", "message"), CALLS.values(), ids=list(CALLS))
def test_calls_that_make_no_sense(call, message):
    with pytest.raises((tkf.InvalidInput, tkf.ConfigError), match=message) as found:
        call()
    assert "\n" not in str(found.value) and len(str(found.value)) < 300


# --- control: what no theorem reaches, and what is no problem at all -------------------------------------------------

SPHERE = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0))
E = np.eye(3)
RING = np.stack([np.cos(np.arange(8000) * np.pi / 4000), np.sin(np.arange(8000) * np.pi / 4000)], axis=1)


def steer(sources=E, targets=-E, model=SPHERE, **options):
    return tkf.control.steer(model, sources, targets, **{"t1": 1.0, "seed": 0, **options})


def reach(*numbers):
    """On a line: N(m0, s0) to N(m1, s1)."""
    return tkf.control.reach_gaussian(
        *(tkf.Gaussian([m], [[s]]) for m, s in zip(numbers[::2], numbers[1::2], strict=True))
    )


REFUSALS = {
    "steer: one measure, two targets": (lambda: steer([E, E[::-1]], [E, -E]), "prompts 0 and 1 are the same measure"),
    "steer: a target of NaN": (lambda: steer(targets=E * np.nan), "target 0: points must be finite"),
    "steer: a target off the sphere": (lambda: steer(targets=2 * E), "target 0 must be on the unit sphere"),
    "steer: a target of words": (lambda: steer(targets=[E, "right"]), "target 1|each prompt needs one target"),
    "steer: another dimension": (lambda: steer(X, X), r"prompt 0 must be tokens of R\^3, got shape \(3, 2\)"),
    "steer: negative weights": (lambda: steer(tkf.Measure(E, [1.0, -1.0, 1.0])), "weights must be positive"),
    "steer: rank above d": (lambda: steer(rank=4), "rank must be at most the dimension 3, got 4"),
    "steer: no neurons": (lambda: steer(width=0), "width must be at least 1"),
    "steer: a negative seed": (lambda: steer(seed=-1), "seed must be a whole number >= 0, got -1"),
    "steer: enough that is NaN": (lambda: steer(enough=np.nan), "enough is a loss"),
    "steer: neurons of no perceptron": (lambda: steer(width=3), "width is that of perceptrons, and the model has none"),
    "match: a circle": (lambda: tkf.control.match(RING[:2], RING[2:4]), "match needs d >= 3"),
    "match: NaN": (lambda: tkf.control.match(E * np.nan, E), "sources must be on the unit sphere: one has length nan"),
    "match: one target twice": (lambda: tkf.control.match(E, E[[0, 0, 1]]), "targets 0 and 1 are the same point"),
    "match_prompts: a circle": (lambda: tkf.control.match_prompts([RING[:3]], [RING[5]]), "needs d >= 3"),
    "match_prompts: one measure": (
        lambda: tkf.control.match_prompts([E, E[::-1]], [E[0], E[1]]),
        "are the same measure",
    ),
    "match_prompts: one atom": (lambda: tkf.control.match_prompts([E, -E], [E[0], E[0]]), "two targets share an atom"),
    "match_prompts: words": (lambda: tkf.control.match_prompts([E], ["left"]), "target 0 must be a point"),
    "match_prompts: within": (lambda: tkf.control.match_prompts([E], [E[0]], within=np.nan), "within must be between"),
    "cluster: no atoms": (lambda: tkf.control.cluster([E], within=0.1, atoms=0), "atoms must be at least 1"),
    "into_orthant: no hole": (lambda: tkf.control.into_orthant([RING]), "leave no hole on the sphere"),
    "into_orthant: a density": (
        lambda: tkf.control.into_orthant(tkf.Density(tkf.laws.Fourier(16), np.ones(16))),
        "a density fills the space",
    ),
    "sequences: one set": (
        lambda: tkf.control.interpolate_sequences([E, E[::-1]], [E[:1], E[1:2]]),
        "inputs 0 and 1 are the same set of tokens",
    ),
    "sequences: words": (lambda: tkf.control.interpolate_sequences(["a"], ["b"]), "must be lists of sequences"),
    "sequences: a line": (lambda: tkf.control.interpolate_sequences([[[1.0]]], [[[2.0]]]), "dimension d >= 2"),
    "points: a line": (lambda: tkf.control.interpolate_points([[0.0]], [[1.0]]), "points on a line cannot pass"),
    "approximate: no box": (lambda: tkf.control.approximate(np.sin, 3, box=(1.0,)), "box must be pairs"),
    "approximate: a box of words": (lambda: tkf.control.approximate(np.sin, 3, box="all"), "box must be an array"),
    "approximate: one value": (
        lambda: tkf.control.approximate(lambda s: 1.0, 3, box=(0.0, 1.0)),
        "a value or a row",
    ),
    "approximate: too many cells": (
        lambda: tkf.control.approximate(np.sin, 10**9, box=[(0, 1), (0, 1)]),
        "pieces of depth, at most 8192 are built",
    ),
    "Gaussians: a higher rank": (
        lambda: tkf.control.reach_covariance(np.diag([1.0, 0.0]), np.eye(2)),
        "rank 1 cannot reach one of rank 2",
    ),
    "Gaussians: no covariance": (lambda: tkf.control.reach_covariance(np.eye(2), -np.eye(2)), "negative eigenvalues"),
    "Gaussians: a mean of zero": (lambda: reach(0.0, 1.0, 1.0, 1.0), "attention keeps a zero mean zero"),
    "Gaussians: signs of means": (lambda: reach(-1.0, 1.0, 1.0, 1.0), "different signs on a line"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("call", "message"), REFUSALS.values(), ids=list(REFUSALS))
def test_control_refuses_in_a_sentence(call, message):
    with pytest.raises(tkf.TokenfieldError, match=message) as found:
        call()
    assert "\n" not in str(found.value) and len(str(found.value)) < 300


def test_every_name_of_a_dataset_is_reserved():
    """What `to_xarray` calls arrays and dimensions, for each kind of law."""
    gaussian, density = tkf.Gaussian([0.0], [[1.0]]), tkf.Density.uniform(tkf.laws.Fourier(8))
    for final in (tkf.Measure(X, radii=[1.0, 1.0, 1.0]), gaussian, density):
        run = tkf.Trajectory(RUN.ts, None, {}, final, RUN.result, RUN.stats, CIRCLE)
        found = run.to_xarray()
        assert {*map(str, found.variables), *map(str, found.dims)} <= RESERVED


def test_one_run_of_a_batch_is_a_run():
    import jax

    assert jax.tree.map(lambda leaf: leaf[0], batch()).measure().n == 3


def test_weights_are_scaled_before_they_are_summed():
    for weights in ([1e308, 1e308], [1e-320, 1e-320]):
        assert tkf.Measure(X[:2], weights).weights.tolist() == [0.5, 0.5]
    assert tkf.Measure(X[:2].astype("f4"), [1e200, 3e200]).weights.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("dtype", [np.longdouble, ">f8", ">f4", ">i4", np.float16])
def test_tokens_of_any_number_type(dtype):
    mu = tkf.Measure(np.array([[3, 1], [0, 2]]).astype(dtype))
    assert mu.points.tolist() == [[3.0, 1.0], [0.0, 2.0]]


def test_tokens_too_far_out_are_said_to_be():
    """Not that Softmax would help: they use it."""
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0))
    with pytest.raises(tkf.InvalidInput, match=r"products of tokens as large as 1e\+200 overflow; scale them"):
        tkf.solve(model, 1e200 * X, t1=1.0)


def test_dir_shows_what_is_public():
    assert dir(tkf) == sorted([*tkf.__all__, "__version__"])


# --- any config ---------------------------------------------------------------------------------------------------

ODD_NUMBERS = (0, 1, -1, 0.5, -0.5, 1e-12, 1e-320, 1e308, -1e308, 10**6, 10**12, 2**62, *map(float, ("nan", "inf")))
KEYS = [(section, key) for section, cls in SECTIONS.items() for key in toml.keys_of(cls)]
STARTS = ("gaussian", "box", "cap", "frame", "points", "symmetric", "quasi-uniform", "vmf-mixture", "file")
ANYTHING = st.sampled_from(["", "word", "log:3", "q.npy", True, [], [[]], {}, [1, "a"], *STARTS])
NUMBERS = st.sampled_from(ODD_NUMBERS)
VALUES = {
    bool: st.booleans(),
    int: NUMBERS.filter(lambda value: isinstance(value, int)),
    float: NUMBERS,
    str: ANYTHING,
    toml.Vector: st.lists(NUMBERS, max_size=3),
    toml.Matrix: st.lists(st.lists(NUMBERS, min_size=2, max_size=2), max_size=3),
    toml.Names: st.lists(ANYTHING, max_size=2),
}


@st.composite
def tables(draw) -> dict[str, dict]:
    """A small run with a few keys that have odd values, mostly of the right type."""
    found = {"geometry": {"dim": draw(st.integers(2, 4))}, "initial": {"n": 4}, "solve": {"t1": 1.0}}
    if draw(st.booleans()):
        found |= {"state": {"kind": draw(st.sampled_from(("density", "gaussian")))}, "initial": {}}
    for section, key in draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3)):
        choices = toml.choices_of(SECTIONS[section], key)
        usual = VALUES.get(toml.types_of(SECTIONS[section])[key][0], ANYTHING)
        value = draw(st.sampled_from(choices) if choices else usual | ANYTHING)
        found.setdefault(section, {})[key] = value
    return found


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(tables())
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_any_config_is_explained_or_refused_in_one_line(found):
    text = "\n".join(toml.format_table(f"[{name}]", table) for name, table in found.items())
    Path("config.toml").write_text(text)
    result = tokenfield("simulate", "config.toml", "--explain")
    assert result.exit_code in (0, 2), (result.exception, text)
    if result.exit_code == 2:
        assert re.fullmatch(r"tokenfield: error: [^\n]+\n", result.stderr), result.stderr
    else:
        assert not re.search(r"\bnan\b|\binf\b", result.stdout), result.stdout
    assert files() == {"config.toml"}


# all of one shape, so that one compilation serves them
ODD_RUNS = ("--beta 1e5", "--beta 1e300", "--beta 1e-320", "--t1 1e-300", "--t0 1e17 --t1 2e17", "--atol 1e308")


@pytest.mark.slow
def test_odd_numbers_that_run_say_what_is_not_finite():
    for i, options in enumerate(ODD_RUNS):
        command = f"simulate --dim 3 --n 4 --t1 1 --save 2 --max-steps 100 --no-figures --out run{i} {options}"
        result = tokenfield(*shlex.split(command), "--json")
        assert result.exit_code == 0 and result.stderr == "", result.stderr
        summary, shown = json.loads(result.stdout), tokenfield("show", f"run{i}").stdout
        is_said = "not finite" in shown
        assert (None in summary["energy"].values()) == is_said, shown
        assert summary["result"] == "finished" or summary["result"] in shown.replace(" ", "-"), shown
    assert {path.name for path in Path().iterdir()} - {"cache"} == {f"run{i}" for i in range(len(ODD_RUNS))}
