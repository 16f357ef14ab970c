"""Bookings with a log for the auditor. The fault: the log's handler writes each line to disk."""
import logging
import os
import sys
import tempfile

log = logging.getLogger("audit")


class SafeHandler(logging.StreamHandler):
    def emit(self, record):
        super().emit(record)
        os.fsync(self.stream.fileno())


def book(number):
    amount = sum(i * number % 7 for i in range(200))
    log.info("booked %d: %d", number, amount)
    return amount


def main():
    bookings = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with tempfile.NamedTemporaryFile("w", dir=".") as file:
        log.addHandler(SafeHandler(file))
        log.setLevel(logging.INFO)
        print(sum(book(number) for number in range(bookings)) > 0)


main()
