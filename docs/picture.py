"""Makes docs/report.png, the picture in the README: the page of the demo in a headless browser (chromium)."""

from __future__ import annotations

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
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(margin.compare("credit", "risk", seed=1).html())
        shot = Path(folder) / "report.png"
        size = f"--window-size={WIDTH},{HEIGHT}"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--force-color-profile=srgb", size]
        subprocess.run([browser, *options, f"--screenshot={shot}", page.as_uri()], check=True, capture_output=True)
        _small(shot, HERE / "report.png")


def _small(source: Path, place: Path) -> None:
    """Few colours are enough for a page of text, and a third of the bytes."""
    from PIL import Image

    with Image.open(source) as picture:
        picture.convert("RGB").quantize(64).save(place, optimize=True)


if __name__ == "__main__":
    main()
