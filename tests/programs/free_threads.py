"""Eight threads that call functions, C and generators, raise, and make functions, three times. With the argument
`reloads`, the configuration changes meanwhile."""
import math
import os
import signal
import sys
import threading
import time

import pinsight

CONFIGURATIONS = ["[Python]\nevents = function\n", "[Python]\nevents = function, c_call\n",
                  "[Python]\ntrace_mode = STANDBY\n", "[Python]\ntrace_mode = MONITORING\n"]


def leaf(number):
    return number + 1


def numbers(count):
    yield from range(count)


def raises():
    raise ValueError


def work():
    def own(x):
        return math.hypot(x, 1)
    for number in range(300):
        leaf(number)
        own(number)
        for _ in numbers(3):
            pass
        try:
            raises()
        except ValueError:
            pass
        if number % 50 == 0:
            exec("def made(x):\n    return len('x' * x)\nmade(3)")


def reloads(over):
    turn = 0
    while not over.is_set():
        turn += 1
        with open(os.environ["PINSIGHT_CONFIG"], "w", encoding="utf-8") as file:
            file.write(CONFIGURATIONS[turn % 4])
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(.05)


def main():
    pinsight.activate()
    over = threading.Event()
    threads = [threading.Thread(target=reloads, args=(over,))] if "reloads" in sys.argv else []
    for thread in threads:
        thread.start()
    for _ in range(3):
        together = [threading.Thread(target=work) for _ in range(8)]
        for thread in together:
            thread.start()
        for thread in together:
            thread.join()
    over.set()
    for thread in threads:
        thread.join()
    pinsight.deactivate()
    print("done")


main()
