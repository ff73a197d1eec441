import os

import pytest

from bourse.venue import find_command

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _same_bourse(monkeypatch):
    """Tests that run in another folder find the bourse that is found from here."""
    if "BOURSE_COMMAND" not in os.environ:
        monkeypatch.setenv("BOURSE_COMMAND", find_command()[-1])
