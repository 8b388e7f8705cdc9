"""Four pages keep their outline, and every row of their tables fills the columns of its head."""

from __future__ import annotations

import json
import re

import pytest

from tests.report.page_outlines import GOLDEN, PAGES, Outline, page

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_the_parts_that_are_written_down(name):
    told = json.loads(GOLDEN.read_text())[name]
    assert Outline(page(name)).lines == told, "python -m tests.report.page_outlines writes it anew"


@pytest.mark.parametrize("name", PAGES)
def test_the_rows_of_every_table_are_as_wide_as_its_head(name):
    for rows in Outline(page(name)).widths:
        assert len(set(rows)) == 1, rows


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_hides_what_is_wide_and_paper_does_not(name):
    css = re.search("<style>(.*)</style>", page(name), re.DOTALL).group(1)
    # Paper is as narrow as a tablet: what is hidden for width must be hidden on screens alone.
    assert re.findall(r"@media ([^{]*max-width[^{]*)\{", css) == ["screen and (max-width: 46rem) "]
    hidden = re.search(r"\.board \.plot, [^{]*\{ display: none; \}", css)
    assert hidden
    assert ".more" in hidden.group(0), "the column of times would push the verdict off a phone"
    assert 'class="n more"' in page(name)
