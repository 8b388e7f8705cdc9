"""How a search explains one answer: as the model that it chose does."""

from __future__ import annotations

from dataclasses import replace

from margin.data.rows import ready_for
from margin.errors import InputError
from margin.explain.explanation import Explanation
from margin.explain.models import answer_of, explain
from margin.selection.search.search import Search
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: Search, X: TableLike) -> Explanation:
    inner = vars(model).get("model_")
    if inner is None:
        raise InputError(f"explain({type(model).__name__}, X): the search fitted no model in the end (refit=True).")
    answer, probabilities = answer_of(model, X)
    inside = explain(inner, ready_for(inner, model._encoded(X, "explain")))
    chosen = ", ".join(f"{name}={value!r}" for name, value in model.best_params_.items())
    how = f"The search chose {inside.model}({chosen}). {inside.how}"
    return replace(inside, model=f"{type(model).__name__}({inside.model})", answer=answer, probabilities=probabilities,
                   how=how)  # fmt: skip
