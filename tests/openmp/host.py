"""Runs a program that was built as a library, from a function of Python's: host.py LIBRARY"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])


class Host:
    def start(self):
        return library.run_program(1, (ctypes.c_char_p * 2)(b"program", None))


status = Host().start()
library.fflush(None)
sys.exit(status)
