"""``margin picture caption``: sentences about pictures, and answers to questions about them."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["command"]


@click.command("caption", short_help="Learn captions, say some, or answer a question.")
@click.argument("source")
@click.argument("pictures", required=False)
@click.option("--save", metavar="FILE", help="Learn from SOURCE; the model goes there, a .margin file.")
@click.option("--questions", is_flag=True, help="Learn to answer questions, from questions.csv.")
@click.option("--ask", metavar="QUESTION", help="The question that a model of questions is asked about each picture.")
@click.option("--beam", type=int, default=3, show_default=True, help="Beginnings kept at each word.")
@click.option("--out", "-o", metavar="FILE", help="Write a line for each picture: .csv, .tsv, .json, .jsonl.")
@click.option("--set", "settings", metavar="PARAMETER=VALUE", multiple=True, help="Set a parameter, as in epochs=5.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed and threads, same network.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    source: str, pictures: str | None, save: str | None, questions: bool, ask: str | None, beam: int, out: str | None,
    settings: tuple[str, ...], seed: int, quiet: bool,
) -> int | None:  # fmt: skip
    """Learn captions from SOURCE, a folder with pictures and captions.csv; or use SOURCE, a model, on PICTURES.

    \b
    margin data make scenes shapes/ --n 6000 --objects 2
    margin picture caption shapes/ --save says.margin --set attention=true --set epochs=12
    margin picture caption says.margin new/ --out captions.csv
    """
    from margin.errors import ParameterError

    if save is not None:
        if pictures is not None or out is not None:
            raise ParameterError("--save learns from one folder (leave PICTURES and --out out).")
        return _learn(source, save, questions, settings, seed, quiet)
    if pictures is None:
        raise ParameterError("give --save FILE to learn from a folder, or a model and PICTURES.")
    _answer(source, pictures, ask, beam, out)
    return None


def _learn(folder: str, save: str, questions: bool, settings: tuple[str, ...], seed: int, quiet: bool) -> int:
    from margin.cli.learning import learn_and_save, model_of
    from margin.data.generated.folders import read_scenes
    from margin.deep.vision import Asked, Captioner, QuestionAnswerer

    scenes = read_scenes(folder)
    about = {"from": str(folder), "pictures": len(scenes.names)}
    if not questions:
        model = model_of(Captioner, settings, random_state=seed)
        return learn_and_save(model, scenes.paths, scenes.captions, save, about, quiet)
    asked = scenes.questions
    model = model_of(QuestionAnswerer, settings, random_state=seed)
    X = Asked(scenes.paths, [each.question for each in asked], [each.picture for each in asked])
    return learn_and_save(model, X, [each.answer for each in asked], save, about, quiet)


def _answer(path: str, pictures: str, ask: str | None, beam: int, out: str | None) -> None:
    from margin import persistence
    from margin.cli.written_answers import check_ending, write_answers
    from margin.deep.vision import Captioner
    from margin.deep.vision.given import given_pictures

    if out:
        check_ending(out)
    model = persistence.load(path)
    columns: dict[str, list[Any]] = {"file": [], "caption" if isinstance(model, Captioner) else "answer": []}
    columns["log_probability" if isinstance(model, Captioner) else "probability"] = []
    for images in given_pictures(pictures, "margin picture caption"):
        names = images.names or [str(i) for i in range(len(images))]
        parts: tuple[list[Any], ...] = (names, *_said(model, images, path, ask, beam))
        for cells, part in zip(columns.values(), parts, strict=True):
            cells += part
    if out:
        write_answers(out, iter([columns]))
        click.echo(f"{out}: {len(columns['file'])} lines")
        return
    for row in zip(*columns.values()):
        click.echo(f"{row[0]}  {row[1]}  {row[2]:.3f}")


def _said(model: Any, images: Any, path: str, ask: str | None, beam: int) -> tuple[list[str], list[float]]:
    """What is said of each picture, and how probable it is."""
    from margin.deep.vision import Asked, Captioner, QuestionAnswerer
    from margin.errors import ParameterError

    if isinstance(model, Captioner):
        if ask is not None:
            raise ParameterError(f"--ask: {path} says captions; questions are for a model learnt with --questions.")
        found = model.describe(images, beam=beam)
        return [each.text for each in found], [each.log_probability for each in found]
    if not isinstance(model, QuestionAnswerer):
        raise ParameterError(f"{path}: is a {type(model).__name__}; a Captioner or a QuestionAnswerer is needed.")
    if ask is None:
        raise ParameterError(f"{path}: answers questions; --ask one.")
    answers, shares = model.predict_with_proba(Asked(images, [ask] * len(images)))
    return answers.tolist(), shares.max(axis=1).tolist()
