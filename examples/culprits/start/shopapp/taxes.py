"""Taxes by month."""


def build_table(sales):
    table = [0.0] * 12
    for number in range(sales):
        table[number % 12] += round(number * 0.19 + (number % 10) * 0.01, 2)
    return table


TABLE = build_table(900000)


def tax_of(number):
    return TABLE[number % 12]
