"""Writes the made-up tables of this folder: pip install pandas pyarrow, then python made-up.py FOLDER. tables.test.ts has the same rows."""
import sys

import pandas as pd

folder = sys.argv[1]
rows = range(400)
opens = [100 + i * 7 % 13 * 0.25 for i in rows]
frame = pd.DataFrame({
    "date": pd.date_range("2024-01-01", periods=len(rows), freq="1min", tz="UTC").as_unit("ms"),
    "open": opens,
    "high": [price + 1.5 for price in opens],
    "low": [price - 0.75 for price in opens],
    "close": [round(price + i % 3 * 0.1, 2) for i, price in zip(rows, opens)],
    "volume": [i % 5 * 1e-7 for i in rows],
})
trades = pd.DataFrame({
    "timestamp": [1704067200000 + i * 250 for i in rows],
    "id": [str(i) for i in rows],
    "type": None,
    "side": ["buy" if i % 2 else "sell" for i in rows],
    "price": opens,
    "amount": [0.1 + i for i in rows],
    "cost": 1.0,
})
# As freqtrade writes both.
frame.to_feather(f"{folder}/MADE_UP-1m.feather", compression="lz4", compression_level=9)
trades.to_feather(f"{folder}/MADE_UP-trades.feather", compression="lz4", compression_level=9)
frame.assign(date=frame["date"].dt.as_unit("ns")).to_feather(f"{folder}/MADE_UP_ZSTD-1m.feather", compression="zstd")
for codec in ["snappy", "gzip", "brotli", "zstd", "lz4"]:
    frame.set_index("date").to_parquet(f"{folder}/MADE_UP_{codec.upper()}-1m.parquet", compression=codec)
