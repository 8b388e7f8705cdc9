"""The compiled core of margin. Call it through the estimators: it trusts what it is given."""

from margin._core import bayes as bayes
from margin._core import boosting as boosting
from margin._core import core as core
from margin._core import counts as counts
from margin._core import data as data
from margin._core import deep as deep
from margin._core import density as density
from margin._core import discriminant as discriminant
from margin._core import ensemble as ensemble
from margin._core import files as files
from margin._core import gradient as gradient
from margin._core import linear as linear
from margin._core import metrics as metrics
from margin._core import neighbors as neighbors
from margin._core import scatter as scatter
from margin._core import sums as sums
from margin._core import svm as svm
from margin._core import tree as tree
