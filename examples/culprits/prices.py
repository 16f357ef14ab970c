"""Prices, computed in four threads. The fault: they compute in Python, and only one thread runs Python at a time."""
import sys
from concurrent.futures import ThreadPoolExecutor


def price(number):
    value = float(number + 1)
    for step in range(20000):
        value = value * 1.0001 + step % 7
    return value


def all_prices(count):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(price, range(count)))


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(len(all_prices(count)))


main()
