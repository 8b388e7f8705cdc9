"""Before trusting nearest neighbours: are they near, how many should vote, and what do their regions look like?

Run it with ``python examples/choosing_neighbours.py``; it prints what it finds and saves four pictures.
"""

from __future__ import annotations

from margin import KNeighborsClassifier, choose_k, curse, decision_regions, voronoi_edges
from margin.data import catalog
from margin.plots import plot_curse, plot_k_choice, plot_regions


def main() -> None:
    credit, risk = catalog.load("credit").target("risk")
    print(curse(credit), end="\n\n")  # as they are: one column drowns the others
    scaled = curse(credit, scale="standard")
    print(scaled)
    save(plot_curse(scaled), "curse.png")

    choice = choose_k(credit, risk, 100, scale="standard")  # leave-one-out for every k, from one search
    print(choice)
    save(plot_k_choice(choice), "k.png")

    rows, species = catalog.load("iris").target("class")
    many = KNeighborsClassifier(15, scale="standard").fit(rows, species)
    save(plot_regions(decision_regions(many, rows, species, columns=("petallength", "petalwidth"))), "regions.png")

    petals = rows[["petallength", "petalwidth"]]
    one = KNeighborsClassifier(1).fit(petals, species)
    edges = voronoi_edges(petals, species)
    save(plot_regions(decision_regions(one, petals, species), edges=edges), "voronoi.png")


def save(ax, name: str) -> None:
    ax.figure.savefig(name, dpi=120)
    print(f"saved {name}")


if __name__ == "__main__":
    main()
