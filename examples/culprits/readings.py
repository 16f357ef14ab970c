"""Readings of a sensor as text. The fault: most are no numbers, and each of these raises an exception that is caught."""
import sys


def value_of(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def total(texts):
    result = 0.0
    for text in texts:
        result += value_of(text)
    return result


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300000
    texts = ["n/a" if i % 8 else "%d.5" % i for i in range(count)]
    print(total(texts) > 0)


main()
