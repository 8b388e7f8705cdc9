"""Twenty tables that mislead a naive tool, and what ``margin compare`` says of each.

Every table is made up here, and each has one trap: a column that gives the answer away, copies of rows, twenty rows of
noise, units in cells, a total at the end. A line a table tells what was asked, what margin said, and whether that is
what it should say; the program leaves with 1 where something is not.

    python examples/twenty_tables.py            # all of them, some minutes
    python examples/twenty_tables.py boat cost  # some of them
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

import margin
from margin.data import Table, read
from margin.errors import MarginError, MarginWarning
from margin.experiment import answers, read_new_rows
from margin.random import generator

__all__ = ["TRIALS", "main"]

#: What a trial found: what margin said, and whether that is right.
Found = tuple[str, bool]
Trial = Callable[[Path], Found]
TRIALS: dict[str, Trial] = {}
QUICK = ("naive-bayes", "tree")


def trial(function: Trial) -> Trial:
    """Put a trial on the list, under its name; its docstring says what is asked."""
    TRIALS[function.__name__.replace("_", "-")] = function
    return function


def csv(path: Path, columns: dict[str, Iterable[Any]]) -> str:
    """Write columns as a file; missing cells are empty."""
    rows = zip(*columns.values())
    lines = [",".join(columns), *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def rounded(numbers: np.ndarray) -> list[float]:
    return numbers.round(3).tolist()


def two_classes(name: str, n: int, apart: float, share: float = 0.5) -> tuple[np.ndarray, dict[str, list[Any]]]:
    """Which rows are of the second class, and two columns, of which the first tells the classes apart a little."""
    random = generator(0, name)
    second = random.random(n) < share
    columns = {"a": rounded(random.normal(size=n) + apart * second), "b": rounded(random.normal(size=n))}
    return second, columns


def words(which: np.ndarray, yes: str = "yes", no: str = "no") -> list[str]:
    return np.where(which, yes, no).tolist()


def compare(data: Any, target: str, models: Any = QUICK, **settings: Any) -> Any:
    return margin.compare(data, target, models=models, **{"folds": 5, "repeats": 1, **settings})


def accuracy(result: Any) -> float:
    """Of the best model in cross-validation."""
    return float(result.winner.scores["accuracy"].value)


def command(*given: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """``margin`` as it is typed."""
    typed = [sys.executable, "-m", "margin", *given]
    env = {**os.environ, **environment}
    return subprocess.run(typed, input=stdin, capture_output=True, encoding="utf-8", env=env, check=False)


@trial
def boat(folder: Path) -> Found:
    """A column that is known only of those who survived"""
    random = generator(0, "boat")
    female = random.random(500) < 0.4
    survived = random.random(500) < np.where(female, 0.75, 0.2)
    boats = [int(n) if known else None for n, known in zip(random.integers(1, 20, 500), survived)]
    columns = {"sex": words(female, "female", "male"), "boat": boats, "survived": words(survived)}
    result = compare(csv(folder / "boat.csv", columns), "survived")
    caution = next((one for one in result.cautions if one.severity == "leak"), None)
    if caution is None:
        return f"{accuracy(result):.1%}, no leak", False
    without = caution.without["'boat'"].value
    return f"leak: {caution.held.value:.1%}, without boat {without:.1%}", without < 0.85 and "boat" in caution.remedy


@trial
def missing_cells(folder: Path) -> Found:
    """A number that is missing only where the answer is yes"""
    second, columns = two_classes("missing cells", 400, 0.5)
    columns["lab"] = [None if gone else round(x, 2) for x, gone in zip(generator(1).normal(size=400), second)]
    result = compare(csv(folder / "lab.csv", {**columns, "ill": words(second)}), "ill")
    kinds = {one.kind: one.severity for one in result.audit}
    said = ", ".join(f"{kind.replace('_', ' ')} ({severity})" for kind, severity in kinds.items())
    return said, kinds.get("missingness_predicts_target") == "leak"


@trial
def copies(folder: Path) -> Found:
    """Every row of a table of noise four times"""
    second, columns = two_classes("copies", 80, 0.0)
    table = {name: cells * 4 for name, cells in {**columns, "y": words(second)}.items()}
    result = compare(csv(folder / "copies.csv", table), "y", ("rote", "knn", "tree"))
    found = result.audit["duplicates_within"]
    torn = found[0].evidence["torn_apart"] if found else float("nan")
    return f"{accuracy(result):.1%} with copies together, {torn:.1%} torn apart", accuracy(result) < 0.65 and bool(
        found
    )


@trial
def few_rows(folder: Path) -> Found:
    """Who is best on 8, 12 and 20 rows of noise"""
    told, right = [], True
    for n in (8, 12, 20):
        _, columns = two_classes(f"few rows {n}", n, 0.0)
        columns["y"] = ["no", "yes"] * (n // 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MarginWarning)
            result = compare(csv(folder / f"{n}.csv", columns), "y", ("majority", "naive-bayes", "tree", "knn"))
        behind = sum(line.differs for line in result.leaderboard)
        right &= behind == 0 and any("too few" in remark for remark in result.remarks)
        told.append(f"{n} rows: {behind} behind")
    return ", ".join(told), right


@trial
def rare_class(folder: Path) -> Found:
    """A class of 3 % that accuracy would forget"""
    second, columns = two_classes("rare class", 1000, 2.0, share=0.03)
    table = read(csv(folder / "rare.csv", {**columns, "fraud": words(second)}))
    result = compare(table, "fraud")
    found = result.test.scores["recall"].value
    called = (result.model.predict(table.drop("fraud")) == "yes").sum()
    said = f"by {result.metric.replace('_', ' ')} of {result.positive!r}, {found:.0%} found, {called} called so"
    return said, result.metric == "average_precision" and result.positive == "yes" and called > 0


@trial
def cost(folder: Path) -> Found:
    """A miss costs twenty false alarms"""
    second, columns = two_classes("cost", 800, 1.0, share=0.2)
    table = read(csv(folder / "cost.csv", {**columns, "default": words(second)}))
    plain, dear = (compare(table, "default", positive="yes", cost=cost) for cost in (None, 20.0))
    missed = [int(((result.model.predict(table.drop("default")) == "no") & second).sum()) for result in (plain, dear)]
    at = [result.threshold.value for result in (plain, dear)]
    said = f"answered from {at[1]:.2f} on in place of {at[0]:.2f}; the model misses {missed[1]} in place of {missed[0]}"
    return said, at[1] < at[0] and missed[1] < missed[0]


@trial
def no_probabilities(folder: Path) -> Found:
    """A model without probabilities wins"""
    second, columns = two_classes("no probabilities", 300, 2.0)
    table = read(csv(folder / "svm.csv", {**columns, "y": words(second)}))
    result = compare(table, "y", ("majority", "linear-svm"))
    shares = result.model.predict_proba(table.drop("y"))
    said = next((remark for remark in result.remarks if "no probabilities" in remark), "nothing of probabilities")
    return said.split(":")[0], result.best == "linear-svm" and bool(np.allclose(shares.sum(axis=1), 1))


@trial
def frame_and_file(folder: Path) -> Found:
    """The same table as a file, as a frame of pandas and as records"""
    import pandas as pd

    second, columns = two_classes("frame", 200, 1.0)
    columns["city"] = [("Rome", "Oslo", None)[i % 3] for i in range(200)]
    columns["y"] = words(second)
    given = [csv(folder / "frame.csv", columns), pd.DataFrame(columns), Table.from_columns(columns)]
    scores = [[line.fold_scores for line in compare(each, "y").leaderboard] for each in given]
    equal = scores[0] == scores[1] == scores[2]
    return "equal in every digit" if equal else "different scores", equal


@trial
def identifiers(folder: Path) -> Found:
    """Case numbers that were given class by class"""
    second, columns = two_classes("identifiers", 300, 0.0)
    order = np.argsort(second, kind="stable")
    table = {"case": [f"C{n:05d}" for n in range(300)], **{k: np.array(v)[order].tolist() for k, v in columns.items()}}
    result = compare(csv(folder / "cases.csv", {**table, "y": words(second[order])}), "y")
    kind = next(card.kind for card in result.columns if card.name == "case")
    return f"case is taken for {kind}; {accuracy(result):.1%}", kind == "identifier" and accuracy(result) < 0.65


@trial
def free_text(folder: Path) -> Found:
    """Messages, of which naive Bayes reads the words"""
    random = generator(0, "free text")
    spam = random.random(240) < 0.4
    plain, loud = ["see", "you", "at", "lunch", "tomorrow", "then"], ["win", "free", "money", "prize", "now"]
    texts = [" ".join(random.choice(plain + loud * 2 * int(s), 7)) for s in spam]
    path = csv(folder / "sms.csv", {"note": texts, "length": [len(text) for text in texts], "kind": words(spam)})
    bayes = {"naive-bayes.distributions": "note=multinomial"}
    result = compare(path, "kind", ("naive-bayes",), settings=bayes, kinds={"note": "text"})
    return f"{accuracy(result):.1%}", accuracy(result) > 0.9


@trial
def units(folder: Path) -> Found:
    """Weights as "69.7 kg" """
    second, columns = two_classes("units", 300, 2.0)
    weights = [f"{70 + 5 * float(a):.1f} kg" for a in columns["a"]]
    result = compare(csv(folder / "kg.csv", {"weight": weights, "y": words(second)}), "y")
    kind = next(card.kind for card in result.columns if card.name == "weight")
    return f"weight is {kind}; {accuracy(result):.1%}", kind == "numeric" and accuracy(result) > 0.75


@trial
def rare_levels(folder: Path) -> Found:
    """Words seen once, and one that only new rows have"""
    second, columns = two_classes("rare levels", 300, 1.5)
    columns["street"] = [f"street {n}" if n % 3 else "main road" for n in range(300)]
    columns["y"] = words(second)
    result = compare(csv(folder / "streets.csv", columns), "y", ("logistic", "tree"))
    model = str(margin.persistence.save(result.model, folder / "streets.margin", about=result.about))
    about = margin.persistence.header(model).about
    new = read_new_rows(csv(folder / "new.csv", {"a": [2.0], "b": [0.0], "street": ["nowhere"]}), about)
    found = answers(margin.persistence.load(model), new, about)
    return f"{accuracy(result):.1%}; {found.unseen[0]}", accuracy(result) > 0.7 and "nowhere" in found.unseen[0]


@trial
def formats(folder: Path) -> Found:
    """One table as CSV, xlsx, zip, JSON, two files and standard input"""
    second, columns = two_classes("formats", 60, 1.0)
    columns["y"] = words(second)
    plain = csv(folder / "t.csv", columns)
    lines = Path(plain).read_text().splitlines()
    for part, some in (("part-1.csv", lines[1:31]), ("part-2.csv", lines[31:])):
        (folder / part).write_text("\n".join([lines[0], *some]) + "\n")
    with zipfile.ZipFile(folder / "t.zip", "w") as packed:
        packed.writestr("t.csv", Path(plain).read_text())
    (folder / "t.json").write_text(json.dumps([dict(zip(columns, row)) for row in zip(*columns.values())]))
    workbook(folder / "t.xlsx", columns)
    same = read(plain)
    other = {
        "xlsx": folder / "t.xlsx",
        "zip": folder / "t.zip",
        "json": folder / "t.json",
        "files": folder / "part-*.csv",
    }
    differ = [name for name, path in other.items() if read(path) != same]
    piped = command("data", "show", "-", "--json", stdin=Path(plain).read_text())
    if piped.returncode or json.loads(piped.stdout)["n_rows"] != 60:
        differ.append("standard input")
    return f"different: {', '.join(differ)}" if differ else "the same table six times", not differ


def workbook(path: Path, columns: dict[str, list[Any]]) -> None:
    """A workbook of one sheet, written by hand: no package for it is asked for."""

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    rows = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in [tuple(columns), *zip(*columns.values())])
    main_ns = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kin = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>'
    )
    parts = {
        "[Content_Types].xml": types,
        "_rels/.rels": f'<Relationships xmlns="{kin}"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main_ns} xmlns:r="{office}"><sheets><sheet name="t" sheetId="1" r:id="r1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{kin}"><Relationship Id="r1" Type="{office}/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {main_ns}><sheetData>{rows}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


@trial
def bad_cells(folder: Path) -> Found:
    """Three cells of a column of numbers are none"""
    second, columns = two_classes("bad cells", 200, 2.0)
    cells: list[Any] = list(columns["a"])
    cells[3], cells[50], cells[120] = "n.k.", "see file", "12..5"
    path = csv(folder / "bad.csv", {"a": cells, "b": columns["b"], "y": words(second)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        kinds = [read(path, coerce=coerce).schema["a"].kind for coerce in (False, True)]
        result = compare(path, "y", coerce=True)
    counted = [warning for warning in result.warnings if "3 " in warning and "'a'" in warning]
    said = f"with --coerce {kinds[1]}, {accuracy(result):.1%}, {'counted' if counted else 'not counted'}"
    return said, kinds[1] == "numeric" and accuracy(result) > 0.75


@trial
def total_row(folder: Path) -> Found:
    """The last row is a total"""
    second, columns = two_classes("total", 120, 1.5)
    sums = [round(sum(map(float, cells)), 3) for cells in columns.values()]
    path = Path(csv(folder / "total.csv", {**columns, "y": words(second)}))
    path.write_text(path.read_text() + f"{sums[0]},{sums[1]},Total\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MarginWarning)
        result = compare(str(path), "y")
    told = [*result.warnings, *(one.says for one in result.audit), *(str(one.message) for one in caught)]
    said = next((text for text in told if "Total" in text or "total" in text), f"classes {list(result.class_counts)}")
    return said, "otal" in said


@trial
def labels_by_case(folder: Path) -> Found:
    """Labels that differ by a capital letter"""
    second, columns = two_classes("case", 200, 1.5)
    labels = [label.capitalize() if n % 9 == 0 else label for n, label in enumerate(words(second))]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MarginWarning)
        result = compare(csv(folder / "case.csv", {**columns, "y": labels}), "y")
    told = [*result.warnings, *(one.says for one in result.audit), *(str(one.message) for one in caught)]
    said = next((text for text in told if "Yes" in text or "case" in text.lower()), "")
    return said or f"classes {list(result.class_counts)}", bool(said)


@trial
def groups(folder: Path) -> Found:
    """Many rows of each patient, and a label that belongs to the patient"""
    random = generator(0, "groups")
    patient = np.repeat(np.arange(60), 8)
    ill = (random.random(60) < 0.5)[patient]
    habit = random.normal(size=(60, 3))[patient] + 0.05 * random.normal(size=(480, 3))
    columns = {f"x{j}": rounded(habit[:, j]) for j in range(3)}
    path = csv(folder / "visits.csv", {"patient": patient.tolist(), **columns, "ill": words(ill)})
    torn = accuracy(compare(path, "ill", ("knn", "tree"), drop=("patient",)))
    held = accuracy(compare(path, "ill", ("knn", "tree"), group="patient"))
    return f"{torn:.1%} with rows torn apart, {held:.1%} with --group", torn > 0.85 and held < 0.7


@trial
def time_order(folder: Path) -> Found:
    """What was learnt of the past holds less in the future"""
    random = generator(0, "time")
    day = np.arange(600)
    level = np.sin(day / 40)
    second = random.random(600) < 1 / (1 + np.exp(-6 * level))
    columns = {"day": day.tolist(), "level": rounded(day + random.normal(size=600)), "y": words(second)}
    path = csv(folder / "days.csv", columns)
    shuffled = accuracy(compare(path, "y", ("knn", "tree"), drop=("day",)))
    later = accuracy(compare(path, "y", ("knn", "tree"), time="day"))
    return f"{shuffled:.1%} shuffled, {later:.1%} of the future with --time", later < shuffled - 0.1


@trial
def stopped(folder: Path) -> Found:
    """Ctrl-C in the second model, and a limit of time"""

    class Interrupted(DummyClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise KeyboardInterrupt

    class Slow(DummyClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            time.sleep(600)

    second, columns = two_classes("stopped", 100, 1.0)
    path = csv(folder / "stopped.csv", {**columns, "y": words(second)})
    result = compare(path, "y", {"naive-bayes": None, "long": Interrupted()})
    late = compare(path, "y", {"naive-bayes": None, "slow": Slow()}, limit=5)
    right = all(each.test is None and each.remarks[-1].startswith("The seal on 20 rows") for each in (result, late))
    return f"{result.stopped} {late.stopped} Still sealed: {right}.", right and "Ctrl-C" in result.stopped


@trial
def plain_terminal(folder: Path) -> Found:
    """A terminal of 40 columns that knows ASCII alone"""
    second, columns = two_classes("terminal", 100, 1.0)
    path = csv(folder / "plain.csv", {**columns, "y": words(second, "ja\u00fc", "nein")})
    ascii_only = {"PYTHONIOENCODING": "ascii", "COLUMNS": "40", "LC_ALL": "C", "PYTHONUTF8": "0", "TERM": "dumb"}
    done = command("compare", path, "--target", "y", "--models", "naive-bayes,tree", "--folds", "3", **ascii_only)
    lines = [line for line in done.stdout.splitlines() if "margin compare" not in line]
    widest = max(map(len, lines), default=0)
    right = done.returncode == 0 and done.stdout.isascii() and widest <= 40 and "nein" in done.stdout
    return f"exit {done.returncode}, {len(lines)} lines, the widest of {widest}", right


def main(names: Iterable[str]) -> int:
    """Run the trials of these names, all without; how many failed."""
    failed = 0
    for name in tuple(names) or TRIALS:
        try:
            with tempfile.TemporaryDirectory() as folder:
                said, right = TRIALS[name](Path(folder))
        except MarginError as error:
            said, right = f"refused: {error}", False
        failed += not right
        asked = (TRIALS[name].__doc__ or "").strip()
        print(f"{'pass' if right else 'FAIL'}  {name}: {asked}. {' '.join(said.split())}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
