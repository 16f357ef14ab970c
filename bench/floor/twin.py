#!/usr/bin/env python3
"""Write the event table of a floor: a domain's own table under another provider's name.

    twin.py DOMAIN.json FLOOR.json [NAME]

The floor's events so have the number, order, types and enumerations of fields that the domain's
events have, also after somebody changes those.
"""

import json
import sys


def main():
    source, target = sys.argv[1:3]
    name = sys.argv[3] if len(sys.argv) > 3 else "floor"
    with open(source, encoding="utf-8") as file:
        table = json.load(file)
    table["domain"] = name
    table["provider"] = "pinsight_" + name
    table["meaning"] = "A domain's events once more, for measuring what they cost at the least."
    with open(target, "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
