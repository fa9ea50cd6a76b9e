"""Sweeps: any key of a config over any range, over seeds, with any measure, on one machine or on many.

axes quantities     what is varied and what is measured, out of texts or Python values; no JAX
plan                `Sweep`: cells, groups that are computed together, pieces of work
computing           a piece as a pure function
engines             where pieces are computed: here, by Dask, by Slurm, by any executor
running             `sweep`: check, compute what is missing, put it together
drawing listing     figures and printed numbers
"""
