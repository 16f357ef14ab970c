"""What was measured: rows, budget lines and what failed, as text and as JSON."""

import json
import platform
import subprocess


class Store:
    """Everything that ends up in results.json.

    tables    title, columns and rows of text, in the order in which they were measured
    values    flat numbers: group, python, case, tool, metric, value
    budgets   a line of the cost budget each: what, python, limit, measured, verdict, note
    failures  what could not be measured, and why
    """

    def __init__(self):
        self.tables = []
        self.values = []
        self.budgets = []
        self.failures = []
        self.about = {}

    def table(self, title, columns, rows, note=""):
        self.tables.append({"title": title, "columns": columns, "rows": rows, "note": note})

    def value(self, group, python, case, tool, metric, value):
        self.values.append(
            {"group": group, "python": python, "case": case, "tool": tool, "metric": metric, "value": value}
        )

    def budget(self, what, python, limit, measured, ok, note=""):
        """`ok` is True, False or None, which stands for: could not be measured."""
        verdict = {True: "met", False: "MISSED", None: "not measured"}[ok]
        self.budgets.append(
            {"what": what, "python": python, "limit": limit, "measured": measured, "verdict": verdict, "note": note}
        )

    def failure(self, where, why):
        self.failures.append({"where": where, "why": str(why)})

    def missed(self):
        return [line for line in self.budgets if line["verdict"] == "MISSED"]

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "about": self.about,
            "budgets": self.budgets,
            "tables": self.tables,
            "values": self.values,
            "failures": self.failures,
        }
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    def text(self):
        out = []
        for key, value in self.about.items():
            out.append("%-14s %s" % (key, value))
        for table in self.tables:
            out += ["", table["title"], _grid(table["columns"], table["rows"])]
            if table["note"]:
                out.append("  " + table["note"])
        if self.failures:
            out += ["", "Not measured"]
            out += ["  %s: %s" % (failure["where"], failure["why"]) for failure in self.failures]
        columns = ["cost budget", "Python", "limit", "measured", "verdict", ""]
        rows = [
            [line["what"], line["python"], line["limit"], line["measured"], line["verdict"], line["note"]]
            for line in self.budgets
        ]
        out += ["", "Budgets", _grid(columns, rows, left=6)]
        return "\n".join(out) + "\n"


def _grid(columns, rows, left=1):
    """Columns as wide as they need to be; all but the first `left` are set to the right."""
    cells = [columns] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = []
    for row in cells:
        parts = [
            cell.ljust(width) if i < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append(("  " + "  ".join(parts)).rstrip())
    return "\n".join(lines)


def machine():
    """The machine and the tools, in a few lines."""
    about = {"machine": "%s, Linux %s" % (platform.machine(), platform.release())}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    if models:
        about["processor"] = "%d x %s" % (len(models), models[0])
    for name, command in (("LTTng", ["lttng", "--version"]), ("babeltrace2", ["babeltrace2", "--version"])):
        try:
            answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            about[name] = answer.stdout.splitlines()[0]
        except (OSError, IndexError):
            about[name] = "not found"
    return about
