"""Bookings in a pool of threads. The fault: the lock is held around all of a booking, waiting included."""
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor


class Bank:
    def __init__(self):
        self.lock = threading.Lock()
        self.balances = {}

    def check(self, name):
        time.sleep(0.004)  # another service answers
        return len(name) > 0

    def book(self, number):
        with self.lock:
            name = "customer %d" % (number % 50)
            if self.check(name):
                self.balances[name] = self.balances.get(name, 0) + number


def main():
    bookings = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    bank = Bank()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(bank.book, range(bookings)))
    print(sum(bank.balances.values()))


main()
