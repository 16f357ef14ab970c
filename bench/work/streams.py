"""Traces for the reader: n Python calls and n calls into C, in one thread, in eight, and in eight processes at once."""

import os
import threading

PARTS = 8


def leaf(value):
    return value


def work(n):
    items = (1, 2)
    for _ in range(n):
        leaf(1)
        len(items)


def one(n):
    thread = threading.Thread(target=work, args=(n,))  # a stream without the program's own events
    thread.start()
    thread.join()


def threads(n):
    started = [threading.Thread(target=work, args=(n // PARTS,)) for _ in range(PARTS)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def processes(n):
    os.sched_setaffinity(0, range(os.cpu_count()))  # at once, so that their events are in turns
    children = []
    for _ in range(PARTS):
        child = os.fork()
        if not child:
            work(n // PARTS)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
