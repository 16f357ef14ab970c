"""Recursion 5000 deep: plain, mutual, and left by an exception."""
import gc
import sys

gc.disable()
sys.setrecursionlimit(20000)


def down(depth):
    return 0 if depth == 0 else 1 + down(depth - 1)


def even(depth):
    return True if depth == 0 else odd(depth - 1)


def odd(depth):
    return False if depth == 0 else even(depth - 1)


def falling(depth):
    if depth == 0:
        raise LookupError
    falling(depth - 1)


def length(depth):
    return 0 if depth == 0 else len([1] * depth) - depth + length(depth - 1)


def main():
    assert down(5000) == 5000
    assert even(5000)
    try:
        falling(5000)
    except LookupError:
        pass
    assert length(2000) == 0


main()
