"""Studies: from a configuration to results on disk.

    config sections toml            a run as plain data: TOML files, and which keys they have
    options parse                   the options of the command line over a config
    catalog kinds listing           every kind that a config can name, with its class, equation and parameters
    resolve builders                defaults written out; names turned into objects
    simulate compare                one function per command: solve, write, summarize, draw
    sweep                           any key over any range, on one machine or many
    phase_diagram                   (settings in diagram) a sweep that is written in a short way
    continuing                      the config of a run that starts where another ended
    summary figures manifest        what a run folder holds besides the run itself
    store                           what is kept on disk, and the only package that writes there

The first three lines need no JAX.
"""

from __future__ import annotations

from tokenfield.study.config import Config
from tokenfield.study.store import RunFolder

__all__ = ["Config", "RunFolder"]
