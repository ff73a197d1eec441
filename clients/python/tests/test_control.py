"""What the calls send: a server that answers everything stands for the venue."""
import json
import re
import threading
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bourse import Control, VenueError
from bourse.control import pages

OPENAPI = Path(__file__).parents[3] / "docs" / "openapi.json"

# One call for each thing that the control surface does.
CALLS = {
    "advance": lambda c: c.advance("1h"),
    "accounts": lambda c: c.accounts(limit=2, after="x"),
    "account": lambda c: c.account("a b"),
    "add_market": lambda c: c.add_market({"symbol": "SOL-USDT"}),
    "all_orders": lambda c: c.all_orders("bot", to=9),
    "amend_as": lambda c: c.amend_as("bot", {"symbol": "BTC-USDT"}),
    "api_keys": lambda c: c.api_keys(),
    "api_keys of one": lambda c: c.api_keys("bot"),
    "archive_log": lambda c: c.archive_log("/mnt/cold"),
    "at": lambda c: c.at(3, "book", symbol="BTC-USDT"),
    "audit": lambda c: c.audit(),
    "book": lambda c: c.book("BTC-USDT"),
    "cancel_as": lambda c: c.cancel_as("bot", "BTC-USDT", clOrderId="x"),
    "change_account": lambda c: c.change_account("bot", frozen=None),
    "change_market": lambda c: c.change_market("BTC-USDT", {"band": "0.1"}, force=True),
    "clear_faults": lambda c: c.clear_faults(),
    "clock": lambda c: c.clock(),
    "command": lambda c: c.command(3),
    "commands": lambda c: c.commands(1),
    "create_account": lambda c: c.create_account("bob"),
    "create_key": lambda c: c.create_key("bob", ["read"]),
    "create_token": lambda c: c.create_token("harness", "test"),
    "delist_market": lambda c: c.delist_market("BTC-PERP", 60_000),
    "deposit": lambda c: c.deposit("bot", "USDT", Decimal("0.0000001")),
    "due": lambda c: c.due(),
    "faults": lambda c: c.faults(),
    "fills": lambda c: c.fills("bot", since=datetime(2026, 1, 1, tzinfo=timezone.utc)),
    "arm_fault": lambda c: c.arm_fault(method="POST", path="/x", latency_ms=5, every=timedelta(hours=1), for_="10s"),
    "set_book": lambda c: c.set_book("BTC-USDT", bids=[(59_000, Decimal("0.5"))]),
    "trade": lambda c: c.trade("BTC-USDT", "SELL", 1, 59_000),
    "halt_market": lambda c: c.halt_market("BTC-USDT"),
    "health": lambda c: c.health(),
    "ledger": lambda c: c.ledger("bot", newest=True),
    "latest_refusals": lambda c: c.latest_refusals(),
    "log_summary": lambda c: c.log_summary(),
    "market_summaries": lambda c: c.market_summaries(),
    "market_at": lambda c: c.market_at(3, "BTC-USDT", minutes=5),
    "markets": lambda c: c.markets(),
    "metrics": lambda c: c.metrics(),
    "open_orders": lambda c: c.open_orders("bot", "BTC-USDT"),
    "order": lambda c: c.order("id/1", account="bot"),
    "place_as": lambda c: c.place_as("bot", {"symbol": "BTC-USDT", "orderSize": Decimal("0.10")}),
    "preview_prices": lambda c: c.preview_prices("BTC-USDT", last=1),
    "refusals": lambda c: c.refusals(),
    "replay": lambda c: c.replay(),
    "report": lambda c: c.report("bot"),
    "report_page": lambda c: c.report_page(),
    "reset": lambda c: c.reset(),
    "restore": lambda c: c.restore("base"),
    "resume_market": lambda c: c.resume_market("BTC-USDT"),
    "revoke_key": lambda c: c.revoke_key("k"),
    "revoke_token": lambda c: c.revoke_token("t"),
    "save": lambda c: c.save("base"),
    "set_prices": lambda c: c.set_prices("BTC-USDT", index=60_000, mark=None),
    "snapshots": lambda c: c.snapshots(),
    "state": lambda c: c.state(),
    "tokens": lambda c: c.tokens(),
    "write_snapshot": lambda c: c.write_snapshot(),
}

# Members that calls take out of their replies.
REPLY = {"time": 1, "seq": 2, "token": "t", "path": "/#t=1", "replay": None}
REPLY.update({name: [] for name in ("due", "faults", "tokens", "snapshots", "commands", "refusals", "requests")})


class Stub:
    """Answers every request with `reply`, and keeps what it got as (method, path, body)."""

    def __init__(self):
        self.got = []
        self.reply = (200, REPLY)
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                stub.got.append((self.command, self.path, json.loads(body) if body else None))
                stub.authorization = self.headers["authorization"]
                status, reply = stub.reply
                data = json.dumps(reply).encode() if not isinstance(reply, str) else reply.encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.control = Control(f"http://127.0.0.1:{self.server.server_port}/", "secret")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def sent(self, call):
        call(self.control)
        return self.got[-1]


@pytest.fixture
def stub():
    stub = Stub()
    yield stub
    stub.server.shutdown()
    stub.server.server_close()


def routes():
    """Method and path of each call that the documents of the control surface have."""
    paths = json.loads(OPENAPI.read_text())["paths"]
    return {
        (method.upper(), path)
        for path, methods in paths.items()
        if path.startswith("/control/v1")
        for method in methods
        if method in ("get", "post", "put", "patch", "delete")
    }


@pytest.mark.skipif(not OPENAPI.exists(), reason="the documents are in the clone only")
def test_every_call_of_the_control_surface_has_a_method(stub):
    templates = {(m, p): re.compile(re.sub(r"\{\w+\}", "[^/]+", p) + r"(\?.*)?") for m, p in routes()}
    assert len(templates) > 45
    used = set()
    for call in CALLS.values():
        method, path, _ = stub.sent(call)
        exact = (method, path.split("?")[0])
        found = [exact] if exact in templates else [r for r, t in templates.items() if r[0] == method and t.fullmatch(path)]
        assert found, (method, path)
        used.update(found)
    # The stream is a WebSocket: a client for those is not part of this package.
    assert {route for route in templates if route not in used} == {("GET", "/control/v1/stream")}


@pytest.mark.parametrize(
    "name, method, path, body",
    [
        ("deposit", "POST", "/accounts/bot/deposits", {"currency": "USDT", "amount": "0.0000001"}),
        ("set_prices", "POST", "/prices", {"symbol": "BTC-USDT", "index": 60_000, "mark": None}),
        ("preview_prices", "POST", "/prices?preview=true", {"symbol": "BTC-USDT", "last": 1}),
        ("arm_fault", "POST", "/faults", {"match": {"method": "POST", "path": "/x"}, "latencyMs": 5, "every": 3_600_000, "for": "10s"}),
        ("fills", "GET", "/accounts/bot/fills?from=1767225600000", None),
        ("account", "GET", "/accounts/a%20b", None),
        ("order", "GET", "/orders/id%2F1?account=bot", None),
        ("change_account", "PATCH", "/accounts/bot", {"frozen": None}),
        ("change_market", "PATCH", "/markets/BTC-USDT", {"band": "0.1", "force": True}),
        ("add_market", "POST", "/markets", {"symbol": "SOL-USDT"}),
        ("ledger", "GET", "/accounts/bot/ledger?newest=true", None),
        ("place_as", "POST", "/accounts/bot/orders", {"symbol": "BTC-USDT", "orderSize": "0.10"}),
    ],
)
def test_a_call_is_sent_as_the_venue_takes_it(stub, name, method, path, body):
    assert stub.sent(CALLS[name]) == (method, f"/control/v1{path}", body)
    assert stub.authorization == "Bearer secret"


@pytest.mark.parametrize("name", ["deposit", "change_account", "change_market", "halt_market", "resume_market", "delist_market"])
def test_a_change_returns_what_the_venue_has_afterwards(stub, name):
    stub.reply = (200, {"balances": {"USDT": "1"}})
    assert CALLS[name](stub.control) == {"balances": {"USDT": "1"}}


def test_durations_and_times_are_ms_text_or_those_of_datetime(stub):
    assert stub.sent(lambda c: c.advance(timedelta(minutes=1)))[2] == {"advance": 60_000}
    assert stub.sent(lambda c: c.advance(5))[2] == {"advance": 5}
    moment = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert stub.sent(lambda c: c.advance_to(moment))[2] == {"to": 1767225600000}
    with pytest.raises(ValueError, match="has no time zone"):
        stub.control.advance_to(datetime(2026, 1, 1))


def test_what_is_no_number_is_refused_before_it_is_sent(stub):
    for amount in (float("nan"), object()):
        with pytest.raises((ValueError, TypeError)):
            stub.control.deposit("bot", "USDT", amount)
    assert stub.got == []
    with pytest.raises(ValueError, match="give an address such as"):
        Control("127.0.0.1:8081", "secret")


def test_a_refusal_has_the_reason_the_field_and_the_words_of_the_venue(stub):
    stub.reply = (400, {"error": {"reason": "malformed", "field": "index", "message": "index must be above 0"}})
    with pytest.raises(VenueError) as refused:
        stub.control.set_prices("BTC-USDT", index=-1)
    error = refused.value
    assert (error.status, error.reason, error.field, error.message) == (400, "malformed", "index", "index must be above 0")
    assert str(error) == "POST /control/v1/prices answered 400 (malformed, field index): index must be above 0"
    stub.reply = (502, "<html>bad gateway</html>")
    with pytest.raises(VenueError, match="answered 502: <html>bad gateway"):
        stub.control.state()


def test_pages_are_read_to_their_end(stub):
    stub.reply = (200, {"fills": [{"n": 1}], "next": "k"})
    rows = pages(stub.control.fills, "fills", "bot", limit=1)
    assert next(rows) == {"n": 1}
    stub.reply = (200, {"fills": [{"n": 2}]})
    assert list(rows) == [{"n": 2}]
    assert stub.got[-1][1] == "/control/v1/accounts/bot/fills?limit=1&after=k"


def test_a_proxy_of_the_environment_is_not_for_a_venue(stub, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    stub.control.clock()
