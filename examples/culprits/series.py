"""A series of measurements. The fault: numpy.append copies all values for each new one."""
import sys

import numpy


def collect(count):
    values = numpy.array([])
    for i in range(count):
        values = numpy.append(values, i * 0.5)
    return values


def main():
    values = collect(int(sys.argv[1]) if len(sys.argv) > 1 else 25000)
    print(values.sum() > 0)


main()
