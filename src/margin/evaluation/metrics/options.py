"""The options of a metric: the keyword-only arguments of its function, checked by the rules they are annotated with."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from margin.errors import ParameterError, closest
from margin.params import Rule, rule_of

__all__ = ["check_options", "option_rules"]


@cache
def option_rules(kernel: Callable[..., Any]) -> Mapping[str, Rule | None]:
    """The options of a metric with their rules, as its function states them; ``None`` where anything will do."""
    hints = typing.get_type_hints(kernel, include_extras=True)
    names = [each.name for each in inspect.signature(kernel).parameters.values() if each.kind is each.KEYWORD_ONLY]
    return {name: None if hints[name] is Any else rule_of(hints[name]) for name in names}


def check_options(kernel: Callable[..., Any], base: str, options: Mapping[str, Any]) -> None:
    """Refuse options that a metric does not have, and values that they cannot have."""
    rules = option_rules(kernel)
    for option, value in options.items():
        if option not in rules:
            have = ", ".join(map(repr, rules)) or "none"
            raise ParameterError(
                f"{base}({option}={value!r}): no such option; there are: {have}{closest(option, rules)}."
            )
        rule = rules[option]
        if rule is not None and value is not None and not rule.accepts(value):
            must = rule.words or "one of " + ", ".join(map(repr, rule.choices()))
            raise ParameterError(f"{base}({option}={value!r}): {option} must be {must}{rule.hint(value)}.")
