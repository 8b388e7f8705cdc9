"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.certificate import MarginCertificate
from margin.svm.svc import SVC

__all__ = ["SVC", "MarginCertificate"]
