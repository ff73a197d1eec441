"""BTSE's own SDK for Python (btsecom/btse-sdk; spot v3.3, futures v2.3, streams), from the folder BTSE_SDK."""
import os
import sys

from calls import KEY, SECRET, URL, call, eventually, has, rows
from reads import track_reads

track_reads("/btse_sdk/")

import websocket  # noqa: E402

sys.path.insert(0, os.environ["BTSE_SDK"])
STREAMS = URL.replace("http", "ws")
_init = websocket.WebSocketApp.__init__


def _init_here(self, url, *arguments, **options):
    _init(self, url.replace("wss://ws.btse.com", STREAMS), *arguments, **options)


websocket.WebSocketApp.__init__ = _init_here

from btse_sdk import BTSEFuturesClient, BTSESpotClient, OrderSide, OrderType  # noqa: E402

spot = BTSESpotClient(api_key=KEY, api_secret=SECRET)
futures = BTSEFuturesClient(api_key=KEY, api_secret=SECRET)
spot.base_url, futures.base_url = f"{URL}/spot", f"{URL}/futures"
sys.stdout = sys.stderr  # the SDK prints what it sends; calls are told on the real output

RECORD = {
    "spot": rows(has("status", "symbol", "side", "orderID", "originalOrderBaseSize", "avgFilledPrice")),
    "futures": rows(has("status", "symbol", "side", "orderID", "originalOrderSize", "avgFilledPrice")),
}
for place, client, symbol, size in (("spot", spot, "BTC-USDT", 0.001), ("futures", futures, "BTC-PERP", 100)):
    summary = call(f"{place} market_summary", lambda: client.market_summary(symbol), rows(has("symbol", "last"))) if place == "spot" else None
    price = call(f"{place} price", lambda: client.price(symbol), rows(has("symbol", "indexPrice", "lastPrice")))
    last = price[0]["lastPrice"] if price else 60_000
    call(f"{place} orderbook", lambda: client.orderbook(symbol), has("buyQuote", "sellQuote"))
    if place == "futures":
        call("futures orderbook_l2", lambda: futures.orderbook_l2(symbol, 5), has("buyQuote", "sellQuote"))
        call("futures wallet", futures.wallet, rows(has("wallet", "assets")))
    call(f"{place} trades", lambda: client.trades(symbol), rows(has("price", "size", "side", "serialId", "timestamp")))

    # --- streams ---
    stream, cache = client.ws.orderbook_with_cache(symbol)
    eventually(f"{place} the book's cache", lambda: cache.best_bid() and cache.best_ask())
    seen = []
    client.ws.trade_stream(symbol, seen.append)
    eventually(f"{place} public trades", lambda: next((m for m in seen if "topic" in m and m["data"]), None))
    own = []
    private = client.ws.private_stream(own.append)
    eventually(f"{place} login", lambda: next((m for m in own if m.get("event") == "login" and m["success"]), None))
    if place == "spot":
        private.subscribe_notifications()
        private.subscribe_fills()
    else:
        private.subscribe_topics(["notificationApiV4", "fillsV2", "allPositionV4"])
    eventually(f"{place} subscribed", lambda: next((m for m in own if m.get("event") == "subscribe"), None))

    def told(topic, order_id, name="orderID"):
        for message in own:
            data = message.get("data") if message.get("topic") == topic else None
            for row in data if isinstance(data, list) else [data] if data else []:
                if row.get(name) == order_id:
                    return row
        return None

    # --- orders ---
    def order(at, **more):
        return client.create_order(symbol, OrderSide.BUY, OrderType.LIMIT, size, round(at), **more)

    placed = call(f"{place} create_order", lambda: order(last * 0.97, clOrderID=f"sdk-{place}"), RECORD[place])
    notification = "notificationApiV3" if place == "spot" else "notificationApiV4"
    if placed:
        order_id = placed[0]["orderID"]
        call(f"{place} query_order", lambda: client.query_order(order_id), has("orderID", "symbol", "price"))
        call(f"{place} query_order(client id)", lambda: client.query_order(cl_order_id=f"sdk-{place}"), has("orderID"))
        eventually(f"{place} the order's notification", lambda: told(notification, order_id))
        call(f"{place} cancel_order", lambda: client.cancel_order(symbol, order_id), RECORD[place])
        eventually(f"{place} its end", lambda: next((True for m in own if m.get("topic") == notification and str(order_id) in str(m) and "'status': 6" in str(m)), None))
    call(f"{place} open_orders", lambda: client.open_orders(symbol), own="no route at")
    taken = call(f"{place} create_order, at the market", lambda: order(last * 1.02), RECORD[place])
    if taken:
        eventually(f"{place} its fill", lambda: told("fills" if place == "spot" else "fillsV2", taken[0]["orderID"], "orderId"))
    if place == "spot":
        call("spot trade_history", lambda: spot.trade_history(symbol), rows(has("tradeId", "orderId", "price", "size")))
        call("spot fees", lambda: spot.fees(symbol), rows(has("makerFee", "takerFee")))
    else:
        eventually("futures the position", lambda: next((m for m in own if m.get("topic") == "allPositionV4" and m["data"]), None))
    # The cache has followed the book by deltas for all that time.
    call(f"{place} the book's cache is in order", lambda: cache.out_of_sync, lambda is_out: "out of sync" if is_out else None)
    stream.close()
    private.close()
