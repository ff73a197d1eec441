"""btse-python 0.0.2.1 (futures v2.1): all of its REST client. It makes objects of replies, by name."""
import logging

from calls import KEY, SECRET, URL, call, rows
from reads import track_reads

track_reads("/btse_futures/")

from btse_futures.auth import ApiKey  # noqa: E402
from btse_futures.client import RestClient  # noqa: E402
from btse_futures.constants import OrderType, Side, TimeInForce, TxType  # noqa: E402
from btse_futures.order import Order  # noqa: E402

logging.disable()
client = RestClient(ApiKey(KEY, SECRET), f"{URL}/futures")


def whole(value):
    absent = [name for name, member in vars(value).items() if member is None]
    return f"without {', '.join(absent)}" if absent else None


def order(price, side=Side.BUY):
    return Order(100, price, side, TimeInForce.GTC, "BTCPFC", OrderType.LIMIT, TxType.LIMIT, False, False, 0.0)


def taken(text):
    return None if '"status":2' in text or '"status":4' in text else text


index = call("get_price_index", lambda: client.get_price_index("BTCPFC"), whole)
last = float(round(index.lastPrice)) if index else 60_000.0
call("get_user_wallet", client.get_user_wallet, rows(lambda wallet: None if wallet.marginBalance > 0 else f"{wallet}"))
call("set_leverage", lambda: client.set_leverage("BTCPFC", 10))
call("create_order", lambda: client.create_order(order(last - 1000)), taken)
orders = call("get_open_orders", client.get_open_orders, rows(whole))
call("create_order, at the market", lambda: client.create_order(order(last + 500)), taken)
call("get_open_positions", client.get_open_positions, rows(whole))
if orders:
    call(
        "cancel_order",
        lambda: client.cancel_order(orders[0].orderID, "BTCPFC"),
        own="'list' object has no attribute 'get'",
    )
call("create_order, again", lambda: client.create_order(order(last - 1000)), taken)
call("cancel_all_orders", lambda: client.cancel_all_orders("BTCPFC"), rows(whole))
