"""Tasks side by side: results in their order, and of several errors the first in that order."""

import time
from functools import partial

import pytest

from margin.parallel import side_by_side


def _late(error, seconds):
    time.sleep(seconds)
    raise error


def test_the_error_is_that_of_the_first_task_that_fails_not_of_the_quickest():
    tasks = [lambda: _late(ValueError("first"), 0.2), lambda: _late(KeyError("second"), 0.0)]
    with pytest.raises(ValueError, match="first"):
        list(side_by_side(tasks, len(tasks), n_jobs=2))


def test_what_came_before_an_error_is_still_given():
    tasks = [lambda: 1, lambda: _late(ValueError("second"), 0.0), lambda: 3]
    running = side_by_side(tasks, len(tasks), n_jobs=2)
    assert next(running) == 1
    with pytest.raises(ValueError, match="second"):
        next(running)


def test_an_error_of_another_process_tells_where_it_arose():
    tasks = [partial(_late, ValueError("afar"), 0.0), partial(_late, ValueError("later"), 0.0)]
    with pytest.raises(ValueError, match="afar") as raised:
        list(side_by_side(tasks, len(tasks), n_jobs=2, workers="processes"))
    assert "in _late" in str(raised.value.__cause__)
