"""A small command. The fault: a module of its package computes a table when it is imported."""
import sys

from shopapp import orders


def main():
    print(orders.total(int(sys.argv[1]) if len(sys.argv) > 1 else 100) > 0)


main()
