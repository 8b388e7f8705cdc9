"""A result as one HTML page that needs nothing else: no network, no fonts, and no script but that of a slider."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import margin
from margin.report import phrases as words
from margin.report import sections
from margin.report.glossary import words_of

if TYPE_CHECKING:
    from margin.selection.auditing.result import Audit

__all__ = ["environment_of", "paragraphs", "render", "render_audit", "style_of"]

_TEMPLATES = Path(__file__).with_name("templates")


def render(result: Any, title: str = "", author: str = "", notes: str = "") -> str:
    """The page for a finished comparison, as :func:`margin.experiment.run` gives it.

    ``result`` is used by contract: what it must have is what :class:`margin.experiment.Result` has. ``title``,
    ``author`` and ``notes`` are whatever is to stand at the head of it.
    """
    environment = environment_of()
    shown = []
    for section in sections.SECTIONS:
        contents = section.contents(result)
        if contents is not None:
            template = environment.get_template(f"sections/{section.template}")
            shown.append(Markup(template.render(result=result, test=result.test, **contents)))
    return environment.get_template("report.html").render(
        result=result,
        answer=words.answer(result),
        caution=words.caution(result),
        leaks=_other_leaks(result),
        n_inputs=sum(column.is_input for column in result.columns),
        sections=shown,
        title=title,
        author=author,
        notes=paragraphs(notes),
        glossary=words_of(Markup(" ").join(shown)),
        css=style_of(),
        version=result.versions["margin"],
    )


def paragraphs(notes: str) -> list[str]:
    """The paragraphs of a text, which empty lines part.

    >>> paragraphs("One\\nline.\\n\\nAnother.")
    ['One line.', 'Another.']
    """
    return [" ".join(paragraph.split()) for paragraph in notes.split("\n\n") if paragraph.strip()]


def _other_leaks(result: Any) -> list[Any]:
    """Leaks that are not told of in the box with the scores without them."""
    told = {caution.says for caution in result.cautions}
    return [leak for leak in (result.audit.leaks if result.audit is not None else ()) if leak.says not in told]


def render_audit(audit: Audit, title: str, target: str, command: str = "") -> str:
    """The page for an audit, as :func:`margin.audit` gives it, of a table called ``title``.

    >>> import numpy as np
    >>> from margin.selection import audit
    >>> page = render_audit(audit(np.random.default_rng(0).normal(size=(60, 2)), [0, 1] * 30), "noise", "side")
    >>> "Nothing found" in page
    True
    """
    return (
        environment_of()
        .get_template("audit.html")
        .render(audit=audit, title=title, target=target, command=command, css=style_of(), version=margin.__version__)
    )


def environment_of() -> Any:
    """The templates, with the words of reports as filters."""
    import jinja2  # here, since the words of a report are wanted without its page too

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals["metric_name"] = words.metric_name
    for filter_ in (
        words.shortened,
        words.score,
        words.interval,
        words.ends,
        words.count,
        words.duration,
        words.number,
    ):
        environment.filters[filter_.__name__] = filter_
    return environment


def style_of() -> Markup:
    """The style sheet of all pages."""
    return Markup((_TEMPLATES / "report.css").read_text())
