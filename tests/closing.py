"""Closes a run of the tests: what was covered, what failed, and one line with the counts.

    closing.py PYTHONS.TXT JUNIT.XML...

Python 3.12 and later report events through sys.monitoring, 3.8 to 3.11 through a profile function.
A machine may lack Pythons of one kind; the tests then cover one mechanism only, which is said here,
and which is a failure with CI=true.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

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


def main(listing, reports):
    counts = {"failed": 0, "passed": 0, "skipped": 0, "error": 0}
    seconds = 0.0
    bad = []
    seen = set()
    for report in reports:
        try:
            root = ElementTree.parse(report).getroot()
        except (OSError, ElementTree.ParseError):
            bad.append("ERROR {}: this part of the tests did not come to its end".format(report))
            counts["error"] += 1
            continue
        for suite in root.iter("testsuite"):
            seconds += float(suite.get("time", 0))
            for case in suite.iter("testcase"):
                name = "{}::{}".format(case.get("classname"), case.get("name"))
                if case.find("error") is not None:
                    counts["error"] += 1
                    bad.append("ERROR " + name)
                elif case.find("failure") is not None:
                    counts["failed"] += 1
                    bad.append("FAILED " + name)
                elif case.find("skipped") is not None:
                    counts["skipped"] += 1
                else:
                    counts["passed"] += 1
                    seen.update(traced(case))
    for name, versions in covered(listing, seen).items():
        if versions:
            print("{}: tested with {}".format(name, ", ".join(versions)))
            continue
        print("{}: NOT TESTED, this machine has no such Python with its headers".format(name))
        if os.environ.get("CI") == "true":
            counts["failed"] += 1
            bad.append("FAILED a mechanism of Python is not tested, which CI=true does not allow")
    for line in bad:
        print(line)
    total = ", ".join("{} {}".format(n, name) for name, n in counts.items() if n) or "no tests ran"
    print("{} in {:.2f}s".format(total, seconds).join(["===== ", " ====="]))
    return 1 if bad or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
