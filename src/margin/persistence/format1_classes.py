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
    # neighbours
    "margin.neighbors.ball_tree:BallTree": "ball-tree",
    "margin.neighbors.brute:BruteForce": "brute-force",
    "margin.neighbors.centroid:NearestCentroid": "nearest-centroid",
    "margin.neighbors.choice:IndexChoice": "index-choice",
    "margin.neighbors.equal_rows:EqualRows": "equal-rows",
    "margin.neighbors.kd_tree:KDTree": "kd-tree",
    "margin.neighbors.knn:KNeighborsClassifier": "k-neighbors-classifier",
    "margin.neighbors.knn:KNeighborsRegressor": "k-neighbors-regressor",
    "margin.neighbors.mixed_rows:ComparedColumns": "compared-columns",
    "margin.neighbors.mixed_rows:MixedRows": "mixed-rows",
    "margin.neighbors.outliers:Outlier": "outlier-label",
    "margin.neighbors.radius:RadiusNeighborsClassifier": "radius-neighbors-classifier",
    "margin.neighbors.radius:RadiusNeighborsRegressor": "radius-neighbors-regressor",
    "margin.neighbors.rote:RoteClassifier": "rote",
    "margin.neighbors.space:Space": "space",
    "margin.neighbors.sparse_rows:SparseRows": "sparse-rows",
}
