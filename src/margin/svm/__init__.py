"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.certificate import MarginCertificate
from margin.svm.choosing import CChoice, choose_C
from margin.svm.kernel_values import KernelCheck, check_kernel, explicit_map, kernel_matrix
from margin.svm.linear_svc import LinearSVC
from margin.svm.path import SVMPath, svm_path
from margin.svm.pegasos import PegasosClassifier
from margin.svm.pegasos_certificate import PegasosCertificate
from margin.svm.reject import Reject
from margin.svm.spectrum import SpectrumKernel
from margin.svm.svc import SVC

__all__ = [
    "SVC",
    "CChoice",
    "KernelCheck",
    "LinearSVC",
    "MarginCertificate",
    "PegasosCertificate",
    "PegasosClassifier",
    "Reject",
    "SVMPath",
    "SpectrumKernel",
    "check_kernel",
    "choose_C",
    "explicit_map",
    "kernel_matrix",
    "svm_path",
]
