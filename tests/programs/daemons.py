"""Daemon threads that still run when the interpreter ends."""
import gc
import sys
import threading
import time

gc.disable()
# Who waits for whom is the same in each run: nobody gives way unasked.
sys.setswitchinterval(10)


def work(number):
    return number if number == 0 else len([1] * number) + work(number - 1)


def for_ever(started):
    work(3)
    started.set()
    while True:
        time.sleep(60)


def main():
    for _ in range(2):
        started = threading.Event()
        threading.Thread(target=for_ever, args=(started,), daemon=True).start()
        started.wait()
    work(5)


main()
