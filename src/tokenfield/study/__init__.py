"""Studies: from a configuration to results on disk.

    config sections toml options    a run as plain data: TOML files and the options of the command line
    catalog kinds listing           every kind that a config can name, with its class, equation and parameters
    resolve builders                defaults written out; names turned into objects
    simulate compare phase_diagram  one function per command: solve, summarize, write, draw
    summary figures manifest        what a run folder holds besides the run itself
    store                           what is kept on disk, and the only package that writes there

The first two lines need no JAX.
"""

from __future__ import annotations

from tokenfield.study.config import Config
from tokenfield.study.store import RunFolder

__all__ = ["Config", "RunFolder"]
