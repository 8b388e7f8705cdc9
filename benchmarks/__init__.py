"""margin and its peers side by side in one run.

``python -m benchmarks`` measures every family, ``python -m benchmarks bayes neighbors`` some. A family is a file
in this folder with a tuple ``WORKLOADS``; the machinery that runs them is in ``harness/``.
"""
