"""vnpy-btse 2024.5.8 (spot v3.2, futures v2.1, four streams), as VeighNa runs it, without its windows."""
import logging
from datetime import datetime, timedelta, timezone

from calls import KEY, SECRET, URL, call, eventually, place_order, tell
from reads import track_reads

track_reads("/vnpy_btse/")

import vnpy_btse.btse_gateway as btse
from vnpy_evo.event import EventEngine
from vnpy_evo.trader.constant import Direction, Exchange, Interval, Offset, OrderType, Status
from vnpy_evo.trader.object import HistoryRequest, OrderRequest, SubscribeRequest

logging.disable()
STREAMS = URL.replace("http", "ws")
btse.REAL_SPOT_REST_HOST = f"{URL}/spot"
btse.REAL_SPOT_WEBSOCKET_HOST = f"{STREAMS}/ws/spot"
btse.REAL_SPOT_ORDERBOOK_HOST = f"{STREAMS}/ws/oss/spot"
btse.REAL_FUTURES_REST_HOST = f"{URL}/futures"
btse.REAL_FUTURES_WEBSOCKET_HOST = f"{STREAMS}/ws/futures"
btse.REAL_FUTURES_ORDERBOOK_HOST = f"{STREAMS}/ws/oss/futures"

seen = {"contract": {}, "account": {}, "order": {}, "trade": {}, "position": {}, "tick": {}}
KEYS = {"contract": "symbol", "tick": "symbol", "account": "accountid", "order": "orderid", "trade": "tradeid"}
logs = []
engine = EventEngine()


def note(event):
    kind = event.type.split(".")[0][1:].lower()
    data = event.data
    if kind == "log":
        logs.append(data.msg)
    elif kind in seen:
        key = data.vt_positionid if kind == "position" else getattr(data, KEYS[kind])
        seen[kind].setdefault(key, []).append(data)


# It asks for open orders when it connects, and reads their fields only if there are some.
for symbol, path, size in (("BTC-USDT", "/spot/api/v3.2/order", 0.001), ("BTCPFC", "/futures/api/v2.1/order", 100)):
    place_order(path, {"symbol": symbol, "side": "BUY", "type": "LIMIT", "price": 40_000, "size": size})

engine.register_general(note)
engine.start()
gateway = btse.BtseGateway(engine, "BTSE")
call("connect", lambda: gateway.connect({
    "API Key": KEY, "Secret Key": SECRET, "Server": "REAL", "Proxy Host": "", "Proxy Port": "",
}))


def logged(text):
    return lambda: True if any(text in line for line in logs) else None


def latest(kind, key):
    return seen[kind].get(key, [None])[-1]


for place in ("Spot", "Futures"):
    eventually(f"{place}: contracts", logged(f"{place} available contracts data is received"))
    eventually(f"{place}: open orders", logged(f"{place} open orders data is received"))
    eventually(f"{place}: the private stream's login", logged(f"{place} websocket API login successful"))
    eventually(f"{place}: the stream of books", logged(f"{place} orderbook API is connected"))
eventually("the open orders of both", lambda: True if len(seen["order"]) >= 2 else None)
eventually("Spot: time", logged("Server time"))
eventually("Spot: account", lambda: latest("account", "SPOT_USDT"))
eventually("Futures: account", lambda: next((a[-1] for name, a in seen["account"].items() if name.startswith("FUTURES_")), None))

SIZES = {"BTC-USDT": 0.001, "BTCPFC": 100}
for symbol, size in SIZES.items():
    contract = latest("contract", symbol)
    if contract is None:
        tell(f"{symbol}: contract", "failed", f"only {list(seen['contract'])}")
        continue
    is_spot = symbol == "BTC-USDT"
    subscribe = lambda: gateway.subscribe(SubscribeRequest(symbol, Exchange.BTSE))  # noqa: E731
    # On spot the gateway calls a method that its own class does not have.
    call(f"{symbol}: subscribe", subscribe, own="has no attribute 'subscribe_orderbook'" if is_spot else None)
    if is_spot:
        eventually(f"{symbol}: public trades", lambda: latest("tick", "BTC-USDT"))
    else:
        eventually(f"{symbol}: the best prices", lambda: next((t for t in seen["tick"].get("BTCPFC", []) if t.ask_price_1), None))
    start = datetime.now(timezone.utc) - timedelta(hours=1)
    bars = call(
        f"{symbol}: query_history",
        lambda: gateway.query_history(HistoryRequest(symbol, Exchange.BTSE, start, interval=Interval.MINUTE)),
        lambda found: None if found else "no bars",
    )
    last = bars[-1].close_price if bars else 60_000.0

    def send(price, direction):
        request = OrderRequest(symbol, Exchange.BTSE, direction, OrderType.LIMIT, size, round(price, 1), Offset.NONE)
        return gateway.send_order(request).split(".")[1]

    # Spot and futures may give two orders the same id, so the market counts too.
    def heard(order_id, status):
        def find():
            orders = [order for order in seen["order"].get(order_id, []) if order.symbol == symbol]
            return next((order for order in orders if order.status == status), None)

        return find

    order_id = send(last * 0.97, Direction.LONG)
    order = eventually(f"{symbol}: the order rests", heard(order_id, Status.NOTTRADED))
    call(f"{symbol}: cancel_order", lambda: gateway.cancel_order(order.create_cancel_request()))
    eventually(f"{symbol}: the order is cancelled", heard(order_id, Status.CANCELLED))
    taker_id = send(last * 1.02, Direction.LONG)
    eventually(f"{symbol}: the order trades", heard(taker_id, Status.ALLTRADED))
    eventually(f"{symbol}: its trade", lambda: next((t for ts in seen["trade"].values() for t in ts if (t.orderid, t.symbol) == (taker_id, symbol)), None))
eventually("BTCPFC: its position", lambda: next((p[-1] for p in seen["position"].values()), None))

troubles = [line for line in logs if "Exception" in line or "failed" in line or "error" in line]
tell("no error in its log", "failed" if troubles else "ok", troubles[0] if troubles else "")
gateway.close()
engine.stop()
import os  # noqa: E402

os._exit(0)  # its threads would wait for their streams
