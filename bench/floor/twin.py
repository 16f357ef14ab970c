#!/usr/bin/env python3
"""Write the event table of the floor: the Python domain's own table under another provider's name.

    twin.py PYTHON.json FLOOR.json

The floor's events so have the number, order, types and enumerations of fields that the Python domain's
events have, also after somebody changes those.
"""

import json
import sys


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        table = json.load(file)
    table["domain"] = "floor"
    table["provider"] = "pinsight_floor"
    table["meaning"] = "The Python domain's events once more, for measuring what they cost at the least."
    with open(target, "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
