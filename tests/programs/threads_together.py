"""Eight threads that run at the same time; what each does, does not depend on the others."""
import gc
import sys
import threading

gc.disable()
sys.setswitchinterval(0.0005)


def work(number):
    return number if number == 0 else len([1] * number) + work(number - 1)


def busy(number):
    total = 0
    for _ in range(200):
        total += work(number)
    return total


def generator(number):
    for index in range(number):
        yield index


def main():
    threads = [threading.Thread(target=traced, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def traced(number):
    busy(number)
    sum(generator(number * 10))


main()
