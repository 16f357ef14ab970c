"""Sums that are written as text: split into tokens, and computed. The newer version's `number` does a little more."""
import sys

from numbers_of import number


def tokens(text):
    at = 0
    while at < len(text):
        if text[at].isdigit():
            value, at = number(text, at)
            yield value
        else:
            if text[at] in "+-*":
                yield text[at]
            at += 1


def compute(text):
    total, sign = 0, 1
    for token in tokens(text):
        if isinstance(token, int):
            total += sign * token
        else:
            sign = -1 if token == "-" else 1
    return total


def main():
    sums = [" + ".join(str(i * k) for k in range(1, 9)) for i in range(int(sys.argv[1]))]
    print(sum(compute(text) for text in sums))


main()
