"""cryptoxlib-aio 5.3.0 (spot v3.1): all of its REST client for BTSE. Its socket (/spotWS) has been gone at BTSE since 2020."""
import asyncio

from calls import KEY, SECRET, URL, call, has, rows
from reads import track_reads

track_reads("/cryptoxlib/")

from cryptoxlib.clients.btse import enums
from cryptoxlib.clients.btse.BtseClient import BtseClient
from cryptoxlib.Pair import Pair

BtseClient.REST_API_URI = f"{URL}/spot/api/v3.1/"
PAIR = Pair("BTC", "USDT")
loop = asyncio.new_event_loop()


async def _make():
    return BtseClient(KEY, SECRET)


client = loop.run_until_complete(_make())


def reply(act):
    return lambda: loop.run_until_complete(act())["response"]


def order(price, **more):
    return lambda: client.create_order(
        PAIR, enums.OrderSide.BUY, enums.OrderType.LIMIT, amount="0.001", price=str(price), **more
    )


RECORD = rows(has("status", "symbol", "side", "size", "orderID", "fillSize", "originalSize", "averageFillPrice"))
call("get_time", reply(client.get_time), has("iso", "epoch"))
call("get_exchange_info", reply(client.get_exchange_info), rows(has("symbol", "last", "minPriceIncrement"), 2))
call("get_exchange_info(pair)", reply(lambda: client.get_exchange_info(PAIR)), rows(has("symbol", "last")))
call("get_order_book", reply(lambda: client.get_order_book(PAIR, 3)), has("buyQuote", "sellQuote", "timestamp"))
price = call("get_price", reply(lambda: client.get_price(PAIR)), rows(has("indexPrice", "lastPrice")))
call("get_funds", reply(client.get_funds), rows(has("currency", "total", "available")))
call("get_fees", reply(lambda: client.get_fees(PAIR)), rows(has("symbol", "makerFee", "takerFee")))
last = price[0]["lastPrice"] if price else 60_000
call("create_order", reply(order(round(last * 0.98), client_id="xlib-1")), RECORD)
call("get_open_orders", reply(lambda: client.get_open_orders(PAIR)), rows(has("orderID", "size", "filledSize", "averageFillPrice")))
call("cancel_order(client id)", reply(lambda: client.cancel_order(PAIR, client_order_id="xlib-1")), RECORD)
placed = call("create_order", reply(order(round(last * 0.98))), RECORD)
if placed:
    # The client writes orderId where BTSE's parameter is orderID. Without an id a DELETE cancels the whole market.
    act = reply(lambda: client.cancel_order(PAIR, order_id=placed[0]["orderID"]))
    call("cancel_order(id)", act, refused="orderId is not a parameter here")
call("create_order, at the market", reply(order(round(last * 1.02))), RECORD)
loop.run_until_complete(client.close())
