"""margin.params: one annotation feeds validation, command line and docs."""

import inspect
import subprocess
import sys
from typing import Literal

import pytest

from margin import LinearDiscriminantAnalysis, params
from margin.errors import ParameterError
from margin.params import Count, Flag, Positive, Share
from tests.contract.estimators import estimator_classes


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


@pytest.mark.parametrize("model", estimator_classes(), ids=lambda model: model.__name__)
def test_every_parameter_of_a_model_has_a_meaning_and_stands_in_its_docstring(model):
    assert [parameter.name for parameter in params.parameters(model) if not parameter.meaning] == []
    section = inspect.getdoc(model).partition("Parameters\n----------\n")[2].split("\n\n")[0]
    headings = [line for line in section.split("\n") if line and not line.startswith(" ")]
    assert ", ".join(headings).split(", ") == [parameter.name for parameter in params.parameters(model)] or not section
    assert inspect.getdoc(model).count("Parameters\n----------\n") == (1 if section else 0)


class Parent:
    """What several share.

    Parameters
    ----------
    C, k
        What both are.
    flag
        Whether.

    Attributes
    ----------
    weights_
        What was learnt.
    """


def test_a_docstring_is_completed_by_what_base_classes_say_in_the_order_of_the_parameters():
    class Child(Parent):
        """One of them.

        Parameters
        ----------
        k
            Another meaning here.

        Examples
        --------
        >>> 1
        1
        """

        def __init__(self, k: Count = 1, *, flag: Flag = True, C: Positive = 1.0): ...

    params.complete_docstring(Child)
    assert Child.__doc__ == (
        "One of them."
        "\n\nParameters\n----------\nk\n    Another meaning here.\nflag\n    Whether.\nC\n    What both are."
        "\n\nAttributes\n----------\nweights_\n    What was learnt.\n\nExamples\n--------\n>>> 1\n1"
    )
    assert [parameter.meaning for parameter in params.parameters(Child)] == [
        "Another meaning here.",
        "Whether.",
        "What both are.",
    ]


def test_parameters_are_checked_where_python_strips_docstrings():
    code = (
        "from margin import GridSearch, KNeighborsClassifier, params\n"
        "from margin.errors import ParameterError\n"
        "if GridSearch.__doc__: print('docstrings are there')\n"
        "try: params.check(KNeighborsClassifier(0))\n"
        "except ParameterError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == "KNeighborsClassifier(n_neighbors=0): n_neighbors must be a whole number of at least 1.\n"


@pytest.mark.parametrize("text", ["0.2,0.3,0.5", "0.2 0.3 0.5", "[0.2, 0.3, 0.5]", "(0.2; 0.3; 0.5)"])
def test_priors_are_read_from_text_however_they_are_set_apart(text):
    assert params.from_text(LinearDiscriminantAnalysis, {"priors": text}) == {"priors": [0.2, 0.3, 0.5]}
