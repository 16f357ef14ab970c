"""Threads of _thread that are there before tracing is switched on."""
import gc
import time
import _thread

from switch import switch_adopt, switch_off, switch_on

gc.disable()


def work(number):
    return number if number == 0 else len([1] * number) + work(number - 1)


def traced(number):
    for _ in range(10):
        work(number)


def early(ready, go, done, number):
    ready.release()
    go.acquire()
    switch_adopt()
    traced(number)
    done.release()


def main():
    locks = []
    for number in (1, 2):
        ready, go, done = (_thread.allocate_lock() for _ in range(3))
        for lock in (ready, go, done):
            lock.acquire()
        _thread.start_new_thread(early, (ready, go, done, number))
        ready.acquire()
        locks.append((go, done))
    time.sleep(0.1)
    switch_on()
    for go, done in locks:
        go.release()
        done.acquire()
    while _thread._count():
        time.sleep(0.01)
    traced(3)
    switch_off()


main()
