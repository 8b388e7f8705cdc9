"""Puts what the demo shows into the README: its leaderboard, and docs/report.png, its page in a headless browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import margin

HERE = Path(__file__).resolve().parent
#: What the picture shows of the page, in points of the screen.
WIDTH, HEIGHT = 1000, 1000


def main() -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        raise SystemExit("docs/picture.py: needs chromium on the path (Debian: apt-get install chromium).")
    result = margin.compare("credit", "risk", seed=1)
    _put_leaderboard(str(result), HERE.parent / "README.md")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(result.html())
        shot = Path(folder) / "report.png"
        size = f"--window-size={WIDTH},{HEIGHT}"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--force-color-profile=srgb", size]
        subprocess.run([browser, *options, f"--screenshot={shot}", page.as_uri()], check=True, capture_output=True)
        _small(shot, HERE / "report.png")


def _put_leaderboard(told: str, place: Path) -> None:
    """The lines of the models in place of those that stand in the README."""
    (board,) = re.findall(r"^model .*\n(?:.+ [%] .*\n)+", told, re.M)
    text, n = re.subn(r"(?<=```\n)model .*\n(?:.+ [%] .*\n)+", lambda _: board, place.read_text())
    if n != 1:
        raise SystemExit("docs/picture.py: README.md must hold one leaderboard, a block that begins with 'model'.")
    place.write_text(text)


def _small(source: Path, place: Path) -> None:
    """Few colours are enough for a page of text, and a third of the bytes."""
    from PIL import Image

    with Image.open(source) as picture:
        picture.convert("RGB").quantize(64).save(place, optimize=True)


if __name__ == "__main__":
    main()
