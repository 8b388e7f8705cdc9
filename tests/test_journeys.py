"""Files that a reader opens to follow one call: few, and not more from one change to the next."""

from __future__ import annotations

import pytest

from tests.journeys import JOURNEYS, files_of

#: With a file or two to spare.
MOST = {
    "LogisticRegression().fit(mixed table)": 35,
    "DecisionTreeClassifier().fit(mixed table)": 33,
    "KNeighborsClassifier.predict(one row)": 12,
    "evaluate(model, X, y, '10x10')": 25,
    "margin compare, before any model": 66,
}


def test_every_journey_has_a_number_of_files():
    assert MOST.keys() == JOURNEYS.keys()


@pytest.mark.parametrize("journey", MOST)
def test_a_journey_leads_through_few_files(journey):
    files = files_of(journey)
    assert len(files) <= MOST[journey], "\n".join(files)
