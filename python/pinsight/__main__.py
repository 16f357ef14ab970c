"""Runs `python -m pinsight [options] app.py args`: `pinsight run` for a program of this
interpreter.
"""
import sys

from ._command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
