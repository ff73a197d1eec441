"""freqtrade 2026.9: five minutes of a dry run, in which it opens trades and closes them. Its exchange is ccxt's btse."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from calls import KEY, SECRET, URL, tell

MINUTES = 5
STRATEGY = """
from freqtrade.strategy import IStrategy


class EnterAndLeave(IStrategy):
    timeframe = "1m"
    stoploss = -0.5
    # Whatever it has earned, a trade is closed after a minute.
    minimal_roi = {"1": -1}
    process_only_new_candles = False

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        return dataframe
"""
folder = Path(os.environ["HOME"]) / "freqtrade"
(folder / "user_data" / "strategies").mkdir(parents=True)
(folder / "user_data" / "strategies" / "enter_and_leave.py").write_text(STRATEGY)
urls = {"urls": {"api": {"public": URL, "private": URL}}}
pricing = {"price_side": "other", "use_order_book": False, "order_book_top": 1}
(folder / "config.json").write_text(json.dumps({
    "max_open_trades": 1,
    "stake_currency": "USDT",
    "stake_amount": 100,
    "initial_state": "running",
    "dry_run": True,
    "dry_run_wallet": 10_000,
    "trading_mode": "spot",
    "entry_pricing": pricing,
    "exit_pricing": pricing,
    "exchange": {
        "name": "btse",
        "key": KEY,
        "secret": SECRET,
        "ccxt_config": urls,
        "pair_whitelist": ["BTC/USDT"],
    },
    "experimental": {"block_bad_exchanges": False},
    "pairlists": [{"method": "StaticPairList"}],
    "internals": {"process_throttle_secs": 5},
}))
command = [Path(sys.executable).parent / "freqtrade", "trade", "--config", "config.json", "--strategy", "EnterAndLeave"]
log = (folder / "log").open("w")
process = subprocess.Popen([*command, "--userdir", "user_data"], cwd=folder, stdout=log, stderr=log)
ends_at = time.monotonic() + 60 * MINUTES
while time.monotonic() < ends_at and process.poll() is None:
    time.sleep(1)
exit_code = process.poll()
if exit_code is None:
    process.send_signal(signal.SIGINT)
    process.wait(60)
lines = (folder / "log").read_text().splitlines()
tell(f"runs for {MINUTES} minutes", "ok" if exit_code is None else "failed", "" if exit_code is None else lines[-1])
counts = {0: 0, 1: 0}
[database, *_] = [*folder.rglob("*.sqlite"), None]
if database is not None:
    with sqlite3.connect(database) as trades:
        counts.update(trades.execute("SELECT is_open, count(*) FROM trades GROUP BY is_open").fetchall())
tell("opens a trade", "ok" if sum(counts.values()) > 0 else "failed", f"{counts[1]} open, {counts[0]} closed")
tell("closes a trade", "ok" if counts[0] > 0 else "failed", f"{counts[1]} open, {counts[0]} closed")
troubles = [line for line in lines if " - ERROR - " in line or "Traceback" in line]
tell("no error in its log", "failed" if troubles else "ok", troubles[0] if troubles else "")
print("\n".join(lines[-40:]), file=sys.stderr)
