"""A pytest plugin for `./test`: skipped tests are counted in the file that GROAT_SKIPPED names, and fail where
GROAT_REQUIRE_DATA is 1."""

import os

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        if os.environ.get("GROAT_REQUIRE_DATA") == "1":
            report.outcome = "failed"
        elif path := os.environ.get("GROAT_SKIPPED"):
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{item.nodeid}\t{report.longrepr[2]}\n")
    return report
