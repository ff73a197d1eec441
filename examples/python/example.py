"""Follows a book and the own orders, places an order, reads it, and cancels it.

    BOURSE_KEY=… BOURSE_SECRET=… python3 example.py
"""
import os
import time

from bourse import Book, Client

SYMBOL = "BTC-USDT"

client = Client(os.environ.get("BOURSE_URL", "http://127.0.0.1:8080"), os.environ["BOURSE_KEY"], os.environ["BOURSE_SECRET"])

book = Book()
books = client.stream("/ws/oss/spot", [f"update:{SYMBOL}_0"])
book.fold(books.read()["data"])
print("bid", *book.bids()[0], "ask", *book.asks()[0])

orders = client.stream("/ws/spot", ["notificationApiV3"], login=True)

# The worst bid of the book: an order there waits.
price, _ = book.bids()[-1]
client_id = f"example-{time.time_ns()}"
body = {
    "symbol": SYMBOL,
    "orderSide": "BUY",
    "orderType": "LIMIT",
    "orderSize": "0.001",
    "orderPrice": price,
    "clOrderId": client_id,
}
[placed] = client.request("POST", "/spot/api/v4/trade/orders", body=body)
print("placed", client_id, "at", price)

order = client.request("GET", "/spot/api/v4/trade/order", query={"orderId": placed["orderId"]})
print("read", order["orderState"])

client.request("DELETE", "/spot/api/v4/trade/orders", query={"symbol": SYMBOL, "orderId": placed["orderId"]})
status = None
while status != 6:
    notification = orders.read()["data"]
    status = notification["status"]
    print("notified of", notification["clOrderID"], "status", status)

# What has happened to the book meanwhile begins with the own order.
if not book.fold(books.read()["data"]):
    raise SystemExit("a frame is missing")
books.close()
orders.close()
