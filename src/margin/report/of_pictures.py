"""The page of a comparison on pictures: scores of every model, its confusions, and what the best got most wrong."""

from __future__ import annotations

import html
import io
from collections.abc import Mapping

from margin.data.images import Images
from margin.evaluation import Evaluation

__all__ = ["page_of_pictures"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#333}"
    "table{border-collapse:collapse;margin:.5rem 0}"
    "th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #ddd}"
    "svg{max-width:100%;height:auto}"
)


def page_of_pictures(path: str, images: Images, results: Mapping[str, Evaluation]) -> str:
    """A page of HTML that needs nothing beside it; the first of the results is the best."""
    title = html.escape(f"{path}: {len(images)} pictures of {len(images.classes)} classes")
    best = next(iter(results))
    sheet = (
        f"<h2>What {html.escape(best)} got most wrong</h2><p>Each picture was asked of a model that had not learnt "
        f"from it. Above it stands the answer, how probable it was, and what is right.</p>"
        f"{_mistakes(images, results[best])}"
    )
    parts = "".join(each._repr_html_() for each in results.values())
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1>{_leaderboard(results)}{sheet}<h2>Every model</h2>{parts}</html>\n"
    )


def _leaderboard(results: Mapping[str, Evaluation]) -> str:
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{each.scores['accuracy']}</td><td>{each.scores['f1']}</td>"
        f"<td>{each.seconds:.1f} s</td></tr>"
        for name, each in results.items()
    )
    return f"<table><tr><th>model</th><th>accuracy</th><th>f1</th><th>time</th></tr>{rows}</table>"


def _mistakes(images: Images, found: Evaluation) -> str:
    """The sheet as SVG, drawn off any screen."""
    from margin.plots import plot_mistakes

    figure = plot_mistakes(images, found, n=24).ravel()[0].figure
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")
    import matplotlib.pyplot as plt

    plt.close(figure)
    text = buffer.getvalue()
    return text[text.index("<svg") :]
