"""Tracing is switched on deep in the stack, off deeper, on again higher up."""
import gc

from switch import switch_off, switch_on

gc.disable()


def traced(number):
    return number if number == 0 else len([1] * number) + traced(number - 1)


def on_at(depth):
    if depth == 0:
        switch_on()
        traced(3)
    else:
        on_at(depth - 1)


def off_at(depth):
    if depth == 0:
        switch_off()
    else:
        off_at(depth - 1)


def main():
    on_at(4)
    traced(2)
    off_at(3)
    len("not seen")
    switch_on()
    traced(4)
    switch_off()


main()
