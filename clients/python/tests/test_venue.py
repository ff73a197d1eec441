"""A venue that this process starts: what it takes, and how it ends."""
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from bourse import Venue, VenueError, VenueNotFound, VenueNotStarted, VenueStopped
from bourse.venue import find_command

BOT = [{"name": "bot", "balances": {"USDT": 100_000}}, {"name": "market", "balances": {"BTC": 10}}]


def test_clock_prices_orders_faults_and_snapshots_of_a_venue():
    with Venue(accounts=BOT, start_time="2026-03-01T09:30:00Z") as venue:
        venue.set_prices("BTC-USDT", index=60_000, last=60_000)
        venue.place_as("market", {"symbol": "BTC-USDT", "orderSide": "SELL", "orderType": "LIMIT", "orderSize": 1, "orderPrice": 60_100})
        assert venue.book("BTC-USDT")["asks"] == [["60100", "1"]]
        venue.save("base")
        order = {"symbol": "BTC-USDT", "orderSide": "BUY", "orderType": "LIMIT", "orderSize": 0.5, "orderPrice": 60_100, "clOrderId": "mine"}
        venue.place_as("bot", order)
        assert float(venue.account("bot")["balances"]["BTC"]["total"]) > 0.49
        assert "60,100" in venue.story("mine", account="bot")
        assert len(venue.fills("bot")["fills"]) == 1
        assert venue.audit()["ok"]
        before = venue.time()
        assert venue.advance("1h") == before + 3_600_000
        venue.restore("base")
        assert venue.time() == before and venue.fills("bot")["fills"] == []
        venue.halt_market("BTC-USDT")
        assert venue.book("BTC-USDT")["status"] == "halted"
        with pytest.raises(VenueError, match="did you mean BTC-USDT") as refused:
            venue.set_prices("BTC-USD", index=1)
        assert refused.value.status == 404
        venue.arm_fault(status=503, times=2)
        assert venue.faults()[0]["left"] == 2
        venue.clear_faults()
        venue.reset()
        assert venue.page_link().startswith(venue.control_url)
    assert not venue.is_running
    with pytest.raises(VenueStopped, match="closed"):
        venue.clock()


def test_the_same_seed_and_calls_give_the_same_state():
    def seen(**options):
        with Venue(demo=True, **options) as venue:
            venue.advance("1m")
            return venue.state()["hash"], venue.key.key

    assert seen() == seen()
    assert seen(seed=2) != seen()


def test_ccxt_trades_in_one_line():
    pytest.importorskip("ccxt")
    with Venue(accounts=BOT) as venue:
        venue.set_prices("BTC-USDT", index=60_000, last=60_000)
        market, bot = venue.ccxt("market"), venue.ccxt()
        market.create_order("BTC/USDT", "limit", "sell", 1, 60_100)
        order = bot.create_order("BTC/USDT", "limit", "buy", 0.5, 60_100)
        assert order["filled"] == 0.5
        assert venue.ccxt("bot", asynchronous=True).urls["api"]["public"] == venue.url
        with pytest.raises(KeyError, match="There are keys of: bot, market"):
            venue.ccxt("nobody")


def test_an_account_that_was_added_trades_with_the_key_that_was_made_for_it():
    pytest.importorskip("ccxt")
    with Venue(accounts=BOT) as venue:
        venue.create_account("late")
        assert venue.deposit("late", "USDT", 500)["balances"]["USDT"]["total"] == "500"
        made = venue.create_key("late")
        assert venue.key_of("late") == ("late", made["key"], made["secret"])
        assert venue.ccxt("late").fetch_balance()["USDT"]["total"] == 500
        with pytest.raises(TypeError, match="^account is the name of an account, not a dict$"):
            venue.ccxt(made)


def test_without_ccxt_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "ccxt", None)
    with Venue() as venue:
        with pytest.raises(ImportError, match="pip install ccxt"):
            venue.ccxt()


def test_wrong_options_are_refused_in_the_words_of_the_venue():
    with pytest.raises(VenueNotStarted, match="clok is not known; did you mean clock") as refused:
        Venue(clok="real", accounts=[{"name": "x y"}])
    assert "accounts[0].name must be" in str(refused.value)
    assert Venue.__doc__ is not None


def test_an_option_in_the_spelling_of_python_is_that_of_the_venue(tmp_path):
    with Venue(data=tmp_path / "d", master_key_file=str(tmp_path / "key"), rate_limits="off") as venue:
        assert (tmp_path / "key").exists()
        key = venue.key
    with Venue(data=tmp_path / "d", masterKeyFile=str(tmp_path / "key")) as venue:
        assert venue.key == key


def test_an_error_in_the_block_ends_the_venue():
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error):
            with Venue() as venue:
                raise error
        assert venue._process.returncode == 0
    venue.close()


def test_a_venue_that_stops_by_itself_is_noticed():
    with Venue() as venue:
        os.kill(venue._process.pid, signal.SIGKILL)
        venue._process.wait()
        with pytest.raises(VenueStopped, match="ended with code -9"):
            venue.clock()


@pytest.mark.parametrize("how", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(3)", "raise RuntimeError"])
def test_a_venue_does_not_outlive_its_process(how, tmp_path):
    # The venue holds the pipe open for writing, so reading ends when the venue has ended.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"""
        import os, signal, sys
        from bourse import Venue
        from bourse.venue import find_command
        venue = Venue(command=["sh", "-c", 'exec 9>"{pipe}"; exec "$@"', "sh", *find_command()])
        os.write(1, venue.control_url.encode())
        {how}
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with open(pipe, "rb") as held:
        assert held.read() == b""
    assert process.communicate()[0].startswith(b"http://127.0.0.1:")
    assert process.returncode != 0


def test_a_slow_start_is_given_up_and_leaves_nothing():
    with pytest.raises(TimeoutError, match="not ready after 0.01 s"):
        Venue(timeout_s=0.01)


def test_what_is_not_there_is_said(tmp_path, monkeypatch):
    with pytest.raises(VenueNotFound, match="neither a clone of bourse"):
        Venue(command=tmp_path)
    with pytest.raises(VenueNotFound, match="could not be run"):
        Venue(command=["no-such-program"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("BOURSE_COMMAND", raising=False)
    with pytest.raises(VenueNotFound, match="npm install node@24"):
        Venue()
    script = tmp_path / "node_modules" / "bourse" / "bin" / "bourse.js"
    script.parent.mkdir(parents=True)
    script.touch()
    with pytest.raises(VenueNotFound, match="Node is not installed"):
        Venue()
    node = tmp_path / "node_modules" / "node" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.touch()
    below = tmp_path / "tests"
    below.mkdir()
    monkeypatch.chdir(below)
    assert find_command() == [str(node), str(script)]
