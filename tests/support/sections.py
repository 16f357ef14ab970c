"""A section of the report of a traced program in each of its forms, and what `pinsight export` tells."""
import csv
import io
import subprocess

from . import places


def command(result, verb, *options):
    done = subprocess.run([places.COMMAND, verb, str(result.folder), *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def section_forms(result, section, rows, column, *words):
    """The CSV of a section has the rows that its JSON has, and the screen these words."""
    table = csv.DictReader(io.StringIO(command(result, "report", section, "--format", "csv")))
    assert [row[column] for row in table] == [str(row[column]) for row in rows]
    text = command(result, "report", section)
    assert [word for word in words if word not in text] == []


def slices(result):
    """The rows of `pinsight export --to csv`."""
    return csv.DictReader(io.StringIO(command(result, "export", "--to", "csv", "-o", "-")))
