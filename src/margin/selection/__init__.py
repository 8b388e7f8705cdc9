"""Which model, which setting: search, knees, curves and nested validation; and whether the data can be trusted."""

from margin.selection.audit_result import Audit, Finding
from margin.selection.auditing import audit

__all__ = ["Audit", "Finding", "audit"]
