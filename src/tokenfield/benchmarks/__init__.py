"""Speed, memory and accuracy, side by side with the tools that one would use instead, in one run.

`python -m benchmarks [NAME...] [--json]` runs all or the named benchmarks. Times are the best of several rounds in
which the competitors take turns, so that a slow spell of the machine hits all of them.
"""
