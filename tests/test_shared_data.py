"""tests.shared_data: the path where the file is there, a skip with a reason where it is not."""

from __future__ import annotations

import pytest

from tests.shared_data import shared_data


def test_a_file_that_is_there_is_found(tmp_path):
    (tmp_path / "iris.arff").touch()
    assert shared_data("iris.arff", tmp_path) == tmp_path / "iris.arff"


def test_an_absent_file_skips_with_the_reason(tmp_path):
    with pytest.raises(pytest.skip.Exception, match=r"needs iris.arff in .*, which is not on this machine"):
        shared_data("iris.arff", tmp_path)


def test_the_fixture_finds_the_same(request):
    assert request.getfixturevalue("shared_data") is shared_data
