"""What a network sees: maps of every layer, which pixels an answer rests on, what a unit responds to, and dreams."""

from margin.deep.visualize.activations import Activations, LayerMaps, activations, filters
from margin.deep.visualize.dreaming import Dream, deep_dream, maximize
from margin.deep.visualize.gradients import Attributions, integrated_gradients, saliency
from margin.deep.visualize.localising import grad_cam, occlusion
from margin.deep.visualize.randomising import randomisation_check
from margin.deep.visualize.units import Patch, deconvnet, top_patches

__all__ = [
    "Activations",
    "Attributions",
    "Dream",
    "LayerMaps",
    "Patch",
    "activations",
    "deconvnet",
    "deep_dream",
    "filters",
    "grad_cam",
    "integrated_gradients",
    "maximize",
    "occlusion",
    "randomisation_check",
    "saliency",
    "top_patches",
]
