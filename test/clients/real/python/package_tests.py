"""Runs the tests of the package in the current folder with pytest, and tells each as a call (calls.py has the form)."""
import json
import sys

import pytest


class Told:
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            verdict = {"passed": "ok", "skipped": "own"}.get(report.outcome, "failed")
            detail = "" if report.passed else report.longreprtext[-2000:] if report.failed else str(report.longrepr)
            name = report.nodeid.split("::")[-1]
            # pytest's own dots have no end of line.
            sys.__stdout__.write("\n" + json.dumps({"name": name, "verdict": verdict, "detail": detail}) + "\n")
            sys.__stdout__.flush()


sys.exit(pytest.main(["-q", "-p", "no:cacheprovider"], plugins=[Told()]))
