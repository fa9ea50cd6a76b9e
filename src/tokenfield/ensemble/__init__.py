"""Many systems at once: ensembles and their statistics, and tokens compared with the mean field."""

from tokenfield.ensemble.ensemble import STEP, Ensemble, Piece, Table, run, work

__all__ = ["STEP", "Ensemble", "Piece", "Table", "run", "work"]
