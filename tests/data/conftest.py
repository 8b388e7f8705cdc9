"""Files written for a test, and the folder of real data sets beside the project."""

import gzip
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "../shared/data"


@pytest.fixture
def written(tmp_path):
    """Write text or bytes to a file of a given name and get its path."""

    def write(text, name="table.csv"):
        data = text.encode() if isinstance(text, str) else text
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.fixture(scope="session")
def shared():
    if not SHARED.is_dir():
        pytest.skip("the folder of real data sets is not beside the project")
    return SHARED
