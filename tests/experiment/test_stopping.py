"""Ctrl-C and a limit of time keep what is done."""

import signal
import time

import pytest
from sklearn.dummy import DummyClassifier

import margin
from margin.errors import MarginError, ParameterError
from margin.experiment import Spec
from margin.experiment.running.alarm import Alarm
from margin.experiment.spec import seconds_of
from tests.experiment.stand_ins import flowers


class Sleeper(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        time.sleep(60)


class Interrupted(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


def test_a_limit_interrupts_a_long_fit_and_keeps_the_rest():
    began = time.perf_counter()
    models = {"quick": DummyClassifier(), "slow": Sleeper(), "never": DummyClassifier()}
    result = margin.compare(flowers(), "kind", models=models, limit=3, folds=3, repeats=1)
    assert time.perf_counter() - began < 50
    assert result.stopped == "Stopped by the limit of 3 s after 1 of 3 models."
    assert result.stopped in result.warnings
    assert [line.name for line in result.leaderboard] == ["quick", "slow", "never"]
    assert result.leaderboard[2].error == "not done when the run was stopped by the limit of 3 s"


def test_a_limit_before_the_first_model_is_done_is_told_as_such():
    with pytest.raises(MarginError, match=r"compare\(limit=0.2\): no model was done after 0.2 s"):
        margin.compare(flowers(), "kind", models={"slow": Sleeper()}, limit=0.2, folds=3, repeats=1)


def test_a_run_that_was_stopped_leaves_the_seal_alone_and_says_what_opens_it(tmp_path):
    path, learnt = tmp_path / "flowers.csv", []

    class Noting(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            learnt.append(len(y))
            return super().fit(X, y, sample_weight)

    table = flowers()
    models = {"quick": Noting(), "broken off": Interrupted()}
    result = margin.compare(table, "kind", models=models, folds=3, repeats=1)
    assert (result.test, result.openings, result.explanations) == (None, (), ())
    assert max(learnt) == result.n_train, "the model that is kept has not learnt from the sealed rows"
    assert result.about["rows"] == result.n_train
    assert "was not opened: the run was stopped" in result.about["protocol"]
    assert result.remarks[-1].startswith(f"The seal on {result.n_test} rows was not opened")
    assert "models={'quick': quick}" in result.remarks[-1]
    assert "the sealed test was not opened" in str(result).replace("\n", " ")
    page = result.html()
    assert "On the sealed test" not in page
    assert "was not opened" in page
    assert "rows sealed" in repr(result)
    again = type(result).from_dict(result.to_dict())
    assert again.test is None
    assert again.html()
    path.write_text("x,kind\n" + "".join(f"{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(80)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            margin.zoo,
            "_zoo",
            {name: margin.zoo.Entry(name, type(model)) for name, model in models.items()},
        )
        stopped = margin.compare(str(path), "kind", folds=3, limit=100)
        assert stopped.remarks[-1].endswith(f": margin compare {path} --target kind --models quick --folds 3")
        opened = margin.compare(str(path), "kind", models=["quick"], folds=3)
    assert opened.test.n_rows == stopped.n_test


def test_ctrl_c_keeps_what_is_done_and_without_anything_is_ctrl_c():
    models = {"quick": DummyClassifier(), "broken off": Interrupted()}
    result = margin.compare(flowers(), "kind", models=models, folds=3, repeats=1)
    assert result.stopped == "Stopped by Ctrl-C after 1 of 2 models."
    with pytest.raises(KeyboardInterrupt):
        margin.compare(flowers(), "kind", models={"broken off": Interrupted(), "quick": DummyClassifier()})


def test_a_run_that_ends_in_time_was_not_stopped():
    result = margin.compare(flowers(), "kind", models={"quick": DummyClassifier()}, limit="10m", folds=3, repeats=1)
    assert (result.stopped, result.spec.limit) == ("", 600.0)


def ring(alarm):
    with alarm:
        while True:
            pass


def test_an_alarm_interrupts_what_is_inside_and_what_begins_too_late_and_nothing_else():
    before = signal.getsignal(signal.SIGALRM)
    alarm = Alarm(time.perf_counter() + 0.05)
    with pytest.raises(KeyboardInterrupt):
        ring(alarm)
    assert alarm.rang
    assert signal.getsignal(signal.SIGALRM) is before
    with pytest.raises(KeyboardInterrupt):
        ring(alarm)
    quiet = Alarm(time.perf_counter() + 0.05)
    with quiet:
        pass
    time.sleep(0.1)
    assert not quiet.rang


def test_a_timer_that_someone_else_set_goes_on():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    kept = signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        with Alarm(time.perf_counter() + 50):
            pass
        assert 90 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, *kept)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("5m", 300), ("1h", 3600), ("2", 2), (" 1.5m ", 90)])
def test_lengths_of_time(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("wrong", ["soon", "", "-3s", 0, "5d"])
def test_wrong_limits_are_refused(wrong):
    with pytest.raises(ParameterError, match="limit"):
        Spec("iris", limit=wrong)


def test_the_command_repeats_limit_group_and_test():
    spec = Spec("a.csv", target="y", group="who", test="b.csv", limit="5m")
    assert spec.command() == "margin compare a.csv --target y --group who --test b.csv --limit 300s"
    assert Spec.from_json(spec.to_json()) == spec
