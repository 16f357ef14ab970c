"""What a thread has spent when the first line of its first function runs.

    first.py N

Writes {"together": [ns ...], "alone": [ns ...]}: processor times of N threads that all live at once, so that
each has a buffer of its own, and of 20 N threads that come one after the other, each of which is handed the
buffer of one that has ended.
"""

import _thread
import json
import os
import sys
import time


def first(times, begun, may_end):
    times.append(time.thread_time_ns())
    begun.release()
    while not may_end:
        time.sleep(0.001)


def run(number, together):
    times, begun, may_end = [], _thread.allocate_lock(), [] if together else [True]
    begun.acquire()
    for _ in range(number):
        _thread.start_new_thread(first, (times, begun, may_end))
        begun.acquire()
    may_end.append(True)
    time.sleep(0.1)  # they end
    return times


def main():
    number = int(sys.argv[1])
    run(20, False)
    result = {"alone": run(20 * number, False), "together": run(number, True)}
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
