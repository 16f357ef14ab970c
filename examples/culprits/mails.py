"""Addresses out of letters. The fault: the expression takes exponential time for one of 100,000 lines."""
import re
import sys

ADDRESS = re.compile(r"^(\w+\.?)+@example\.org$")


def is_address(line):
    return ADDRESS.match(line) is not None


def count(lines):
    found = 0
    for line in lines:
        found += is_address(line)
    return found


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    lines = ["user%d@example.org" % (i % 100) for i in range(number)]
    lines[number // 2] = "averylongnamewithoutat"
    print(count(lines))


main()
