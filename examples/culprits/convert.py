"""A small tool that converts a temperature. The fault: it loads pandas for it."""
import sys

import pandas


def to_fahrenheit(degrees):
    return pandas.Series([degrees]) * 9 / 5 + 32


def main():
    degrees = float(sys.argv[1]) if len(sys.argv) > 1 else 21.0
    print(to_fahrenheit(degrees)[0])


main()
