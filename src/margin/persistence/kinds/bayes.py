"""Kinds of bayes."""

from __future__ import annotations

from margin.persistence.kind import Kind

__all__ = ["KINDS"]

KINDS: tuple[Kind, ...] = ()
