"""Closes a run of the tests: what was covered, what failed, and one line with the counts.

    closing.py [--again JUNIT.XML]... PYTHONS.TXT JUNIT.XML...

A test that failed but passed each time it was run --again by itself is unsteady: named, counted as
that, and no failure of the run. It is a bug all the same, of the test or of what it tests.

Python 3.12 and later report events through sys.monitoring, 3.8 to 3.11 through a profile function.
A machine may lack Pythons of one kind; the tests then cover one mechanism only, which is said here,
and which is a failure with CI=true. So it is with the newest Python that PInsight is for: why
tests/pythons could not fetch it is in the file pythons/why beside PYTHONS.TXT.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

NEWEST = "3.15"  # that PInsight is for
MECHANISMS = ("sys.monitoring (3.12 and later)", "profile function (3.8 to 3.11)")


def traced(case):
    """What a test case says that it traced: "mechanism; version" in its properties."""
    for item in case.iter("property"):
        if item.get("name") == "traced":
            yield item.get("value")


def covered(listing, seen):
    """The versions of Python that were tested, by mechanism.

    Of what the build has extensions for (listing), those that a passing test traced; all, where the
    tests do not say what they traced.
    """
    found = {name: [] for name in MECHANISMS}
    with open(listing) as lines:
        for line in lines:
            tag, version, _ = line.rstrip("\n").split("\t")
            minor = int(tag.rstrip("t").split(".")[1])
            name = MECHANISMS[0] if minor >= 12 else MECHANISMS[1]
            if not seen or any(value.endswith("; " + version) for value in seen):
                found[name].append(version)
    return found


def why_missing(listing):
    """Why a Python that the tests want is not there, as far as that is known."""
    try:
        with open(os.path.join(os.path.dirname(listing), "pythons", "why")) as file:
            return file.read().strip()
    except OSError:
        return "tests/pythons fetches it"


def outcomes(report):
    """(name, outcome, what it traced) of each test of a report; None where there is none to be read."""
    try:
        root = ElementTree.parse(report).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    found = []
    for case in root.iter("testcase"):
        name = "{}::{}".format(case.get("classname"), case.get("name"))
        kinds = [kind for kind in ("error", "failure", "skipped") if case.find(kind) is not None]
        outcome = {"failure": "failed"}.get(kinds[0], kinds[0]) if kinds else "passed"
        found.append((name, outcome, set(traced(case))))
    return found


def seconds_of(report):
    return sum(float(suite.get("time", 0)) for suite in ElementTree.parse(report).getroot().iter("testsuite"))


def steady_again(reports):
    """The tests that passed in each of the reports of those that were run again."""
    passed = None
    for report in reports:
        found = outcomes(report) or []
        bad = {name for name, outcome, _ in found if outcome != "passed"}
        good = {name for name, outcome, _ in found} - bad
        passed = good if passed is None else passed & good
    return passed or set()


def main(listing, reports, again=()):
    counts = {"failed": 0, "passed": 0, "unsteady": 0, "skipped": 0, "error": 0}
    seconds = 0.0
    bad, unsteady, seen = [], set(), set()
    passes_again = steady_again(again)
    for report in reports:
        found = outcomes(report)
        if found is None:
            bad.append("ERROR {}: this part of the tests did not come to its end".format(report))
            counts["error"] += 1
            continue
        seconds += seconds_of(report)
        for name, outcome, about in found:
            if outcome in ("failed", "error") and name in passes_again:
                outcome = "unsteady"
                unsteady.add(name)
            elif outcome in ("failed", "error"):
                bad.append("{} {}".format(outcome.upper(), name))
            elif outcome == "passed":
                seen.update(about)
            counts[outcome] += 1
    tested = covered(listing, seen)
    for name, versions in tested.items():
        if versions:
            print("{}: tested with {}".format(name, ", ".join(versions)))
            continue
        print("{}: NOT TESTED, this machine has no such Python with its headers".format(name))
        if os.environ.get("CI") == "true":
            counts["failed"] += 1
            bad.append("FAILED a mechanism of Python is not tested, which CI=true does not allow")
    if not any(version.startswith(NEWEST + ".") for versions in tested.values() for version in versions):
        print("CPython {}, the newest that PInsight is for: NOT TESTED; {}".format(NEWEST, why_missing(listing)))
        if os.environ.get("CI") == "true":
            counts["failed"] += 1
            bad.append("FAILED CPython {} is not tested, which CI=true does not allow".format(NEWEST))
    for name in sorted(unsteady):
        print("UNSTEADY {}: failed once, see above, and passed by itself {} times".format(name, len(again)))
    for line in bad:
        print(line)
    total = ", ".join("{} {}".format(n, name) for name, n in counts.items() if n) or "no tests ran"
    print("{} in {:.2f}s".format(total, seconds).join(["===== ", " ====="]))
    return 1 if bad or not counts["passed"] else 0


if __name__ == "__main__":
    words, again = sys.argv[1:], []
    while words and words[0] == "--again":
        again.append(words[1])
        words = words[2:]
    sys.exit(main(words[0], words[1:], again))
