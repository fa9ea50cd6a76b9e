"""Time: `solve` makes a `Plan` of a model and a start, integrates it and returns a `Trajectory`.

The only time loop is `integration.advance`. No plotting and no disk in here.
"""
