"""The golden figures of leave-one-out in one go."""

import numpy as np
import pytest

from margin import MajorityClassifier
from margin.evaluation import LeaveOneOut, evaluate


@pytest.mark.golden("H2")
def test_leave_one_out_on_balanced_coin_flips_with_the_majority_learner_is_always_wrong():
    flips = np.array(["heads", "tails"] * 50)
    result = evaluate(MajorityClassifier(), np.arange(100.0)[:, None], flips, LeaveOneOut(), metrics=["error"])
    assert result.scores["error"].value == 1.0
    assert len(result.folds) == 1  # at once, not by a hundred fits
