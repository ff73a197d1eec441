"""Every method of ccxt's btse that `has` says is true, on spot and on a perpetual."""
import os

from reads import track_reads

track_reads("/ccxt/btse.py")

import ccxt  # noqa: E402

from calls import KEY, SECRET, URL, call, has, rows, tell  # noqa: E402

SPOT = "BTC/USDT"
SWAP = "BTC/USDT:USDT"
FLAGS = {"publicAPI", "privateAPI", "sandbox", "spot", "swap", "future"}

LIMITER = os.environ.get("BOURSE_LIMITER") == "on"
btse = ccxt.btse({"apiKey": KEY, "secret": SECRET, "enableRateLimit": LIMITER})
btse.urls["api"] = {"public": URL, "private": URL}
called = set()


def method(name, *arguments, check=None, refused=None, **params):
    called.add(name)
    shown = ", ".join([str(argument) for argument in arguments] + [f"{key}={value}" for key, value in params.items()])
    extra = [params] if params else []
    return call(f"{name}({shown})", lambda: getattr(btse, name)(*arguments, *extra), check, refused)


def table(check, *keys):
    """A check: an object whose members, or those of these keys, pass."""

    def check_members(value):
        absent = [key for key in keys if key not in value]
        if absent or not value:
            return f"without {absent or 'any row'}: {list(value)}"
        problems = [problem for problem in map(check, value.values()) if problem]
        return problems[0] if problems else None

    return check_members


TICKER = has("symbol", "timestamp", "high", "low", "open", "close", "last", "bid", "ask", "baseVolume", "quoteVolume")
ORDER = has("id", "symbol", "side", "status", "timestamp")
LIMIT = has("id", "symbol", "side", "status", "timestamp", "type", "price", "amount", "filled", "remaining")
FILLED = has("id", "symbol", "side", "filled", "average", "cost")
TRADE = has("id", "timestamp", "symbol", "side", "price", "amount", "cost")
OWN_TRADE = has("id", "timestamp", "symbol", "side", "price", "amount", "cost", "order", "fee")
FUNDING = has("symbol", "fundingRate", "nextFundingTimestamp", "interval")
POSITION = has("id", "symbol", "side", "contracts", "contractSize", "entryPrice", "markPrice", "marginMode", "notional")
TIERS = rows(has("tier", "maxNotional"))
ENTRY = has("timestamp", "currency", "amount", "type", "status")


def candles(count):
    def check(value):
        times = [row[0] for row in value]
        if len(value) < count or times != sorted(times):
            return f"{len(value)} rows: {value[:2]}"
        return None if all(len(row) == 6 and None not in row for row in value) else f"{value[0]}"

    return check


def has_id(order_id):
    return lambda orders: None if any(order["id"] == order_id for order in orders) else f"{order_id} is not in {orders}"


method("fetchTime", check=lambda ms: None if ms > 1_700_000_000_000 else ms)
method("fetchMarkets", check=rows(has("id", "symbol", "base", "quote", "precision", "limits"), 4))
btse.load_markets()

# --- market data ---
for symbol in (SPOT, SWAP):
    method("fetchTicker", symbol, check=TICKER)
    method("fetchOrderBook", symbol, check=lambda book: None if book["bids"] and book["asks"] else f"{book}")
    method("fetchOrderBook", symbol, 5, check=lambda book: None if len(book["bids"]) <= 5 else f"{book}")
    method("fetchTrades", symbol, check=rows(TRADE))
    method("fetchTrades", symbol, None, 5, check=rows(TRADE))
    for timeframe in btse.timeframes:
        method("fetchOHLCV", symbol, timeframe, check=candles(1))
    method("fetchOHLCV", symbol, "1m", btse.milliseconds() - 600_000, 10, check=candles(1))
method("fetchTickers", check=table(TICKER, SPOT, SWAP))
method("fetchTickers", [SPOT], check=table(TICKER, SPOT))
method("fetchFundingRate", SWAP, check=FUNDING)
method("fetchFundingRates", check=table(FUNDING, SWAP))
method("fetchFundingRateHistory", SWAP, check=rows(has("timestamp", "symbol", "fundingRate"), 0))
method("fetchOpenInterest", SWAP, check=has("symbol", "openInterestAmount"))
method("fetchOpenInterests", [SWAP], check=table(has("symbol", "openInterestAmount"), SWAP))
method("fetchLeverageTiers", [SWAP], check=table(TIERS, SWAP))
method("fetchMarketLeverageTiers", SWAP, check=TIERS)

# --- the account ---
USDT = lambda balance: None if balance["USDT"]["free"] > 0 else f"{balance}"  # noqa: E731
method("fetchBalance", check=USDT)
method("fetchBalance", check=USDT, type="swap")
method("fetchTradingFee", SPOT, check=has("maker", "taker"))
method("fetchTradingFee", SWAP, check=has("maker", "taker"))
method("fetchTradingFees", check=table(has("maker", "taker"), SPOT))

# --- orders ---
last = {symbol: btse.fetch_ticker(symbol)["last"] for symbol in (SPOT, SWAP)}
SIZE = {SPOT: 0.001, SWAP: 100}


def price(symbol, percent):
    return float(btse.price_to_precision(symbol, last[symbol] * (1 + percent / 100)))


for symbol in (SPOT, SWAP):
    size = SIZE[symbol]
    low, high = price(symbol, -3), price(symbol, 3)
    order = method("createOrder", symbol, "limit", "buy", size, low, check=LIMIT)
    if order:
        method("fetchOpenOrders", symbol, check=has_id(order["id"]))
        method("fetchOpenOrder", order["id"], symbol, check=LIMIT)
        method("editOrder", order["id"], symbol, "limit", "buy", size, price(symbol, -2.5), check=ORDER)
        method("cancelOrder", order["id"], symbol, check=ORDER)
    client_id = f"clients-{symbol[3:]}"
    method("createOrder", symbol, "limit", "sell", size, high, check=LIMIT, clientOrderId=client_id)
    method("editOrderWithClientOrderId", client_id, symbol, "limit", "sell", size, price(symbol, 2.5), check=ORDER)
    method("cancelOrderWithClientOrderId", client_id, symbol, check=ORDER)
    method("createLimitOrder", symbol, "buy", size, low, check=LIMIT)
    method("createLimitBuyOrder", symbol, size, low, check=LIMIT)
    method("createLimitSellOrder", symbol, size, high, check=LIMIT)
    method("createPostOnlyOrder", symbol, "limit", "buy", size, low, check=LIMIT)
    for time_in_force in ("IOC", "FOK"):
        method("createOrder", symbol, "limit", "buy", size, low, check=ORDER, timeInForce=time_in_force)
    # On spot ccxt makes a plain trigger a take-profit: a BUY waits for a lower price.
    method("createTriggerOrder", symbol, "limit", "buy", size, low, low, check=ORDER)
    method("createTakeProfitOrder", symbol, "limit", "sell", size, high, high, check=ORDER)
    method("createStopOrder", symbol, "market", "sell", size, None, low, refused="stopPrice")
    method("createStopMarketOrder", symbol, "sell", size, low, refused="stopPrice")
    method("createTrailingAmountOrder", symbol, "market", "sell", size, None, 300, refused="trailingAmount")
    method("cancelAllOrdersAfter", 60_000)
    method("cancelAllOrdersAfter", 0)
    method("cancelAllOrders", symbol, check=rows(ORDER))
    method("fetchOpenOrders", symbol, check=lambda orders: f"{orders}" if orders else None)
    bought = method("createMarketOrder", symbol, "buy", size, last[symbol], check=FILLED)
    method("createMarketBuyOrder", symbol, size, check=FILLED) if symbol == SWAP else method(
        "createMarketBuyOrder", symbol, size, check=FILLED, cost=size * last[symbol]
    )
    method("createMarketSellOrder", symbol, size, check=FILLED)
    method("fetchMyTrades", symbol, check=rows(OWN_TRADE, 3))
    if bought:
        method("fetchOrderTrades", bought["id"], symbol, check=rows(OWN_TRADE))

# --- positions ---
method("fetchPositions", [SWAP], check=rows(POSITION))
positions = method("fetchPositionsForSymbol", SWAP, check=rows(POSITION))
method("createReduceOnlyOrder", SWAP, "limit", "sell", 50, price(SWAP, 3), check=LIMIT)
method("createOrderWithTakeProfitAndStopLoss", SWAP, "limit", "buy", 100, price(SWAP, -2), price(SWAP, 4), price(SWAP, -6), check=ORDER)
method("cancelAllOrders", SWAP, check=rows(ORDER))
method("fetchLeverage", SWAP, check=has("symbol", "marginMode"))
method("setLeverage", 10, SWAP, marginMode="cross")
if positions:
    method("closePosition", SWAP, None, check=ORDER, positionId=positions[0]["id"])
method("fetchPositions", [SWAP], check=lambda open_positions: f"{open_positions}" if open_positions else None)
method("fetchMarginMode", SWAP, check=has("symbol", "marginMode"))
method("fetchPositionMode", SWAP, check=lambda mode: None if mode["hedged"] is False else f"{mode}")
method("setPositionMode", True, SWAP)
method("setPositionMode", False, SWAP)
method("setMarginMode", "isolated", SWAP)
method("setMarginMode", "cross", SWAP, hedged=False)

# --- the wallet's history ---
for name in ("fetchLedger", "fetchDeposits", "fetchWithdrawals", "fetchDepositsWithdrawals"):
    method(name, "USDT", check=rows(ENTRY, 0 if name == "fetchWithdrawals" else 1))

missed = sorted(name for name, value in btse.has.items() if value is True and name not in called | FLAGS)
tell("every method that has says is true is called", "failed" if missed else "ok", ", ".join(missed))
