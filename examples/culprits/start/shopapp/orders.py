"""Orders, with their taxes."""
from shopapp import taxes


def total(count):
    return sum(taxes.tax_of(amount) for amount in range(count))
