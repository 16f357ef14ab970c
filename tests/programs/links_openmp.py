"""Lines that start OpenMP regions, call C, or only think; each timed by the program itself. They are long, so that a
processor that is taken away between the program's clock and the work itself counts little. Prints the accounts as JSON: {name: {line, wall_ns, calls, threads_ns, waiting_ns}}.

    links_openmp.py LIBRARY TURNS
"""
import ctypes
import json
import sys
import threading
import time
from time import CLOCK_MONOTONIC, clock_gettime_ns, sleep

MS = 1000000
library = ctypes.CDLL(sys.argv[1])
library.run.argtypes = [ctypes.c_void_p, ctypes.c_longlong, ctypes.c_longlong]
turns = int(sys.argv[2])


class Account(ctypes.Structure):
    _fields_ = [("regions", ctypes.c_longlong), ("threads", ctypes.c_longlong), ("waiting", ctypes.c_longlong)]


accounts = {name: Account() for name in ("warm", "even", "uneven", "other", "thread")}
walls = dict.fromkeys([*accounts, "sleep", "think"], 0)
lines = {}


def start(account, first, second):
    """Not where the user's line should be told from the function: one line serves two."""
    library.run(ctypes.byref(account), first, second)  # other


def even():
    begin = clock_gettime_ns(CLOCK_MONOTONIC)
    library.run(ctypes.byref(accounts["even"]), 30 * MS, 30 * MS)  # even
    walls["even"] += clock_gettime_ns(CLOCK_MONOTONIC) - begin


def uneven():
    begin = clock_gettime_ns(CLOCK_MONOTONIC)
    library.run(ctypes.byref(accounts["uneven"]), 18 * MS, 54 * MS)  # uneven
    walls["uneven"] += clock_gettime_ns(CLOCK_MONOTONIC) - begin


def through():
    begin = clock_gettime_ns(CLOCK_MONOTONIC)
    start(accounts["other"], 25 * MS, 25 * MS)
    walls["other"] += clock_gettime_ns(CLOCK_MONOTONIC) - begin


def rest():
    begin = clock_gettime_ns(CLOCK_MONOTONIC)
    sleep(0.025)  # sleep
    walls["sleep"] += clock_gettime_ns(CLOCK_MONOTONIC) - begin


def think():
    begin = clock_gettime_ns(CLOCK_MONOTONIC)
    number = 0
    while number < 600000:
        number += 1
    walls["think"] += clock_gettime_ns(CLOCK_MONOTONIC) - begin


def in_thread():
    library.run(ctypes.byref(accounts["warm"]), MS, MS)  # warm
    for _ in range(turns):
        begin = clock_gettime_ns(CLOCK_MONOTONIC)
        library.run(ctypes.byref(accounts["thread"]), 40 * MS, 15 * MS)  # thread
        walls["thread"] += clock_gettime_ns(CLOCK_MONOTONIC) - begin


def main():
    library.run(ctypes.byref(accounts["warm"]), MS, MS)  # warm
    for _ in range(turns):
        even()
        uneven()
        through()
        rest()
        think()
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()


main()
with open(__file__, encoding="utf-8") as file:
    for number, text in enumerate(file, 1):
        if "  # " in text:
            lines[text.split("  # ")[1].strip()] = number
print(json.dumps({name: {
    "line": lines.get(name), "wall_ns": wall, "calls": accounts[name].regions if name in accounts else turns,
    "threads_ns": accounts[name].threads if name in accounts else 0,
    "waiting_ns": accounts[name].waiting if name in accounts else 0} for name, wall in walls.items()}))
