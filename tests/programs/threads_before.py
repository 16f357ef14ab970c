"""Tracing is switched on while other threads are there, and stays on for those that start later."""
import gc
import threading
import time

from switch import switch_adopt, switch_off, switch_on

gc.disable()


def work(number):
    return number if number == 0 else len([1] * number) + work(number - 1)


def traced(number):
    for _ in range(10):
        work(number)


def early(ready, go, number):
    ready.release()
    go.acquire()
    switch_adopt()
    traced(number)


def main():
    threads = []
    for number in (1, 2, 3):
        ready, go = threading.Semaphore(0), threading.Lock()
        go.acquire()
        thread = threading.Thread(target=early, args=(ready, go, number))
        thread.start()
        ready.acquire()
        threads.append((thread, go))
    time.sleep(0.1)
    switch_on()
    for thread, go in threads:
        go.release()
        thread.join()
    for number in (4, 5):
        thread = threading.Thread(target=traced, args=(number,))
        thread.start()
        thread.join()
    traced(6)
    switch_off()


main()
