"""Taxes by amount."""


def build_table(size):
    table = {}
    for amount in range(size):
        table[amount] = round(amount * 0.19 + (amount % 10) * 0.01, 2)
    return table


TABLE = build_table(900000)


def tax_of(amount):
    return TABLE[amount]
