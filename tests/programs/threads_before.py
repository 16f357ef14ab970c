"""Tracing is switched on while other threads are there, and stays on for those that start later."""
import gc
import threading

from switch import switch_adopt, switch_off, switch_on

gc.disable()


def work(number):
    return number if number == 0 else len([1] * number) + work(number - 1)


def traced(number):
    for _ in range(10):
        work(number)


def early(go, number):
    go.wait()
    switch_adopt()
    traced(number)


def main():
    go = threading.Event()
    threads = [threading.Thread(target=early, args=(go, number)) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    switch_on()
    go.set()
    for thread in threads:
        thread.join()
    for number in (4, 5):
        thread = threading.Thread(target=traced, args=(number,))
        thread.start()
        thread.join()
    traced(6)
    switch_off()


main()
