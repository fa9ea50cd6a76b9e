"""Sums of e^{<u, y>} over unit vectors as they are written, and how far a fast sum is from them."""

import numpy as np


def unit(a):
    return a / np.linalg.norm(a, axis=1, keepdims=True)


def literal(u, y, w):
    """The sums as they are written, in extended precision: logarithm, mean, and the sum times e^{-|u|}."""
    u, y, w = (np.asarray(a, np.longdouble) for a in (u, y, w))
    y = y / np.sqrt(np.sum(y * y, axis=1, keepdims=True))  # unit to this precision
    r = np.sqrt(np.sum(u * u, axis=1))
    kernel = w * np.exp(np.einsum("id,jd->ij", u, y) - r[:, None])
    total = kernel.sum(axis=1)
    return np.log(total) + r, np.einsum("ij,jd->id", kernel, y) / total[:, None], total


def compared(found, u, y, w):
    """The true error of each query, the one stated, and the share of the mass that its sum is."""
    log_sum, mean, total = literal(u, y, w)
    true = np.maximum(np.abs(np.asarray(found.log_sum) - log_sum), np.abs(np.asarray(found.mean) - mean).max(axis=1))
    return true.astype(float), np.asarray(found.error), (total / w.sum()).astype(float)
