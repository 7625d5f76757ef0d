"""A pytest plug-in: tests that a function is differentially private, or that a table reproduces.

    from pytest_dpfair import assert_private, assert_reproduced

    def test_noisy_count_is_private():
        assert_private(noisy_count, epsilon=1.0)

    def test_our_scores_do_not_refute_the_published_ones():
        assert_reproduced("published.csv", "ours.csv")

The first one as a marked test, which runs only with `--dpfair-audit`, because an audit takes
seconds:

    @pytest.mark.dpfair(epsilon=1.0, neighbours="add-or-remove-one")
    def test_noisy_count():
        return noisy_count

This module imports nothing of dpfair before the first assertion. It is outside `dpfair_cli`,
because importing that package chooses the arithmetic of the whole process.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

FLAG = "--dpfair-audit"
MARK = "dpfair"
HOW = "dpfair(epsilon, delta, rho, neighbours, data, by, seconds, seed)"
AUDITED = "audit of differential privacy"  # property of the report of a marked test


def assert_private(function: Any, *, epsilon: float, **settings: Any) -> Any:
    """Asserts that `function` is (epsilon, delta)-differentially private.

    The arguments, the result and the errors are those of
    `dpfair_cli.addons.foreign_audits.assertions.assert_private`.
    """
    __tracebackhide__ = True
    return _assertions().assert_private(function, epsilon=epsilon, **settings)


def assert_zero_concentrated(function: Any, *, rho: float, **settings: Any) -> Any:
    """Asserts that `function` is rho-zero-concentrated differentially private.

    The arguments, the result and the errors are those of
    `dpfair_cli.addons.foreign_audits.assertions.assert_zero_concentrated`.
    """
    __tracebackhide__ = True
    return _assertions().assert_zero_concentrated(function, rho=rho, **settings)


def assert_reproduced(published: Any, ours: Any) -> Any:
    """Asserts that a table of ours refutes nothing of a published one.

    The arguments, the result and the errors are those of
    `dpfair_cli.verdicts.two_tables.assert_reproduced`.
    """
    __tracebackhide__ = True
    return _of_dpfair("dpfair_cli.verdicts.two_tables").assert_reproduced(published, ours)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that runs audits."""
    group = parser.getgroup("dpfair", "audits of differential privacy")
    group.addoption(FLAG, action="store_true", help=f"run the tests with the mark {MARK}")


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line(
        "markers",
        f"{HOW}: the test returns a function, and {FLAG} audits that it is as private as claimed",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skips marked tests without the option."""
    if config.getoption(FLAG):
        return
    skipped = pytest.mark.skip(reason=f"an audit of differential privacy: give {FLAG} to run it")
    for item in items:
        if item.get_closest_marker(MARK):
            item.add_marker(skipped)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a marked test, and audits the function that the test returns."""
    __tracebackhide__ = True
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    function = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    if not callable(function):
        pytest.fail(
            f"a test with the mark {MARK} must return the function to audit, got {function!r}",
            pytrace=False,
        )
    check = assert_zero_concentrated if "rho" in mark.kwargs else assert_private
    assertions = _assertions()
    why = ""
    try:
        found = check(function, *mark.args, **mark.kwargs)
    except assertions.NotPrivateError as error:
        why = str(error)
    if why:
        pytest.fail(why, pytrace=False)
    pyfuncitem.user_properties.append((AUDITED, assertions.summary(found)))
    return True


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Writes what the audits that found no contradiction have found."""
    reports = terminalreporter.stats.get("passed", [])
    held = [line for one in reports for name, line in one.user_properties if name == AUDITED]
    if held:
        terminalreporter.section("audits that found no contradiction", sep="-")
    for line in held:
        terminalreporter.line(line)


def _assertions() -> ModuleType:
    return _of_dpfair("dpfair_cli.addons.foreign_audits.assertions")


def _of_dpfair(module: str) -> ModuleType:
    from dpfair import imported  # here: see above

    return imported(module)
