"""A monthly report on orders. The fault: it searches the whole table once for each customer."""
import sys

import numpy
import pandas

CUSTOMERS = 1500
ORDERS = 20000


def make_orders(customers):
    random = numpy.random.default_rng(1)
    return pandas.DataFrame({"customer": random.integers(0, customers, ORDERS),
                             "amount": random.exponential(50.0, ORDERS),
                             "items": random.integers(1, 9, ORDERS)})


def total_of(orders, customer):
    mine = orders[orders["customer"] == customer]
    return mine["amount"].sum(), mine["items"].max()


def report(orders, customers):
    rows = []
    for customer in range(customers):
        rows.append(total_of(orders, customer))
    return pandas.DataFrame(rows, columns=["amount", "items"])


def main():
    customers = int(sys.argv[1]) if len(sys.argv) > 1 else CUSTOMERS
    orders = make_orders(customers)
    print(report(orders, customers).describe().loc["mean", "amount"] > 0)


main()
