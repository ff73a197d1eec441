"""A client of the control surface: the clock, prices, accounts, keys, faults and snapshots of a venue.

Each method is one call of it. Money, prices and sizes are given as int, Decimal, text or float, and come back as
exact decimals in text. Times are given as epoch ms, ISO 8601 text or an aware datetime, and come back as epoch ms.
Replies are the venue's JSON, with its names; docs/operating.md and docs/openapi.json of bourse describe each field.
"""
from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

Amount = Union[int, float, str, Decimal]
Time = Union[int, str, datetime]
Duration = Union[int, str, timedelta]
Json = Dict[str, Any]

# An advance by months of a venue with many orders takes a while.
_TIMEOUT_S = 600
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class VenueError(Exception):
    """The venue refused a call.

    `status`: of HTTP. `reason`: stable, for programs: "malformed", "unknownMarket", … `field`: the field that is wrong,
    if it is one. `message`: what is wrong and what would be right. `body`: the whole answer, parsed.
    """

    def __init__(self, method: str, path: str, status: int, body: Any):
        error = body.get("error") if isinstance(body, dict) else None
        error = error if isinstance(error, dict) else {}
        self.status = status
        self.body = body
        self.reason: Optional[str] = error.get("reason")
        self.field: Optional[str] = error.get("field")
        self.message: str = error.get("message") or str(body)
        about = ", ".join(part for part in (self.reason, self.field and f"field {self.field}") if part)
        super().__init__(f"{method} {path} answered {status}{f' ({about})' if about else ''}: {self.message}")


class Moved(TypedDict):
    """Where the clock is now: venue time in epoch ms, and the seq of the last command."""

    time: int
    seq: int


class _Due(TypedDict):
    kind: str
    time: int
    symbol: Optional[str]
    orderId: Optional[str]
    account: Optional[str]
    sentence: str


class MovedToDue(Moved):
    """As Moved, and what was due then."""

    due: List[_Due]


class State(TypedDict):
    """`hash`: SHA-256 over the whole state."""

    seq: int
    time: int
    epoch: int
    hash: str
    orders: int
    accounts: int
    markets: int


class Book(TypedDict):
    """Levels are (price, size), best first. `status`: active, halted, stale or delisted."""

    seq: int
    symbol: str
    status: str
    bids: List[Tuple[str, str]]
    asks: List[Tuple[str, str]]


class Balance(TypedDict):
    total: str
    available: str
    reserved: str
    margin: str
    unrealised: str


class Account(TypedDict):
    """`frozen`: "cancelOnly", "everything" or None. `fees`: own rates, by symbol. `openOrders`: how many."""

    frozen: Optional[str]
    fees: Dict[str, Json]
    openOrders: int
    positions: List[Json]
    balances: Dict[str, Balance]


class NewKey(TypedDict):
    key: str
    secret: str


class Fault(TypedDict, total=False):
    """A fault as it was armed. `hits`: what it has affected. `left`: what it will still affect; None: any number."""

    match: Json
    hits: int
    left: Optional[int]
    lastHitSeq: Optional[int]
    lastHits: List[Json]


class _Unset:
    def __repr__(self) -> str:
        return "(not given)"


_UNSET: Any = _Unset()


class Control:
    """A client of the control surface at `url`, with its token."""

    def __init__(self, url: str, token: str):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url is {url!r}: give an address such as http://127.0.0.1:8081")
        self.control_url = url.rstrip("/")
        self.control_token = token
        # A proxy of the environment is for other addresses than that of a venue.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def request(self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Any call below /control/v1, and its parsed reply. Text that is not JSON is returned as it is.

        Raises VenueError for a refusal, and OSError if there is no answer.
        """
        return self._send(method, f"/control/v1{path}", body, query)

    def _send(self, method: str, path: str, body: Any, query: Optional[Mapping[str, Any]] = None) -> Any:
        given = {name: plain(value) for name, value in (query or {}).items() if value is not None}
        search = f"?{urllib.parse.urlencode(given)}" if given else ""
        headers = {"authorization": f"Bearer {self.control_token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body, default=plain, allow_nan=False).encode()
        request = urllib.request.Request(f"{self.control_url}{path}{search}", data, headers, method=method)
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return _parsed(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise VenueError(method, path, error.code, _parsed(error.read())) from None

    # ── The clock ────────────────────────────────────────────────────────────────────────────────────────────────

    def advance(self, duration: Duration) -> int:
        """Moves a manual clock by ms, text such as "90s", "1h30m", "2d", or a timedelta.

        Returns the new time when everything that was due on the way has happened.
        """
        return self._move(advance=_duration(duration))

    def advance_to(self, time: Time) -> int:
        """Moves a manual clock to a time. Returns it."""
        return self._move(to=time)

    def advance_to_next_due(self) -> MovedToDue:
        """Moves a manual clock to what is due next, and says what that was."""
        return self.request("POST", "/clock", {"toNextDue": True})

    def set_speed(self, speed: Amount) -> int:
        """From now on a real clock runs at 0.1 to 1,000 times elapsed time. Returns venue time."""
        return self._move(speed=speed)

    def accept_wall(self) -> int:
        """Accepts the machine's clock on a real clock, however large the difference is. Returns the new time."""
        return self._move(acceptWall=True)

    def _move(self, **move: Any) -> int:
        return self.request("POST", "/clock", move)["time"]

    def clock(self) -> Json:
        """`{seq, time, epoch, manual, …}`: where the venue is, at no cost."""
        return self.request("GET", "/clock")

    def time(self) -> int:
        """Venue time."""
        return self.clock()["time"]

    def due(self, limit: int = 100) -> List[_Due]:
        """What time brings about next."""
        return self.request("GET", "/due", query={"limit": limit})["due"]

    # ── Prices ───────────────────────────────────────────────────────────────────────────────────────────────────

    def set_prices(
        self,
        symbol: str,
        *,
        index: Optional[Amount] = None,
        mark: Optional[Amount] = _UNSET,
        last: Optional[Amount] = None,
        feed: bool = False,
    ) -> None:
        """Sets prices of a market. Returns when everything that they set off has happened.

        `mark=None` releases a mark that was set manually. `feed`: the index comes from a feed, so a jump waits for a
        second value, and the price goes stale when the feed stops.
        """
        self.request("POST", "/prices", {**_prices(symbol, index, mark, last), **({"feed": True} if feed else {})})

    def preview_prices(
        self,
        symbol: str,
        *,
        index: Optional[Amount] = None,
        mark: Optional[Amount] = _UNSET,
        last: Optional[Amount] = None,
    ) -> Json:
        """`{seq, prices, halted, orders, positions, cut}`: what these prices would set off. Nothing is set."""
        return self.request("POST", "/prices", _prices(symbol, index, mark, last), {"preview": True})

    # ── Markets ──────────────────────────────────────────────────────────────────────────────────────────────────

    def book(self, symbol: str, limit: int = 100) -> Book:
        """The best levels of a book."""
        return self.request("GET", f"/markets/{_in_path(symbol)}/book", query={"limit": limit})

    def markets(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> Json:
        """`{markets, next?}`: a page of the markets, with their prices and terms. `after`: `next` of the page before."""
        return self.request("GET", "/markets", query={"limit": limit, "after": after})

    def market_summaries(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> Json:
        """A page of the markets' prices, 24 hours, funding and open interest."""
        return self.request("GET", "/markets/summary", query={"limit": limit, "after": after})

    def market_at(self, seq: int, symbol: str, *, minutes: Optional[int] = None, limit: Optional[int] = None) -> Json:
        """`{seq, left, symbol, trades, candles}`: trades, and candles of `minutes`, as they were after a command."""
        query = {"seq": seq, "minutes": minutes, "limit": limit}
        return self.request("GET", f"/markets/{_in_path(symbol)}/past", query=query)

    def add_market(self, market: Mapping[str, Any], *, force: bool = False) -> Json:
        """Adds a market, described as in a configuration. `force`: also with fees above 0.05. Returns the market."""
        return self.request("POST", "/markets", {**market, **_forced(force)})

    def change_market(self, symbol: str, terms: Mapping[str, Any], *, force: bool = False) -> Json:
        """Changes terms of a market. Returns it.

        `force`: also if that puts accounts below maintenance, and with fees above 0.05.
        """
        return self.request("PATCH", f"/markets/{_in_path(symbol)}", {**terms, **_forced(force)})

    def set_book(
        self,
        symbol: str,
        *,
        bids: Sequence[Tuple[Amount, Amount]] = (),
        asks: Sequence[Tuple[Amount, Amount]] = (),
    ) -> None:
        """Replaces what the house has in the book: (price, size) that belong to no account.

        For a venue that was started with `house=True`. It touches no limit, fee or history.
        """
        levels = {"bids": [list(level) for level in bids], "asks": [list(level) for level in asks]}
        self.request("PUT", f"/markets/{_in_path(symbol)}/book", levels)

    def trade(self, symbol: str, side: str, size: Amount, price: Amount) -> None:
        """Prints a trade of the house, whose taker is on this side. It fills who is in the way. The same venue."""
        body = {"side": side, "size": size, "price": price}
        self.request("POST", f"/markets/{_in_path(symbol)}/trades", body)

    def halt_market(self, symbol: str) -> Json:
        """Until it is resumed, the market accepts cancels only. Returns the market."""
        return self.request("POST", f"/markets/{_in_path(symbol)}/halt")

    def resume_market(self, symbol: str) -> Json:
        """A halted market trades again. Returns the market."""
        return self.request("POST", f"/markets/{_in_path(symbol)}/resume")

    def delist_market(self, symbol: str, settlement_price: Optional[Amount] = None) -> Json:
        """Ends a halted market for ever and returns it. Positions close at `settlement_price`, by default the mark."""
        return self.request("POST", f"/markets/{_in_path(symbol)}/delist", {"settlementPrice": settlement_price})

    # ── Accounts and money ───────────────────────────────────────────────────────────────────────────────────────

    def create_account(self, name: str) -> None:
        """Creates an account without money and keys."""
        self.request("POST", "/accounts", {"name": name})

    def accounts(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> Json:
        """`{accounts: [{account, keys, frozen}], next?}`: a page of the accounts. `frozen`: as in `account`."""
        return self.request("GET", "/accounts", query={"limit": limit, "after": after})

    def account(self, account: str) -> Account:
        """Balances, positions and open orders."""
        return self.request("GET", f"/accounts/{_in_path(account)}")

    def deposit(self, account: str, currency: str, amount: Amount) -> Json:
        """Deposits. A negative amount withdraws. Returns `{balances}` as they are afterwards."""
        body = {"currency": currency, "amount": amount}
        return self.request("POST", f"/accounts/{_in_path(account)}/deposits", body)

    def change_account(
        self,
        account: str,
        *,
        fees: Optional[Mapping[str, Any]] = None,
        frozen: Optional[str] = _UNSET,
        force: bool = False,
    ) -> Json:
        """Changes fees by symbol (`{"maker": …, "taker": …}`, or None for those of the market), or freezes.

        Returns the account. `frozen`: "cancelOnly", "everything", or None to end a freeze. `force`: also with fees above 0.05.
        """
        body = {**({} if fees is None else {"fees": fees}), **({} if frozen is _UNSET else {"frozen": frozen})}
        return self.request("PATCH", f"/accounts/{_in_path(account)}", {**body, **_forced(force)})

    def create_key(
        self,
        account: str,
        permissions: Sequence[str] = ("read", "trading", "transfer", "wallet"),
        *,
        ip_allow: Optional[Sequence[str]] = None,
        expires_at: Optional[Time] = None,
    ) -> NewKey:
        """`{key, secret}`: a new API key. This reply is the only one that contains the secret."""
        body = {"permissions": list(permissions), "ipAllow": ip_allow, "expiresAt": expires_at}
        given = {name: value for name, value in body.items() if value is not None}
        return self.request("POST", f"/accounts/{_in_path(account)}/keys", given)

    def revoke_key(self, key: str) -> None:
        """Ends an API key."""
        self.request("DELETE", f"/keys/{_in_path(key)}")

    def api_keys(
        self, account: Optional[str] = None, *, limit: Optional[int] = None, after: Optional[str] = None
    ) -> Json:
        """`{keys, next?, rotationPending?}`: a page of the API keys of an account, or of all, without their secrets."""
        path = "/keys" if account is None else f"/accounts/{_in_path(account)}/keys"
        return self.request("GET", path, query={"limit": limit, "after": after})

    def ledger(
        self,
        account: str,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        newest: bool = False,
        to: Optional[int] = None,
    ) -> Json:
        """`{entries, next?}`: what moved the account's money, oldest first. `newest`: the newest entries instead.

        `to`: as of this seq, in whatever branch of the history. Then the reply has `left`.
        """
        query = {"limit": limit, "after": after, "newest": True if newest else None, "to": to}
        return self.request("GET", f"/accounts/{_in_path(account)}/ledger", query=query)

    def fills(
        self,
        account: str,
        *,
        market: Optional[str] = None,
        since: Optional[Time] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        newest: bool = False,
        to: Optional[int] = None,
    ) -> Json:
        """`{fills, next?}`: a page of the account's trades, each from its side, oldest first. `newest`: newest first.

        `to`: as of this seq, in whatever branch of the history. Then the reply has `left`.
        """
        which = {"market": market, "from": since, "newest": True if newest else None, "to": to}
        query = {**which, "limit": limit, "after": after}
        return self.request("GET", f"/accounts/{_in_path(account)}/fills", query=query)

    def audit(self) -> Json:
        """`{ok, seq, …}`: whether all money adds up, with the sums."""
        return self.request("GET", "/audit")

    # ── Orders ───────────────────────────────────────────────────────────────────────────────────────────────────

    def open_orders(
        self,
        account: str,
        symbol: Optional[str] = None,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
    ) -> Json:
        """`{seq, orders, next?}`: a page of the open orders, with what each is doing and its place in the queue."""
        query = {"symbol": symbol, "limit": limit, "after": after}
        return self.request("GET", f"/accounts/{_in_path(account)}/orders", query=query)

    def all_orders(
        self, account: str, *, to: Optional[int] = None, limit: Optional[int] = None, after: Optional[str] = None
    ) -> Json:
        """`{orders, next?}`: open and ended orders, newest first, with how each ended.

        `to`: those that were placed up to this seq, in its branch of the history. Then the reply has `left`.
        """
        query = {"to": to, "limit": limit, "after": after}
        return self.request("GET", f"/accounts/{_in_path(account)}/orders/all", query=query)

    def place_as(self, account: str, order: Mapping[str, Any]) -> List[Json]:
        """Places an order in the name of an account: a body of spot v4 for a pair, of futures v2.3 for a perpetual."""
        return self.request("POST", f"/accounts/{_in_path(account)}/orders", order)

    def amend_as(self, account: str, change: Mapping[str, Any]) -> List[Json]:
        """Amends an order in the name of an account."""
        return self.request("PUT", f"/accounts/{_in_path(account)}/orders", change)

    def cancel_as(self, account: str, symbol: str, **ids: str) -> List[Json]:
        """Cancels in the name of an account. `orderId` or `clOrderId` on spot; `orderID` or `clOrderID` on futures,
        where all orders of the market are cancelled without an id."""
        query = {"symbol": symbol, **ids}
        return self.request("DELETE", f"/accounts/{_in_path(account)}/orders", query=query)

    def order(
        self,
        order_id: str,
        *,
        account: Optional[str] = None,
        symbol: Optional[str] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
    ) -> Json:
        """`{order, events, title, status, sentence, rows, …}`: an order with its story, however long ago it ended.

        With `account`, `order_id` is the client id of one of its orders. `symbol` is needed if orders on spot and on
        futures have that id.
        """
        query = {"account": account, "symbol": symbol, "limit": limit, "after": after}
        return self.request("GET", f"/orders/{_in_path(order_id)}", query=query)

    def story(self, order_id: str, *, account: Optional[str] = None, symbol: Optional[str] = None) -> str:
        """What happened to an order and why, as text to print."""
        page = self.order(order_id, account=account, symbol=symbol)
        rows = [f"  {row['seq'] or '':>6}  {_clock_text(row['time'])}  {row['sentence']}" for row in page["rows"]]
        return "\n".join([page["title"], page["sentence"], *rows])

    # ── Whole states ─────────────────────────────────────────────────────────────────────────────────────────────

    def reset(self) -> None:
        """Accounts, balances and markets as configured, empty books. A manual clock is at its beginning again."""
        self.request("POST", "/reset")

    def save(self, name: str) -> None:
        """Saves the whole state under a name."""
        self.request("POST", f"/snapshots/{_in_path(name)}")

    def restore(self, name: str) -> None:
        """Returns to a saved state, time included."""
        self.request("POST", f"/snapshots/{_in_path(name)}/restore")

    def snapshots(self) -> List[Json]:
        """The saved states."""
        return self.request("GET", "/snapshots")["snapshots"]

    def state(self) -> State:
        """Seq, time and hash of the whole state. The same seed and the same calls give the same hash."""
        return self.request("GET", "/state")

    def at(
        self,
        seq: int,
        show: Optional[str] = None,
        *,
        account: Optional[str] = None,
        symbol: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Json:
        """The state after the command `seq`, and a part of it: "book", "orders", "positions", "balances", "account"."""
        return self.request(
            "GET", f"/at/{seq}", query={"show": show, "account": account, "symbol": symbol, "limit": limit}
        )

    # ── The log ──────────────────────────────────────────────────────────────────────────────────────────────────

    def command(self, seq: int, *, limit: Optional[int] = None, after: Optional[str] = None) -> Json:
        """A command of the log, with a page of what it set off, in order."""
        return self.request("GET", f"/log/{seq}", query={"limit": limit, "after": after})

    def commands(self, first: int, limit: int = 20) -> List[Json]:
        """Consecutive commands of the log, from the seq `first`, each in a sentence. At most 100."""
        return self.request("GET", "/log", query={"from": first, "limit": limit})["commands"]

    def log_summary(
        self,
        *,
        first: Optional[int] = None,
        last: Optional[int] = None,
        buckets: Optional[int] = None,
        account: Optional[str] = None,
    ) -> Json:
        """The log from afar: counts of commands, and marks. `account`: whose fills are marked."""
        return self.request(
            "GET", "/log/summary", query={"from": first, "to": last, "buckets": buckets, "account": account}
        )

    def archive_log(self, to: str) -> Json:
        """Moves old segments of the log to a folder of the venue's machine. `left`: what the next call can move."""
        return self.request("POST", "/log/archive", {"to": to})

    def write_snapshot(self) -> Json:
        """Writes a snapshot into the data folder, so that the next start is fast."""
        return self.request("POST", "/snapshot")

    # ── Faults ───────────────────────────────────────────────────────────────────────────────────────────────────

    def arm_fault(
        self,
        *,
        method: Optional[str] = None,
        path: Optional[str] = None,
        path_prefix: Optional[str] = None,
        **effect: Any,
    ) -> None:
        """Arms a fault for the next requests of clients, or frames of their streams.

        `method`, `path` (exact) and `path_prefix` say which requests; without them, all. The effects are those of the
        control surface in Python's spelling: `latency_ms` delays a request, `status` refuses it with this status (and
        `code`, `message`, `retry_after_seconds`, or a whole `body`), `drop_reply=True` carries it out and closes the
        connection without an answer. `close_streams`, `refuse_streams`, `stream_latency_ms`, `drop_frames` and
        `gap_book` are for streams, `maintenance=True` for everything. `in_venue_time=True`: latencies pass when a
        manual clock is moved.

        `times`: how many requests or frames, 1 by default, None for any number. `skip`: how many it leaves alone
        first. `probability` and `seed`: it affects only a share. `from_` and `until`: venue times. `every` and `for_`:
        it begins again so often, and lasts so long each time.
        """
        given = (("method", method), ("path", path), ("pathPrefix", path_prefix))
        match = {name: value for name, value in given if value is not None}
        # `from` and `for` are words of Python.
        fault = {camel_case(name.rstrip("_")): _duration(value) for name, value in effect.items()}
        self.request("POST", "/faults", {**({"match": match} if match else {}), **fault})

    def faults(self) -> List[Fault]:
        """The armed faults, and the latest spent ones until they are cleared, with how often each hit."""
        return self.request("GET", "/faults")["faults"]

    def clear_faults(self) -> None:
        """Ends all faults."""
        self.request("DELETE", "/faults")

    # ── The venue itself ─────────────────────────────────────────────────────────────────────────────────────────

    def refusals(self) -> Json:
        """Refused commands of clients, by reason."""
        return self.request("GET", "/refusals")["refusals"]

    def latest_refusals(self) -> Json:
        """The latest refused requests, the newest first, also those that never became a command."""
        return self.request("GET", "/refusals/latest")["requests"]

    def health(self) -> Json:
        """Liveness and readiness."""
        return self.request("GET", "/health")

    def metrics(self) -> str:
        """Text for Prometheus."""
        return self.request("GET", "/metrics")

    def replay(self) -> Optional[Json]:
        """The recording that the venue plays, and how far it has come. None: it plays none."""
        return self.request("GET", "/replay")["replay"]

    def report(self, account: Optional[str] = None) -> Json:
        """What came of the venue, account by account, or of one. It takes as long as applying the log."""
        return self.request("GET", "/report", query={"account": account})

    def report_page(self, account: Optional[str] = None) -> str:
        """The same as one HTML page."""
        return self.request("GET", "/report.html", query={"account": account})

    def tokens(self) -> List[Json]:
        """The created control tokens: name, scope, createdMs."""
        return self.request("GET", "/tokens")["tokens"]

    def create_token(self, name: str, scope: str) -> str:
        """A new control token that may "read", "test" or "admin". This reply is the only one that contains it."""
        return self.request("POST", "/tokens", {"name": name, "scope": scope})["token"]

    def revoke_token(self, name: str) -> None:
        """Ends a control token."""
        self.request("DELETE", f"/tokens/{_in_path(name)}")

    def page_link(self, *, read_only: bool = False) -> str:
        """A link that opens the venue's page in a browser, once and within ten minutes."""
        return self.control_url + self._send("POST", "/session/links", {"readOnly": read_only})["path"]


def pages(call: Any, rows: str, *arguments: Any, **options: Any) -> Iterator[Json]:
    """The rows of all pages of a list: `pages(venue.fills, "fills", "bot")`."""
    after = None
    while True:
        page = call(*arguments, after=after, **options)
        yield from page[rows]
        after = page.get("next")
        if after is None:
            return


def camel_case(name: str) -> str:
    """`start_time` is `startTime` in the venue's options and bodies."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _prices(symbol: str, index: Any, mark: Any, last: Any) -> Json:
    given = {name: value for name, value in (("index", index), ("last", last)) if value is not None}
    return {"symbol": symbol, **given, **({} if mark is _UNSET else {"mark": mark})}


def _forced(force: bool) -> Json:
    return {"force": True} if force else {}


def _in_path(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def plain(value: Any) -> Any:
    """What JSON and a query take."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: give datetime(…, tzinfo=timezone.utc)")
        return (value - _EPOCH) // timedelta(milliseconds=1)
    if isinstance(value, (int, float, str)):
        return value
    raise TypeError(f"{value!r} is not a number, text, Decimal or datetime")


def _duration(duration: Duration) -> Union[int, str]:
    return duration // timedelta(milliseconds=1) if isinstance(duration, timedelta) else duration


def _parsed(data: bytes) -> Any:
    text = data.decode()
    try:
        return json.loads(text)
    except ValueError:
        return text


def _clock_text(time_ms: int) -> str:
    moment = _EPOCH + timedelta(milliseconds=time_ms)
    return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03}"
