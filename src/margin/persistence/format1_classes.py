"""Where classes lived when files of format 1 were written, and the kinds they are. Never changes."""

from __future__ import annotations

__all__ = ["KIND_OF"]

KIND_OF: dict[str, str] = {
    "margin.base.columns:Columns": "columns",
    "margin.base.encoder:TableEncoder": "table-encoder",
    "margin.base.mixed:MixedEncoder": "mixed-encoder",
    "margin.base.moments:Moments": "moments",
    "margin.base.numeric:Numeric": "numeric",
    "margin.base.numeric:NumericEncoder": "numeric-encoder",
    "margin.base.representation:AsGivenEncoder": "as-given-encoder",
    "margin.baseline:MajorityClassifier": "majority",
    "margin.data.schema:Column": "column",
    "margin.data.schema:Schema": "schema",
    "margin.data.table:Table": "table",
}
