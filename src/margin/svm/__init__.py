"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.certificate import MarginCertificate
from margin.svm.kernel_values import KernelCheck, check_kernel, explicit_map, kernel_matrix
from margin.svm.linear_svc import LinearSVC
from margin.svm.reject import Reject
from margin.svm.spectrum import SpectrumKernel
from margin.svm.svc import SVC

__all__ = [
    "SVC",
    "KernelCheck",
    "LinearSVC",
    "MarginCertificate",
    "Reject",
    "SpectrumKernel",
    "check_kernel",
    "explicit_map",
    "kernel_matrix",
]
