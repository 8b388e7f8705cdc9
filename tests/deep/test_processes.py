"""Networks and the process they live in: forks, Ctrl-C, and a death in the middle of a checkpoint."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from margin import ImageClassifier, MLPClassifier, SequenceClassifier, SequenceModel
from margin.persistence.archive import to_bytes
from tests.contract.test_cases import LABELS, picture_set, text_set

torch = pytest.importorskip("torch")

RUNS = {
    "pictures": (lambda **how: ImageClassifier(batch_size=8, n_jobs=1, **how), "epochs", picture_set),
    "sequences": (lambda **how: SequenceClassifier("rnn", 4, batch_size=8, n_jobs=1, **how), "epochs", text_set),
    "a text": (lambda **how: SequenceModel("rnn", 4, steps=4, batch_size=4, n_jobs=1, **how), "epochs", text_set),
    "tables": (
        lambda **how: MLPClassifier((4,), batch_size=8, random_state=0, n_iter_no_change=50, **how),
        "max_iter",
        lambda: picture_set().reshape(16, -1) / 255.0,
    ),
}


def stopped_at_three(epochs):
    """Ctrl-C comes to whoever looks at the third epoch."""

    def run():
        for epoch in epochs:
            if epoch.number == 3:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run()


@pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")
@pytest.mark.parametrize("kind", RUNS)
def test_ctrl_c_at_epoch_3_of_50_and_going_on_is_the_run_that_was_never_stopped(kind, tmp_path):
    make, passes, X = RUNS[kind]
    labels = () if kind == "a text" else (LABELS,)
    whole = make(**{passes: 50}).fit(X(), LABELS)
    stopped = make(**{passes: 50}, checkpoint=tmp_path)
    stopped_at_three(stopped.epochs(X(), LABELS) if kind == "tables" else stopped.training(X(), *labels))
    gone_on = make(**{passes: 50}, checkpoint=tmp_path, resume=True).fit(X(), LABELS)
    assert gone_on.n_iter_ == 50
    one, other = (each.set_params(checkpoint=None, resume=False) for each in (gone_on, whole))
    assert to_bytes(one) == to_bytes(other)


DYING = """
import os, sys
import numpy as np
from margin import ImageClassifier
from margin.deep import checkpoint_file
from tests.contract.test_cases import LABELS, picture_set

writes = 0
inner = np.savez
def half(file, *given, **arrays):
    global writes
    writes += 1
    if writes < 3:
        return inner(file, *given, **arrays)
    file.write(b"half of what is to be written")
    file.flush()
    os.kill(os.getpid(), 9)
np.savez = half
ImageClassifier(epochs=5, batch_size=8, n_jobs=1, checkpoint=sys.argv[1]).fit(picture_set(), LABELS)
"""


def test_a_process_killed_inside_a_checkpoint_leaves_the_one_before(tmp_path):
    done = subprocess.run([sys.executable, "-c", DYING, str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr
    how = {"batch_size": 8, "n_jobs": 1, "epochs": 5}
    model = ImageClassifier(checkpoint=tmp_path, resume=True, **how)
    first = next(iter(model.training(picture_set(), LABELS)))
    assert first.number == 3
    whole = ImageClassifier(**how).fit(picture_set(), LABELS)
    gone_on = ImageClassifier(checkpoint=tmp_path, resume=True, **how).fit(picture_set(), LABELS)
    assert np.array_equal(gone_on.predict_proba(picture_set()), whole.predict_proba(picture_set()))


FORKING = """
import os, sys
import numpy as np
from margin import ImageClassifier
from tests.contract.test_cases import LABELS, picture_set

X = picture_set()
how = dict(epochs=1, batch_size=8, n_jobs=2)
expected = ImageClassifier(**how).fit(X, LABELS).predict_proba(X)
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        found = ImageClassifier(**how).fit(X, LABELS).predict_proba(X)
        os._exit(0 if np.allclose(found, expected, atol=1e-4) else 1)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("n", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_forked_children_of_a_fit_on_two_threads_learn_every_time(n):
    done = subprocess.run([sys.executable, "-c", FORKING, str(n)], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
