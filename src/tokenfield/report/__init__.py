"""Pages: one HTML file each that needs nothing else, with formulas, figures, numbers and verdicts.

    from tokenfield import report
    report.write(folder, records)      # folder/index.html, claims.md; records as made by tokenfield.claims.running
    report.write_scenes(folder, ids)   # before that: scenes that play, of a few claims
    report.write_layers(folder, found) # the same of hidden states, as measured by tokenfield.layers
    report.write_sweep(folder)         # folder/report.html, of a sweep

They only show what others found; nothing is computed or judged here. A page loads nothing from the network, works
without JavaScript (which adds filters, sorting and copying), in light and dark, on a phone and on paper.
"""

from __future__ import annotations

from tokenfield.report.document import page, write
from tokenfield.report.frame import environment
from tokenfield.report.layers import layers_page, write_layers
from tokenfield.report.scenes import write_scenes
from tokenfield.report.sweep import sweep_page, write_sweep
from tokenfield.report.table import table

__all__ = [
    "environment",
    "layers_page",
    "page",
    "sweep_page",
    "table",
    "write",
    "write_layers",
    "write_scenes",
    "write_sweep",
]
