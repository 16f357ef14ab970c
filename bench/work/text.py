"""Text work: records are written as JSON, read again, searched with regular expressions, counted."""

import json
import re

LINE = re.compile(r"(?P<host>[a-z]+\d+)\s+(?P<level>INFO|WARN|ERROR)\s+took=(?P<ms>\d+)ms\s+(?P<rest>.*)")
WORD = re.compile(r"\b[a-z]{3,}\b")
LEVELS = ("INFO", "WARN", "ERROR")
WORDS = ("queue", "retry", "solver", "buffer", "rank", "halo", "exchange", "flush", "epoch", "mesh")


def make(number):
    words = " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7))
    return "node%d %s took=%dms %s %d" % (number % 17, LEVELS[number % 3], number * 37 % 1000, words, number)


def parse(line):
    match = LINE.match(line)
    if match is None:
        return None
    record = match.groupdict()
    record["ms"] = int(record["ms"])
    return record


class Tally:
    def __init__(self):
        self.by_level = {}
        self.words = {}
        self.total = 0

    def add(self, record):
        self.by_level[record["level"]] = self.by_level.get(record["level"], 0) + 1
        self.total += record["ms"]
        for word in WORD.findall(record["rest"]):
            self.words[word] = self.words.get(word, 0) + 1


def run(n):
    tally = Tally()
    for first in range(0, n, 50):
        records = [parse(make(number)) for number in range(first, min(first + 50, n))]
        for record in json.loads(json.dumps(records)):
            tally.add(record)
    return tally.total + sum(tally.words.values())
