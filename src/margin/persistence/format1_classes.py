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
    # linear
    "margin.linear.active:ActivePerceptron": "active-perceptron",
    "margin.linear.adaline:Adaline": "adaline",
    "margin.linear.certificate:Certificate": "perceptron-certificate",
    "margin.linear.descent:Memory": "sgd-memory",
    "margin.linear.logistic:LogisticRegression": "logistic-regression",
    "margin.linear.logistic_cv:LogisticRegressionCV": "logistic-regression-cv",
    "margin.linear.logistic_cv:StrengthChoice": "strength-choice",
    "margin.linear.optimum:OptimumCertificate": "optimum-certificate",
    "margin.linear.perceptron:Perceptron": "perceptron",
    "margin.linear.perceptron_memory:Memory": "perceptron-memory",
    "margin.linear.perceptron_memory:Voters": "perceptron-voters",
    "margin.linear.sgd:LinearSGD": "linear-sgd",
    "margin.linear.summary:Evidence": "logistic-evidence",
    # svm
    "margin.evaluation.coverage:RiskCoverage": "risk-coverage",
    "margin.evaluation.coverage:ThresholdChoice": "threshold-choice",
    "margin.svm.certificate:Evidence": "margin-evidence",
    "margin.svm.expansion:Expansion": "kernel-expansion",
    "margin.svm.kernel_sgd:KernelMemory": "pegasos-kernel-memory",
    "margin.svm.kernels:KernelFunction": "kernel-function",
    "margin.svm.linear_certificate:LinearCertificate": "linear-svc-certificate",
    "margin.svm.linear_svc:LinearSVC": "linear-svc",
    "margin.svm.machine:Machine": "kernel-machine",
    "margin.svm.multiclass:Layout": "multiclass-layout",
    "margin.svm.pegasos:PegasosClassifier": "pegasos-classifier",
    "margin.svm.pegasos_certificate:PegasosCertificate": "pegasos-certificate",
    "margin.svm.pegasos_rule:Memory": "pegasos-memory",
    "margin.svm.reject:Reject": "reject",
    "margin.svm.spectrum:SpectrumKernel": "spectrum-kernel",
    "margin.svm.svc:SVC": "svc",
}
