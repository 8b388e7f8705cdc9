"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.c_choice import CChoice, choose_C
from margin.svm.kernel_machine.certificate import MarginCertificate
from margin.svm.kernel_machine.nu_svc import NuSVC
from margin.svm.kernel_machine.path import SVMPath, svm_path
from margin.svm.kernel_machine.svc import SVC
from margin.svm.kernels.matrix import KernelCheck, check_kernel, explicit_map, kernel_matrix
from margin.svm.kernels.object_kernel import ObjectKernel
from margin.svm.kernels.spectrum import SpectrumKernel
from margin.svm.linear_machine.linear_svc import LinearSVC
from margin.svm.linear_machine.linear_svr import LinearSVR
from margin.svm.pegasos.certificate import PegasosCertificate
from margin.svm.pegasos.classifier import PegasosClassifier
from margin.svm.reject import Reject
from margin.svm.single_problem.evidence import DualCertificate
from margin.svm.single_problem.one_class import OneClassSVM
from margin.svm.single_problem.svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "CChoice",
    "DualCertificate",
    "KernelCheck",
    "LinearSVC",
    "LinearSVR",
    "MarginCertificate",
    "NuSVC",
    "ObjectKernel",
    "OneClassSVM",
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
