"""Numba: a kernel written in Python, through the driver alone."""
import json
import sys

import numpy

if not hasattr(numpy, "row_stack"):  # some versions of Numba look for it
    numpy.row_stack = numpy.vstack
from numba import cuda


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def main():
    a = cuda.to_device(numpy.zeros(100000, numpy.float32))
    for _ in range(10):
        increment[400, 256](a)
    json.dump({"increment": 10, "first": float(a.copy_to_host()[0])}, open(sys.argv[1], "w"))


main()
