"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.certificate import MarginCertificate
from margin.svm.choosing import CChoice, choose_C
from margin.svm.linear_svc import LinearSVC
from margin.svm.path import SVMPath, svm_path
from margin.svm.reject import Reject
from margin.svm.svc import SVC

__all__ = ["SVC", "CChoice", "LinearSVC", "MarginCertificate", "Reject", "SVMPath", "choose_C", "svm_path"]
