"""Networks that make: forgers and judges, translators between two kinds of pictures, and how good their work is."""

from margin.deep.generative.cyclegan import CycleGAN
from margin.deep.generative.dcgan import DCGAN
from margin.deep.generative.gan import GAN
from margin.deep.generative.losses import value_function
from margin.deep.generative.report import ForgeryMeasures, GenerativeReport, generative_report
from margin.deep.generative.round import Round

__all__ = [
    "DCGAN",
    "GAN",
    "CycleGAN",
    "ForgeryMeasures",
    "GenerativeReport",
    "Round",
    "generative_report",
    "value_function",
]
