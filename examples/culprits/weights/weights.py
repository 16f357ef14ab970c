"""Weights of rows, computed by a library on OpenMP. The fault: each thread has equally many rows, and the last rows
have most of the work.

    cc -O2 -fopenmp -shared -fPIC -o libweights.so weights.c -lm
"""
import ctypes
import os
import sys

library = ctypes.CDLL(os.path.join(os.environ.get("WEIGHTS", os.path.dirname(os.path.abspath(__file__))),
                                   "libweights.so"))


def weigh(values, rows):
    weights = (ctypes.c_double * rows)()
    library.weigh(values, weights, rows)
    return sum(weights)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rows = 6000
    values = (ctypes.c_double * rows)(*range(rows))
    total = 0.0
    for _ in range(rounds):
        total += weigh(values, rows)
    print(total > 0)


main()
