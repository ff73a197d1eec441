"""The pytest fixture `bourse_venue`.

    @pytest.mark.bourse(accounts=[{"name": "bot", "balances": {"USDT": 100_000}}])
    def test_my_bot(bourse_venue):
        ...

The marker takes the options of `Venue`, on a test, a class or a module; the nearer one takes precedence. Each test begins
with a venue as configured, at the beginning of its time. Tests with the same options share one process, which is reset
between them.
"""
from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from .venue import Venue

# Each is a process of some 100 MB.
_MOST_VENUES = 3
_SHOWN_COMMANDS = 20


class _Venues:
    """Venues that run, by their options, the one used last at the end."""

    def __init__(self) -> None:
        self._running: Dict[str, Venue] = {}

    def get(self, options: Dict[str, Any]) -> Venue:
        name = repr(sorted(options.items()))
        venue = self._running.pop(name, None)
        if venue is not None and venue.is_running:
            venue.clear_faults()
            venue.reset()
        else:
            while len(self._running) >= _MOST_VENUES:
                self._running.pop(next(iter(self._running))).close()
            venue = Venue(**options)
        # A clock that runs and a data folder cannot be reset.
        if options.get("clock", "manual") == "manual" and "data" not in options:
            self._running[name] = venue
        return venue

    def keeps(self, venue: Venue) -> bool:
        return venue in self._running.values()

    def close(self) -> None:
        while self._running:
            self._running.popitem()[1].close()


@pytest.fixture(scope="session")
def _bourse_venues() -> Iterator[_Venues]:
    venues = _Venues()
    yield venues
    venues.close()


@pytest.fixture
def bourse_venue(request: pytest.FixtureRequest, _bourse_venues: _Venues) -> Iterator[Venue]:
    """A venue as the marker `bourse` configures it, at its beginning."""
    options: Dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("bourse"))):
        if marker.args:
            raise pytest.UsageError("the marker bourse takes options of Venue by name, such as clock='real'")
        options.update(marker.kwargs)
    venue = _bourse_venues.get(options)
    yield venue
    if not _bourse_venues.keeps(venue):
        venue.close()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "bourse(**options): the options of bourse.Venue for the fixture bourse_venue")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Iterator[None]:
    """A test that fails shows what its venue did last."""
    outcome = yield
    report = outcome.get_result()
    venue = getattr(item, "funcargs", {}).get("bourse_venue")
    if report.when == "call" and report.failed and isinstance(venue, Venue):
        report.sections.append(("bourse venue", _seen(venue)))


def _seen(venue: Venue) -> str:
    if not venue.is_running:
        return f"{venue!r}\n{venue.log}"
    try:
        seq = venue.clock()["seq"]
        commands = venue.commands(max(1, seq - _SHOWN_COMMANDS + 1), _SHOWN_COMMANDS)
        lines = [f"{row['seq']:>6}  {row['sentence']}" for row in commands if row.get("left") is None]
        faults = [f"fault: {fault}" for fault in venue.faults()]
    except Exception as error:  # noqa: BLE001: the report of a failure must not fail
        return f"{venue!r}: {error}\n{venue.log}"
    return "\n".join(["the last commands of the venue:", *lines, *faults, venue.log]).rstrip()
