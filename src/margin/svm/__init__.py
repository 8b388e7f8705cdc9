"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.pegasos import PegasosClassifier
from margin.svm.pegasos_certificate import PegasosCertificate

__all__ = ["PegasosCertificate", "PegasosClassifier"]
