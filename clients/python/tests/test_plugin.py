"""The fixture, in test runs of its own."""

TESTS = """
    import pytest

    pytestmark = pytest.mark.bourse(accounts=[{"name": "bot", "balances": {"USDT": 1000}}])
    seen = []

    def test_first(bourse_venue):
        assert bourse_venue.account("bot")["balances"]["USDT"]["total"] == "1000"
        bourse_venue.deposit("bot", "USDT", 5)
        bourse_venue.arm_fault(status=503)
        bourse_venue.advance("1d")
        seen.append(bourse_venue)

    def test_second_begins_as_the_first_in_the_same_process(bourse_venue):
        assert seen == [bourse_venue]
        assert bourse_venue.account("bot")["balances"]["USDT"]["total"] == "1000"
        assert bourse_venue.faults() == []
        assert bourse_venue.time() == 1767225600000
        bourse_venue.close()

    def test_a_closed_one_is_replaced(bourse_venue):
        assert bourse_venue.is_running

    @pytest.mark.bourse(start_time="2026-06-01", accounts=[{"name": "other"}])
    def test_nearer_options_take_precedence(bourse_venue):
        assert [key.account for key in bourse_venue.keys] == ["other"]
        assert bourse_venue.time() == 1780272000000

    @pytest.mark.bourse(clock="real", speed=10)
    def test_a_clock_that_runs(bourse_venue):
        assert bourse_venue.clock()["manual"] is False
        seen.append(bourse_venue)

    def test_that_one_has_ended(bourse_venue):
        assert not seen[-1].is_running
"""


def test_a_venue_is_as_configured_at_the_beginning_of_each_test(pytester):
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess("--strict-markers").assert_outcomes(passed=6)


def test_a_failed_test_shows_what_its_venue_did(pytester):
    pytester.makepyfile(
        """
        def test_fails(bourse_venue):
            bourse_venue.deposit("test", "USDT", 5)
            bourse_venue.reset()
            bourse_venue.set_prices("BTC-USDT", index=60_000)
            assert False
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*bourse venue*", "the last commands of the venue:", "*Prices of BTC-USDT are set"])
    assert "deposit" not in str(result.stdout).split("the last commands")[1].split("short test summary")[0]


def test_what_a_marker_may_not_have_is_said(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.bourse("real")
        def test_one(bourse_venue):
            pass

        @pytest.mark.bourse(clok="real")
        def test_two(bourse_venue):
            pass
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*takes options of Venue by name*"])
    result.stdout.fnmatch_lines(["*clok is not known; did you mean clock?*"])
