"""A venue process for a test: started, waited for, and ended again, whatever happens between.

The process is `bourse sandbox`. It ends when the pipe to its standard input is closed, so it also ends if this process is
killed. Its log is kept, and shown if it does not start or stops by itself.
"""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections import deque
from pathlib import Path
from typing import Any, Deque, List, Mapping, NamedTuple, Optional, Sequence, Union

from .control import Control, NewKey, Time, plain, camel_case

Command = Union[str, "os.PathLike[str]", Sequence[str]]

_STOP_S = 10


class VenueNotFound(Exception):
    """There is no bourse to start, or no Node to run it."""


class VenueNotStarted(Exception):
    """The venue refused to start. The message is what it said."""


class VenueStopped(ConnectionError):
    """The venue does not run any more. The message has its exit code and the end of its log."""


class Key(NamedTuple):
    """An API key of an account."""

    account: str
    key: str
    secret: str


class Venue(Control):
    """A running venue, and its control surface. A context manager: it ends with its block.

    - `accounts`: `[{"name": "bot", "balances": {"USDT": 100_000}}, …]`. An account without `keys` gets a key. Without
      accounts there is one, `test`, with 1,000,000 USDT, 100 BTC and 1000 ETH.
    - `clock`: "manual" (the default) moves only by `advance`. "real" runs, with `speed` 0.1 to 1,000 times elapsed time.
    - `start_time`: where a manual clock begins. Default: 2026-01-01T00:00:00Z.
    - `seed`: everything random follows from it, keys included. The same seed and calls give the same state.
    - `demo`: two funded accounts, `demo-1` and `demo-2`, and synthetic traders that keep the books moving.
    - `data`: a data folder. Without one everything is in memory.
    - `configuration`: all other options of `startVenue` in bourse's docs/testing.md, in Python's spelling or in theirs:
      `markets`, `rate_limits`, `demo_history`, …
    - `command`: the bourse to start: a clone of bourse, a folder in which it is installed, or a command as a list.
      Default: the variable BOURSE_COMMAND, or what `npx bourse` finds from here, or `bourse` on the PATH.
    - `timeout_s`: how long the start may take.

    Raises VenueNotFound, VenueNotStarted if an option is wrong, TimeoutError.
    """

    url: str
    """The address for clients."""
    control_url: str
    """The address of the control surface."""
    control_token: str
    keys: List[Key]
    """Every key that was given or created at the start."""

    def __init__(
        self,
        *,
        accounts: Optional[Sequence[Mapping[str, Any]]] = None,
        clock: str = "manual",
        start_time: Optional[Time] = None,
        speed: Optional[float] = None,
        seed: int = 1,
        demo: bool = False,
        data: Optional[Union[str, "os.PathLike[str]"]] = None,
        command: Optional[Command] = None,
        timeout_s: float = 60,
        **configuration: Any,
    ):
        options = {
            "accounts": accounts,
            "clock": clock,
            "start_time": start_time,
            "speed": speed,
            "seed": seed,
            "demo": demo,
            "data": None if data is None else os.fspath(data),
            **configuration,
        }
        given = {camel_case(name): value for name, value in options.items() if value is not None}
        text = json.dumps(given, default=plain, allow_nan=False)
        self._log: Deque[str] = deque(maxlen=200)
        self._log_reader = threading.Thread(target=self._read_log, daemon=True)
        self._is_closed = False
        self._process = _spawn([*find_command(command), "sandbox", text])
        try:
            self._log_reader.start()
            ready = self._wait_until_ready(timeout_s)
            super().__init__(ready["control"], ready["controlToken"])
            self.url = ready["url"]
            self.keys = [Key(**key) for key in ready["keys"]]
        except BaseException:
            self.close()
            raise

    def _wait_until_ready(self, timeout_s: float) -> Any:
        first: List[str] = []
        reader = threading.Thread(target=lambda: first.append(self._process.stdout.readline()), daemon=True)
        reader.start()
        reader.join(timeout_s)
        if not first:
            raise TimeoutError(f"the venue was not ready after {timeout_s} s. Its log:\n{self.log}")
        if first[0] == "":
            self._process.wait()
            self._log_reader.join(_STOP_S)
            raise VenueNotStarted(self.log or f"it ended with code {self._process.returncode} and said nothing")
        return json.loads(first[0])

    def _read_log(self) -> None:
        for line in self._process.stderr:
            self._log.append(line)

    @property
    def log(self) -> str:
        """The last lines of the venue's log."""
        return "".join(self._log.copy()).strip()

    @property
    def key(self) -> Key:
        """The first account's first key."""
        return self.key_of(None)

    def key_of(self, account: Optional[str]) -> Key:
        """The first key of an account that was there at the start, or that `create_key` made. Raises KeyError."""
        if account is not None and not isinstance(account, str):
            raise TypeError(f"account is the name of an account, not a {type(account).__name__}")
        for key in self.keys:
            if account is None or key.account == account:
                return key
        names = ", ".join(dict.fromkeys(key.account for key in self.keys))
        raise KeyError(f"there is no key of {account or 'any account'}. There are keys of: {names or 'nobody'}")

    def create_key(self, account: str, *args: Any, **options: Any) -> NewKey:
        """As `Control.create_key`. From then on `key_of` and `ccxt` know it."""
        made = super().create_key(account, *args, **options)
        self.keys.append(Key(account, made["key"], made["secret"]))
        return made

    def ccxt(self, account: Optional[str] = None, *, asynchronous: bool = False, **options: Any) -> Any:
        """`ccxt.btse` for this venue, with the key of an account, by default the first one.

        `asynchronous`: that of ccxt.async_support. Others are options of ccxt. Its limiter is off unless they turn it
        on. Raises ImportError if ccxt is not installed, or does not know BTSE.
        """
        try:
            if asynchronous:
                import ccxt.async_support as ccxt
            else:
                import ccxt
            exchange = ccxt.btse
        except ModuleNotFoundError:
            raise ImportError("ccxt is not installed: pip install ccxt") from None
        except AttributeError:
            raise ImportError("this version of ccxt does not know BTSE: pip install --upgrade ccxt") from None
        _, key, secret = self.key_of(account)
        btse = exchange({"apiKey": key, "secret": secret, "enableRateLimit": False, **options})
        btse.urls["api"] = {"public": self.url, "private": self.url}
        return btse

    @property
    def is_running(self) -> bool:
        """False after `close`, and if the process ended by itself."""
        return not self._is_closed and self._process.poll() is None

    def _send(self, method: str, path: str, body: Any, query: Optional[Mapping[str, Any]] = None) -> Any:
        if self._is_closed:
            raise VenueStopped("this venue is closed")
        try:
            return super()._send(method, path, body, query)
        except OSError as error:
            # A process that dies closes its connections a moment before it has ended.
            code = _code_within(self._process, 1)
            if code is None:
                raise
            raise VenueStopped(f"the venue has ended with code {code}. Its log:\n{self.log}") from error

    def close(self) -> None:
        """Ends the venue. It may be called again."""
        self._is_closed = True
        process = self._process
        try:
            process.stdin.close()
        except OSError:
            pass
        try:
            _code_within(process, _STOP_S)
        finally:
            _kill(process)
            if self._log_reader.is_alive():
                self._log_reader.join(_STOP_S)
            process.stdout.close()
            process.stderr.close()

    def __enter__(self) -> "Venue":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Venue {getattr(self, 'url', 'not started')}{'' if self.is_running else ', closed'}>"


def _spawn(command: Sequence[str]) -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            # A Ctrl-C is for this process, which then ends the venue.
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        raise VenueNotFound(f"{command[0]} could not be run: {error}") from None


def _code_within(process: "subprocess.Popen[str]", seconds: float) -> Optional[int]:
    """The exit code of a process that ends within a time. None: it still runs."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _kill(process: "subprocess.Popen[str]") -> None:
    """Ends a process that did not stop, with those that it started."""
    if process.poll() is not None:
        return
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def find_command(given: Optional[Command] = None) -> List[str]:
    """The words that run bourse. Raises VenueNotFound."""
    named = given if given is not None else os.environ.get("BOURSE_COMMAND")
    if named is not None:
        if not isinstance(named, (str, os.PathLike)):
            return [os.fspath(word) for word in named]
        path = Path(named).expanduser()
        if path.is_dir():
            found = _bourse_in(path)
            if found is None:
                raise VenueNotFound(f"{path} is neither a clone of bourse nor a folder in which it is installed")
            return _with_node(found)
        if path.suffix == ".js":
            return _with_node(path)
        return [str(named)]
    for folder in [Path.cwd(), *Path.cwd().parents]:
        found = _bourse_in(folder)
        if found is not None:
            return _with_node(found)
    installed = shutil.which("bourse")
    if installed is not None:
        return [installed]
    raise VenueNotFound(
        "bourse is not found from here. Install it in the folder of your tests: npm install node@24 "
        "PATH-TO/bourse-0.1.0.tgz (npm pack in a clone of bourse makes this file). Or name a clone, "
        "or a folder in which it is installed: Venue(command=…), or the variable BOURSE_COMMAND"
    )


def _bourse_in(folder: Path) -> Optional[Path]:
    clone = folder / "bin" / "bourse.js"
    installed = folder / "node_modules" / "bourse" / "bin" / "bourse.js"
    return next((path.absolute() for path in (installed, clone) if path.is_file()), None)


def _with_node(script: Path) -> List[str]:
    """With the Node that is installed with it, if there is one."""
    root = script.parent.parent
    name = "node.exe" if os.name == "nt" else "node"
    for modules in (root / "node_modules", root.parent):
        node = modules / "node" / "bin" / name
        if node.is_file():
            return [str(node), str(script)]
    node_on_path = shutil.which("node")
    if node_on_path is None:
        raise VenueNotFound("Node is not installed: npm install node@24 in the folder of your tests, or from nodejs.org")
    return [node_on_path, str(script)]
