"""Where classes lived when files of format 1 were written, and the kinds they are. Never changes."""

from __future__ import annotations

__all__ = ["KIND_OF", "SLOTS"]

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
    # Trees.
    "margin.tree.c45:C45": "c45",
    "margin.tree.decision_tree:DecisionTreeClassifier": "decision-tree-classifier",
    "margin.tree.decision_tree:DecisionTreeRegressor": "decision-tree-regressor",
    "margin.tree.discretize:Discretizer": "discretizer",
    "margin.tree.id3:ID3": "id3",
    "margin.tree.nodes:Tree": "tree",
    "margin.tree.prune:PruningTrace": "pruning-trace",
    "margin.tree.pruning:AlphaChoice": "alpha-choice",
    # Searches, and what they are told and find.
    "margin.evaluation.bootstrap:Bootstrap": "bootstrap",
    "margin.evaluation.given_splits:Given": "given-splits",
    "margin.evaluation.group_splits:GroupFolds": "group-folds",
    "margin.evaluation.group_splits:GroupHoldOut": "group-hold-out",
    "margin.evaluation.intervals:Interval": "interval",
    "margin.evaluation.intervals:Score": "score",
    "margin.evaluation.random_splits:Folds": "folds",
    "margin.evaluation.random_splits:RepeatedHoldOut": "repeated-hold-out",
    "margin.evaluation.random_splits:TrainValidationTest": "train-validation-test",
    "margin.evaluation.splits:HoldOut": "hold-out",
    "margin.evaluation.splits:LeaveOneOut": "leave-one-out",
    "margin.evaluation.splits:StratifiedFolds": "stratified-folds",
    "margin.evaluation.splits:TrainingData": "training-data",
    "margin.evaluation.time_splits:TimeOrdered": "time-ordered",
    "margin.selection.grid_search:GridSearch": "grid-search",
    "margin.selection.grid_search:RandomSearch": "random-search",
    "margin.selection.halving:HalvingSearch": "halving-search",
    "margin.selection.log_search:LogSearch": "log-search",
    "margin.selection.log_search:Step": "search-step",
    "margin.selection.results:SearchResults": "search-results",
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

#: Objects that gave their state as a list, and what stood in it.
SLOTS: dict[str, tuple[str, ...]] = {
    "column": ("name", "kind", "levels", "reason"),
    "interval": ("low", "high", "confidence", "method"),
    "score": ("value", "interval", "how"),
    "search-step": ("parameter", "value", "move", "score", "taken"),
}
