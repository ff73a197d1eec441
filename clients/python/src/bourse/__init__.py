"""A whole trading venue inside a Python test.

    with Venue(accounts=[{"name": "bot", "balances": {"USDT": 100_000}}]) as venue:
        venue.set_prices("BTC-USDT", index=60_000, last=60_000)
        btse = venue.ccxt("bot")
        order = btse.create_order("BTC/USDT", "limit", "buy", 0.1, 59_000)
        venue.advance("1h")

`Venue` starts a venue process and ends it. It is also a `Control`: a client of the venue's control surface, which has a
method for each of its calls. `Control(url, token)` alone drives a venue that runs already.
"""
from .control import Control, VenueError
from .venue import Key, Venue, VenueNotFound, VenueNotStarted, VenueStopped

__all__ = ["Control", "Key", "Venue", "VenueError", "VenueNotFound", "VenueNotStarted", "VenueStopped"]
