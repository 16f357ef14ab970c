"""Calls of functions and of C in 1, 2 and 8 threads: processor time of a call, least of several rounds.

    parallel.py CALLS ROUNDS

The result goes as JSON {threads: {case: ns}} into the file that PINSIGHT_BENCH_RESULT names.
"""

import json
import os
import sys
import threading
import time


def functions(count):
    def leaf():
        return None

    for _ in range(count):
        leaf()


def c_calls(count):
    text = "x"
    for _ in range(count):
        text.isalpha()


def own(case, count, together, times):
    """In each thread its own functions, as a program of threads that share no object has them."""
    case(1000)
    together.wait()
    began = time.thread_time_ns()
    case(count)
    times.append(time.thread_time_ns() - began)


def measure(case, count, threads):
    """Processor time of a call, in ns; so many calls in each thread."""
    together, times = threading.Barrier(threads), []
    started = [threading.Thread(target=own, args=(case, count, together, times)) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return sum(times) / count / threads


def main():
    count, rounds = int(sys.argv[1]), int(sys.argv[2])
    found = {}
    for _ in range(rounds):
        for threads in (1, 2, 8):
            for case in (functions, c_calls):
                cell = found.setdefault(threads, {})
                taken = measure(case, count // threads, threads)
                cell[case.__name__] = min(taken, cell.get(case.__name__, taken))
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump(found, file)


main()
