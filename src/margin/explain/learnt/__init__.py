"""What a model has learnt, in the terms of its own method."""

import margin.explain.learnt.boosting
import margin.explain.learnt.discriminants
import margin.explain.learnt.ensembles
import margin.explain.learnt.linear
import margin.explain.learnt.machines
import margin.explain.learnt.naive
import margin.explain.learnt.neighbors
import margin.explain.learnt.networks
import margin.explain.learnt.transformers
import margin.explain.learnt.trees
import margin.explain.learnt.wrappers  # noqa: F401  (registers its models)

__all__: list[str] = []
