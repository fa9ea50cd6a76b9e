"""What moves tokens: `Transformer` and its parts.

    transformer.py    the velocity P_x [sum of heads + ...], and the same model as a discrete layer
    depth.py          which of its parts act at which depth
    attention.py      what a kind of attention is; the kinds are in exponential, sigmoid, hardmax, sinkhorn and riesz
    parts.py          heads with their matrices, perceptrons, potentials
    position.py  normalization.py  schedule.py  noise.py    what else a model may have
    projected.py  pairs.py  summing.py                      how attention reaches the sums, and energies the pairs

How sums are computed is up to `tokenfield.sums`; there is no time loop and no disk in here.
"""
