"""Nearest neighbours: how near are they, how many should vote, and what do their regions look like?

    python examples/lectures/01_how_many_neighbours.py [folder]

Prints how empty the space around a case is, and the error of k = 1 … 200; with a folder, the curse of many columns, the
error against k, the regions of 1, 15 and nearly all neighbours, and the Voronoi cells behind the first.
"""

from __future__ import annotations

import sys
from pathlib import Path

from margin import KNeighborsClassifier, choose_k, curse, decision_regions, voronoi_edges
from margin.data import catalog
from margin.plots import plot_curse, plot_k_choice, plot_regions


def main(folder: str | None = None) -> int:
    """Print what is found; write the pictures."""
    credit, risk = catalog.load("credit").target("risk")
    print(curse(credit), end="\n\n")  # as they are: one column drowns the others
    scaled = curse(credit, scale="standard")
    print(scaled, end="\n\n")
    choice = choose_k(credit, risk, 200, scale="standard")  # leave-one-out for every k, from one search
    print(choice)
    if folder is None:
        return 0
    rows, species = catalog.load("iris").target("class")
    petals = rows[["petallength", "petalwidth"]]
    pictures = {"curse": plot_curse(scaled), "error-against-k": plot_k_choice(choice)}
    for k in (1, 15, 149):
        model = KNeighborsClassifier(k, scale="standard").fit(petals, species)
        pictures[f"regions-of-{k}"] = plot_regions(decision_regions(model, petals, species))
    one = KNeighborsClassifier(1).fit(petals, species)
    edges, cells = voronoi_edges(petals, species), voronoi_edges(petals, between="rows")
    pictures["voronoi"] = plot_regions(decision_regions(one, petals, species), edges=edges, cells=cells)
    for name, ax in pictures.items():
        ax.figure.savefig(Path(folder) / f"{name}.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
