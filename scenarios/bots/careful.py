"""As careful.mjs, in Python: it asks for the book instead of following it. Python 3.9 or newer, standard library."""
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from email.utils import parsedate_to_datetime

SYMBOL = os.environ["BOURSE_SYMBOLS"].split(",")[0]
TARGET = int(os.environ.get("TARGET", "1000"))
ENTER_ABOVE = float(os.environ.get("ENTER_ABOVE", "0"))
STOP, LEVERAGE, MOST_FUNDING, SLIPPAGE = 0.05, 3, 0.001, 0.001
API = "/futures/api/v2.3"

clock_offset = int(os.environ.get("BOT_CLOCK_OFFSET_MS", "0"))
last_nonce = 0


def machine_clock():
    """The clock of a machine that may be wrong: a scenario sets how far."""
    return int(time.time() * 1000) + clock_offset


def call(method, path, query=None, body=None):
    """(status, parsed body, headers). Raises OSError if there is no answer."""
    global last_nonce
    text = "" if body is None else json.dumps(body)
    last_nonce = max(last_nonce + 1, machine_clock())
    signed = f"{path.replace('/futures', '')}{last_nonce}{text}"
    headers = {
        "content-type": "application/json",
        "request-api": os.environ["BOURSE_KEY"],
        "request-nonce": str(last_nonce),
        "request-sign": hmac.new(os.environ["BOURSE_SECRET"].encode(), signed.encode(), hashlib.sha384).hexdigest(),
    }
    search = "" if query is None else "?" + urllib.parse.urlencode(query)
    request = urllib.request.Request(os.environ["BOURSE_URL"] + path + search, text.encode() or None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()), error.headers


class Bot:
    def __init__(self):
        self.done = False
        self.wait_until = 0
        self.first_ask = float("inf")
        self.made = 0

    def act(self):
        status, book, headers = call("GET", f"{API}/orderbook", {"symbol": SYMBOL})
        if status != 200 or not book["buyQuote"] or not book["sellQuote"]:
            return
        if book["timestamp"] < self.wait_until:
            return
        bid = max(float(level["price"]) for level in book["buyQuote"])
        ask = min(float(level["price"]) for level in book["sellQuote"])
        status, rows, headers = call("GET", f"{API}/user/positions", {"symbol": SYMBOL})
        if status == 401:
            self.correct_clock(headers)
        if status != 200:
            return
        size = 0 if not rows else rows[0]["size"] if rows[0]["side"] == "BUY" else -rows[0]["size"]
        status, summary, _ = call("GET", f"{API}/market_summary", {"symbol": SYMBOL})
        if status != 200:
            return
        if size > 0:
            # The mark: a single print on a thin book is no reason to sell.
            fell = rows[0]["markPrice"] < rows[0]["entryPrice"] * (1 - STOP)
            self.done = self.done or fell or summary[0]["fundingRate"] > MOST_FUNDING
            if self.done:
                self.place(book["timestamp"], "SELL", bid * (1 - 10 * SLIPPAGE), size, reduceOnly=True)
        status, wallets, _ = call("GET", f"{API}/user/wallet", {"wallet": "CROSS@"})
        if status != 200:
            return
        affordable = int(wallets[0]["totalValue"] * LEVERAGE / (ask * summary[0]["contractSize"]))
        wanted = min(TARGET, affordable)
        if not self.done and size < wanted and (bid + ask) / 2 >= ENTER_ABOVE:
            # It waits for sellers to come back, and does not go after the price.
            self.first_ask = min(self.first_ask, ask)
            most = self.first_ask * (1 + SLIPPAGE)
            if ask <= most:
                self.place(book["timestamp"], "BUY", most, wanted - size)

    def place(self, now, side, price, size, **more):
        """Fills what the book has within the price, and leaves nothing behind. The next turn looks again."""
        self.made += 1
        client_id = f"careful-{int(time.time() * 1000)}-{self.made}"
        order = {"symbol": SYMBOL, "side": side, "type": "LIMIT", "time_in_force": "IOC", "price": round(price, 1)}
        try:
            status, _, headers = call("POST", f"{API}/order", body={**order, "size": size, "clOrderID": client_id, **more})
        except OSError:
            # It may be there all the same: nothing is sent again before that is known.
            status, _, _ = call("GET", f"{API}/order", {"clOrderID": client_id})
            print(f"{client_id} is {'there, though its answer was lost' if status == 200 else 'not there'}", flush=True)
            return
        if status == 429:
            self.wait_until = now + int(headers.get("retry-after", "1")) * 1000
        if status != 200:
            print(f"refused with {status}", flush=True)

    def correct_clock(self, headers):
        """The date of an answer is the time of the venue's machine."""
        global clock_offset, last_nonce
        print("the venue refuses the nonce: the clock of this machine is wrong", flush=True)
        clock_offset += int(parsedate_to_datetime(headers["date"]).timestamp() * 1000) - machine_clock()
        last_nonce = 0


bot = Bot()
while True:
    try:
        bot.act()
    except OSError as error:
        print(f"no answer: {error}", flush=True)
    time.sleep(0.15)
