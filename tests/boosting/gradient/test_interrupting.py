"""Ctrl-C while trees are boosted: back soon, and the model is the one from before."""

import signal
import threading
import time

import numpy as np
import pytest

from margin import GradientBoostingClassifier


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
def test_ctrl_c_leaves_the_model_as_it_was(growth):
    X = np.random.default_rng(0).normal(size=(20_000, 20))
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
    model = GradientBoostingClassifier(n_estimators=1, growth=growth, early_stopping=False).fit(X[:500], y[:500])
    before = model.predict_proba(X[:50])
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=20_000).fit(X, y)
    took = time.perf_counter() - sent[0]
    timer.join()
    np.testing.assert_array_equal(model.predict_proba(X[:50]), before)
    assert took < 10  # a thousand times what a round takes, and far below all rounds
