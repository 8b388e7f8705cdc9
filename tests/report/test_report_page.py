"""margin.report.render: one page that needs nothing else, says what was found, and trusts no text of the data."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from margin import NaiveBayes, Table, zoo
from margin.experiment import ClassScore, ColumnCard, Score, Spec, TestScore, run_to_end
from margin.report import phrases as words
from margin.report import render
from margin.report.svg import Axis
from tests.experiment.stand_ins import Broken, entries, flowers

VOID = {"meta", "br", "line", "rect", "circle", "polyline", "link", "img"}


class Tags(HTMLParser):
    """Checks that every tag is closed in order, and collects tags, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text += f" {data}"


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    tags.text = " ".join(tags.text.replace(words.THIN, " ").split())
    return tags


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "_zoo", entries(broken=Broken))
        return run_to_end(Spec(flowers(), target="kind", folds=3, repeats=1))


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(result):
    page = render(result)
    tags = parsed(page)
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in tags.tags}
    assert not any(name in ("src", "href") for _, attributes in tags.tags for name in attributes)
    assert not re.search(r"https?:|url\(|@import|@font-face", page)
    assert len(page) < 60_000


def test_the_page_says_the_answer_the_order_and_the_way_to_repeat_it(result):
    text = parsed(render(result)).text
    accuracy = result.test.scores["accuracy"]
    assert f"Gaussian Bayes is right in {100 * accuracy.value:.1f} % of unseen cases" in text
    assert "always answering “iris” would be right in 33.3 %" in text
    assert "Behind it by more than chance explains: Majority guess." in text
    assert "RuntimeError: out of order" in text
    assert result.command in text
    assert (
        text.index("Sealed the test part")
        < text.index("Validated Majority guess")
        < text.index("Opened the sealed test")
    )
    assert all(f"{name} {version}" in text for name, version in result.versions.items())


def test_every_column_stands_in_the_data_card_with_its_reason(result):
    text = parsed(render(result)).text
    for column in result.columns:
        assert column.name in text
        assert column.reason in text
    assert "Worth knowing" not in text
    assert "Worth knowing" in parsed(render(replace(result, warnings=("12 rows were left out.",)))).text


def test_names_from_the_data_are_shown_and_never_obeyed(result):
    nasty = "<script>alert('x')</script>&{{ 7 * 7 }}"
    column = ColumnCard(nasty, "nominal", reason=nasty, levels=((nasty, 3),), distinct=1)
    test = replace(result.test, labels=(nasty, "lily", "rose"))
    page = render(
        replace(result, title=nasty, target=nasty, columns=(column,), warnings=(nasty,), command=nasty, test=test)
    )
    tags = parsed(page)
    assert "script" not in {tag for tag, _ in tags.tags}
    assert tags.text.count(nasty) >= 6
    assert "49" not in tags.text.split(nasty)[1][:5]


def test_explanations_are_shown_where_there_are_some(result):
    assert "Why it answers so" not in render(replace(result, explanations=()))
    explained = SimpleNamespace(
        html=lambda: "<p>size 2.1 speaks for <b>rose</b></p>", text=lambda: "size speaks for rose"
    )
    plain = SimpleNamespace(text=lambda: "1 < 2 speaks for lily")
    page = render(replace(result, explanations=(explained, plain)))
    parsed(page)
    assert "Why it answers so" in page
    assert "<b>rose</b>" in page
    assert "1 &lt; 2 speaks for lily" in page


@pytest.mark.parametrize("n_classes", [2, 12, 13, 40, 41, 100])
def test_many_classes_change_the_layout_and_the_mistakes_stay(result, n_classes):
    labels = tuple(f"class {i}" for i in range(n_classes))
    confusion = tuple(tuple(9 if i == j else int((i + j) % 7 == 0) for j in range(n_classes)) for i in range(n_classes))
    classes = tuple(ClassScore(label, None, 0.5, 0.5, 9) for label in labels)
    test = TestScore(200, result.test.scores, 0.1, labels, confusion, classes, abstained=(1,) * n_classes)
    tags = parsed(render(replace(result, test=test)))
    cells = [attributes for tag, attributes in tags.tags if tag == "td" and "cell" in (attributes.get("class") or "")]
    assert len(cells) == (n_classes**2 if n_classes <= 40 else 0)
    assert ("Commonest mistakes" in tags.text) == (n_classes > 12)
    assert ("no answer" in tags.text) == (n_classes <= 40)


def test_columns_beyond_sixty_are_folded_away(result):
    columns = tuple(ColumnCard(f"c{i}", "numeric", low=0, mean=0.5, high=1, bars=(1, 0, 3)) for i in range(75))
    tags = parsed(render(replace(result, columns=columns)))
    assert "15 more columns" in tags.text
    assert "details" in {tag for tag, _ in tags.tags}


def test_scores_without_intervals_are_drawn_too(result):
    lines = tuple(replace(line, scores={"accuracy": Score(0.5)} if line.scores else {}) for line in result.leaderboard)
    parsed(render(replace(result, leaderboard=lines)))


@pytest.mark.parametrize("values", [[0.7, 0.8], [0.5], [0.0, 1.0], [0.998, 0.9991], [3.0, 250.0], [0.0]])
def test_an_axis_holds_all_values_between_round_ticks(values):
    axis = Axis.around(values)
    assert axis.low <= min(values)
    assert max(values) <= axis.high
    assert 2 <= len(axis.ticks) <= 9
    assert all(0 <= axis.x(value) <= axis.width for value in values)


def answer(value, low, high, baseline, result):
    test = replace(result.test, scores={"accuracy": Score(value, low, high)}, baseline=baseline)
    return words.answer(replace(result, test=test)).replace(words.THIN, " ")


def test_the_answer_says_when_the_data_cannot_tell_the_model_from_a_guess(result):
    assert answer(0.8, 0.7, 0.9, 0.6, result).endswith("always answering “iris” would be right in 60.0 %.")
    assert answer(0.8, 0.7, 0.9, 0.75, result).endswith("75.0 %, which these data cannot tell apart.")
    assert answer(0.6, 0.5, 0.7, 0.6, result).endswith("no more than always answering “iris”.")


def test_text_that_a_model_reads_is_a_column_to_learn_from(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", {"bayes": zoo.Entry("bayes", NaiveBayes, title="Naive Bayes")})
    table = Table.from_columns({"note": ["good", "bad day", "good day", "bad"] * 20, "mood": ["up", "down"] * 40})
    table = table.with_kind("note", "text")
    settings = {"bayes.distributions": "note=multinomial"}
    page = run_to_end(Spec(table, target="mood", settings=settings, seed=1)).html()
    assert "<b>1</b> column to learn from" in page
    assert "read as text, word by word" in page
    assert "left out of the models" not in page
