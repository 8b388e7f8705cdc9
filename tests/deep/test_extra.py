"""The extra margin[deep]: tables do without, and whoever lacks it is told how to get it."""

import json
import subprocess
import sys

import pytest

from margin.deep import architectures, summary
from margin.errors import MissingPackageError

TABLES = """
import json, sys
import margin
from margin.data import catalog
X, y = catalog.load("iris").target("class")
margin.MLPClassifier(hidden_layer_sizes=(2,), max_iter=2, tol=0, solver="sgd").fit(X, y).predict(X)
names = margin.deep.architectures.names()
print(json.dumps([name for name in ("torch", "PIL", "safetensors") if name in sys.modules]))
"""


def test_networks_on_tables_load_no_torch():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", TABLES], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


@pytest.mark.parametrize("call", [lambda: architectures.build("lenet5"), lambda: summary(None, (1, 28, 28))])
def test_without_torch_the_names_are_there_and_say_what_to_install(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r'pip install "margin\[deep\]"'):
        call()


def test_cards_need_no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert architectures.card("vgg16_bn").parameters == 138_365_992
