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


def early(go, done, number):
    go.acquire()
    switch_adopt()
    traced(number)
    done.release()


def main():
    locks = []
    for number in (1, 2):
        go, done = _thread.allocate_lock(), _thread.allocate_lock()
        go.acquire()
        done.acquire()
        _thread.start_new_thread(early, (go, done, number))
        locks.append((go, done))
    switch_on()
    for go, done in locks:
        go.release()
        done.acquire()
    while _thread._count():
        time.sleep(0.01)
    traced(3)
    switch_off()


main()
