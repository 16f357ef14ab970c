"""What an operator of NumPy's arrays takes beside a call of a built-in function.

    operators.py N REPEATS

Writes {"operator": [ns ...], "call": [ns ...]}: processor time for each, over N, REPEATS times.
"""

import json
import os
import sys
import time

import numpy as np


def operator(array, n):
    for _ in range(n):
        array[0]


def call(array, n):
    for _ in range(n):
        len(array)


def main():
    n, repeats = int(sys.argv[1]), int(sys.argv[2])
    array, times = np.ones(3), {"operator": [], "call": []}
    for _ in range(repeats):
        for name, function in (("operator", operator), ("call", call)):
            begin = time.thread_time_ns()
            function(array, n)
            times[name].append((time.thread_time_ns() - begin) / n)
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump(times, file)


if __name__ == "__main__":
    main()
