#!/usr/bin/env python3
"""Write the event table of a floor: a domain's own table under another provider's name.

    twin.py DOMAIN.json FLOOR.json [NAME [EVENT...]]

The floor's events so have the number, order, types and enumerations of fields that the domain's
events have, also after somebody changes those. With EVENTs, those alone.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src" / "events"))
import mpi_functions  # noqa: E402


def main():
    source, target = sys.argv[1:3]
    name = sys.argv[3] if len(sys.argv) > 3 else "floor"
    events = sys.argv[4:]
    with open(source, encoding="utf-8") as file:
        table = json.load(file)
    if "functions" in table:
        table["events"] += mpi_functions.events(mpi_functions.load(pathlib.Path(source).parent / table.pop("functions")))
    if events:
        missing = set(events) - {event["name"] for event in table["events"]}
        if missing:
            sys.exit("twin.py: %s has no %s" % (source, ", ".join(sorted(missing))))
        table["events"] = [event for event in table["events"] if event["name"] in events]
    table["domain"] = name
    table["provider"] = "pinsight_" + name
    table["meaning"] = "A domain's events once more, for measuring what they cost at the least."
    with open(target, "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
