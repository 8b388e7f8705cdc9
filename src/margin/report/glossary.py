"""The words of a page that not everybody knows."""

from __future__ import annotations

import re

__all__ = ["words_of"]

#: What a page may say, and what it means; each is told on pages that say it.
GLOSSARY = {
    "Accuracy": "The share of cases that are answered right.",
    "Balanced accuracy": "The mean over the classes of the share that is answered right, so that rare classes count.",
    "Precision": "Of the cases that are given an answer, the share that deserves it.",
    "Recall": "Of the cases of a class, the share that is found.",
    "F1": "The harmonic mean of precision and recall: high only where both are.",
    "Average precision": "The mean precision over all thresholds, each counted for the cases it adds.",
    "ROC": "The share of a class that is found against that of the others that is called so, for every threshold; "
    "the area below it is how often a case of the class is ranked above another.",
    "Calibration": "Whether what is called 70 % probable comes true in 70 of 100 cases.",
    "Log loss": "How surprised the probabilities are by the truth; lower is better.",
    "95 % interval": "Where the true figure lies in 95 of 100 such studies; the fewer the rows, the wider it is.",
    "Fold": "A part of the rows that is asked of a model learnt from the other parts.",
    "Cross-validation": "Every fold is asked of a model that has not seen it, and the scores are averaged.",
    "Sealed": "Rows that no model saw before the end, asked of the best model only: the score to believe.",
    "Leak": "Something in the table that gives the answer away and will not be there when the model is used.",
    "Trap": "Something that may make scores too good; worth a look before they are believed.",
    "Threshold": "The probability from which on a class is answered.",
    "Odds": "The probability of a class by that of the others: 3 to 1 is 75 %.",
    "Chance": "A difference that chance explains would often turn up between two equally good models.",
}  # fmt: skip


def words_of(page: str) -> list[tuple[str, str]]:
    """The words that a page says, with their meanings, in the order of the alphabet.

    >>> [term for term, _ in words_of("<p>Recall was 80 %, and so was the accuracy.</p>")]
    ['Accuracy', 'Recall']
    """
    said = " ".join(re.sub(r"<[^>]*>", " ", page).replace("\u202f", " ").lower().split())
    return sorted((term, meaning) for term, meaning in GLOSSARY.items() if re.search(rf"\b{term.lower()}", said))
