"""Pictures of what models learnt and of how good they are; matplotlib is loaded when the first one is drawn."""

from margin.plots.class_means import plot_class_means
from margin.plots.coefficients import plot_coefficients, plot_path
from margin.plots.curse import plot_curse
from margin.plots.dark import darkened
from margin.plots.densities import plot_densities, plot_ellipses
from margin.plots.effects.partial_dependence import plot_partial_dependence
from margin.plots.effects.shap import plot_shap_case, plot_shap_summary
from margin.plots.ensembles.boosting import plot_boosting_bounds, plot_boosting_boxes, plot_boosting_margins
from margin.plots.ensembles.boosting_curve import plot_boosting_curve
from margin.plots.ensembles.importances import plot_importances
from margin.plots.ensembles.out_of_bag import plot_out_of_bag
from margin.plots.ensembles.proximity_map import plot_proximities
from margin.plots.ensembles.tree_correlation import plot_tree_correlation
from margin.plots.kd_tree import plot_kd_tree
from margin.plots.losses import plot_losses
from margin.plots.margins import plot_margin
from margin.plots.networks.diagrams import plot_backpropagation, plot_network, plot_optimizer_paths
from margin.plots.networks.memory import plot_memory
from margin.plots.networks.pictures import plot_batch, plot_mistakes
from margin.plots.networks.training_curves import plot_rate_finder, plot_training
from margin.plots.networks.transformed_space import plot_transformed_space
from margin.plots.regions import plot_regions
from margin.plots.scores.bias_variance import plot_bias_variance
from margin.plots.scores.calibration import plot_calibration
from margin.plots.scores.comparison import plot_comparison, plot_critical_difference
from margin.plots.scores.confusion import plot_confusion
from margin.plots.scores.k_choice import plot_k_choice
from margin.plots.scores.risk_coverage import plot_risk_coverage
from margin.plots.scores.roc_and_precision_recall import plot_precision_recall, plot_roc
from margin.plots.scores.score_curves import plot_learning_curve, plot_validation_curve
from margin.plots.scores.thresholds import plot_thresholds
from margin.plots.steps.boundaries import gradient_steps, perceptron_steps
from margin.plots.steps.pictures import plot_step, plot_steps, save_steps
from margin.plots.tables.gallery import plot_gallery
from margin.plots.tables.overview import plot_data
from margin.plots.trees.tree import plot_tree
from margin.plots.trees.tree_figures import plot_gains, plot_tree_size

__all__ = [
    "darkened",
    "gradient_steps",
    "perceptron_steps",
    "plot_backpropagation",
    "plot_batch",
    "plot_bias_variance",
    "plot_boosting_bounds",
    "plot_boosting_boxes",
    "plot_boosting_curve",
    "plot_boosting_margins",
    "plot_calibration",
    "plot_class_means",
    "plot_coefficients",
    "plot_comparison",
    "plot_confusion",
    "plot_critical_difference",
    "plot_curse",
    "plot_data",
    "plot_densities",
    "plot_ellipses",
    "plot_gains",
    "plot_gallery",
    "plot_importances",
    "plot_k_choice",
    "plot_kd_tree",
    "plot_learning_curve",
    "plot_losses",
    "plot_margin",
    "plot_memory",
    "plot_mistakes",
    "plot_network",
    "plot_optimizer_paths",
    "plot_out_of_bag",
    "plot_partial_dependence",
    "plot_path",
    "plot_precision_recall",
    "plot_proximities",
    "plot_rate_finder",
    "plot_regions",
    "plot_risk_coverage",
    "plot_roc",
    "plot_shap_case",
    "plot_shap_summary",
    "plot_step",
    "plot_steps",
    "plot_thresholds",
    "plot_training",
    "plot_transformed_space",
    "plot_tree",
    "plot_tree_correlation",
    "plot_tree_size",
    "plot_validation_curve",
    "save_steps",
]
