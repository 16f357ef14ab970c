"""What a thread has spent when the first line of its first function runs.

    first.py N

Writes {"together": [ns ...], "alone": [ns ...]}: processor times of N threads that all live at once, so that
each has a buffer of its own, and of N threads that come one after the other and are handed the last one's.
"""

import _thread
import json
import os
import sys
import time


def first(times, ended, may_end):
    times.append(time.thread_time_ns())
    while not may_end:
        time.sleep(0.001)
    ended.append(None)


def wait_for(many, number):
    while len(many) < number:
        time.sleep(0.001)


def run(number, together):
    times, ended, may_end = [], [], [] if together else [True]
    for count in range(number):
        _thread.start_new_thread(first, (times, ended, may_end))
        wait_for(times if together else ended, count + 1)
        if not together:
            time.sleep(0.002)  # the thread ends after its last line
    may_end.append(True)
    wait_for(ended, number)
    return times


def main():
    number = int(sys.argv[1])
    run(2, False)
    result = {"alone": run(number, False), "together": run(number, True)}
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
