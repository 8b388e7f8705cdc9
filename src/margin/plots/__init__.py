"""Pictures of what models learnt, drawn with matplotlib, which is loaded when the first one is drawn."""

from margin.plots.coefficients import plot_coefficients, plot_path
from margin.plots.coverage import plot_risk_coverage
from margin.plots.k_choice import plot_k_choice
from margin.plots.losses import plot_losses
from margin.plots.margins import plot_margin
from margin.plots.of_curse import plot_curse
from margin.plots.of_regions import plot_regions
from margin.plots.tree import plot_tree

__all__ = [
    "plot_coefficients",
    "plot_curse",
    "plot_k_choice",
    "plot_losses",
    "plot_margin",
    "plot_path",
    "plot_regions",
    "plot_risk_coverage",
    "plot_tree",
]
