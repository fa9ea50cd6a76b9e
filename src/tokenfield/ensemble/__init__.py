"""Many systems at once: ensembles and their statistics, and tokens compared with the mean field."""

from tokenfield._runtime.arguments import check_arguments
from tokenfield.ensemble.ensemble import STEP, Ensemble
from tokenfield.ensemble.pieces import Piece
from tokenfield.ensemble.running import compute, run, work
from tokenfield.ensemble.table import Table

__all__ = ["STEP", "Ensemble", "Piece", "Table", "compute", "run", "work"]

check_arguments(__name__)
