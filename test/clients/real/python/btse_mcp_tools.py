"""btse-mcp 0.1.5 (futures v2.1): all of its tools, as the protocol calls them."""
import asyncio
import json

from calls import KEY, SECRET, URL, call, tell
from reads import track_reads

track_reads("/btse_mcp/")

import btse_mcp.client  # noqa: E402

btse_mcp.client.FUTURES_BASE = f"{URL}/futures"

import btse_mcp.tools as tools  # noqa: E402

tools._clients["default"] = btse_mcp.client.BTSEClient(KEY, SECRET)
SYMBOL = "BTC-PERP"
called = set()


def tool(name, check=None, refused=None, **arguments):
    called.add(name)

    def act():
        [content] = asyncio.run(tools.call_tool(name, arguments))
        if content.text.startswith("Error: "):
            raise RuntimeError(content.text)
        return json.loads(content.text)

    shown = ", ".join(f"{key}={value}" for key, value in arguments.items())
    return call(f"{name}({shown})", act, check, refused)


def filled(value):
    return None if value else f"empty: {value}"


def found(*names):
    """A check of the first row, or of the object itself."""

    def check(value):
        row = value[0] if isinstance(value, list) else value
        absent = [name for name in names if name not in row]
        return f"without {', '.join(absent)}: {row}" if absent else None

    return check


tool("btse_get_market_summary", filled)
tool("btse_get_market_summary", found("symbol", "last", "fundingRate", "openInterest"), symbol=SYMBOL)
price = tool("btse_get_price", found("indexPrice", "lastPrice", "markPrice"), symbol=SYMBOL)
tool("btse_get_price", filled)
tool("btse_get_orderbook", found("buyQuote", "sellQuote"), symbol=SYMBOL, depth=5)
tool("btse_get_trades", found("price", "size", "side", "serialId"), symbol=SYMBOL)
tool("btse_get_ohlcv", filled, symbol=SYMBOL, resolution="1")
tool("btse_get_funding_history", symbol=SYMBOL)
tool("btse_get_wallet_balance", found("wallet", "assets"))
tool("btse_get_account_fees", found("makerFee", "takerFee"), symbol=SYMBOL)
tool("btse_get_leverage", filled, symbol=SYMBOL)
tool("btse_set_leverage", filled, symbol=SYMBOL, leverage=10, margin_mode="CROSS")
tool("btse_get_risk_limit", filled, symbol=SYMBOL)
tool("btse_set_risk_limit", filled, symbol=SYMBOL, risk_limit_level=1)
last = price[0]["lastPrice"] if price else 60_000
low, high = round(last * 0.98), round(last * 1.02)
order = tool("btse_create_order", found("orderID", "status"), symbol=SYMBOL, side="BUY", order_type="LIMIT", size=100, price=low)
if order:
    order_id = order[0]["orderID"]
    tool("btse_get_open_orders", found("orderID", "size"), symbol=SYMBOL)
    tool("btse_get_order", found("orderID", "size"), order_id=order_id)
    tool("btse_amend_order", filled, symbol=SYMBOL, order_id=order_id, amend_type="PRICE", value=low - 10)
    tool("btse_cancel_order", found("orderID", "status"), symbol=SYMBOL, order_id=order_id)
tool("btse_create_order", filled, symbol=SYMBOL, side="SELL", order_type="LIMIT", size=100, price=high, cl_order_id="mcp-1")
tool("btse_get_order", filled, cl_order_id="mcp-1")
tool("btse_cancel_order", filled, symbol=SYMBOL, cl_order_id="mcp-1")
# The tool has no parameter for an OCO's stopPrice, and sends the fields of an attached take-profit instead.
tool(
    "btse_create_order",
    refused="takeProfitPrice is not allowed with type OCO",
    symbol=SYMBOL,
    side="SELL",
    order_type="OCO",
    size=100,
    price=high,
    take_profit_price=high,
    stop_loss_price=low,
)
tool("btse_create_order", filled, symbol=SYMBOL, side="SELL", order_type="LIMIT", size=100, price=high, post_only=True)
tool("btse_cancel_order", filled, symbol=SYMBOL, confirm=True)
tool("btse_safe_market_order", filled, symbol=SYMBOL, side="BUY", size=100, expected_price=last, max_slippage_pct=5)
tool("btse_get_positions", found("entryPrice", "size", "side"), symbol=SYMBOL)
tool("btse_position_risk", symbol=SYMBOL)
tool("btse_get_trade_history", found("orderId", "price", "size"), symbol=SYMBOL)
tool("btse_close_position", filled, symbol=SYMBOL)
tool("btse_get_wallet_history", filled)
tool("btse_market_snapshot", found("price", "orderbook", "funding_history"), symbol=SYMBOL)
tool("btse_account_overview", found("wallet", "positions", "open_orders"))
# It sends names of wallets without their types, which BTSE demands.
tool("btse_transfer", refused="walletSrcType is missing", from_wallet="SPOT@", to_wallet="CROSS@", amount=10)
called.add("btse_list_accounts")  # reads a file of its own, no venue
missed = sorted(tool.name for tool in tools.TOOLS if tool.name not in called)
tell("every tool is called", "failed" if missed else "ok", ", ".join(missed))
