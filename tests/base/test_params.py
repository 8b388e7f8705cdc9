"""margin.params: one annotation feeds validation, command line and docs."""

from typing import Literal

import pytest

from margin import KNeighborsClassifier, LinearDiscriminantAnalysis, params
from margin.errors import ParameterError
from margin.params import Count, Flag, Positive, Share


class Example:
    """An example.

    Parameters
    ----------
    C
        How much a slip costs,
        in the units of the margin.
    kind
        Which.

    Attributes
    ----------
    nothing
        Not a parameter.
    """

    def __init__(
        self,
        C: Positive = 1.0,
        kind: Literal["gini", "entropy"] = "gini",
        k: Count | Literal["auto"] = "auto",
        share: Share | None = None,
        flag: Flag = True,
    ):
        self.C, self.kind, self.k, self.share, self.flag = C, kind, k, share, flag


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"C": -1}, r"Example\(C=-1\): C must be a number above 0\."),
        ({"C": float("nan")}, "C must be a number above 0"),
        ({"C": True}, "C must be a number above 0"),
        ({"kind": "ginni"}, r"kind must be one of 'gini', 'entropy' \(did you mean 'gini'\?\)\."),
        ({"k": 0}, "k must be one of 'auto' or a whole number of at least 1"),
        ({"k": 2.0}, "whole number"),
        ({"share": 1}, "a number between 0 and 1 or None"),
        ({"flag": 1}, "flag must be True or False"),
    ],
)
def test_a_broken_rule_is_told_with_the_value_and_what_must_hold(given, message):
    with pytest.raises(ParameterError, match=message):
        params.check(Example(**given))


def test_values_within_the_rules_pass():
    params.check(Example(C=2, kind="entropy", k=3, share=0.5, flag=False))
    params.check(Example())


def test_words_from_a_command_line_become_values():
    found = params.from_text(Example, {"C": "2.5", "k": "7", "share": "none", "flag": "no", "kind": "entropy"})
    assert found == {"C": 2.5, "k": 7, "share": None, "flag": False, "kind": "entropy"}
    assert params.from_text(Example, {"k": "auto"}) == {"k": "auto"}
    with pytest.raises(ParameterError, match=r"did you mean 'kind'"):
        params.from_text(Example, {"kindd": "gini"})
    with pytest.raises(ParameterError, match="C must be a number above 0"):
        params.from_text(Example, {"C": "much"})


def test_meaning_and_default_come_from_the_class_itself():
    by_name = {parameter.name: parameter for parameter in params.parameters(Example)}
    assert by_name["C"].meaning == "How much a slip costs, in the units of the margin."
    assert by_name["C"].default == 1.0
    assert "nothing" not in by_name


def test_every_parameter_of_a_model_has_a_meaning():
    assert all(parameter.meaning for parameter in params.parameters(KNeighborsClassifier))


@pytest.mark.parametrize("text", ["0.2,0.3,0.5", "0.2 0.3 0.5", "[0.2, 0.3, 0.5]", "(0.2; 0.3; 0.5)"])
def test_priors_are_read_from_text_however_they_are_set_apart(text):
    assert params.from_text(LinearDiscriminantAnalysis, {"priors": text}) == {"priors": [0.2, 0.3, 0.5]}
