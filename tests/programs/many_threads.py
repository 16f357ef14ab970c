"""Threads that call, raise, generate and make objects; says at its end whether there is a GIL.

    many_threads.py THREADS CALLS
"""
import sys, threading

def leaf(number):
    return number

def fails():
    raise ValueError

def generates(count):
    for number in range(count):
        yield number

class Made:
    def __init__(self):
        self.number = abs(-1)

def work(calls):
    for number in range(calls):
        leaf(number)
        if number % 10 == 0:
            try:
                fails()
            except ValueError:
                pass
            Made()
            for _ in generates(3):
                pass

threads = [threading.Thread(target=work, args=(int(sys.argv[2]),)) for _ in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("GIL" if getattr(sys, "_is_gil_enabled", lambda: True)() else "no GIL")
