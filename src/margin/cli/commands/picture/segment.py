"""``margin picture segment``: masks of pictures, or proposals of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["command"]


@click.command("segment", short_help="Learn masks, or draw them over new pictures.")
@click.argument("source")
@click.argument("pictures", required=False)
@click.option("--save", metavar="FILE", help="Learn from SOURCE; the model goes there, a .margin file.")
@click.option("--objects", is_flag=True, help="Learn to propose objects (DeepMask), from the folder objects.")
@click.option("--out", "-o", metavar="FOLDER", help="Where masks and overlays of PICTURES go.")
@click.option("--set", "settings", metavar="PARAMETER=VALUE", multiple=True, help="Set a parameter, as in epochs=5.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed and threads, same network.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    source: str, pictures: str | None, save: str | None, objects: bool, out: str | None, settings: tuple[str, ...],
    seed: int, quiet: bool,
) -> int | None:  # fmt: skip
    """Learn masks from SOURCE, a folder with pictures and masks; or use SOURCE, a model, on PICTURES.

    A mask has the name of its picture; its pixels are classes. Answers are masks of the same kind, and overlays beside
    them. Ctrl-C keeps the epochs that are finished.

    \b
    margin data make scenes shapes/ --n 600
    margin picture segment shapes/ --save shapes.margin --set epochs=10
    margin picture segment shapes.margin shapes/pictures --out masks/
    """
    from margin.errors import ParameterError

    if save is not None:
        if pictures is not None or out is not None:
            raise ParameterError("--save learns from one folder (leave PICTURES and --out out).")
        return _learn(source, save, objects, settings, seed, quiet)
    if pictures is None or out is None:
        raise ParameterError("give --save FILE to learn from a folder, or a model, PICTURES and --out FOLDER.")
    _answer(source, pictures, out, quiet)
    return None


def _learn(folder: str, save: str, objects: bool, settings: tuple[str, ...], seed: int, quiet: bool) -> int:
    from margin.cli.learning import learn_and_save, model_of
    from margin.data.generated.folders import read_scenes
    from margin.deep.vision import DeepMask, Segmenter

    scenes = read_scenes(folder)
    about = {"from": str(folder), "pictures": len(scenes.names)}
    if objects:
        model = model_of(DeepMask, settings, random_state=seed)
        return learn_and_save(model, scenes.paths, scenes.object_masks, save, about, quiet)
    model = model_of(Segmenter, settings, random_state=seed)
    return learn_and_save(model, folder, None, save, about, quiet)


def _answer(path: str, pictures: str, out: str, quiet: bool) -> None:
    from margin import persistence
    from margin.deep.vision import DeepMask, Segmenter
    from margin.deep.vision.given import given_pictures
    from margin.errors import ParameterError

    model = persistence.load(path)
    if not isinstance(model, Segmenter | DeepMask):
        raise ParameterError(f"{path}: is a {type(model).__name__}; a Segmenter or a DeepMask is needed.")
    place, count = Path(out), 0
    for images in given_pictures(pictures, "margin picture segment"):
        for i, picture in enumerate(images):
            name = Path((images.names or [f"{count}.png"] * len(images))[i]).stem
            _write(model, picture, place, name)
            count += 1
    if not quiet:
        click.echo(f"{out}: answers for {count} pictures")


def _write(model: Any, picture: Any, place: Path, name: str) -> None:
    """The mask and the picture with it; of proposals a mask for each, numbered by how sure they are."""
    import numpy as np

    from margin.deep.vision import Segmenter
    from margin.deep.vision.drawing import overlaid
    from margin.lazy import package_of_extra

    package = package_of_extra("PIL.Image", "margin picture segment")
    (place / "masks").mkdir(parents=True, exist_ok=True)
    (place / "overlays").mkdir(exist_ok=True)
    if isinstance(model, Segmenter):
        found = model.predict(picture[None])[0]
        codes = np.searchsorted(model.classes_, found)
        labels = found if found.dtype != bool and found.min() >= 0 and found.max() < 256 else codes
        package.fromarray(labels.astype(np.uint8)).save(place / f"masks/{name}.png")
    else:
        proposals = model.propose(picture)
        codes = np.zeros(picture.shape[:2], np.int64)
        for k, each in reversed(list(enumerate(proposals))):
            if each.score > 0.5:
                codes[each.mask] = k + 1
            package.fromarray(each.mask.astype(np.uint8) * np.uint8(255)).save(place / f"masks/{name}_{k}.png")
    package.fromarray(overlaid(picture, codes)).save(place / f"overlays/{name}.png")
