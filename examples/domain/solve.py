"""A program that uses libtoy, whose path is its argument."""
import ctypes
import sys

toy = ctypes.CDLL(sys.argv[1])
toy.toy_solve.restype = ctypes.c_double


def refine(turns):
    for turn in range(turns):
        toy.toy_solve(10 * (turn + 1))


def settle():
    toy.toy_wait(5)


refine(20)
settle()
print("solved")
