"""One annotation per parameter: it says what may be given, and validation, command line and docs read it.

An estimator writes ``def __init__(self, *, alpha: NonNegative = 1.0)``; nothing else states the rule again.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import re
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from margin.errors import ParameterError, closest

__all__ = [
    "ClassWeight",
    "Count",
    "Flag",
    "Jobs",
    "NonNegative",
    "Parameter",
    "Positive",
    "Priors",
    "Ratio",
    "Rule",
    "Seed",
    "Share",
    "Strength",
    "check",
    "choice",
    "from_text",
    "parameters",
]


@dataclass(frozen=True)
class Rule:
    """What a parameter may be: in words for people, as a test for values, as a parser for the command line."""

    words: str
    accepts: Callable[[Any], bool]
    parse: Callable[[str], Any]
    choices: Callable[[], tuple[str, ...]] = tuple

    def hint(self, value: object) -> str:
        return closest(value, self.choices()) if isinstance(value, str) else ""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an estimator, as stated in its ``__init__`` and its docstring."""

    name: str
    rule: Rule
    default: Any
    meaning: str


def is_real(value: object) -> TypeGuard[float]:
    """A number of any type, also infinity and NaN; True and False are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """A finite number of any type."""
    return is_real(value) and math.isfinite(value)


def _is_infinity(value: object) -> bool:
    return isinstance(value, float) and value == math.inf


def is_whole(value: object) -> TypeGuard[int]:
    """A whole number of any type; True and False are none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_list_of(value: Any, accepts: Callable[[Any], bool]) -> bool:
    """A list or an array of one dimension that is not empty, and all of whose members pass a test."""
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    listed = listed or (type(value).__name__ == "ndarray" and value.ndim == 1)
    return listed and len(value) > 0 and all(map(accepts, value))


def _is_seed(value: Any) -> bool:
    return value is None or (is_whole(value) and value >= 0) or hasattr(value, "random")


def _is_priors(value: Any) -> bool:
    if value is None:
        return True
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes, Mapping, Set)):
        return False  # a generator would be used up by looking, and the others have no order
    try:
        shares = [float(share) for share in value]
    except (TypeError, ValueError):
        return False
    return len(shares) > 0 and all(share >= 0 for share in shares) and abs(sum(shares) - 1) < 1e-6


def _numbers_of(text: str) -> Any:
    return None if text.lower() == "none" else [float(part) for part in re.split(r"[\s;,]+", text.strip("[]() "))]


def _parse_optional(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: None if text.lower() == "none" else parse(text)


def _parse_flag(text: str) -> bool:
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    return words[text.lower()]


def _balanced(text: str) -> str:
    if text != "balanced":
        raise ValueError(text)
    return text


MOST_THREADS = 10_000

Positive = Annotated[float, Rule("a number above 0", lambda v: is_number(v) and v > 0, float)]
NonNegative = Annotated[float, Rule("a number of at least 0", lambda v: is_number(v) and v >= 0, float)]
Share = Annotated[float, Rule("a number between 0 and 1", lambda v: is_number(v) and 0 < v < 1, float)]
Ratio = Annotated[float, Rule("a number from 0 to 1", lambda v: is_number(v) and 0 <= v <= 1, float)]
Strength = Annotated[
    float, Rule("a number above 0, or infinity", lambda v: (is_number(v) and v > 0) or _is_infinity(v), float)
]
Count = Annotated[int, Rule("a whole number of at least 1", lambda v: is_whole(v) and v >= 1, int)]
Several = Annotated[int, Rule("a whole number of at least 2", lambda v: is_whole(v) and v >= 2, int)]
Flag = Annotated[bool, Rule("True or False", lambda v: isinstance(v, bool) or type(v).__name__ == "bool_", _parse_flag)]
Seed = Annotated[Any, Rule("None, a whole number of at least 0 or a random generator", _is_seed, _parse_optional(int))]
Jobs = Annotated[
    int | None,
    Rule(
        f"None (all cores) or a whole number other than 0 of at most {MOST_THREADS}",
        lambda v: v is None or (is_whole(v) and 0 != v <= MOST_THREADS),
        _parse_optional(int),
    ),
]
ClassWeight = Annotated[
    Mapping[Any, float] | Literal["balanced"] | None,
    Rule(
        "None, 'balanced' or a mapping from labels to numbers above 0",
        lambda v: (
            v is None
            or (isinstance(v, str) and v == "balanced")
            or (isinstance(v, Mapping) and all(is_number(weight) and weight > 0 for weight in v.values()))
        ),
        _parse_optional(_balanced),
    ),
]
Priors = Annotated[
    Collection[float] | None, Rule("None or shares of at least 0 that add up to 1", _is_priors, _numbers_of)
]


def choice(*names: str, known: Callable[[], tuple[str, ...]] | None = None) -> Rule:
    """One of some words; ``known`` reads a family's own list when asked, not before."""
    choices = known or (lambda: names)

    def parse(text: str) -> str:
        if text not in choices():
            raise ValueError(text)
        return text

    return Rule("", lambda v: isinstance(v, str) and v in choices(), parse, choices)


def _words(rule: Rule) -> str:
    return rule.words or "one of " + ", ".join(repr(name) for name in rule.choices())


def _either(rules: list[Rule]) -> Rule:
    """A rule that takes what any of several takes; words and parsers are tried in the order written."""
    named = [name for rule in rules for name in rule.choices()]
    words = ([_words(choice(*named))] if named else []) + [rule.words for rule in rules if rule.words]

    def parse(text: str) -> Any:
        for rule in rules:
            try:
                return rule.parse(text)
            except (ValueError, KeyError):
                continue
        raise ValueError(text)

    return Rule(" or ".join(words), lambda v: any(rule.accepts(v) for rule in rules), parse, lambda: tuple(named))


def no_text(text: str) -> Any:
    """The parser of what words on a command line cannot say."""
    raise ValueError(text)


def none_of_text(text: str) -> None:
    """The parser of what words on a command line can only say to be None."""
    if text.lower() != "none":
        raise ValueError(text)


def rule_of(annotation: Any) -> Rule:
    """The rule an annotation stands for: a named one, a ``Literal``, ``None``, a callable, or a union of those."""
    if isinstance(annotation, Rule):
        return annotation
    origin = get_origin(annotation)
    if origin is Annotated:
        return next(rule for rule in annotation.__metadata__ if isinstance(rule, Rule))
    if origin is Literal:
        return choice(*get_args(annotation))
    if origin in (Union, types.UnionType):
        return _either([rule_of(part) for part in get_args(annotation)])
    if annotation in (None, type(None)):
        return Rule("None", lambda v: v is None, none_of_text)
    if annotation is Callable or origin is Callable or str(origin).endswith("Callable'>"):
        return Rule("a function", callable, no_text)
    if origin in (dict, Mapping) or annotation in (dict, Mapping) or str(origin).endswith("Mapping'>"):
        return Rule("a mapping", lambda v: isinstance(v, Mapping), no_text)
    raise TypeError(f"params: {annotation!r} states no rule; use one of margin.params or Annotated[…, Rule(…)].")


def parameters(estimator: Any) -> tuple[Parameter, ...]:
    """The parameters of an estimator class, each with its rule, default and meaning.

    >>> from margin.bayes import NaiveBayes
    >>> parameters(NaiveBayes)[0].rule.words
    'a number of at least 0'
    """
    return _parameters(estimator)


@functools.cache
def _parameters(estimator: Any) -> tuple[Parameter, ...]:
    if estimator.__init__ is object.__init__:
        return ()
    hints = typing.get_type_hints(estimator.__init__, include_extras=True)
    meanings = _meanings(inspect.getdoc(estimator) or "")
    found = []
    for name, parameter in inspect.signature(estimator.__init__).parameters.items():
        if name != "self":
            rule = rule_of(hints[name])
            named = Rule(_words(rule), rule.accepts, rule.parse, rule.choices)
            found.append(Parameter(name, named, parameter.default, meanings.get(name, "")))
    return tuple(found)


@functools.cache
def _with_defaults(estimator: Any) -> tuple[tuple[Parameter, Any], ...]:
    """The parameters, each with a value that need not be looked at again: its default, if that keeps the rule for good.

    Models look at their parameters at every answer, and most parameters are as they were.
    """
    lasting = (str, int, float, type(None))  # nobody can change these
    return tuple(
        (one, one.default if isinstance(one.default, lasting) and one.rule.accepts(one.default) else object())
        for one in parameters(estimator)
    )


def check(estimator: Any) -> None:
    """Refuse an estimator whose parameters break their rules."""
    kind: Any = type(estimator)
    for parameter, default in _with_defaults(kind):
        value = getattr(estimator, parameter.name)
        if value is default:
            continue
        rule = parameter.rule
        if not rule.accepts(value):
            raise ParameterError(
                f"{type(estimator).__name__}({parameter.name}={value!r}): "
                f"{parameter.name} must be {rule.words}{rule.hint(value)}."
            )


def from_text(estimator: type, settings: Mapping[str, str]) -> dict[str, Any]:
    """Parameters written as words, as on a command line: ``{"n_neighbors": "7"}`` gives ``{"n_neighbors": 7}``."""
    known = {parameter.name: parameter for parameter in parameters(estimator)}
    values = {}
    for name, text in settings.items():
        if name not in known:
            names = ", ".join(known)
            raise ParameterError(
                f"{estimator.__name__}({name}={text}): {name} is not one of its parameters, "
                f"which are {names or 'none'}{closest(name, known)}."
            )
        rule = known[name].rule
        try:
            values[name] = rule.parse(text)
        except (ValueError, KeyError):
            raise ParameterError(
                f"{estimator.__name__}({name}={text}): {name} must be {rule.words}{rule.hint(text)}."
            ) from None
    return values


def complete_docstring(estimator: Any) -> None:
    """Add what base classes say of parameters and attributes to the docstring of a class, so that ``help`` shows all.

    A class documents what is its own, and what means something else in it than in the classes it inherits from.
    """
    own = estimator.__dict__.get("__doc__")
    if not own:  # python -OO leaves none
        return
    parts = sections(own)
    init = getattr(estimator.__init__, "__code__", None)
    wanted = [*(init.co_varnames[1 : init.co_argcount + init.co_kwonlyargcount] if init else ()), *_meanings(own)]
    described = {title: _described_along(estimator, title) for title in ("Parameters", "Attributes")}
    parameters = {name: described["Parameters"][name] for name in wanted if name in described["Parameters"]}
    whole = {"": parts.pop("", ""), "Parameters": _written(parameters), "Attributes": _written(described["Attributes"])}
    whole |= {title: text for title, text in parts.items() if title not in whole}
    estimator.__doc__ = joined(whole)


def _described_along(estimator: type, title: str) -> dict[str, tuple[str, str]]:
    """The entries of a section by name, of the class and all it inherits from, those of base classes first."""
    described: dict[str, tuple[str, str]] = {}
    for base in reversed(estimator.__mro__):
        for heading, text in entries(base.__dict__.get("__doc__") or "", title):
            for name in heading.split(", "):
                described.pop(name, None)
                described[name] = heading, text
    return described


def _written(described: Mapping[str, tuple[str, str]]) -> str:
    """Entries as they stand in a docstring; names that share a text stand in one heading."""
    shared: dict[tuple[str, str], list[str]] = {}
    for name, entry in described.items():
        shared.setdefault(entry, []).append(name)
    return "\n".join(f"{', '.join(names)}\n{text}" for (_, text), names in shared.items())


def joined(parts: Mapping[str, str]) -> str:
    """A docstring of its sections by their headings, the inverse of ``sections``."""
    texts = [f"{title}\n{'-' * len(title)}\n{text}" if title else text for title, text in parts.items() if text]
    return "\n\n".join(texts)


@functools.cache
def sections(docstring: str) -> dict[str, str]:
    """The sections of a docstring by their headings; what stands before the first of them has none."""
    parts = re.split(r"(?:^|\n\n)([A-Z][A-Za-z ]+)\n-+\n", inspect.cleandoc(docstring))
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


@functools.cache
def entries(docstring: str, title: str) -> list[tuple[str, str]]:
    """Headings and texts of what a section of a docstring describes: one name, or several that share a text."""
    entry = re.compile(r"^(\w+(?:, \w+)*)((?:\n[ \t]+[^\n]*|\n(?=\n[ \t]))+)", re.M)
    return [(heading, text[1:]) for heading, text in entry.findall(sections(docstring).get(title, ""))]


def _meanings(docstring: str) -> dict[str, str]:
    """What the ``Parameters`` section of a docstring says of each name."""
    return {
        name: " ".join(text.replace("``", "").split())
        for heading, text in entries(docstring, "Parameters")
        for name in heading.split(", ")
    }
