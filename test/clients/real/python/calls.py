"""What the programs for Python's clients share: each call is made once and told as a line of JSON on standard output.

A line is {"name", "verdict", "detail"}. Verdicts:
  ok       the client took the reply, and the check found what it should have
  refused  the venue refused, naming what the client did wrong; expected, and named by the caller
  own      the client fails by its own mistake, which it would make at BTSE too; named by the caller
  failed   anything else
"""
import hmac
import json
import os
import sys
import time
import urllib.request

URL = os.environ["BOURSE_URL"]
KEY = os.environ["BOURSE_KEY"]
SECRET = os.environ["BOURSE_SECRET"]


def place_order(path, order):
    """Places an order without a client: path as in `/spot/api/v3.2/order`."""
    body, nonce = json.dumps(order), str(int(time.time() * 1000))
    signed = path[path.index("/api/") :] + nonce + body
    sign = hmac.new(SECRET.encode(), signed.encode(), "sha384").hexdigest()
    headers = {"content-type": "application/json", "request-api": KEY, "request-nonce": nonce, "request-sign": sign}
    with urllib.request.urlopen(urllib.request.Request(URL + path, body.encode(), headers)) as reply:
        reply.read()


def tell(name, verdict, detail=""):
    sys.__stdout__.write(json.dumps({"name": name, "verdict": verdict, "detail": str(detail)[:300]}) + "\n")
    sys.__stdout__.flush()


def call(name, act, check=None, refused=None, own=None):
    """Makes a call. `check` returns what is wrong with the value, or None. `refused` is text that the refusal must have,
    `own` text of the client's own error. Returns the value, None where there is none."""
    try:
        value = act()
    except Exception as error:  # noqa: BLE001: whatever a client throws is judged
        text = f"{type(error).__name__}: {error}"
        if refused is not None and refused in text:
            tell(name, "refused", text)
        elif own is not None and own in text:
            tell(name, "own", text)
        else:
            tell(name, "failed", text)
        return None
    if refused is not None or own is not None:
        tell(name, "failed", f"no error with {refused or own}: {value}")
        return value
    problem = None
    if check is not None:
        try:
            problem = check(value)
        except Exception as error:  # noqa: BLE001
            problem = f"{type(error).__name__} in the check: {error}: {str(value)[:200]}"
    tell(name, "ok" if problem is None else "failed", problem or "")
    return value


def has(*names):
    """A check: the object has a value, not None, in each of these fields."""

    def check(value):
        absent = [name for name in names if value.get(name) is None]
        return f"without {', '.join(absent)}: {value}" if absent else None

    return check


def rows(check=None, least=1):
    """A check: a list of at least so many rows, each of which passes."""

    def check_rows(value):
        if not isinstance(value, list):
            return f"not a list: {value}"
        if len(value) < least:
            return f"{len(value)} rows, at least {least} expected"
        problems = [problem for problem in (check(row) if check else None for row in value) if problem]
        return problems[0] if problems else None

    return check_rows


def eventually(name, find, seconds=20):
    """A call whose value comes by itself, through a stream: the first value of `find` that is not None."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = find()
        if value is not None:
            tell(name, "ok")
            return value
        time.sleep(0.05)
    tell(name, "failed", f"nothing within {seconds} s")
    return None
